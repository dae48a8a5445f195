import Foundation
import OpenSwiftData

/// The values of one attribute for all rows.
///
/// One struct serves all kinds of values, each of which uses one or two of its arrays: arrays
/// inside the cases of an enum would be copied with every change. Rows without a value have a bit
/// in `nulls` and zeros in the arrays.
struct Column: Sendable {
  /// The kind of the values.
  let kind: ValueKind
  /// The arrays that hold them.
  let layout: ValueKind.Layout
  /// The number of rows with an index in the arrays.
  var count = 0
  /// True in a table with many columns, where rows need no index; see `Column+Sparse.swift`.
  let isWide: Bool
  /// In a sparse column, the rows with an index, ascending; nil if the index equals the row.
  var placedRows: [Int32]?
  var nulls = Bitmap()
  /// The words of the values.
  ///
  /// A word holds the bits of `whole` and `float`, the `Span` in `bytes` or in `identifiers`, half
  /// of a `pair`, or the mantissa of a `decimal` or its index in `decimals`.
  var words: [UInt64] = []
  var days: [Int32] = []
  var flags = Bitmap()
  var bytes: [UInt8] = []
  /// Of decimals.
  var exponents: [Int8] = []
  var decimals: [Decimal] = []
  /// The identifiers of `link`, and those that the spans of `links` refer to.
  var identifiers: [PersistentIdentifier] = []
  /// The number of elements in `bytes`, `identifiers` or `decimals` that no row refers to any
  /// longer.
  var wastedCount = 0

  /// The rows whose text was replaced, so that it is not in row order in `bytes`.
  var movedRows: [Int32] = []

  /// Marks a row without a link.
  static let noIdentifier = IdentifierScope(store: nil, entity: "").identifier(number: 0)

  init(_ type: AttributeType, isWide: Bool = false) {
    self.init(type.kind, isWide: isWide)
  }

  init(_ kind: ValueKind, isWide: Bool) {
    self.kind = kind
    layout = kind.layout
    self.isWide = isWide
    if isWide { placedRows = [] }
  }

  /// Takes over the arrays of new records.
  init(_ packed: PackedColumn) {
    self.init(packed.kind, isWide: false)
    count = packed.count
    nulls = Bitmap(words: packed.nulls, count: packed.count)
    if layout == .flag { flags = Bitmap(words: packed.flags, count: packed.count) }
    (words, days, bytes) = (packed.words, packed.days, packed.bytes)
    (exponents, decimals) = (packed.exponents, packed.decimals)
  }

  /// Reserves rows, of which as many as expected will soon be there.
  mutating func reserve(_ capacity: Int, expecting expected: Int = 0) {
    if isWide { return }
    nulls.reserve(capacity)
    switch layout {
    case .whole, .float, .bytes, .links: words.reserveCapacity(capacity, expecting: expected)
    case .pair: words.reserveCapacity(2 * capacity, expecting: 2 * expected)
    case .decimal:
      words.reserveCapacity(capacity, expecting: expected)
      exponents.reserveCapacity(capacity, expecting: expected)
    case .flag: flags.reserve(capacity)
    case .days: days.reserveCapacity(capacity, expecting: expected)
    case .link: identifiers.reserveCapacity(capacity)
    }
  }
}

/// A run of elements in a side array: 36 bits for its start, 28 for its length.
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
    switch layout {
    case .whole, .float: return Value(bits: words[row], as: kind)
    case .bytes:
      return Value(
        text: withText(inPlace: row) { String(decoding: $0, as: UTF8.self) },
        as: kind
      )
    case .decimal: return .decimal(decimal(inPlace: row))
    case .pair: return .uuid(UUID(high: words[2 * row], low: words[2 * row + 1]))
    case .links: return .links(Array(identifiers[Span(packed: words[row]).range]))
    case .flag: return .boolean(flags[row])
    case .days: return .date(CalendarDate(daysSince1970: days[row]))
    case .link: return .link(identifiers[row])
    }
  }

  /// The number or the moment in a row of a dense column.
  func double(at row: Int) -> Double { Double(bitPattern: words[row]) }

  private func decimal(inPlace row: Int) -> Decimal {
    exponents[row] == CompactDecimal.largeMark
      ? decimals[Int(words[row])]
      : CompactDecimal(mantissa: Int64(bitPattern: words[row]), exponent: exponents[row]).decimal
  }

  /// Lends the bytes of a text; empty if the row has no value.
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

  /// True if the row holds exactly this value; null equals null.
  func holds(_ value: Value, at row: Int) -> Bool {
    switch (value, kind) {
    case (.null, _): return isNull(row)
    case (.text(let text), .text), (.json(let text), .json):
      return !isNull(row)
        && withText(at: row) { $0.count == text.utf8.count && $0.elementsEqual(text.utf8) }
    default: return self.value(at: row) == value
    }
  }

  /// A hash that is equal for equal values, except for nulls.
  func hash(at row: Int) -> UInt64 {
    switch layout {
    case .bytes: withText(at: row) { Self.hash($0) }
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
