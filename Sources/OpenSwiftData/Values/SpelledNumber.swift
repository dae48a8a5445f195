/// The parts of a text that is a number.
package struct SpelledNumber {
  /// True for a sign and digits only.
  package let isWhole: Bool
  /// True for `007` and `+7`, which are texts when values are compared.
  package let isCode: Bool
  private let isNegative: Bool
  private let whole: [UInt8]
  private let fraction: [UInt8]
  private let hasExponent: Bool

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
    hasExponent = rest.first == 0x65 || rest.first == 0x45
    if hasExponent {
      rest = rest.dropFirst()
      if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
      guard !rest.isEmpty, rest.allSatisfy(Self.isDigit) else { return nil }
    } else if !rest.isEmpty {
      return nil
    }
    isWhole = !hasPoint && !hasExponent && whole.count <= 18
    isCode = sign == 0x2B || (whole.count > 1 && whole[0] == 0x30)
    isNegative = sign == 0x2D
    self.fraction = fraction
  }

  /// The number without zeros at the end; nil if its text has to be read as a number of the machine.
  package var plain: String? {
    if hasExponent { return nil }
    let end = fraction.lastIndex { $0 != 0x30 }.map { $0 + 1 } ?? 0
    var digits = whole.isEmpty ? [0x30] : whole
    if end > 0 { digits += [0x2E] + fraction[..<end] }
    let isZero = digits == [0x30]
    return (isNegative && !isZero ? "-" : "") + String(decoding: digits, as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension Value {
  /// The same text for all values that one in a file can be under different types, such as 1.50 and "1.5".
  ///
  /// Numbers with leading zeros or a plus sign are texts: `007` is not 7.
  package var spelledAlike: String {
    let text = text
    if text.utf8.count <= 5, ["true", "false"].contains(text.lowercased()) {
      return text.lowercased()
    }
    guard let number = SpelledNumber(text.utf8), !number.isCode else { return text }
    if let plain = number.plain { return plain }
    // More digits than this may be lost.
    guard text.utf8.count <= 15, let double = Double(text) else { return text }
    return Value.text(of: double)
  }
}
