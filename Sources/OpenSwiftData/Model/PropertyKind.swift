/// The kind of a stored property, determined by its Swift type.
enum PropertyKind {
  /// A value with a field type of its own.
  case attribute(AttributeType, isOptional: Bool)
  /// A reference to one model.
  case toOne(any PersistentModel.Type, isOptional: Bool)
  /// References to many models.
  case toMany(any PersistentModel.Type, isOptional: Bool)

  init(of type: any Any.Type) {
    if let model = type as? any PersistentModel.Type {
      self = .toOne(model, isOptional: false)
    } else if let collection = type as? any RelationshipCollection.Type {
      self = .toMany(collection.elementType, isOptional: type is any OptionalType.Type)
    } else if let optional = type as? any OptionalType.Type {
      self = PropertyKind(of: optional.wrappedType).optional
    } else {
      self = .attribute(Self.fieldType(of: type), isOptional: false)
    }
  }

  private var optional: PropertyKind {
    switch self {
    case .attribute(let type, _): .attribute(type, isOptional: true)
    case .toOne(let model, _): .toOne(model, isOptional: true)
    case .toMany(let model, _): .toMany(model, isOptional: true)
    }
  }

  private static func fieldType(of type: any Any.Type) -> AttributeType {
    if let native = type as? any AttributeValue.Type { return native.attributeType }
    if let raw = type as? any RawRepresentable.Type, let native = rawType(of: raw) {
      return native.attributeType
    }
    return .json
  }

  private static func rawType<T: RawRepresentable>(of type: T.Type) -> (any AttributeValue.Type)? {
    T.RawValue.self as? any AttributeValue.Type
  }

  /// The field type; text for relationships, which have none of their own.
  var attributeType: AttributeType {
    switch self {
    case .attribute(let type, _): type
    case .toOne(let model, _): .link(model.entityName)
    case .toMany(let model, _): .links(model.entityName)
    }
  }

  var isOptional: Bool {
    switch self {
    case .attribute(_, let isOptional), .toOne(_, let isOptional), .toMany(_, let isOptional):
      isOptional
    }
  }

  var isToOne: Bool {
    if case .toOne = self { true } else { false }
  }
}

/// Any optional type, regardless of the type it wraps.
protocol OptionalType {
  static var wrappedType: any Any.Type { get }
  static var missingValue: Self { get }
  var wrappedValue: Any? { get }
}

extension Optional: OptionalType {
  static var wrappedType: any Any.Type { Wrapped.self }
  static var missingValue: Wrapped? { nil }
  var wrappedValue: Any? { self }
}

extension PersistentModel {
  /// The name of the class without enclosing types.
  static var entityName: String { String(describing: Self.self) }
}

extension RelationshipCollection {
  static var elementType: any PersistentModel.Type { PersistentElement.self }
}
