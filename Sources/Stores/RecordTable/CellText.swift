import Foundation
import OpenSwiftData

/// Writes the text form of non-text cells, equal to `Value.text`, without a string for each cell.
enum CellText {
  /// Enough bytes for every kind of value written here.
  static let capacity = 192

  /// Lends the text form of a cell that has a value.
  @inline(__always)
  static func withText(
    of column: Column,
    _ row: Int,
    _ buffer: UnsafeMutableBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    var writer = Writer(buffer: buffer)
    if write(column, row, &writer) {
      return body(UnsafeBufferPointer(rebasing: buffer[..<writer.count]))
    }
    var text = column.value(at: row).text
    return text.withUTF8(body)
  }

  /// Lends the text form of a decimal, equal to its description.
  static func withText<Result>(
    of decimal: Decimal,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    guard let compact = CompactDecimal(decimal) else {
      var text = decimal.description
      return text.withUTF8(body)
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
      var writer = Writer(buffer: buffer)
      writer.put(compact)
      return body(UnsafeBufferPointer(rebasing: buffer[..<writer.count]))
    }
  }

  /// Appends the text forms of the cells in some rows.
  static func append(_ rows: ArraySlice<Int32>, of column: Column, to texts: inout TextColumn) {
    guard !column.isWide else {
      for row in rows { texts.append(column.value(at: Int(row))) }
      return
    }
    let form = form(of: column.kind)
    let isText = column.layout == .bytes
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
      for row in rows {
        let row = Int(row)
        if column.nulls[row] {
          texts.appendNull()
        } else if isText {
          column.withText(at: row) { texts.append($0, form) }
        } else {
          var writer = Writer(buffer: buffer)
          if write(column, row, &writer) {
            texts.append(UnsafeBufferPointer(rebasing: buffer[..<writer.count]), form)
          } else {
            texts.append(column.value(at: row))
          }
        }
      }
    }
  }

  /// Appends the text forms of the keys in some rows.
  static func append(_ rows: ArraySlice<Int32>, of keys: KeyColumn, to texts: inout TextColumn) {
    guard keys.kind == .integer else {
      for row in rows { texts.append(keys[Int(row)]) }
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
      for row in rows {
        var writer = Writer(buffer: buffer)
        writer.put(Int64(keys.numbers[Int(row)]))
        texts.append(UnsafeBufferPointer(rebasing: buffer[..<writer.count]), .link)
      }
    }
  }

  /// The form of the values that `write` writes, and of texts.
  private static func form(of kind: ValueKind) -> TextColumn.Form {
    switch kind {
    case .integer, .boolean, .decimal, .number: .bare
    case .date, .datetime, .uuid: .plain
    case .json: .json
    case .text: .text
    case .link: .link
    case .links: .links
    }
  }

  /// Lends the text form of an integer or a date.
  static func withText(
    of value: Value,
    _ buffer: UnsafeMutableBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    var writer = Writer(buffer: buffer)
    let isWritten: Bool
    switch value {
    case .integer(let number):
      writer.put(number)
      isWritten = true
    case .date(let date): isWritten = writer.put(date)
    default: isWritten = false
    }
    if isWritten { return body(UnsafeBufferPointer(rebasing: buffer[..<writer.count])) }
    var text = value.text
    return text.withUTF8(body)
  }

  /// False if no text form of this kind of values can match, because the pattern has a character that
  /// never occurs in them.
  static func couldMatch(_ match: TextMatch, _ kind: ValueKind) -> Bool {
    guard match.operation != .matches, let alphabet = alphabet(of: kind) else { return true }
    // Folding may turn characters beyond ASCII into ASCII ones; ASCII letters only change case.
    return match.pattern.utf8.allSatisfy { byte in
      byte >= 0x80 || alphabet.contains(byte &- 65 < 26 ? byte | 0x20 : byte)
        || (match.operation == .like && (byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?")))
    }
  }

  private static func alphabet(of kind: ValueKind) -> Set<UInt8>? {
    switch kind {
    case .integer: Set("0123456789-".utf8)
    case .number: Set("0123456789-+.einftya".utf8)
    case .decimal: Set("0123456789-.".utf8)
    case .boolean: Set("truefalse".utf8)
    case .date: Set("0123456789-".utf8)
    case .datetime: Set("0123456789-:.tz".utf8)
    case .uuid: Set("0123456789abcdef-".utf8)
    default: nil
    }
  }

  /// False if the text requires `Value.text`.
  private static func write(_ column: Column, _ row: Int, _ writer: inout Writer) -> Bool {
    switch column.kind {
    case .integer: writer.put(Int64(bitPattern: column.words[row]))
    case .number: return writer.put(column.double(at: row))
    case .boolean: writer.put(column.flags[row] ? "true" : "false")
    case .date: return writer.put(CalendarDate(daysSince1970: column.days[row]))
    case .datetime: return writer.put(secondsSinceReferenceDate: column.double(at: row))
    case .uuid:
      writer.put(hex: column.words[2 * row], 8, 4, 4)
      writer.put("-")
      writer.put(hex: column.words[2 * row + 1], 4, 12)
    case .decimal:
      guard column.exponents[row] != CompactDecimal.largeMark else { return false }
      writer.put(
        CompactDecimal(
          mantissa: Int64(bitPattern: column.words[row]),
          exponent: column.exponents[row]
        )
      )
    default: return false
    }
    return true
  }
}

extension CellText {
  /// Appends bytes to a buffer.
  private struct Writer {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    mutating func put(_ byte: UInt8) {
      buffer[count] = byte
      count += 1
    }

    mutating func put(_ text: StaticString) {
      text.withUTF8Buffer { for byte in $0 { put(byte) } }
    }

    mutating func put(_ number: Int64) {
      if number < 0 { put("-") }
      put(digits: number.magnitude, width: 1)
    }

    /// Writes whole numbers of up to 15 digits.
    mutating func put(_ number: Double) -> Bool {
      guard abs(number) < 1e15, number == number.rounded(.towardZero) else { return false }
      if number.sign == .minus { put("-") }
      put(digits: UInt64(abs(number)), width: 1)
      return true
    }

    mutating func put(digits number: UInt64, width: Int) {
      var digitCount = 1
      var rest = number / 10
      while rest > 0 {
        digitCount += 1
        rest /= 10
      }
      let end = count + max(width, digitCount)
      var place = end
      rest = number
      while place > count {
        place -= 1
        buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      count = end
    }

    mutating func put(_ date: CalendarDate) -> Bool {
      let (year, month, day) = date.components
      guard (0...9999).contains(year) else { return false }
      put(digits: UInt64(year), width: 4)
      put("-")
      put(digits: UInt64(month), width: 2)
      put("-")
      put(digits: UInt64(day), width: 2)
      return true
    }

    /// Writes moments without fractions of a second between the years 1 and 9999.
    mutating func put(secondsSinceReferenceDate: Double) -> Bool {
      let seconds = secondsSinceReferenceDate + Date.timeIntervalBetween1970AndReferenceDate
      guard seconds == seconds.rounded(.down), seconds > -62_135_596_800, seconds < 253_402_300_799,
        // A fraction too small for the sum still shows in the text.
        seconds - Date.timeIntervalBetween1970AndReferenceDate == secondsSinceReferenceDate
      else { return false }
      let whole = Int(seconds)
      let days = (whole >= 0 ? whole : whole - 86_399) / 86_400
      guard put(CalendarDate(daysSince1970: Int32(days))) else { return false }
      let second = UInt64(whole - days * 86_400)
      put("T")
      put(digits: second / 3600, width: 2)
      put(":")
      put(digits: second / 60 % 60, width: 2)
      put(":")
      put(digits: second % 60, width: 2)
      put("Z")
      return true
    }

    mutating func put(_ decimal: CompactDecimal) {
      if decimal.mantissa < 0 { put("-") }
      let exponent = Int(decimal.exponent)
      if exponent >= 0 {
        put(digits: decimal.mantissa.magnitude, width: 1)
        for _ in 0..<exponent { put("0") }
        return
      }
      let start = count
      put(digits: decimal.mantissa.magnitude, width: 1 - exponent)
      let point = count + exponent
      assert(point > start, "a digit stands before the point")
      for place in stride(from: count, to: point, by: -1) { buffer[place] = buffer[place - 1] }
      buffer[point] = UInt8(ascii: ".")
      count += 1
    }

    /// Writes the hexadecimal digits of a word in groups separated by hyphens.
    mutating func put(hex word: UInt64, _ groups: Int...) {
      var shift: UInt64 = 64
      for (place, group) in groups.enumerated() {
        if place > 0 { put("-") }
        for _ in 0..<group {
          shift -= 4
          put(JSONText.hexDigit(UInt8(word >> shift & 15)))
        }
      }
    }
  }
}
