import Foundation
import OpenSwiftData

/// A sum that does not depend on the order of its numbers: exact, or with binary numbers rounded once at its end.
struct ExactSum: Sendable {
  private(set) var count: Int64 = 0
  private var whole: Int128 = 0
  /// The sum of the decimals, as a whole number times a power of ten.
  private var digits: Int128 = 0
  private var exponent = 0
  /// Numbers whose bits do not overlap, whose sum is that of the binary numbers (Shewchuk, Adaptive Precision
  /// Floating-Point Arithmetic, 1997).
  private var parts: [Double] = []
  /// The sum of infinities and NaN.
  private var special = 0.0
  private var hasBinary = false
  private var duration: CalendarDuration?

  /// Adds a number or a duration.
  ///
  /// - Throws: `ExpressionFailure` for any other value of JSON, and for a sum with too many digits.
  mutating func add(_ value: Computed, _ function: SummaryFunction) throws(ExpressionFailure) {
    switch value {
    case .value(.integer(let number)): whole += Int128(number)
    case .value(.number(let number)): add(number)
    case .value(.decimal(let number)):
      guard let exact = ExactDecimal(number) else { throw Self.tooLong }
      try add(exact)
    case .duration(let length):
      guard let sum = (duration ?? .zero).adding(length) else {
        throw ExpressionFailure("is longer than all dates")
      }
      duration = sum
    case .value:
      throw ExpressionFailure(
        "\(Value.quoted(value.text)) is \(value.type.rawValue); \(function.rawValue) needs a number"
      )
    }
    count += 1
  }

  private static let tooLong = ExpressionFailure("\(ExactDecimal.Problem.tooManyDigits)")

  private mutating func add(_ number: ExactDecimal) throws(ExpressionFailure) {
    if digits == 0 { (digits, exponent) = (0, number.exponent) }
    let common = Swift.min(exponent, number.exponent)
    guard let own = Self.scaled(digits, by: exponent - common),
      let other = Self.scaled(number.mantissa, by: number.exponent - common)
    else { throw Self.tooLong }
    let (sum, overflow) = own.addingReportingOverflow(other)
    if overflow { throw Self.tooLong }
    (digits, exponent) = (sum, common)
  }

  private static func scaled(_ digits: Int128, by places: Int) -> Int128? {
    var digits = digits
    for _ in 0..<(digits == 0 ? 0 : places) {
      let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      digits = product
    }
    return digits
  }

  private mutating func add(_ number: Double) {
    hasBinary = true
    guard number.isFinite else {
      special += number
      return
    }
    var carried = number
    var count = 0
    for part in parts {
      let (large, small) =
        carried.magnitude < part.magnitude ? (part, carried) : (carried, part)
      let sum = large + small
      let lost = small - (sum - large)
      if lost != 0 {
        parts[count] = lost
        count += 1
      }
      carried = sum
    }
    parts.removeSubrange(count...)
    parts.append(carried)
  }

  // MARK: Results

  /// The exact part of the sum.
  private func exact() throws(ExpressionFailure) -> ExactDecimal {
    do throws(ExactDecimal.Problem) {
      let first = try ExactDecimal(whole.magnitude, isNegative: whole < 0, exponent: 0)
      let second = try ExactDecimal(digits.magnitude, isNegative: digits < 0, exponent: exponent)
      return try first + second
    } catch { throw ExpressionFailure("\(error)") }
  }

  /// The sum of the binary numbers, rounded once.
  private var binary: Double {
    if special != 0 || special.isNaN { return special }
    var rest = parts
    guard var sum = rest.popLast() else { return 0 }
    var lost = 0.0
    while let next = rest.popLast() {
      let before = sum
      sum = before + next
      lost = next - (sum - before)
      if lost != 0 { break }
    }
    // Half of the last digit was lost: what is below it decides in which direction.
    if let below = rest.last, (lost < 0) == (below < 0), lost != 0 {
      let doubled = lost * 2
      if doubled == sum + doubled - sum { sum += doubled }
    }
    return sum
  }

  /// The sum; 0 of nothing.
  func total(as type: ExpressionType) throws(ExpressionFailure) -> Computed {
    if let duration { return .duration(duration) }
    if type == .duration { return .duration(.zero) }
    let exact = Value(try exact())
    guard hasBinary || type == .number else { return .value(exact) }
    let sum = binary + (exact.asDouble ?? 0)
    if sum.isInfinite, special == 0 { throw ExpressionFailure("is too large for a number") }
    return .value(.number(sum))
  }

  /// The mean; null of nothing.
  func mean() throws(ExpressionFailure) -> Computed {
    if count == 0 { return .null }
    let sum = try total(as: .decimal)
    guard case .value(.decimal) = sum else {
      guard case .value(.number(let number)) = sum else { return .null }
      return .value(.number(number / Double(count)))
    }
    return try ValueExpression.Arithmetic.divide(sum, .value(.integer(count)))
  }
}

/// The standard deviation of a sample, by Welford's method (Note on a Method for Calculating Corrected Sums of Squares and
/// Products, 1962) over the exact differences from the first number.
struct Spread: Sendable {
  private var first: Value?
  private var count = 0.0
  private var mean = 0.0
  private var squares = 0.0

  /// Adds a number.
  ///
  /// - Throws: `ExpressionFailure` for any other value of JSON.
  mutating func add(_ value: Computed, _ function: SummaryFunction) throws(ExpressionFailure) {
    guard case .value(let number) = value, value.type.isNumeric else {
      throw ExpressionFailure(
        "\(Value.quoted(value.text)) is \(value.type.rawValue); \(function.rawValue) needs a number"
      )
    }
    let origin = first ?? number
    first = origin
    var distance = (number.asDouble ?? .nan) - (origin.asDouble ?? .nan)
    if let left = number.exact, let right = origin.exact, let exact = try? left - right {
      distance = Value(exact).asDouble ?? distance
    }
    count += 1
    let change = distance - mean
    mean += change / count
    squares += change * (distance - mean)
  }

  /// The deviation; null of fewer than two numbers.
  var result: Computed { count < 2 ? .null : .value(.number((squares / (count - 1)).squareRoot())) }
}
