extension Schema {
  /// One named, typed value that every record of an entity has.
  ///
  /// A value: no property changes after creation.
  public class Attribute: SchemaProperty, @unchecked Sendable {
    // Unchecked because the class is open to `CompositeAttribute`; everything in it is constant.

    /// The name, unique in the entity.
    public let name: String
    /// The name of the attribute in older stores, if it was renamed.
    public let originalName: String
    /// The type of its values.
    public let type: AttributeType
    /// False when every record must have a value.
    public let isOptional: Bool
    /// The value in a new record, as stores save it; null if the schema has no default.
    @usableFromInline let storedDefault: Value
    /// The value of the declaration, if the attribute is that of a property with one.
    private let declaredDefault: Any?
    /// The options of the declaration.
    public let options: [Option]
    /// True when the store makes the values, which contexts therefore refuse to change.
    public let isReadOnly: Bool
    /// True when the values are bytes, as text in base 64, that are shown by their size and first bytes.
    public let isBlob: Bool
    /// Distinguishes versions of a declaration that changes its meaning but not its form.
    public let hashModifier: String?
    /// How the store keeps the values, if it may turn out to be otherwise.
    package let form: (any ValueForm)?
    /// How many digits its numbers have where they are texts; nil if they differ.
    ///
    /// No part of what the attribute is.
    package let decimalPlaces: DecimalPlaces?
    /// The Swift type of the property; `Any.self` if there is none.
    public let valueType: any Any.Type
    /// The relationship whose identifiers this field stores; nil for plain values.
    public let relationship: Relationship?
    /// The effect on a record when a record that this field refers to is deleted.
    ///
    /// The link is cleared, the record is deleted too, or the deletion is denied.
    ///
    /// Applies to records without a Swift type. The relationships of model classes have their own rules,
    /// which determine the effect on the records on the other side.
    public let deleteRule: Relationship.DeleteRule

    /// Creates an attribute without checking it; see `Schema.validate()`.
    public convenience init(
      _ name: String,
      _ type: AttributeType,
      isOptional: Bool = true,
      isUnique: Bool = false,
      defaultValue: Value = .null,
      originalName: String? = nil,
      deleteRule: Relationship.DeleteRule = .nullify,
      isReadOnly: Bool = false,
      isBlob: Bool = false
    ) {
      self.init(
        named: name,
        type,
        isOptional: isOptional,
        options: (isUnique ? [.unique(.reject)] : []) + (isReadOnly ? [.readOnly] : [])
          + (isBlob ? [.blob] : []),
        defaultValue: defaultValue,
        originalName: originalName,
        deleteRule: deleteRule
      )
    }

    init(
      named name: String,
      _ type: AttributeType,
      isOptional: Bool,
      options: [Option] = [],
      defaultValue: Value = .null,
      declaredDefault: Any? = nil,
      originalName: String? = nil,
      hashModifier: String? = nil,
      valueType: any Any.Type = Any.self,
      relationship: Relationship? = nil,
      deleteRule: Relationship.DeleteRule = .nullify,
      form: (any ValueForm)? = nil,
      decimalPlaces: DecimalPlaces? = nil
    ) {
      self.form = form
      self.decimalPlaces = decimalPlaces
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.options = options
      isReadOnly = options.contains(.readOnly)
      isBlob = options.contains(.blob)
      storedDefault = defaultValue
      self.declaredDefault = declaredDefault
      self.originalName = originalName ?? name
      self.hashModifier = hashModifier
      self.valueType = valueType
      self.relationship = relationship
      self.deleteRule = deleteRule
    }

    /// The Swift value in a new record, as it is declared; nil if there is no default.
    ///
    /// Where a ``Value`` is expected, the name stands for the value as stores save it.
    public var defaultValue: Any? { declaredDefault ?? storedDefault.swiftValue }

    /// Reads `{"name": …, "type": …, "required": …, "unique": …, "default": …, "originalName": …,
    /// "deleteRule": …, "readOnly": …, "blob": …}`; all but name and type may be missing.
    ///
    /// - Throws: `DecodingError` that names the attribute.
    public required convenience init(from decoder: any Decoder) throws {
      let form = try AttributeForm(from: decoder)
      self.init(
        form.name,
        form.type,
        isOptional: form.isOptional,
        isUnique: form.isUnique,
        defaultValue: form.defaultValue,
        originalName: form.originalName,
        deleteRule: form.deleteRule,
        isReadOnly: form.isReadOnly,
        isBlob: form.isBlob
      )
    }

    /// Writes the JSON form without members that have their default value.
    public func encode(to encoder: any Encoder) throws {
      try AttributeForm.encode(self, to: encoder)
    }
  }
}

extension Schema.Attribute {
  /// Creates the attribute that the macro `@Attribute` describes; name and type come from the property.
  public convenience init(
    _ options: Option...,
    originalName: String? = nil,
    hashModifier: String? = nil
  ) {
    self.init(
      named: "",
      .json,
      isOptional: true,
      options: options,
      originalName: originalName ?? "",
      hashModifier: hashModifier
    )
  }

  /// True when no two records may have the same value (null aside).
  public var isUnique: Bool { uniquePolicy != nil }
  /// True when it is never saved.
  public var isTransient: Bool { options.contains(.ephemeral) }
  /// True when a transformer converts it.
  public var isTransformable: Bool { options.contains(where: \.isTransformable) }
  /// True unless the field stores a relationship.
  public var isAttribute: Bool { relationship == nil }
  /// True if the field stores a relationship.
  public var isRelationship: Bool { relationship != nil }

  /// The policy when two records have the same value; nil if duplicates are allowed.
  public var uniquePolicy: Schema.UniquePolicy? {
    options.lazy.compactMap(\.uniquePolicy).first
  }

  /// Why the values cannot be changed, in words; nil if they can.
  public var readOnlyCause: String? {
    isReadOnly ? options.lazy.compactMap(\.cause).first ?? "the store makes its value" : nil
  }

  /// True when a new record may have a value of its own, although that of a saved one cannot be changed.
  package var isSettableWhenNew: Bool { options.contains(where: \.isForSavedRecords) }

  /// True when the values are a part of the key of a table, which cannot be changed once a record is saved.
  package var isKey: Bool { options.contains(.key) }

  /// True when the store takes texts for one that differ only in the case of letters.
  package var ignoresCase: Bool { options.contains(.ignoresCase) }

  /// True when the store takes texts for one that differ only in spaces at their ends.
  private var ignoresEndSpaces: Bool { options.contains(.ignoresEndSpaces) }

  /// True when the store tells records apart by their texts as they are.
  package var comparesExactly: Bool { !ignoresCase && !ignoresEndSpaces }

  /// True when there is a special reason why the values cannot be changed.
  package var hasReadOnlyCause: Bool { options.contains { $0.cause != nil } }

  /// True when the attribute can hold the value; null is accepted if the attribute is optional.
  public func accepts(_ value: Value) -> Bool {
    value.isNull ? isOptional : value.kind == type.kind
  }

  /// The same attribute under another name.
  public func renamed(to newName: String) -> Schema.Attribute {
    copy(named: newName, options: options, form: form)
  }

  /// The same attribute, whose values cannot be changed for a reason.
  package func readOnly(because reason: String) -> Schema.Attribute {
    with(.readOnly(because: reason))
  }

  /// The same attribute, whose values cannot be changed once a record is saved.
  package func fixedOnceSaved(because reason: String) -> Schema.Attribute {
    with(.fixedOnceSaved(because: reason))
  }

  /// The same attribute as a part of the key of a table.
  package func asKey() -> Schema.Attribute { with(.key) }

  /// The same attribute, of whose texts the store ignores the case.
  package func ignoringCase() -> Schema.Attribute { with(.ignoresCase) }

  /// The same attribute, of whose texts the store ignores the spaces at their ends.
  package func ignoringEndSpaces() -> Schema.Attribute { with(.ignoresEndSpaces) }

  /// The value by which the store tells records apart.
  package func compared(_ value: Value) -> Value {
    guard case .text(let text) = value else { return value }
    if ignoresCase { return .text(text.asciiLowercased) }
    return ignoresEndSpaces ? .text(Self.withoutEndSpaces(text)) : value
  }

  private static func withoutEndSpaces(_ text: String) -> String {
    let spaceCount = text.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
    return String(decoding: text.utf8.dropLast(spaceCount), as: UTF8.self)
  }

  /// The same attribute as a new record has it, which may bring a value that the store makes for others.
  package var ofNewRecord: Schema.Attribute {
    guard isSettableWhenNew else { return self }
    let kept = options.filter { $0 != .readOnly && $0.cause == nil && !$0.isForSavedRecords }
    return copy(named: name, options: kept, form: form)
  }

  /// The same attribute in a copy of the store, which makes no values: they can be changed there, and the key of a table
  /// is a field with unique values.
  fileprivate var inCopy: Schema.Attribute {
    guard isOfItsStore else { return self }
    var kept = options.filter {
      $0 != .readOnly && $0 != .key && $0 != .ignoresCase && $0 != .ignoresEndSpaces
        && $0.cause == nil
        && !$0.isForSavedRecords
    }
    if isSettableWhenNew, !isUnique { kept.append(.unique(.reject)) }
    return copy(named: name, options: kept, form: nil)
  }

  /// True if the store makes the values or decides how to keep them.
  fileprivate var isOfItsStore: Bool {
    isReadOnly || isSettableWhenNew || isKey || !comparesExactly || form != nil
  }

  private func with(_ option: Option) -> Schema.Attribute {
    copy(named: name, options: options.filter { $0 != option } + [option], form: form)
  }

  /// The same attribute, whose values the store keeps in a form.
  package func kept(in form: any ValueForm) -> Schema.Attribute {
    copy(named: name, options: options, form: form)
  }

  /// The same attribute, whose numbers have so many digits.
  package func with(_ decimalPlaces: DecimalPlaces) -> Schema.Attribute {
    copy(named: name, options: options, form: form, decimalPlaces: decimalPlaces)
  }

  private func copy(
    named name: String,
    options: [Option],
    form: (any ValueForm)?,
    decimalPlaces: DecimalPlaces? = nil
  ) -> Schema.Attribute {
    Schema.Attribute(
      named: name,
      type,
      isOptional: isOptional,
      options: options,
      defaultValue: storedDefault,
      declaredDefault: declaredDefault,
      originalName: originalName,
      hashModifier: hashModifier,
      valueType: valueType,
      relationship: relationship,
      deleteRule: deleteRule,
      form: form,
      decimalPlaces: decimalPlaces ?? self.decimalPlaces
    )
  }

  /// The type with `!` when a value is required, as `entity create` reads it.
  public var specification: String {
    typeSpelling + (isOptional ? "" : "!")
  }

  /// The value that the attribute stores for a typed or imported value.
  ///
  /// In an optional attribute with a default, JSON's null becomes a missing value: JSON files write both as
  /// `null`, because an absent member means the default.
  package func kept(_ value: Value) -> Value {
    value == .json("null") && isOptional && !defaultValue.isNull ? .null : value
  }

  /// The type, followed by the delete rule of a link unless it is the default: `link:Person:cascade`.
  package var typeSpelling: String {
    type.destination == nil || deleteRule == .nullify
      ? type.description : "\(type.description):\(deleteRule.rawValue)"
  }
}

extension SchemaProperty where Self: Schema.Attribute {
  /// The value in a new record, as stores save it; null if the schema has no default.
  ///
  /// Without a type from the context, the name stands for the Swift value.
  @inlinable public var defaultValue: Value { storedDefault }
}

extension Value {
  /// The Swift value; nil for a missing one and for links.
  fileprivate var swiftValue: Any? {
    switch self {
    case .null, .link, .links: nil
    case .boolean(let value): value
    case .integer(let value): Int(value)
    case .number(let value): value
    case .decimal(let value): value
    case .text(let value), .json(let value): value
    case .date(let value): value
    case .datetime(let value): value
    case .uuid(let value): value
    }
  }
}

extension Schema.Attribute {
  /// True when all properties that a store saves are equal.
  public static func == (lhs: Schema.Attribute, rhs: Schema.Attribute) -> Bool {
    lhs === rhs
      || (lhs.name == rhs.name && lhs.type == rhs.type && lhs.isOptional == rhs.isOptional
        && lhs.isUnique == rhs.isUnique && lhs.defaultValue == rhs.defaultValue
        && lhs.originalName == rhs.originalName && lhs.deleteRule == rhs.deleteRule
        && lhs.isReadOnly == rhs.isReadOnly && lhs.isBlob == rhs.isBlob
        && lhs.form.isSame(as: rhs.form))
  }

  /// Hashes name and type.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(type)
  }
}

extension Schema {
  /// The schema of a copy of the store, in which every value can be changed.
  package var ofCopy: Schema {
    func isSpecial(_ entity: Entity) -> Bool { entity.fields.contains(where: \.isOfItsStore) }
    guard entities.contains(where: isSpecial) else { return self }
    return Schema(
      entities.map { entity in
        isSpecial(entity)
          ? Entity(entity.name, attributes: entity.fields.map(\.inCopy)) : entity
      }
    )
  }
}

/// The JSON form of an attribute.
private struct AttributeForm {
  private enum Key: String, CodingKey, CaseIterable {
    case name, type, required, unique, `default`, originalName, deleteRule, readOnly, blob
  }

  let name: String
  let type: AttributeType
  let isOptional: Bool
  let isUnique: Bool
  let defaultValue: Value
  let originalName: String?
  let deleteRule: Schema.Relationship.DeleteRule
  let isReadOnly: Bool
  let isBlob: Bool

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    name = try container.decode(String.self, forKey: .name)
    let spelling = try container.decode(String.self, forKey: .type)
    guard let (type, rule) = AttributeType.reading(spelling) else {
      throw DecodingError.dataCorruptedError(
        forKey: .type,
        in: container,
        debugDescription: "unknown field type \"\(spelling)\"; available: "
          + AttributeType.spellings.joined(separator: ", ")
      )
    }
    self.type = type
    isOptional = !(try container.decodeIfPresent(Bool.self, forKey: .required) ?? false)
    isUnique = try container.decodeIfPresent(Bool.self, forKey: .unique) ?? false
    defaultValue = try Self.defaultValue(in: container, as: type)
    originalName = try container.decodeIfPresent(String.self, forKey: .originalName)
    deleteRule =
      try container.decodeIfPresent(Schema.Relationship.DeleteRule.self, forKey: .deleteRule)
      ?? rule
    isReadOnly = try container.decodeIfPresent(Bool.self, forKey: .readOnly) ?? false
    isBlob = try container.decodeIfPresent(Bool.self, forKey: .blob) ?? false
  }

  /// Reads the default as a value of the type, which preserves every digit and the sign of zero.
  private static func defaultValue(
    in container: KeyedDecodingContainer<Key>,
    as type: AttributeType
  ) throws -> Value {
    // Values that are not numbers are read or rejected below.
    if type == .number, let number = try? container.decode(Double.self, forKey: .default) {
      return .number(number)
    }
    return try container.decodeIfPresent(UntypedValue.self, forKey: .default)?.value(as: type)
      ?? .null
  }

  static func encode(_ attribute: Schema.Attribute, to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(attribute.name, forKey: .name)
    try container.encode(attribute.type.description, forKey: .type)
    if !attribute.isOptional { try container.encode(true, forKey: .required) }
    if attribute.isUnique { try container.encode(true, forKey: .unique) }
    if !attribute.defaultValue.isNull {
      try container.encode(UntypedValue(attribute.defaultValue), forKey: .default)
    }
    if attribute.originalName != attribute.name {
      try container.encode(attribute.originalName, forKey: .originalName)
    }
    if attribute.type.destination != nil, attribute.deleteRule != .nullify {
      try container.encode(attribute.deleteRule, forKey: .deleteRule)
    }
    if attribute.isReadOnly { try container.encode(true, forKey: .readOnly) }
    if attribute.isBlob { try container.encode(true, forKey: .blob) }
  }
}

extension String {
  /// The text with the letters A to Z in lower case, and all others as they are.
  var asciiLowercased: String {
    String(decoding: utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
