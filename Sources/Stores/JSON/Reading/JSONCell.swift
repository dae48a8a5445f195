import CSimdjson
import Foundation
import OpenSwiftData

extension catalog_json_cell {
  var isNumber: Bool {
    Int(kind) == CATALOG_JSON_INTEGER || Int(kind) == CATALOG_JSON_NUMBER
  }

  @inline(__always)
  func has(_ fact: some BinaryInteger) -> Bool { facts & UInt8(fact) != 0 }

  /// The decoded text, the number as written, or the JSON without whitespace.
  var content: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }

  /// The value as written in the file.
  func written(in window: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt8> {
    let range = Int(offset)..<(Int(offset) + Int(length))
    return UnsafeBufferPointer(
      rebasing: window.assumingMemoryBound(to: UInt8.self)[range]
    )
  }

  /// The exact value; nil if it has more than 38 digits.
  var decimal: Decimal? {
    guard has(CATALOG_JSON_IS_DECIMAL) else { return nil }
    guard has(CATALOG_JSON_IS_MANTISSA) else {
      return Decimal(string: String(decoding: content, as: UTF8.self))
    }
    return compactDecimal.decimal
  }

  /// The exact value.
  ///
  /// - Precondition: The cell is a decimal with a mantissa.
  @inline(__always)
  var compactDecimal: CompactDecimal {
    if word == 0 { return CompactDecimal(mantissa: 0, exponent: 0) }
    var mantissa = word
    var exponent = exponent
    while mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    return CompactDecimal(mantissa: mantissa, exponent: Int8(exponent))
  }

  /// The moment that a text denotes; nil if it is not a moment, or has too many digits.
  var secondsSinceReferenceDate: Double? {
    if has(CATALOG_JSON_IS_MOMENT) { return real }
    return Timestamp.date(from: String(decoding: content, as: UTF8.self))?
      .timeIntervalSinceReferenceDate
  }
}

extension IdentifierScope {
  /// The value of each byte as a digit of a record key; 255 for bytes that are not digits.
  private static let digits: [UInt8] = {
    var table = [UInt8](repeating: 255, count: 256)
    for (value, byte) in "0123456789abcdefghjkmnpqrstvwxyz".utf8.enumerated() {
      table[Int(byte)] = UInt8(value)
    }
    return table
  }()

  /// The identifier whose text these bytes are, as `identifier(parsing:)`, but fast for record keys.
  func identifier(utf8: UnsafeBufferPointer<UInt8>) -> PersistentIdentifier {
    if utf8.count == 16, let key = Self.recordKey(utf8) { return identifier(key: key) }
    return identifier(parsing: String(decoding: utf8, as: UTF8.self))
  }

  /// The text starts with the least significant digit; the lower 38 bits are the sequence.
  private static func recordKey(_ utf8: UnsafeBufferPointer<UInt8>) -> RecordKey? {
    var low: UInt64 = 0
    var high: UInt64 = 0
    var isNumber = true
    for place in stride(from: 15, through: 0, by: -1) {
      let digit = digits[Int(utf8[place])]
      guard digit != 255 else { return nil }
      if digit > 9 { isNumber = false }
      high = high << 5 | low >> 59
      low = low << 5 | UInt64(digit)
    }
    // A text of decimal digits only is read as a number by `identifier(parsing:)`.
    if isNumber, utf8[0] != UInt8(ascii: "0") { return nil }
    return RecordKey(milliseconds: high << 26 | low >> 38, sequence: low & (1 << 38 - 1))
  }
}
