import Foundation
package import OpenSwiftData

/// A type of PostgreSQL whose values are read in binary form, which no setting of the session changes; all others are read
/// as their text.
package enum ServerType: String, Hashable, Sendable, CaseIterable {
  case int2, int4, int8, float4, float8, bool, numeric, date, timestamp, timestamptz, uuid, bytea
  /// Text of any length.
  case text
  /// The place of a row in its table.
  case tid

  /// The number of the type on every server.
  package var number: UInt32 {
    switch self {
    case .bool: 16
    case .bytea: 17
    case .int8: 20
    case .int2: 21
    case .int4: 23
    case .text: 25
    case .tid: 27
    case .float4: 700
    case .float8: 701
    case .date: 1082
    case .timestamp: 1114
    case .timestamptz: 1184
    case .numeric: 1700
    case .uuid: 2950
    }
  }

  /// The form of a column.
  package var form: ColumnForm {
    switch self {
    case .int2, .int4, .int8: .integer
    case .float4, .float8: .number
    case .bool: .boolean
    case .numeric: .decimal
    case .date: .date
    case .timestamp, .timestamptz: .moment(.server)
    case .uuid: .uuid
    case .bytea: .blob()
    case .text, .tid: .text
    }
  }

  /// What turns a constant into the type that values of this one are compared with.
  package var cast: String {
    switch self {
    case .int2, .int4, .int8: "::int8"
    case .float4, .float8: "::float8"
    default: "::" + rawValue
    }
  }

  /// Matches every value that has no form here, and a few others; nil if all values have one.
  ///
  /// The limits of moments are those within which a `Date` surely keeps every microsecond.
  package func misfitCondition(_ operand: String) -> SQLText? {
    switch self {
    case .numeric: "\(operand)::text !~ '^[-0-9.]{1,38}$'"
    case .date: "\(operand) NOT BETWEEN '0001-01-01' AND '9999-12-31'"
    case .timestamp, .timestamptz: "\(operand) NOT BETWEEN '1930-01-01' AND '2072-01-01'"
    default: nil
    }
  }

  /// True if the server can read a text as a value of the type.
  func accepts(_ part: SQLValue) -> Bool {
    guard case .text(let text) = part else { return true }
    if text.utf8.contains(0) { return false }
    switch self {
    case .int2, .int4, .int8: return Int64(text) != nil
    case .uuid: return UUID(uuidString: text) != nil
    case .date: return CalendarDate(text) != nil
    case .timestamp, .timestamptz: return Timestamp.date(from: text) != nil
    case .numeric: return MixedText.number(text) != nil
    case .float4, .float8: return Double(text) != nil
    case .bool: return ["0", "1"].contains(text)
    case .text, .bytea: return true
    case .tid:
      let numbers = text.dropFirst().dropLast().split(separator: ",", maxSplits: 2)
      return text.hasPrefix("(") && text.hasSuffix(")") && numbers.count == 2
        && UInt32(numbers[0]) != nil && UInt16(numbers[1]) != nil
    }
  }
}

extension MomentStyle {
  /// The style of moments with the microseconds that PostgreSQL has.
  static let server = MomentStyle(separator: "T", suffix: "+00:00", digits: 6, omitsZero: true)
}

// MARK: Values in binary form

extension ServerType {
  /// The value; nil for one that has no form here, such as a number of 50 digits or `infinity`.
  package func stored(_ bytes: UnsafeRawBufferPointer) -> SQLValue? {
    switch self {
    case .text: .text(String(decoding: bytes, as: UTF8.self))
    case .bytea: .bytes(Array(bytes))
    case .bool: .integer(bytes.first == 0 ? 0 : 1)
    case .float4, .float8: number(bytes).map { .real($0) }
    case .int2, .int4, .int8: whole(bytes).map { .integer($0) }
    case .tid: tid(bytes).map { .text($0) }
    case .numeric: NumericDigits(bytes)?.text.map { .text($0) }
    case .date, .timestamp, .timestamptz, .uuid:
      value(bytes).flatMap { form.stored($0) }
    }
  }

  /// The value of a field; nil for one that has no form here.
  package func value(_ bytes: UnsafeRawBufferPointer) -> Value? {
    switch self {
    case .text: .text(String(decoding: bytes, as: UTF8.self))
    case .int2, .int4, .int8: whole(bytes).map { .integer($0) }
    case .float4, .float8: number(bytes).map { .number($0) }
    case .bool: .boolean(bytes.first != 0)
    case .numeric: NumericDigits(bytes)?.text.flatMap { Decimal(string: $0) }.map { .decimal($0) }
    case .date: date(bytes).map { .date($0) }
    case .timestamp, .timestamptz: moment(bytes).map { .datetime($0) }
    case .uuid: bytes.count == 16 ? .uuid(bytes.loadUnaligned(as: UUID.self)) : nil
    case .bytea: .text(Data(bytes).base64EncodedString())
    case .tid: tid(bytes).map { .text($0) }
    }
  }

  private func whole(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    switch bytes.count {
    case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    default: nil
    }
  }

  private func number(_ bytes: UnsafeRawBufferPointer) -> Double? {
    switch bytes.count {
    case 4:
      Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
    case 8: Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    default: nil
    }
  }

  private func tid(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count == 6 else { return nil }
    let block = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    let row = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
    return "(\(block),\(row))"
  }

  /// Days since 2000-01-01; the greatest and the least number are infinite.
  private func date(_ bytes: UnsafeRawBufferPointer) -> CalendarDate? {
    guard let days = whole(bytes), bytes.count == 4,
      let sum = Int32(exactly: days + 10_957)
    else { return nil }
    let date = CalendarDate(daysSince1970: sum)
    return date.isInRange ? date : nil
  }

  /// Microseconds since 2000-01-01; the greatest and the least number are infinite.
  private func moment(_ bytes: UnsafeRawBufferPointer) -> Date? {
    guard let microseconds = whole(bytes), bytes.count == 8,
      microseconds != .max, microseconds != .min
    else { return nil }
    // 2000 is a leap year, and a `Date` counts from 2001.
    let (shifted, overflows) = microseconds.subtractingReportingOverflow(366 * 86_400_000_000)
    let date = Date(timeIntervalSinceReferenceDate: Double(shifted) / 1_000_000)
    // Far from 2001, a `Date` has no room for every microsecond.
    let read = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
    let isExact = Int64(exactly: read) == shifted
    return !overflows && isExact && Timestamp.isInRange(date) ? date : nil
  }
}

/// The digits of a number of any length in binary form: groups of four decimal digits.
private struct NumericDigits {
  let groups: [UInt16]
  /// The number of groups before the point, less one.
  let weight: Int
  let isNegative: Bool
  /// The number of digits after the point.
  let places: Int

  /// Nil for NaN and infinite numbers.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 8 else { return nil }
    func word(_ place: Int) -> UInt16 {
      UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * place, as: UInt16.self))
    }
    let count = Int(word(0))
    guard bytes.count == 8 + 2 * count, word(2) == 0 || word(2) == 0x4000 else { return nil }
    groups = (0..<count).map { word(4 + $0) }
    weight = Int(Int16(bitPattern: word(1)))
    isNegative = word(2) == 0x4000
    places = Int(word(3))
  }

  /// The number in digits; nil for one with more than a decimal keeps exactly.
  var text: String? {
    var text = isNegative ? "-" : ""
    var digits = ""
    for place in 0..<max(weight + 1, 1) {
      let group = place < groups.count && weight >= 0 ? String(groups[place]) : "0"
      digits += place == 0 ? group : String(repeating: "0", count: 4 - group.count) + group
    }
    text += digits
    var fraction = ""
    var place = weight + 1
    while fraction.utf8.count < places {
      let group = place >= 0 && place < groups.count ? String(groups[place]) : "0"
      fraction += String(repeating: "0", count: 4 - group.count) + group
      place += 1
    }
    fraction = String(fraction.prefix(places))
    while fraction.last == "0" { fraction.removeLast() }
    let significant = (digits + fraction).drop { $0 == "0" }
    guard significant.utf8.count <= 38, fraction.utf8.count <= 127 else { return nil }
    return fraction.isEmpty ? text : text + "." + fraction
  }
}
