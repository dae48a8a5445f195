import OpenSwiftData

/// The fields that have other types in the other store.
///
/// A file without types shows the types that fit all its values, so that one value decides how the others are read.
struct RetypedFields {
  private let session: Session
  /// The fields whose values here are read like those of the other store, and the other way round, as they are there.
  private var read: [Bool: [String: Schema.Attribute]] = [:]
  /// Of those that are text in the other store, the texts in a file of separated values.
  private var spellings: [Bool: [String: ModelContext.Spellings]] = [:]
  private var names: Set<String> = []

  /// Finds the fields.
  ///
  /// - Throws: The error of a file that cannot be read.
  init(_ entities: (own: String, other: String), _ session: Session, _ other: ModelContext) throws {
    self.session = session
    guard let own = session.context.schema.entitiesByName[entities.own],
      let others = other.schema.entitiesByName[entities.other]
    else { return }
    let isLoose = (own: session.context.infersTypes, other: other.infersTypes)
    for field in own.fields {
      guard let counterpart = others.fieldsByName[field.name],
        counterpart.type != field.type
          || (isLoose.own ? counterpart : field).form != nil && field.type == .text,
        field.type.destination == nil, counterpart.type.destination == nil
      else { continue }
      names.insert(field.name)
      if field.type.isNumeric, counterpart.type.isNumeric { continue }
      let readsOwn = isLoose.own && (!isLoose.other || field.type == .text)
      if readsOwn {
        try read(counterpart, in: session.context, entities.own, isOther: false)
      } else if isLoose.other {
        try read(field, in: other, entities.other, isOther: true)
      }
    }
  }

  /// Reads the values of one side as a field of the other one.
  private mutating func read(
    _ field: Schema.Attribute,
    in context: ModelContext,
    _ entityName: String,
    isOther: Bool
  ) throws {
    read[isOther, default: [:]][field.name] = field
    guard field.type == .text, context.hasOnlyTexts else { return }
    spellings[isOther, default: [:]][field.name] =
      try context.spellings(of: field.name, in: entityName)
  }

  /// The value of a record as the other side would have it, if it can.
  func value(
    _ value: Value,
    of name: String,
    in record: PersistentIdentifier,
    isOther: Bool
  ) -> Value {
    // Mostly all types are the same.
    guard !read.isEmpty, let field = read[isOther]?[name], !value.isNull else { return value }
    let spelling = spellings[isOther]?[name]?[record].flatMap { $0.value == value ? $0.text : nil }
    // A value that is not valid there differs.
    let converted = try? session.value(.text(spelling ?? value.text), for: field)
    return converted.flatMap { try? field.checked($0) } ?? value
  }

  /// The value as a key, which is equal for the same values.
  func key(_ value: Value, of name: String) -> Value {
    names.contains(name) ? value.byValue : value.byContent
  }
}

extension Value {
  /// A number as a decimal number, so that equal numbers of different types are equal; other values as they are.
  var byValue: Value {
    switch self {
    // A number without such a form, such as NaN, has no other type either.
    case .integer, .number: (try? Value(parsing: text, as: .decimal)) ?? self
    default: byContent
    }
  }

  /// True for the same content, and for the same number of another type.
  func isSame(as other: Value) -> Bool {
    hasSameContent(as: other) || byValue == other.byValue
  }
}
