import Foundation
import OpenSwiftData

/// The values of one attribute for all rows.
///
/// One struct for all kinds of values, of whose arrays each kind uses one or two: arrays inside the
/// cases of an enum would be copied with every change. Rows without a value have a bit in `nulls` and
/// zeros in the arrays.
struct Column: Sendable {
  /// How the values lie in the arrays.
  enum Kind: UInt8, Sendable {
    /// `words` has the bits of an `Int64`.
    case integer
    /// `words` has the bits of a `Double`.
    case number
    /// `words` has the bits of the seconds since the reference date.
    case datetime
    /// `words` has a `Span` of `bytes`.
    case text, json
    /// `words` has the mantissa and `exponents` the exponent, or the place in `decimals`.
    case decimal
    /// `words` has two words a row.
    case uuid
    /// `words` has a `Span` of `identifiers`.
    case links
    /// `flags` has the value.
    case boolean
    /// `days` has the value.
    case date
    /// `identifiers` has the value.
    case link

    init(_ type: AttributeType) {
      self =
        switch type {
        case .integer: .integer
        case .number: .number
        case .decimal: .decimal
        case .boolean: .boolean
        case .date: .date
        case .datetime: .datetime
        case .text: .text
        case .json: .json
        case .uuid: .uuid
        case .link: .link
        case .links: .links
        }
    }
  }

  let kind: Kind
  /// The number of rows that have a place in the arrays.
  var count = 0
  /// True in a table of many columns, where rows need not have a place; see `Column+Sparse.swift`.
  let isWide: Bool
  /// In a sparse column, the rows that have a place, ascending; nil where the place is the row.
  var placedRows: [Int32]?
  var nulls = Bitmap()
  var words: [UInt64] = []
  var days: [Int32] = []
  var flags = Bitmap()
  var bytes: [UInt8] = []
  var exponents: [Int8] = []
  var decimals: [Decimal] = []
  var identifiers: [PersistentIdentifier] = []
  /// The elements of `bytes`, `identifiers` or `decimals` that no row refers to any more.
  var wastedCount = 0

  /// The rows whose text was replaced and so does not lie in `bytes` in the order of the rows.
  var movedRows: [Int32] = []

  /// Stands where a row has no link.
  static let noIdentifier = IdentifierScope(store: nil, entity: "").identifier(number: 0)

  init(_ type: AttributeType, isWide: Bool = false) {
    self.init(Kind(type), isWide: isWide)
  }

  init(_ kind: Kind, isWide: Bool) {
    self.kind = kind
    self.isWide = isWide
    if isWide { placedRows = [] }
  }

  mutating func reserve(_ capacity: Int) {
    if isWide { return }
    nulls.reserve(capacity)
    switch kind {
    case .integer, .number, .datetime, .text, .json, .links: words.reserveCapacity(capacity)
    case .uuid: words.reserveCapacity(2 * capacity)
    case .decimal:
      words.reserveCapacity(capacity)
      exponents.reserveCapacity(capacity)
    case .boolean: flags.reserve(capacity)
    case .date: days.reserveCapacity(capacity)
    case .link: identifiers.reserveCapacity(capacity)
    }
  }
}

/// A run of elements in a side array: 36 bits for where it begins, 28 for how long it is.
struct Span: Equatable {
  static let countLimit = 1 << 28
  static let startLimit = 1 << 36

  let packed: UInt64

  init(packed: UInt64) { self.packed = packed }

  init(start: Int, count: Int) {
    precondition(
      count < Self.countLimit && start < Self.startLimit,
      "a column holds 64 GiB of text, one value less than 256 MiB"
    )
    packed = UInt64(start) << 28 | UInt64(count)
  }

  var start: Int { Int(packed >> 28) }
  var count: Int { Int(packed & (1 << 28 - 1)) }
  var range: Range<Int> { start..<(start + count) }
}

// MARK: Reading

extension Column {
  /// The value of a row.
  ///
  /// - Complexity: O(n) in the length of a text.
  func value(at row: Int) -> Value {
    guard let row = place(of: row), !nulls[row] else { return .null }
    return value(inPlace: row)
  }

  private func value(inPlace row: Int) -> Value {
    switch kind {
    case .integer: return .integer(Int64(bitPattern: words[row]))
    case .number: return .number(Double(bitPattern: words[row]))
    case .datetime:
      return .datetime(Date(timeIntervalSinceReferenceDate: Double(bitPattern: words[row])))
    case .text: return .text(withText(inPlace: row) { String(decoding: $0, as: UTF8.self) })
    case .json: return .json(withText(inPlace: row) { String(decoding: $0, as: UTF8.self) })
    case .decimal: return .decimal(decimal(inPlace: row))
    case .uuid: return .uuid(UUID(high: words[2 * row], low: words[2 * row + 1]))
    case .links: return .links(Array(identifiers[Span(packed: words[row]).range]))
    case .boolean: return .boolean(flags[row])
    case .date: return .date(CalendarDate(daysSince1970: days[row]))
    case .link: return .link(identifiers[row])
    }
  }

  /// The moment of a row of a dense column.
  func seconds(at row: Int) -> Double { Double(bitPattern: words[row]) }

  private func decimal(inPlace row: Int) -> Decimal {
    exponents[row] == CompactDecimal.largeMark
      ? decimals[Int(words[row])]
      : CompactDecimal(mantissa: Int64(bitPattern: words[row]), exponent: exponents[row]).decimal
  }

  /// Lends the bytes of a text; empty where there is none.
  @inline(__always)
  func withText<Result>(
    at row: Int,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    guard let row = place(of: row) else {
      return try body(UnsafeBufferPointer(start: nil, count: 0))
    }
    return try withText(inPlace: row, body)
  }

  @inline(__always)
  private func withText<Result>(
    inPlace row: Int,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    let span = Span(packed: words[row])
    return try bytes.withUnsafeBufferPointer { buffer in
      try body(UnsafeBufferPointer(rebasing: buffer[span.range]))
    }
  }

  /// True when the row holds exactly this value, null being equal to null.
  func holds(_ value: Value, at row: Int) -> Bool {
    switch (value, kind) {
    case (.null, _): return isNull(row)
    case (.text(let text), .text), (.json(let text), .json):
      return !isNull(row)
        && withText(at: row) { $0.count == text.utf8.count && $0.elementsEqual(text.utf8) }
    default: return self.value(at: row) == value
    }
  }

  /// A hash that is the same for equal values, null aside.
  func hash(at row: Int) -> UInt64 {
    switch kind {
    case .text, .json: withText(at: row) { Self.hash($0) }
    default: Self.hash(of: value(at: row))
    }
  }

  static func hash(of value: Value) -> UInt64 {
    switch value {
    case .text(var text), .json(var text): text.withUTF8 { hash($0) }
    default: UInt64(bitPattern: Int64(value.hashValue))
    }
  }

  /// FNV-1a over words of eight bytes; `HashIndex` mixes the result further.
  private static func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(text)
    var result: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
    var position = 0
    while position + 8 <= bytes.count {
      result ^= bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      result = (result &* 0x9E37_79B9_7F4A_7C15)
      result ^= result >> 29
      position += 8
    }
    while position < bytes.count {
      result = (result ^ UInt64(bytes[position])) &* 0x0000_0100_0000_01B3
      position += 1
    }
    return result
  }
}
