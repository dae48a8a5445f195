public import Foundation

/// An error in the text form of a value, as one clause that says what was expected.
public struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, such as `"abc" is not a whole number`.
  public let description: String

  /// Creates an error from its clause.
  public init(_ description: String) {
    self.description = description
  }
}

extension ValueError: LocalizedError {
  /// The message.
  public var errorDescription: String? { description }
}

extension Value {
  /// The text form of a value, used in lists and exports and read by `init(parsing:as:)`.
  ///
  /// Null is the empty text. Whole numbers have no decimal point. Moments are in UTC.
  ///
  /// - Complexity: O(n) in the length of the result.
  public var text: String {
    switch self {
    case .null: ""
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value): Self.text(of: value)
    case .decimal(let value): CompactDecimal(value)?.text ?? value.description
    case .text(let value), .json(let value): value
    case .date(let value): value.description
    case .datetime(let value): Timestamp.text(of: value)
    case .uuid(let value): value.uuidString.lowercased()
    case .link(let value): value.description
    case .links(let values): values.map(\.description).joined(separator: " ")
    }
  }

  /// The shortest text that is read back as the same number, without `.0` on whole numbers.
  ///
  /// Special values are `Infinity`, `-Infinity` and `NaN`.
  package static func text(of number: Double) -> String {
    guard number.isFinite else {
      return number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
    }
    let description = number.description
    return description.hasSuffix(".0") ? String(description.dropLast(2)) : description
  }

  /// Reads a value of the type from its text form.
  ///
  /// Links are rejected here: the program resolves them, because it has the records.
  ///
  /// - Throws: `ValueError` with what was expected, as one clause.
  public init(parsing text: String, as type: AttributeType) throws(ValueError) {
    switch type {
    case .text: self = .text(text)
    case .integer: self = .integer(try Self.parseInteger(text))
    case .number: self = .number(try Self.parseNumber(text))
    case .decimal: self = .decimal(try Self.parseDecimal(text))
    case .boolean: self = .boolean(try Self.parseBoolean(text))
    case .date:
      guard let date = CalendarDate(text) else {
        let problem = CalendarProblem.text(of: text, hasTime: false)
        throw ValueError(
          "\(Self.quoted(text)) is not a date"
            + (problem.map { ": \($0)" } ?? "; write it as 2009-05-29")
        )
      }
      self = .date(date)
    case .datetime:
      self = .datetime(try Self.parseMoment(text))
    case .uuid:
      guard let uuid = UUID(uuidString: text) else {
        throw ValueError("\(Self.quoted(text)) is not a UUID")
      }
      self = .uuid(uuid)
    case .json: self = .json(try JSONText.compact(text))
    case .link, .links:
      throw ValueError("\(Self.quoted(text)) is not a record identifier")
    }
  }

  /// Reads a value of the type as `init(parsing:as:)` does, and a whole number also from a text such as `5.0` or
  /// `1e3`, which has the same value.
  ///
  /// - Throws: `ValueError` with what was expected, as one clause.
  package init(reading text: String, as type: AttributeType) throws(ValueError) {
    do {
      try self.init(parsing: text, as: type)
    } catch {
      guard type == .integer, let number = try? Value(parsing: text, as: .decimal),
        let whole = Int64(number.text)
      else { throw error }
      self = .integer(whole)
    }
  }

  /// The text in quotes, shortened, for messages.
  package static func quoted(_ text: String) -> String { "\"\(shortened(text))\"" }

  /// The text in at most 40 letters, for messages.
  package static func shortened(_ text: String) -> String {
    // Counting all letters of a long text would be slow.
    text.prefix(41).count > 40 ? "\(text.prefix(39))…" : text
  }

  private static func parseInteger(_ text: String) throws(ValueError) -> Int64 {
    if let value = Int64(text) { return value }
    throw ValueError(
      exceedsIntegers(text)
        ? "\(quoted(text)) exceeds 64-bit integers; use a decimal"
        : "\(quoted(text)) is not a whole number"
    )
  }

  /// True for a whole number, such as `1e30`, that has more than 64 bits.
  private static func exceedsIntegers(_ text: String) -> Bool {
    guard isNumberText(text) else { return false }
    let number = DecimalDigits(of: text)
    return number.isWhole
      && (number > DecimalDigits(of: String(Int64.max))
        || number < DecimalDigits(of: String(Int64.min)))
  }

  private static func parseNumber(_ text: String) throws(ValueError) -> Double {
    if let special = infiniteNumber(text) { return special }
    guard isNumberText(text), let value = Double(text) else {
      throw ValueError("\(quoted(text)) is not a number")
    }
    guard value.isFinite else {
      throw ValueError("\(quoted(text)) is too large for a number field")
    }
    guard keepsDigits(of: text, value) else {
      throw ValueError(
        value == 0
          ? "\(quoted(text)) is too small for a number field, which would keep 0"
          : "\(quoted(text)) has more digits than a number field keeps, which would be "
            + "\(Self.text(of: value)); use \(typeKeeping(text)) for all of them"
      )
    }
    return value
  }

  /// True when the shortest text of the number has all digits of the original text.
  ///
  /// Texts of at most 15 digits are always preserved, unless the number is subnormal.
  private static func keepsDigits(of text: String, _ number: Double) -> Bool {
    if number.isNormal, DecimalText.significantDigits(of: text) <= 15 { return true }
    return DecimalDigits(of: text) == DecimalDigits(of: number.description)
  }

  /// The kind of field that preserves every digit of a number, with its article.
  private static func typeKeeping(_ text: String) -> String {
    if Int64(text) != nil { return "an integer field" }
    // The reason why it is not a decimal does not matter.
    return (try? parseDecimal(text)) != nil ? "a decimal field" : "a text field"
  }

  /// The decimal as a number; nil if digits would be lost.
  package static func number(exactly decimal: Decimal) -> Double? {
    let text = decimal.description
    guard let number = Double(text), number.isFinite, keepsDigits(of: text, number) else {
      return nil
    }
    return number
  }

  /// The infinite number or NaN for a text that `text(of:)` writes; nil for other texts, such as `inf`.
  package static func infiniteNumber(_ text: String) -> Double? {
    switch text {
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    case "NaN": .nan
    default: nil
    }
  }

  private static func parseDecimal(_ text: String) throws(ValueError) -> Decimal {
    // Nearly all decimals; Foundation takes twenty times as long.
    if let short = CompactDecimal(text: text.utf8) { return short.decimal }
    guard isNumberText(text) else {
      throw ValueError("\(quoted(text)) is not a decimal number")
    }
    guard let value = Decimal(string: text), value.isFinite else {
      throw ValueError("\(quoted(text)) is out of range for a decimal")
    }
    guard DecimalText.significantDigits(of: text) <= 38 else {
      throw ValueError("\(quoted(text)) has more than the 38 digits a decimal can hold")
    }
    return value
  }

  private static func parseMoment(_ text: String) throws(ValueError) -> Date {
    guard let reading = Timestamp.reading(of: text) else {
      let problem = CalendarProblem.text(of: text, hasTime: true)
      throw ValueError(
        "\(quoted(text)) is not a date with time"
          + (problem.map { ": \($0)" } ?? "; write it as 2009-05-29T18:30:00Z")
      )
    }
    guard Timestamp.isInRange(reading.date) else {
      throw ValueError(
        "\(quoted(text)) "
          + (reading.isExact
            ? "is outside the years 0000 to 9999 in UTC"
            : "has more digits than a datetime keeps there")
      )
    }
    guard reading.isExact else {
      throw ValueError(
        "\(quoted(text)) has more digits than a datetime keeps there; "
          + "the nearest is \(Timestamp.text(of: reading.date))"
      )
    }
    return reading.date
  }

  private static func parseBoolean(_ text: String) throws(ValueError) -> Bool {
    switch text.lowercased() {
    case "true", "yes", "y", "1": return true
    case "false", "no", "n", "0": return false
    default: throw ValueError("\(quoted(text)) is neither true nor false")
    }
  }

  /// True for an optional sign, digits with an optional point between or before digits, an exponent.
  private static func isNumberText(_ text: String) -> Bool {
    var bytes = text.utf8[...]
    func takeDigits() -> Int {
      let digits = bytes.prefix { (48...57).contains($0) }.count
      bytes = bytes.dropFirst(digits)
      return digits
    }
    if bytes.first == 45 || bytes.first == 43 { bytes = bytes.dropFirst() }
    let whole = takeDigits()
    var fraction = 0
    if bytes.first == 46 {
      bytes = bytes.dropFirst()
      fraction = takeDigits()
      guard fraction > 0 else { return false }
    }
    guard whole + fraction > 0 else { return false }
    if bytes.first == 101 || bytes.first == 69 {
      bytes = bytes.dropFirst()
      if bytes.first == 43 || bytes.first == 45 { bytes = bytes.dropFirst() }
      guard takeDigits() > 0 else { return false }
    }
    return bytes.isEmpty
  }
}

/// Counts in the text of a decimal number.
package enum DecimalText {
  /// The number of digits from the first to the last nonzero digit, without the exponent.
  package static func significantDigits(of text: String) -> Int {
    let mantissa = text.utf8.prefix { $0 != 101 && $0 != 69 }.filter { (48...57).contains($0) }
    let withoutLeading = mantissa.drop { $0 == 48 }
    return withoutLeading.count - withoutLeading.reversed().prefix { $0 == 48 }.count
  }
}

/// A number as sign, digits and exponent, compared without any limit of size.
package struct DecimalDigits: Comparable {
  private let isNegative: Bool
  /// The power of ten of the first nonzero digit.
  private let exponent: Int
  /// The digits from the first to the last nonzero digit; none for zero.
  private let digits: [UInt8]

  /// Reads the text form of a number.
  package init(of text: String) {
    let parts = text.lowercased().split(separator: "e", maxSplits: 1)
    let mantissa = parts.first ?? ""
    let point = mantissa.firstIndex(of: ".") ?? mantissa.endIndex
    let wholeCount = mantissa[..<point].utf8.count { (48...57).contains($0) }
    let all = mantissa.utf8.filter { (48...57).contains($0) }
    let zeros = all.prefix { $0 == 48 }.count
    var significant = Array(all.dropFirst(zeros))
    while significant.last == 48 { significant.removeLast() }
    digits = significant
    isNegative = mantissa.hasPrefix("-") && !significant.isEmpty
    exponent = wholeCount - zeros + (parts.count > 1 ? Self.power(parts[1]) : 0)
  }

  /// True if it has no fraction.
  var isWhole: Bool { digits.isEmpty || exponent >= digits.count }

  /// The power of ten after the `e`, or one beyond all numbers if it is too long.
  private static func power(_ text: Substring) -> Int {
    let limit = 1_000_000_000_000
    guard let power = Int(text) else { return text.hasPrefix("-") ? -limit : limit }
    return min(max(power, -limit), limit)
  }

  package static func < (left: DecimalDigits, right: DecimalDigits) -> Bool {
    guard left.isNegative == right.isNegative else { return left.isNegative }
    return left.isNegative
      ? isSmaller(right, left) : isSmaller(left, right)
  }

  private static func isSmaller(_ left: DecimalDigits, _ right: DecimalDigits) -> Bool {
    if left.digits.isEmpty || right.digits.isEmpty {
      return !right.digits.isEmpty && left.digits.isEmpty
    }
    return left.exponent == right.exponent
      ? left.digits.lexicographicallyPrecedes(right.digits) : left.exponent < right.exponent
  }

  package static func == (left: DecimalDigits, right: DecimalDigits) -> Bool {
    left.digits == right.digits
      && (left.digits.isEmpty
        || (left.isNegative == right.isNegative && left.exponent == right.exponent))
  }
}
