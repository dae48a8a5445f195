import Foundation
package import OpenSwiftData

/// Arithmetic of values: exact for integers and decimals, as IEEE 754 for binary numbers, with days and durations.
extension ValueExpression.Arithmetic {
  /// The type of the result; nil if the operator does not take these types.
  func type(_ left: ExpressionType, _ right: ExpressionType) -> ExpressionType? {
    switch (left, right) {
    case (.null, .null): return .null
    case (.null, let other), (let other, .null):
      return type(other, other) ?? type(other, .duration) ?? other
    case (.json, let other), (let other, .json):
      return other.isNumeric || other == .json || other == .duration ? .json : nil
    case (.duration, .duration):
      return self == .divide ? .decimal : self == .add || self == .subtract ? .duration : nil
    case (.date, .duration), (.datetime, .duration):
      return self == .add || self == .subtract ? left : nil
    case (.duration, .date), (.duration, .datetime): return self == .add ? right : nil
    case (.date, .date), (.datetime, .datetime): return self == .subtract ? .duration : nil
    case (.duration, .integer), (.integer, .duration): return self == .multiply ? .duration : nil
    default:
      guard left.isNumeric, right.isNumeric else { return nil }
      if left == .number || right == .number { return .number }
      return left == .integer && right == .integer && self != .divide ? .integer : .decimal
    }
  }

  /// Why the operator does not take these types.
  func complaint(_ left: ExpressionType, _ right: ExpressionType) -> String {
    let types = "\(left.rawValue) and \(right.rawValue)"
    if left == .text, right == .text, self == .add {
      return "+ adds numbers; join texts with concat(a, b)"
    }
    if [left, right].contains(.text), [left, right].allSatisfy({ $0.isNumeric || $0 == .text }) {
      return
        "\(rawValue) needs numbers, found \(types); write number(…) or decimal(…) around the text"
    }
    let isMixed = [left, right].contains(.date) && [left, right].contains(.datetime)
    return "\(rawValue) cannot be used with \(types)"
      + (isMixed ? "; write date(…) or datetime(…) around one" : "")
  }

  /// Applies the operator; null if a side is null.
  func callAsFunction(_ left: Computed, _ right: Computed) throws(ExpressionFailure) -> Computed {
    switch (left, right) {
    case (.value(.null), _), (_, .value(.null)): return .null
    case (.value(.integer(let left)), .value(.integer(let right))): return try whole(left, right)
    case (.value(let first), .value(let second)):
      if let result = try numbers(first, second) { return .value(result) }
      return try difference(first, second)
    default: return try durations(left, right)
    }
  }

  private static let overflow = ExpressionFailure(
    "exceeds 64-bit integers; write decimal(…) around one side"
  )
  private static let byZero = ExpressionFailure("division by zero")

  // MARK: Numbers

  private func whole(_ left: Int64, _ right: Int64) throws(ExpressionFailure) -> Computed {
    let result: (partialValue: Int64, overflow: Bool)
    switch self {
    case .add: result = left.addingReportingOverflow(right)
    case .subtract: result = left.subtractingReportingOverflow(right)
    case .multiply: result = left.multipliedReportingOverflow(by: right)
    case .divide: return .value(try decimal(ExactDecimal(whole: left), ExactDecimal(whole: right)))
    case .divideDown, .remainder:
      if right == 0 { throw Self.byZero }
      result = Self.dividedDown(left, right, wantsRest: self == .remainder)
    }
    if result.overflow { throw Self.overflow }
    return .value(.integer(result.partialValue))
  }

  /// The quotient rounded down, or the rest with the sign of the right side.
  private static func dividedDown(_ left: Int64, _ right: Int64, wantsRest: Bool) -> (Int64, Bool) {
    let (rest, _) = left.remainderReportingOverflow(dividingBy: right)
    let isBelow = rest != 0 && (rest < 0) != (right < 0)
    if wantsRest { return (isBelow ? rest + right : rest, false) }
    let (quotient, overflow) = left.dividedReportingOverflow(by: right)
    return (isBelow ? quotient - 1 : quotient, overflow)
  }

  /// The result for numbers that are not both integers; nil if one side is not a number.
  private func numbers(_ left: Value, _ right: Value) throws(ExpressionFailure) -> Value? {
    switch (left, right) {
    case (.number(let left), .number(let right)): return .number(try binary(left, right))
    case (.number(let left), .integer), (.number(let left), .decimal):
      return .number(try binary(left, right.asDouble ?? .nan))
    case (.integer, .number(let right)), (.decimal, .number(let right)):
      return .number(try binary(left.asDouble ?? .nan, right))
    case (.decimal, .decimal), (.decimal, .integer), (.integer, .decimal):
      guard let first = left.exact, let second = right.exact else {
        throw ExpressionFailure("\(ExactDecimal.Problem.tooManyDigits)")
      }
      return try decimal(first, second)
    default: return nil
    }
  }

  private func decimal(_ left: ExactDecimal, _ right: ExactDecimal) throws(ExpressionFailure)
    -> Value
  {
    do throws(ExactDecimal.Problem) {
      switch self {
      case .add: return Value(try left + right)
      case .subtract: return Value(try left - right)
      case .multiply: return Value(try left * right)
      case .divide: return Value(try left / right)
      case .remainder: return Value(try left.dividedDown(by: right).rest)
      case .divideDown:
        guard let quotient = try left.dividedDown(by: right).quotient else { throw .tooManyDigits }
        return Value(quotient)
      }
    } catch { throw ExpressionFailure("\(error)") }
  }

  private func binary(_ left: Double, _ right: Double) throws(ExpressionFailure) -> Double {
    let result: Double
    switch self {
    case .add: result = left + right
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide, .divideDown, .remainder:
      if right == 0 { throw Self.byZero }
      if self == .divide {
        result = left / right
      } else {
        let rest = left.truncatingRemainder(dividingBy: right)
        let positive = rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest
        result = self == .remainder ? positive : (left - positive) / right
      }
    }
    if result.isInfinite, left.isFinite, right.isFinite {
      throw ExpressionFailure("is too large for a number")
    }
    return result
  }

  // MARK: Days and durations

  private static let tooLong = ExpressionFailure("is longer than all dates")

  /// The time between two days or moments.
  private func difference(_ left: Value, _ right: Value) throws(ExpressionFailure) -> Computed {
    switch (left, right) {
    case (.date(let left), .date(let right)) where self == .subtract:
      let days = Int64(left.daysSince1970) - Int64(right.daysSince1970)
      return .duration(.init(months: 0, microseconds: days * CalendarDuration.microsecondsInDay))
    case (.datetime(let left), .datetime(let right)) where self == .subtract:
      return .duration(.init(months: 0, microseconds: left.microseconds - right.microseconds))
    default: throw mismatch(.value(left), .value(right))
    }
  }

  private func durations(_ left: Computed, _ right: Computed) throws(ExpressionFailure) -> Computed
  {
    switch (left, right) {
    case (.duration(let left), .duration(let right)):
      if self == .divide { return .value(try Self.quotient(left, right)) }
      guard let other = self == .subtract ? right.reversed : right, let sum = left.adding(other)
      else {
        throw Self.tooLong
      }
      return .duration(sum)
    case (.duration(let duration), .value(.integer(let count))) where self == .multiply,
      (.value(.integer(let count)), .duration(let duration)) where self == .multiply:
      guard let product = duration.times(count) else { throw Self.tooLong }
      return .duration(product)
    case (.duration(let duration), .value(let value)) where self == .add:
      return try moved(value, duration)
    case (.value(let value), .duration(let duration)) where self == .add || self == .subtract:
      guard let way = self == .subtract ? duration.reversed : duration else { throw Self.tooLong }
      return try moved(value, way)
    default: throw mismatch(left, right)
    }
  }

  private static func quotient(_ left: CalendarDuration, _ right: CalendarDuration)
    throws(ExpressionFailure) -> Value
  {
    let (first, second): (Int64, Int64)
    if left.months == 0, right.months == 0 {
      (first, second) = (left.microseconds, right.microseconds)
    } else if left.microseconds == 0, right.microseconds == 0 {
      (first, second) = (left.months, right.months)
    } else {
      throw ExpressionFailure("months and days cannot be divided")
    }
    do { return Value(try ExactDecimal(whole: first) / ExactDecimal(whole: second)) } catch {
      throw ExpressionFailure("\(error)")
    }
  }

  /// A day or moment after or before a duration: first its months, then the rest.
  private func moved(_ value: Value, _ way: CalendarDuration) throws(ExpressionFailure) -> Computed
  {
    let outside = ExpressionFailure("is outside the years 0000 to 9999")
    switch value {
    case .date(let date):
      let (days, rest) = way.microseconds.quotientAndRemainder(
        dividingBy: CalendarDuration.microsecondsInDay
      )
      if rest != 0 {
        let shown = self == .subtract ? way.reversed ?? way : way
        throw ExpressionFailure("a date has no time; write datetime(…) \(rawValue) \(shown)")
      }
      guard let month = date.adding(months: Int(way.months)) else { throw outside }
      let day = month.adding(days: Int(days))
      guard day.isInRange else { throw outside }
      return .value(.date(day))
    case .datetime(let moment):
      guard let result = moment.adding(way), Timestamp.isInRange(result) else { throw outside }
      return .value(.datetime(result))
    default: throw mismatch(.value(value), .duration(way))
    }
  }

  /// An error about values whose types are known only now, because they come from JSON.
  private func mismatch(_ left: Computed, _ right: Computed) -> ExpressionFailure {
    let wrong = left.type.isNumeric ? right : left
    return ExpressionFailure(
      "\(Value.quoted(wrong.text)) is \(wrong.type.rawValue); \(rawValue) needs numbers"
    )
  }
}

extension Date {
  /// The microseconds since 2001, rounded.
  var microseconds: Int64 {
    let (seconds, rest) = parts
    return Int64(seconds) * 1_000_000 + Int64((rest * 1e6).rounded())
  }

  /// The whole seconds since 2001, rounded down, and the rest.
  private var parts: (seconds: Double, rest: Double) {
    let seconds = timeIntervalSinceReferenceDate
    let whole = seconds.rounded(.down)
    return (whole, seconds - whole)
  }

  /// A moment from microseconds since 2001.
  init(microseconds: Int64) {
    self.init(timeIntervalSinceReferenceDate: Double(microseconds) / 1e6)
  }

  /// The day and the seconds since it began.
  var dayAndSeconds: (day: CalendarDate, seconds: Double) {
    let day = CalendarDate(of: self)
    return (day, timeIntervalSince(Date(day)))
  }

  /// The beginning of a day in UTC.
  package init(_ day: CalendarDate) {
    self.init(timeIntervalSince1970: Double(day.daysSince1970) * 86_400)
  }

  /// The moment after a duration; nil outside all years.
  func adding(_ duration: CalendarDuration) -> Date? {
    var moment = self
    if duration.months != 0 {
      let (day, seconds) = dayAndSeconds
      guard let moved = day.adding(months: Int(duration.months)) else { return nil }
      moment = Date(moved).addingTimeInterval(seconds)
    }
    let (seconds, rest) = duration.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    guard rest == 0 else {
      let (sum, overflow) = moment.microseconds.addingReportingOverflow(duration.microseconds)
      return overflow ? nil : Date(microseconds: sum)
    }
    // Digits beyond microseconds stay.
    let (own, fraction) = moment.parts
    return Date(timeIntervalSinceReferenceDate: own + Double(seconds) + fraction)
  }
}
