import Foundation

/// Converts values captured by a predicate to stored values.
enum PredicateConstant {
  /// The value with all optionals unwrapped; nil if there is none.
  static func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalType else { return value }
    return optional.wrappedValue.flatMap(unwrapped)
  }

  /// The wrapped type of an optional type; any other type itself.
  static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type)?.wrappedType ?? type
  }

  /// True for nested optionals, whose two kinds of nil no attribute can distinguish.
  static func isDoublyOptional(_ type: Any.Type) -> Bool {
    unwrapped(type) is any OptionalType.Type
  }

  /// The value in the kind of the attribute; nil if it cannot be converted.
  static func value(of constant: Any, for attribute: PredicateAttribute) -> Value? {
    guard let value = value(of: constant) else { return nil }
    guard let kind = value.kind, kind == attribute.type.kind, kind != .links else { return nil }
    return value
  }

  /// The value as stored by an attribute of its Swift type; nil if there is no such attribute.
  static func value(of constant: Any) -> Value? {
    switch constant {
    case let native as any AttributeValue: native.attributeValue
    case let identifier as PersistentIdentifier: .link(identifier)
    case let model as any PersistentModel: .link(model.persistentModelID)
    default:
      switch Value(converting: constant) {
      case .null: nil
      case let value: value
      }
    }
  }

  /// The position of a value relative to the range that stores can save.
  enum Reach {
    case within
    /// Below all of them: a moment before the year 0.
    case below
    case above
    /// Unordered, like NaN, which is neither less than, equal to nor greater than any value.
    case nowhere
  }

  /// The position of the value relative to the range that stores can save; nil if not known.
  static func reach(of value: Value) -> Reach? {
    switch value {
    case .number(let number):
      number.isNaN ? .nowhere : .within
    case .decimal(let number): number.isFinite ? .within : nil
    case .date(let date): date.isInRange ? .within : date.daysSince1970 < 0 ? .below : .above
    case .datetime(let date):
      reach(of: date.timeIntervalSinceReferenceDate, isInRange: Timestamp.isInRange(date))
    default: .within
    }
  }

  private static func reach(of seconds: Double, isInRange: Bool) -> Reach {
    isInRange ? .within : seconds.isNaN ? .nowhere : seconds < 0 ? .below : .above
  }
}
