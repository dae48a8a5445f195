public import Foundation

/// The value of one attribute of one record.
///
/// Two values are equal if they have the same kind and content; text is compared by its bytes, so the two
/// encodings of `é` are different values. Order and comparison across the numeric kinds are in `compare(_:)`.
public enum Value: Sendable {
  /// No value.
  case null
  /// True or false.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A binary floating-point number, which may be NaN or infinite.
  case number(Double)
  /// An exact decimal number.
  case decimal(Decimal)
  /// Text.
  case text(String)
  /// A day.
  case date(CalendarDate)
  /// A moment.
  case datetime(Date)
  /// A universally unique identifier.
  case uuid(UUID)
  /// JSON text without insignificant white space.
  case json(String)
  /// A reference to a record.
  case link(PersistentIdentifier)
  /// References to records, in order.
  case links([PersistentIdentifier])

  /// True when there is no value.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// True for a number that is NaN.
  package var isNaN: Bool {
    if case .number(let number) = self { number.isNaN } else { false }
  }

  /// The rule that the value violates, as in "must be a finite number"; nil for nearly all values.
  ///
  /// Decimals must not be NaN, and days and moments must be in the years 0000 to 9999.
  package var brokenRule: String? {
    switch self {
    case .decimal(let number) where !number.isFinite: "must be a finite number"
    case .date(let date) where !date.isInRange: "must be between the years 0000 and 9999"
    case .datetime(let date) where !Timestamp.isInRange(date):
      "must be between the years 0000 and 9999"
    default: nil
    }
  }
}

extension Value: Hashable {
  /// True when kind and content are equal; text is compared byte by byte.
  ///
  /// NaN equals NaN, so an unchanged NaN does not count as a change.
  ///
  /// - Complexity: O(n) in the length of a text.
  public static func == (lhs: Value, rhs: Value) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right || (left.isNaN && right.isNaN)
    case (.decimal(let left), .decimal(let right)): CompactDecimal.areEqual(left, right)
    case (.text(let left), .text(let right)), (.json(let left), .json(let right)):
      left.hasSameBytes(as: right)
    case (.date(let left), .date(let right)): left == right
    case (.datetime(let left), .datetime(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.link(let left), .link(let right)): left == right
    case (.links(let left), .links(let right)): left == right
    default: false
    }
  }

  /// Hashes the content that `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .null: break
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value.isNaN ? .nan : value)
    case .decimal(let value): hasher.combine(value)
    case .text(let value), .json(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .datetime(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .link(let value): hasher.combine(value)
    case .links(let value): hasher.combine(value)
    }
  }
}

extension Value {
  /// The rank of the kind in the total order; numbers of all kinds share one.
  var rank: Int { kind?.rank ?? 0 }

  /// The total order over all values: null first, then by kind, then by content.
  ///
  /// Numbers compare by their mathematical value whatever their kind, false comes before true, text and JSON
  /// are ordered by their UTF-8 bytes (which is the order of their Unicode scalars). NaN comes after all
  /// numbers, including infinity.
  ///
  /// - Complexity: O(n) in the length of the texts.
  public func compare(_ other: Value) -> ComparisonResult {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): Self.order(left, right)
    case (.number(let left), .number(let right)): Self.order(left, right)
    case (.text(let left), .text(let right)), (.json(let left), .json(let right)):
      Self.orderBytes(left, right)
    case (.boolean(let left), .boolean(let right)): Self.order(left ? 1 : 0, right ? 1 : 0)
    case (.date(let left), .date(let right)): Self.order(left, right)
    case (.datetime(let left), .datetime(let right)): Self.order(left, right)
    case (.uuid(let left), .uuid(let right)): Self.order(left, right)
    case (.link(let left), .link(let right)): Self.order(left, right)
    case (.links(let left), .links(let right)):
      left == right
        ? .orderedSame
        : left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
    default:
      rank == 2 && other.rank == 2
        ? Self.orderNumbers(self, other) : Self.order(rank, other.rank)
    }
  }

  private static func order(_ left: Double, _ right: Double) -> ComparisonResult {
    if left < right { return .orderedAscending }
    if left == right { return .orderedSame }
    if left > right { return .orderedDescending }
    return left.isNaN ? (right.isNaN ? .orderedSame : .orderedDescending) : .orderedAscending
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> ComparisonResult {
    left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
  }

  /// Orders two texts by their UTF-8 bytes.
  static func orderBytes(_ left: String, _ right: String) -> ComparisonResult {
    let (leftCount, rightCount) = (left.utf8.count, right.utf8.count)
    let difference = left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right -> Int32 in
        guard let first = left.baseAddress, let second = right.baseAddress else { return 0 }
        return memcmp(first, second, min(leftCount, rightCount))
      }
    }
    if let difference = difference ?? nil {
      return difference == 0 ? order(leftCount, rightCount) : order(Int(difference), 0)
    }
    for (leftByte, rightByte) in zip(left.utf8, right.utf8) where leftByte != rightByte {
      return leftByte < rightByte ? .orderedAscending : .orderedDescending
    }
    return order(leftCount, rightCount)
  }

  /// Orders numbers of different kinds: integers and doubles exactly, decimals by `Decimal`, or digit by
  /// digit beyond its range.
  private static func orderNumbers(_ left: Value, _ right: Value) -> ComparisonResult {
    switch (left, right) {
    case (_, .number(let number)) where !number.isFinite: return order(0, number)
    case (.number(let number), _) where !number.isFinite: return order(number, 0)
    case (.integer(let whole), .number(let number)): return orderExactly(whole, number)
    case (.number(let number), .integer(let whole)): return orderExactly(whole, number).reversed
    default:
      if let left = left.asDecimal, let right = right.asDecimal { return order(left, right) }
      return order(DecimalDigits(of: left.text), DecimalDigits(of: right.text))
    }
  }

  private static func orderExactly(_ whole: Int64, _ number: Double) -> ComparisonResult {
    guard number < 9_223_372_036_854_775_808 else { return .orderedAscending }
    guard number >= -9_223_372_036_854_775_808 else { return .orderedDescending }
    let truncated = Int64(number)
    return truncated == whole
      ? order(0, number - number.rounded(.towardZero)) : order(whole, truncated)
  }

  /// The number as a decimal: whole numbers of up to 64 bits exactly, others by their shortest text; nil if
  /// this is not a number or exceeds the range of a decimal.
  package var asDecimal: Decimal? {
    switch self {
    case .integer(let value): return Decimal(value)
    case .number(let value):
      if let whole = Int64(exactly: value) { return Decimal(whole) }
      guard value.magnitude < 1e120, value.magnitude > 1e-90 else { return nil }
      return Decimal(string: value.description)
    case .decimal(let value): return value
    default: return nil
    }
  }

  /// The number as a double, rounded if necessary; nil if this is not a number.
  package var asDouble: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .decimal(let value): CompactDecimal(value)?.double ?? Double(value.description) ?? 0
    default: nil
    }
  }
}

extension ComparisonResult {
  /// The result with the operands swapped.
  package var reversed: ComparisonResult {
    switch self {
    case .orderedAscending: .orderedDescending
    case .orderedSame: .orderedSame
    case .orderedDescending: .orderedAscending
    }
  }
}

extension String {
  /// True if both texts have the same UTF-8 encoding.
  ///
  /// - Complexity: O(n) in the length, at the speed of comparing memory.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable { others -> Bool in
        guard let first = bytes.baseAddress, let second = others.baseAddress else { return true }
        return memcmp(first, second, bytes.count) == 0
      }
    }
    return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
  }
}
