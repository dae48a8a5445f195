/// The parts of a text that is a number.
package struct SpelledNumber {
  /// True for a sign and digits only.
  package let isWhole: Bool
  /// True for `007` and `+7`, which are texts when values are compared.
  package let isCode: Bool
  private let isNegative: Bool
  private let whole: [UInt8]
  private let fraction: [UInt8]
  /// The power of ten by which the digits are multiplied; nil if an Int32 cannot hold it.
  private let exponent: Int?

  /// Reads `[+-]digits[.digits][e[+-]digits]`; nil for any other text.
  package init?<Bytes: Collection<UInt8>>(_ text: Bytes) {
    guard let last = text.suffix(1).first, last == 0x2E || Self.isDigit(last) else { return nil }
    var rest = text[...]
    let sign = rest.first
    if sign == 0x2B || sign == 0x2D { rest = rest.dropFirst() }
    whole = Array(rest.prefix(while: Self.isDigit))
    rest = rest.dropFirst(whole.count)
    var fraction: [UInt8] = []
    let hasPoint = rest.first == 0x2E
    if hasPoint {
      rest = rest.dropFirst()
      fraction = Array(rest.prefix(while: Self.isDigit))
      rest = rest.dropFirst(fraction.count)
    }
    guard whole.count + fraction.count > 0 else { return nil }
    let hasExponent = rest.first == 0x65 || rest.first == 0x45
    if hasExponent {
      rest = rest.dropFirst()
      let digits = rest.first == 0x2B || rest.first == 0x2D ? rest.dropFirst() : rest
      guard !digits.isEmpty, digits.allSatisfy(Self.isDigit) else { return nil }
      exponent = Int32(String(decoding: rest, as: UTF8.self)).map { Int($0) }
    } else if !rest.isEmpty {
      return nil
    } else {
      exponent = 0
    }
    isWhole = !hasPoint && !hasExponent && whole.count <= 18
    isCode = sign == 0x2B || (whole.count > 1 && whole[0] == 0x30)
    isNegative = sign == 0x2D
    self.fraction = fraction
  }

  /// The number without zeros at its ends, which is the same text for equal numbers; nil if its exponent is too large.
  package var plain: String? {
    guard let exponent else { return nil }
    if exponent == 0, fraction.isEmpty, let first = whole.first, first != 0x30 {
      return (isNegative ? "-" : "") + String(decoding: whole, as: UTF8.self)
    }
    let all = whole + fraction
    let digits = all.drop { $0 == 0x30 }
    let end = digits.lastIndex { $0 != 0x30 }.map { $0 + 1 } ?? digits.startIndex
    let significant = Array(digits[..<end])
    if significant.isEmpty { return "0" }
    // The number is 0.SIGNIFICANT times ten to this power.
    let point = digits.count - fraction.count + exponent
    let sign = isNegative ? "-" : ""
    func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
    if abs(point) > Self.limitOfPlaces { return "\(sign)\(text(significant))e\(point)" }
    if point <= 0 { return "\(sign)0.\(zeros(-point))\(text(significant))" }
    if point >= significant.count {
      return sign + text(significant) + zeros(point - significant.count)
    }
    return "\(sign)\(text(significant[..<point])).\(text(significant[point...]))"
  }

  /// Larger and smaller numbers are spelled with an exponent.
  private static let limitOfPlaces = 400

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension Value {
  /// The same text for all values that one and the same text of a file can stand for under different types, such as 1.50 and
  /// "1.5"; empty for a missing value.
  ///
  /// Numbers with leading zeros or a plus sign are texts: `007` is not 7.
  package var spelledAlike: String { self == .json("null") ? "" : Self.spelledAlike(text) }

  /// The same text for all spellings of a value.
  package static func spelledAlike(_ text: String) -> String {
    if text.utf8.count <= 5, ["true", "false"].contains(text.lowercased()) {
      return text.lowercased()
    }
    if let number = SpelledNumber(text.utf8) { return number.isCode ? text : number.plain ?? text }
    guard (12...36).contains(text.utf8.count) else { return text }
    // Moments and UUIDs have hyphens at their places.
    let type: AttributeType = text.utf8.count == 36 ? .uuid : .datetime
    guard text.utf8.dropFirst(type == .uuid ? 8 : 4).first == 0x2D else { return text }
    return (try? Value(parsing: text, as: type))?.text ?? text
  }
}
