package import Foundation

/// The values of one field of many new records, in the arrays that the columns of stores have.
///
/// A store takes the arrays over without reading a value. Records without a value have a bit in `nulls` and zeros in
/// the arrays. There are no packed columns of links.
package struct PackedColumn: Sendable {
  /// The number of bytes that a text of a column can have.
  package static let textLimit = 1 << 28

  /// The kind of the values.
  package let kind: ValueKind
  /// The number of records.
  package private(set) var count = 0
  /// The number of records without a value.
  package private(set) var nullCount = 0
  /// One bit for each record, 64 in a word; the others are zero.
  package private(set) var nulls: [UInt64] = []
  /// The bits of 64-bit values, the halves of UUIDs, the mantissas of decimals, or the places of texts: 36 bits for the
  /// start in `bytes`, 28 for the length.
  package private(set) var words: [UInt64] = []
  /// The days of dates.
  package private(set) var days: [Int32] = []
  /// One bit for each Boolean, as in `nulls`.
  package private(set) var flags: [UInt64] = []
  /// The texts as UTF-8, one after the other.
  package private(set) var bytes: [UInt8] = []
  /// The exponents of decimals; `CompactDecimal.largeMark` for those whose word is an index of `decimals`.
  package private(set) var exponents: [Int8] = []
  /// The decimals that are too long for a word.
  package private(set) var decimals: [Decimal] = []

  /// Creates a column without values; nil for links.
  package init?(_ kind: ValueKind, reserving capacity: Int = 0) {
    self.kind = kind
    nulls.reserveCapacity((capacity + 63) / 64)
    switch kind.layout {
    case .whole, .float, .bytes: words.reserveCapacity(capacity)
    case .decimal:
      words.reserveCapacity(capacity)
      exponents.reserveCapacity(capacity)
    case .pair: words.reserveCapacity(2 * capacity)
    case .days: days.reserveCapacity(capacity)
    case .flag: flags.reserveCapacity((capacity + 63) / 64)
    case .link, .links: return nil
    }
  }

  // MARK: Reading

  /// The value of a record.
  ///
  /// - Complexity: O(n) in the length of a text.
  package func value(at place: Int) -> Value {
    if Self.bit(place, of: nulls) { return .null }
    switch kind.layout {
    case .whole, .float: return Value(bits: words[place], as: kind)
    case .bytes:
      let (start, count) = (Int(words[place] >> 28), Int(words[place] & (1 << 28 - 1)))
      return Value(text: String(decoding: bytes[start..<start + count], as: UTF8.self), as: kind)
    case .decimal:
      let (word, exponent) = (words[place], exponents[place])
      if exponent == CompactDecimal.largeMark { return .decimal(decimals[Int(word)]) }
      let compact = CompactDecimal(mantissa: Int64(bitPattern: word), exponent: exponent)
      return .decimal(compact.decimal)
    case .pair: return .uuid(UUID(high: words[2 * place], low: words[2 * place + 1]))
    case .flag: return .boolean(Self.bit(place, of: flags))
    case .days: return .date(CalendarDate(daysSince1970: days[place]))
    case .link, .links: preconditionFailure("links are not packed")
    }
  }

  private static func bit(_ place: Int, of words: [UInt64]) -> Bool {
    words[place >> 6] >> UInt64(place & 63) & 1 != 0
  }

  // MARK: Appending

  /// Appends a value; false, without any effect, if no store can save it in a field of the kind.
  package mutating func append(_ value: Value) -> Bool {
    guard value.kind == kind, value.brokenRule == nil else {
      if value.isNull { appendNull() }
      return value.isNull
    }
    switch value {
    case .text(var text), .json(var text): return text.withUTF8 { append(utf8: $0) }
    case .boolean(let flag): append(flag)
    case .date(let date): append(date)
    case .decimal(let number): append(number)
    case .uuid(let uuid):
      words.append(uuid.words.high)
      words.append(uuid.words.low)
      appendPresent()
    default: append(word: value.bits)
    }
    return true
  }

  /// Appends the value that a text represents, if the text is of the form that most values of the kind have.
  ///
  /// - Returns: False, without any effect, if it is not; `Value.init(parsing:as:)` may read it nevertheless. What both
  ///   read is equal.
  package mutating func append(reading text: UnsafeBufferPointer<UInt8>) -> Bool {
    switch kind {
    case .text: return append(utf8: text)
    case .integer:
      guard let number = Self.integer(text) else { return false }
      append(word: UInt64(bitPattern: number))
    case .decimal:
      guard let number = CompactDecimal(text: text) else { return false }
      append(number)
    case .date:
      guard let date = CalendarDate(bytes: text) else { return false }
      append(date)
    case .number, .boolean, .datetime, .uuid, .json, .link, .links: return false
    }
    return true
  }

  /// A number of at most eighteen digits with an optional minus.
  private static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = UnsafeBufferPointer(rebasing: text[(isNegative ? 1 : 0)...])
    guard !digits.isEmpty, digits.count <= 18 else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      number = number &* 10 &+ Int64(digit &- 0x30)
    }
    return isNegative ? -number : number
  }

  /// Appends a record without a value.
  package mutating func appendNull() {
    switch kind.layout {
    case .whole, .float, .bytes: words.append(0)
    case .decimal:
      words.append(0)
      exponents.append(0)
    case .pair: words += [0, 0]
    case .days: days.append(0)
    case .flag: if count & 63 == 0 { flags.append(0) }
    case .link, .links: break
    }
    if count & 63 == 0 { nulls.append(0) }
    nulls[count >> 6] |= 1 << UInt64(count & 63)
    nullCount += 1
    count += 1
  }

  @inline(__always)
  private mutating func appendPresent() {
    if count & 63 == 0 { nulls.append(0) }
    count += 1
  }

  @inline(__always)
  private mutating func append(word: UInt64) {
    words.append(word)
    appendPresent()
  }

  @inline(__always)
  private mutating func append(utf8 text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count < Self.textLimit else { return false }
    let start = UInt64(bytes.count)
    bytes.append(contentsOf: text)
    append(word: start << 28 | UInt64(text.count))
    return true
  }

  private mutating func append(_ date: CalendarDate) {
    days.append(date.daysSince1970)
    appendPresent()
  }

  private mutating func append(_ flag: Bool) {
    if count & 63 == 0 { flags.append(0) }
    if flag { flags[count >> 6] |= 1 << UInt64(count & 63) }
    appendPresent()
  }

  private mutating func append(_ number: Decimal) {
    guard let compact = CompactDecimal(number) else {
      decimals.append(number)
      let mark = CompactDecimal.largeMark
      return append(CompactDecimal(mantissa: Int64(decimals.count - 1), exponent: mark))
    }
    append(compact)
  }

  @inline(__always)
  private mutating func append(_ number: CompactDecimal) {
    exponents.append(number.exponent)
    append(word: UInt64(bitPattern: number.mantissa))
  }
}
