import Foundation

/// Count, extremes and sums of the values of one attribute, accumulated one by one.
///
/// Sums of integers and decimals are exact; one with more than 38 digits is null. A store returns it for `summary(of:matching:)`.
public struct ValueSummary: Sendable {
  /// The number of values.
  public private(set) var count = 0
  /// The number of records without a value.
  public private(set) var missing = 0
  /// The least value; nil without values.
  public private(set) var least: Value?
  /// The greatest value; nil without values.
  public private(set) var greatest: Value?
  private var different: Set<Value> = []
  /// The number of values that are known to differ, and not kept.
  private var known = 0
  private var whole: Int64 = 0
  /// The sum of the decimals; nil if no decimal holds it exactly.
  private var exact: Decimal? = 0
  private var rounded = 0.0
  /// The accumulated rounding error of `rounded` (Neumaier's summation).
  private var lost = 0.0
  private var hasExact = false
  private var hasRounded = false

  /// Starts without values.
  public init() {}

  /// The number of different values.
  public var distinct: Int { different.count + known }

  /// Adds a value; null counts as missing.
  public mutating func add(_ value: Value) { add(value, count: 1) }

  /// Adds a value that occurs several times.
  public mutating func add(_ value: Value, count times: Int) {
    guard times > 0 else { return }
    guard !value.isNull else {
      missing += times
      return
    }
    if different.insert(value).inserted { addExtremes(value) }
    addSums(value, times)
  }

  /// Adds a value that differs from all values so far; it is not kept, whatever the number of such values.
  ///
  /// For stores that group values themselves.
  package mutating func addDifferent(_ value: Value, count times: Int) {
    guard times > 0, !value.isNull else { return add(value, count: times) }
    known += 1
    addExtremes(value)
    addSums(value, times)
  }

  private mutating func addExtremes(_ value: Value) {
    if least.map({ value.compare($0) == .orderedAscending }) ?? true { least = value }
    if greatest.map({ value.compare($0) == .orderedDescending }) ?? true { greatest = value }
  }

  private mutating func addSums(_ value: Value, _ times: Int) {
    count += times
    switch value {
    case .integer(let number): addExactly(number, times)
    case .decimal(let number):
      hasExact = true
      addExactly(times == 1 ? number : number.exactProduct(with: Decimal(times)))
    case .number(let number): for _ in 0..<times { addRounding(number) }
    default: break
    }
  }

  private mutating func addExactly(_ number: Int64, _ times: Int) {
    hasExact = true
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: Int64(times))
    guard !isTooLarge else {
      return addExactly(Decimal(number).exactProduct(with: Decimal(times)))
    }
    let (sum, overflows) = whole.addingReportingOverflow(product)
    if overflows { addExactly(Decimal(whole)) }
    whole = overflows ? product : sum
  }

  private mutating func addExactly(_ number: Decimal?) {
    guard let former = exact else { return }
    exact = number.flatMap { former.exactSum(with: $0) }
  }

  private mutating func addRounding(_ number: Double) {
    hasRounded = true
    let sum = rounded + number
    lost += abs(rounded) >= abs(number) ? (rounded - sum) + number : (number - sum) + rounded
    rounded = sum
  }

  private var exactSum: Decimal? { exact?.exactSum(with: Decimal(whole)) }

  /// True if the sum and the mean are null because the sum is too long or too large.
  package var isSumOutOfRange: Bool { (hasRounded || hasExact) && sum.isNull }

  /// The sum; null unless the values are numbers, or if it is out of range.
  public var sum: Value {
    if hasRounded { return Self.number(rounded + lost) }
    return hasExact ? exactSum.map { .decimal($0) } ?? .null : .null
  }

  /// The mean; null unless the values are numbers, or if it is out of range.
  public var mean: Value {
    if hasRounded { return Self.number((rounded + lost) / Double(count)) }
    guard hasExact, let exactSum else { return .null }
    var quotient = exactSum / Decimal(count)
    var result = Decimal()
    let digits = max(6, -exactSum.exponent + 2)
    NSDecimalRound(&result, &quotient, digits, .plain)
    return .decimal(result)
  }

  /// The number with the fifteen digits that a double guarantees; null if it is out of range.
  private static func number(_ value: Double) -> Value {
    guard value.isFinite else { return .null }
    return .number(Double(String(format: "%.15g", value)) ?? value)
  }

  /// The figures with their names, in the order in which they are printed.
  package var figures: [[Value]] {
    [
      [.text("count"), .integer(Int64(count))],
      [.text("missing"), .integer(Int64(missing))],
      [.text("distinct"), .integer(Int64(distinct))],
      [.text("min"), least ?? .null],
      [.text("max"), greatest ?? .null],
      [.text("mean"), mean],
      [.text("sum"), sum],
    ]
  }
}

extension Decimal {
  /// The sum; nil unless it is exact.
  ///
  /// Foundation rounds some sums of numbers with 39 digits without an error.
  fileprivate func exactSum(with other: Decimal) -> Decimal? {
    var (left, right, sum) = (self, other, Decimal())
    guard NSDecimalAdd(&sum, &left, &right, .plain) == .noError, sum.isFinite, sum - other == self,
      sum - self == other
    else { return nil }
    return sum
  }

  /// The product; nil unless it is exact.
  fileprivate func exactProduct(with other: Decimal) -> Decimal? {
    var (left, right, product) = (self, other, Decimal())
    guard NSDecimalMultiply(&product, &left, &right, .plain) == .noError, product.isFinite,
      product / other == self
    else { return nil }
    return product
  }
}
