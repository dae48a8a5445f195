import Foundation

/// A decimal as mantissa and exponent, 9 bytes in two columns.
///
/// Foundation keeps a decimal in 20 bytes: exponent, a byte with length, sign and a flag that the
/// mantissa has no factor of ten, two unused bytes, then the mantissa in eight words of 16 bits.
/// The conversions access these bytes directly, because the public API is a hundred times slower;
/// `RecordTableDecimalTests` verifies the layout against the public properties.
struct CompactDecimal: Equatable {
  var mantissa: Int64
  var exponent: Int8

  /// Marks, in the column of exponents, a decimal that is too long and is stored in the side table.
  static let largeMark = Int8.min

  private static let compactFlag: UInt8 = 0x04
  private static let negativeFlag: UInt8 = 0x08

  init(mantissa: Int64, exponent: Int8) {
    self.mantissa = mantissa
    self.exponent = exponent
  }

  /// Nil if the mantissa has more than 63 bits or is not in its shortest form.
  init?(_ decimal: Decimal) {
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
  var decimal: Decimal {
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

  /// The mantissa for this smaller exponent; nil if it overflows.
  func mantissa(withExponent smaller: Int) -> Int64? {
    var result = mantissa
    for _ in 0..<max(0, Int(exponent) - smaller) {
      let (product, overflow) = result.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      if product == 0 { return 0 }
      result = product
    }
    return result
  }
}
