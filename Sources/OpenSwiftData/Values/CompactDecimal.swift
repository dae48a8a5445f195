package import Foundation

/// A decimal as mantissa and exponent, 9 bytes in two columns.
///
/// Foundation keeps a decimal in 20 bytes: exponent, a byte with length, sign and a flag that the
/// mantissa has no factor of ten, two unused bytes, then the mantissa in eight words of 16 bits.
/// The conversions access these bytes directly, because the public API is a hundred times slower;
/// `RecordTableDecimalTests` verifies the layout against the public properties.
package struct CompactDecimal: Equatable {
  /// The digits.
  package var mantissa: Int64
  /// The power of ten that they are multiplied by.
  package var exponent: Int8

  /// Marks, in the column of exponents, a decimal that is too long and is stored in the side table.
  package static let largeMark = Int8.min

  private static let compactFlag: UInt8 = 0x04
  private static let negativeFlag: UInt8 = 0x08

  /// Creates a decimal from its parts.
  package init(mantissa: Int64, exponent: Int8) {
    self.mantissa = mantissa
    self.exponent = exponent
  }

  /// Nil if the mantissa has more than 63 bits or is not in its shortest form.
  package init?(_ decimal: Decimal) {
    let parts = withUnsafeBytes(of: decimal) { bytes in
      (
        exponent: Int8(bitPattern: bytes[0]), flags: bytes[1],
        mantissa: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
      )
    }
    let length = parts.flags >> 4
    if length == 0, parts.flags & Self.negativeFlag == 0, parts.exponent == 0 {
      self.init(mantissa: 0, exponent: 0)
      return
    }
    guard length > 0, length <= 4, parts.flags & Self.compactFlag != 0,
      parts.mantissa <= UInt64(Int64.max), parts.exponent != Self.largeMark
    else { return nil }
    let magnitude = Int64(parts.mantissa)
    self.init(
      mantissa: parts.flags & Self.negativeFlag != 0 ? -magnitude : magnitude,
      exponent: parts.exponent
    )
  }

  /// The decimal, equal to the last byte.
  package var decimal: Decimal {
    guard mantissa != 0 else { return Decimal() }
    var result = Decimal()
    let magnitude = mantissa.magnitude
    let length = UInt8((79 - magnitude.leadingZeroBitCount) / 16)
    let flags = length << 4 | Self.compactFlag | (mantissa < 0 ? Self.negativeFlag : 0)
    withUnsafeMutableBytes(of: &result) { bytes in
      bytes[0] = UInt8(bitPattern: exponent)
      bytes[1] = flags
      bytes.storeBytes(of: magnitude.littleEndian, toByteOffset: 4, as: UInt64.self)
    }
    return result
  }

  /// True if two decimals are equal; equal numbers have one compact form, which is compared without Foundation.
  static func areEqual(_ left: Decimal, _ right: Decimal) -> Bool {
    guard let first = CompactDecimal(left), let second = CompactDecimal(right) else {
      return left == right
    }
    return first == second
  }

  /// The powers of ten that a double keeps exactly.
  private static let exactPowers: [Double] = (0...22).map { count in
    (0..<count).reduce(1) { power, _ in power * 10 }
  }

  /// The nearest double; nil if finding it takes more than one rounded operation.
  var double: Double? {
    guard let number = Double(exactly: mantissa), abs(Int(exponent)) < Self.exactPowers.count else {
      return nil
    }
    let power = Self.exactPowers[abs(Int(exponent))]
    return exponent < 0 ? number / power : number * power
  }

  /// The mantissa for this smaller exponent; nil if it overflows.
  package func mantissa(withExponent smaller: Int) -> Int64? {
    var result = mantissa
    for _ in 0..<max(0, Int(exponent) - smaller) {
      let (product, overflow) = result.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      if product == 0 { return 0 }
      result = product
    }
    return result
  }

  /// The text form, equal to the description of the decimal, in a twentieth of the time.
  ///
  /// - Complexity: O(n) in the length of the result.
  package var text: String {
    let sign = mantissa < 0 ? "-" : ""
    let digits = String(mantissa.magnitude)
    if exponent >= 0 { return sign + digits + String(repeating: "0", count: Int(exponent)) }
    let wholeCount = digits.utf8.count + Int(exponent)
    if wholeCount <= 0 { return sign + "0." + String(repeating: "0", count: -wholeCount) + digits }
    return sign + digits.prefix(wholeCount) + "." + digits.dropFirst(wholeCount)
  }

  /// Reads digits with an optional sign and an optional point between digits; nil for any other text, and for more than
  /// eighteen digits.
  package init?(text: some Collection<UInt8>) {
    var mantissa: Int64 = 0
    var digitCount = 0
    var fractionCount: Int?
    var isNegative = false
    for byte in text {
      switch byte {
      case 0x30...0x39:
        mantissa = mantissa &* 10 &+ Int64(byte - 0x30)
        digitCount += 1
        if let count = fractionCount { fractionCount = count + 1 }
        if digitCount > 18 { return nil }
      case UInt8(ascii: "-"):
        guard digitCount == 0, !isNegative, fractionCount == nil else { return nil }
        isNegative = true
      case UInt8(ascii: "."):
        guard digitCount > 0, fractionCount == nil else { return nil }
        fractionCount = 0
      default: return nil
      }
    }
    guard digitCount > 0, fractionCount != 0, mantissa != 0 || !isNegative else { return nil }
    var exponent = -Int8(fractionCount ?? 0)
    while mantissa != 0, mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    if mantissa == 0 { exponent = 0 }
    self.init(mantissa: isNegative ? -mantissa : mantissa, exponent: exponent)
  }
}
