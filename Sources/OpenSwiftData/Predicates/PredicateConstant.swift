import Foundation

/// Values that a predicate captured, as stores keep them.
enum PredicateConstant {
  /// The value without its optionals; nil when there is none.
  static func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalConstant else { return value }
    return optional.wrappedConstant.flatMap(unwrapped)
  }

  /// The type of the value in an optional type, which is the type itself for any other.
  static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type)?.wrappedType ?? type
  }

  /// True for optionals of optionals, whose two kinds of nil no attribute can tell apart.
  static func isDoublyOptional(_ type: Any.Type) -> Bool {
    unwrapped(type) is any OptionalType.Type
  }

  /// The value in the kind of the attribute; nil when it has none there.
  static func value(of constant: Any, for attribute: PredicateAttribute) -> Value? {
    guard let value = value(of: constant) else { return nil }
    guard let kind = value.kind, kind == attribute.type.kind, kind != .links else { return nil }
    return value
  }

  /// The value as an attribute of its Swift type keeps it; nil when there is no such attribute.
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

  /// Where a value lies among those that stores keep.
  enum Reach {
    case within
    /// Below all of them: a moment before the year 0.
    case below
    case above
    /// Nowhere, as NaN, which is neither less than a value nor equal to one nor greater.
    case nowhere
  }

  /// Where the value lies among those that stores keep; nil when that is not known.
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

/// An optional that a predicate captured, whatever it wraps.
protocol OptionalConstant {
  var wrappedConstant: Any? { get }
}

extension Optional: OptionalConstant {
  var wrappedConstant: Any? { self }
}
