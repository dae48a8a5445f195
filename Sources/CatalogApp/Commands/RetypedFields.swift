import OpenSwiftData

/// The fields that have other types in the other store.
///
/// A file without types shows the types that fit all its values, so that one value decides how the others are read.
struct RetypedFields {
  private let session: Session
  /// The fields whose values here are read like those of the other store, and the other way round, as they are there.
  private var read: [Bool: [String: Schema.Attribute]] = [:]
  private var names: Set<String> = []

  init(_ entities: (own: String, other: String), _ session: Session, _ other: ModelContext) {
    self.session = session
    guard let own = session.context.schema.entitiesByName[entities.own],
      let others = other.schema.entitiesByName[entities.other]
    else { return }
    let isLoose = (own: session.context.infersTypes, other: other.infersTypes)
    for field in own.fields {
      guard let counterpart = others.fieldsByName[field.name], counterpart.type != field.type,
        field.type.destination == nil, counterpart.type.destination == nil
      else { continue }
      names.insert(field.name)
      if field.type.isNumeric, counterpart.type.isNumeric { continue }
      let readsOwn = isLoose.own && (!isLoose.other || field.type == .text)
      if readsOwn {
        read[false, default: [:]][field.name] = counterpart
      } else if isLoose.other {
        read[true, default: [:]][field.name] = field
      }
    }
  }

  /// The value as the other side would have it, if it can.
  func value(_ value: Value, of name: String, isOther: Bool) -> Value {
    // Mostly all types are the same.
    guard !read.isEmpty, let field = read[isOther]?[name], !value.isNull else { return value }
    // A value that is not valid there differs.
    return (try? session.value(.text(value.text), for: field)) ?? value
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
