import Foundation

/// Values that a predicate captured, as stores keep them.
enum PredicateConstant {
  /// The value without its optionals; nil when there is none.
  static func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.wrappedValue.flatMap(unwrapped)
  }

  /// The type of the value in an optional type, which is the type itself for any other.
  static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalValue.Type)?.wrappedType ?? type
  }

  /// True for optionals of optionals, whose two kinds of nil no attribute can tell apart.
  static func isDoublyOptional(_ type: Any.Type) -> Bool { unwrapped(type) is any OptionalValue.Type }

  /// The value in the kind of the attribute; nil when it has none there.
  static func value(of constant: Any, for attribute: PredicateAttribute) -> Value? {
    guard let value = value(of: constant) else { return nil }
    let fits =
      switch (value, attribute.type) {
      case (.boolean, .boolean), (.integer, .integer), (.number, .number), (.decimal, .decimal),
        (.text, .text), (.date, .date), (.datetime, .datetime), (.uuid, .uuid), (.json, .json),
        (.link, .link):
        true
      default: false
      }
    return fits ? value : nil
  }

  /// The value as an attribute of its Swift type keeps it; nil when there is no such attribute.
  static func value(of constant: Any) -> Value? {
    switch constant {
    case let value as Bool: .boolean(value)
    case let value as String: .text(value)
    case let value as Int: .integer(Int64(value))
    case let value as Double: .number(value)
    case let value as Float: .number(Double(value))
    case let value as Date: .datetime(value)
    case let value as UUID: .uuid(value)
    case let value as Decimal: .decimal(value)
    case let value as CalendarDate: .date(value)
    case let value as URL: .text(value.absoluteString)
    case let value as Data: .text(value.base64EncodedString())
    case let value as UInt: .decimal(Decimal(value))
    case let value as UInt64: .decimal(Decimal(value))
    case let value as PersistentIdentifier: .link(value)
    case let value as any PersistentModel: .link(value.persistentModelID)
    case let value as any FixedWidthInteger: Int64(exactly: value).map { .integer($0) }
    case let value as any RawRepresentable: self.value(of: value.rawValue)
    default: nil
    }
  }

  /// Where a value lies among those that stores keep.
  enum Reach {
    case within
    /// Below all of them: infinity, or a moment before the year 0.
    case below
    case above
    /// Nowhere, as NaN, which is neither less than a value nor equal to one nor greater.
    case nowhere
  }

  /// Where the value lies among those that stores keep; nil when that is not known.
  static func reach(of value: Value) -> Reach? {
    switch value {
    case .number(let number):
      number.isFinite ? .within : number.isNaN ? .nowhere : number < 0 ? .below : .above
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

/// An optional of any type.
protocol OptionalValue {
  static var wrappedType: Any.Type { get }
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  static var wrappedType: Any.Type { Wrapped.self }
  var wrappedValue: Any? { self }
}
