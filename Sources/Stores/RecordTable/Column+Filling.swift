import Foundation
import OpenSwiftData

extension Column {
  /// Appends the values of one field of some records, at most 64.
  ///
  /// - Returns: False if a value breaks a rule of the field; the column is incomplete then.
  mutating func append(
    _ records: UnsafeBufferPointer<DefaultSnapshot>,
    slot: Int,
    isOptional: Bool
  ) -> Bool {
    precondition(!isWide && records.count <= Bitmap.wordRows, "one word of a dense column")
    var missing: UInt64 = 0
    for place in records.indices {
      if records[place].orderedValues[slot].isNull {
        guard isOptional else { return false }
        missing |= 1 << UInt64(place)
        appendZeros()
      } else if !append(unchecked: records[place].orderedValues[slot]) {
        return false
      }
    }
    nulls.append(word: missing, count: records.count)
    count += records.count
    return true
  }

  /// Appends a value to the arrays, without its bit in `nulls`; false if no such column can hold it.
  @inline(__always)
  private mutating func append(unchecked value: Value) -> Bool {
    guard value.kind == kind else { return false }
    switch value {
    case .integer, .number: words.append(value.bits)
    case .text(var text), .json(var text): return text.withUTF8 { append(text: $0) }
    case .datetime:
      guard value.brokenRule == nil else { return false }
      words.append(value.bits)
    case .date(let date):
      guard value.brokenRule == nil else { return false }
      days.append(date.daysSince1970)
    case .decimal(let decimal):
      guard value.brokenRule == nil else { return false }
      append(decimal)
    case .boolean(let flag): flags.append(flag)
    case .uuid(let uuid):
      let (high, low) = uuid.words
      words.append(high)
      words.append(low)
    case .null, .link, .links: return false
    }
    return true
  }

  @inline(__always)
  private mutating func append(text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count < Span.countLimit else { return false }
    words.append(Span(start: bytes.count, count: text.count).packed)
    bytes.append(contentsOf: text)
    return true
  }

  private mutating func append(_ decimal: Decimal) {
    if let compact = CompactDecimal(decimal) {
      words.append(UInt64(bitPattern: compact.mantissa))
      exponents.append(compact.exponent)
    } else {
      words.append(UInt64(decimals.count))
      exponents.append(CompactDecimal.largeMark)
      decimals.append(decimal)
    }
  }
}
