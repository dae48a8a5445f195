import CSimdjson
import Foundation
import OpenSwiftData

/// Reads the bodies of sections into columns, many values at a time.
///
/// Checks every size, place and text; accepted sections satisfy the invariants of `Column`.
struct LogColumnDecoder {
  let schema: LogSchema

  /// Reads keys.
  ///
  /// - Throws: `PayloadError`.
  /// - Complexity: O(n).
  func keys(
    _ header: LogSectionHeader,
    _ body: UnsafeRawBufferPointer,
    of entity: LogEntity
  ) throws(PayloadError) -> KeyColumn {
    guard header.flags == 0 else { throw .badColumn }
    var reader = PayloadReader(body)
    let count = header.rows.count
    var keys: KeyColumn
    switch (LogEncoding(rawValue: header.encoding), header.width) {
    case (.keys, LogKeyKind.number):
      let numbers = try reader.words(count)
      keys = KeyColumn(scope: entity.scope, numbers: numbers.map { Int(bitPattern: UInt($0)) })
    case (.keys, LogKeyKind.record):
      let pairs = try pairs(&reader, count)
      guard Self.areRecordKeys(pairs) else { throw PayloadError(reason: "invalid key") }
      keys = KeyColumn(scope: entity.scope, kind: .record, pairs: pairs)
    case (.keys, LogKeyKind.uuid):
      keys = KeyColumn(scope: entity.scope, kind: .uuid, pairs: try pairs(&reader, count))
    case (.mixedKeys, 0):
      keys = KeyColumn(scope: entity.scope)
      for _ in 0..<count {
        let kind = try reader.byte() >> 4
        keys.append(try LogKeyCodec.identifier(kind: kind, scope: entity.scope, from: &reader))
      }
    default: throw .unknownColumn
    }
    guard reader.isAtEnd else { throw .badColumn }
    return keys
  }

  private func pairs(_ reader: inout PayloadReader, _ count: Int) throws(PayloadError)
    -> [KeyColumn.Pair]
  {
    let words = try reader.words(2 * count)
    return Array<KeyColumn.Pair>(unsafeUninitializedCapacity: count) { pairs, initialized in
      for place in 0..<count {
        pairs.initializeElement(
          at: place,
          to: KeyColumn.Pair(high: words[2 * place], low: words[2 * place + 1])
        )
      }
      initialized = count
    }
  }

  private static func areRecordKeys(_ pairs: [KeyColumn.Pair]) -> Bool {
    var excess: UInt64 = 0
    for pair in pairs { excess |= pair.high >> 42 | pair.low >> 38 }
    return excess == 0
  }

  /// Adds the values of a section to the column of a table, whose first row of the section this is.
  ///
  /// - Throws: `PayloadError`; the column is unusable then.
  /// - Complexity: O(size of the section).
  func load(
    _ header: LogSectionHeader,
    _ body: UnsafeRawBufferPointer,
    into column: inout Column,
    at row: Int
  ) throws(PayloadError) {
    let isSparse = header.flags & LogSectionHeader.isSparse != 0
    if !isSparse, !column.isWide {
      assert(column.count == row, "columns are filled in order")
      return try append(header, body, to: &column)
    }
    var places: [UInt32]?
    var values = Column(column.kind, isWide: false)
    if isSparse {
      (places, values) = try sparseValues(header, body, column.kind)
    } else {
      try append(header, body, to: &values)
    }
    for index in 0..<values.count where !values.nulls[index] {
      let target = row + (places.map { Int($0[index]) } ?? index)
      if !column.isWide { column.appendNulls(target - column.count) }
      if column.layout == .bytes {
        values.withText(at: index) { column.put(utf8: $0, at: target) }
      } else {
        column.put(values.value(at: index), at: target)
      }
    }
    if !column.isWide { column.appendNulls(row + header.rows.count - column.count) }
  }

  /// Appends the values of a section to a dense column.
  ///
  /// - Precondition: The section is not sparse.
  /// - Throws: `PayloadError`; the column is unusable then.
  /// - Complexity: O(size of the section).
  func append(
    _ header: LogSectionHeader,
    _ body: UnsafeRawBufferPointer,
    to column: inout Column
  ) throws(PayloadError) {
    precondition(!column.isWide && header.flags & LogSectionHeader.isSparse == 0)
    var reader = PayloadReader(body)
    let count = header.rows.count
    let start = column.count
    if header.encoding == LogEncoding.none.rawValue {
      guard body.isEmpty, header.flags == 0 else { throw .badColumn }
      return column.appendNulls(count)
    }
    let hasNulls = header.flags & LogSectionHeader.hasNulls != 0
    if hasNulls {
      try reader.bits(count, to: &column.nulls)
    } else {
      column.nulls.append(repeating: false, count: count)
    }
    column.count += count
    try appendValues(header, &reader, start..<start + count, to: &column)
    guard reader.isAtEnd else { throw .badColumn }
    guard !hasNulls || column.hasZeros(whereNullFrom: start) else {
      throw PayloadError(reason: "unexpected value")
    }
  }

  /// Reads a sparse section: a column of its values, and their places among its rows.
  func sparseValues(
    _ header: LogSectionHeader,
    _ body: UnsafeRawBufferPointer,
    _ kind: ValueKind
  ) throws(PayloadError) -> (places: [UInt32], values: Column) {
    guard header.flags == LogSectionHeader.isSparse else { throw .badColumn }
    var reader = PayloadReader(body)
    guard let count = Int(exactly: try reader.fixed64()), count <= header.rows.count else {
      throw .badColumn
    }
    let places = try reader.numbers(count, as: UInt32.self)
    try reader.skipPadding()
    guard zip(places, places.dropFirst()).allSatisfy({ $0 < $1 }),
      places.last.map({ $0 < header.rowCount }) ?? true
    else { throw PayloadError(reason: "records out of order") }
    var values = Column(kind, isWide: false)
    values.nulls.append(repeating: false, count: count)
    values.count = count
    try appendValues(header, &reader, 0..<count, to: &values)
    guard reader.isAtEnd else { throw .badColumn }
    return (places, values)
  }

  private func appendValues(
    _ header: LogSectionHeader,
    _ reader: inout PayloadReader,
    _ rows: Range<Int>,
    to column: inout Column
  ) throws(PayloadError) {
    guard header.encoding == column.layout.encoding.rawValue else { throw .unknownColumn }
    let count = rows.count
    switch column.layout {
    case .whole: column.words += try reader.integers(count, bytes: header.width)
    case .float:
      guard header.width == 8 else { throw .unknownColumn }
      column.words += try reader.words(count)
    case .days:
      guard header.width <= 4 else { throw .unknownColumn }
      column.days += try reader.integers(count, bytes: header.width)
    case .bytes: try appendTexts(&reader, count, bytes: header.width, to: &column)
    case .decimal: try appendDecimals(&reader, rows, to: &column)
    case .flag: try reader.bits(count, to: &column.flags)
    case .pair: column.words += try reader.words(2 * count)
    case .link:
      let isNull = column.nulls
      column.identifiers += try links(&reader, count, kind: header.width) {
        isNull[rows.lowerBound + $0]
      }
    case .links: try appendLists(&reader, rows, kind: header.width, to: &column)
    }
  }

  // MARK: Texts

  private func appendTexts(
    _ reader: inout PayloadReader,
    _ count: Int,
    bytes width: UInt8,
    to column: inout Column
  ) throws(PayloadError) {
    let spans: [UInt64]
    let base = column.bytes.count
    let total: Int
    switch width {
    case 1: (spans, total) = Self.spans(try reader.numbers(count, as: UInt8.self), from: base)
    case 2: (spans, total) = Self.spans(try reader.numbers(count, as: UInt16.self), from: base)
    case 4: (spans, total) = Self.spans(try reader.numbers(count, as: UInt32.self), from: base)
    default: throw .unknownColumn
    }
    try reader.skipPadding()
    guard total == reader.remaining, base + total < Span.startLimit else { throw .endsEarly }
    let texts = try reader.raw(total)
    try Self.check(texts, spans, from: base)
    column.words += spans
    column.bytes.append(contentsOf: texts)
  }

  /// The spans of texts that follow each other, and their size.
  private static func spans<Size: FixedWidthInteger>(_ sizes: [Size], from base: Int)
    -> (spans: [UInt64], total: Int)
  {
    var start = base
    var longest: Size = 0
    let spans = Array<UInt64>(unsafeUninitializedCapacity: sizes.count) { spans, count in
      for (place, size) in sizes.enumerated() {
        longest = max(longest, size)
        // Empty texts refer to nothing, like those that are missing.
        let span = size == 0 ? 0 : UInt64(start) << 28 | UInt64(size) & (1 << 28 - 1)
        spans.initializeElement(at: place, to: span)
        start += Int(size)
      }
      count = sizes.count
    }
    // No column holds a text of 256 MiB or more.
    return (spans, Int(longest) < Span.countLimit ? start - base : .max)
  }

  /// Throws unless all texts are UTF-8.
  private static func check(
    _ texts: UnsafeRawBufferPointer,
    _ spans: [UInt64],
    from base: Int
  ) throws(PayloadError) {
    guard !texts.isASCII else { return }
    let bytes = texts.assumingMemoryBound(to: UInt8.self)
    guard catalog_utf8_is_valid(bytes.baseAddress, bytes.count) != 0 else { throw .badText }
    // No character may cross the border of two texts.
    for span in spans where span != 0 {
      guard texts[Span(packed: span).start - base] & 0xC0 != 0x80 else { throw .badText }
    }
  }

  // MARK: Decimals

  private func appendDecimals(
    _ reader: inout PayloadReader,
    _ rows: Range<Int>,
    to column: inout Column
  ) throws(PayloadError) {
    var mantissas = try reader.words(rows.count)
    let exponents = try reader.numbers(rows.count, as: Int8.self)
    try reader.skipPadding()
    guard Self.areCanonical(mantissas, exponents) else {
      throw PayloadError(reason: "invalid decimal")
    }
    for (place, exponent) in exponents.enumerated() where exponent == CompactDecimal.largeMark {
      let decimal = try LogValueCodec.decimal(from: &reader)
      guard mantissas[place] == 0, CompactDecimal(decimal) == nil,
        !column.nulls[rows.lowerBound + place]
      else { throw PayloadError(reason: "invalid decimal") }
      mantissas[place] = UInt64(column.decimals.count)
      column.decimals.append(decimal)
    }
    column.words += mantissas
    column.exponents += exponents
  }

  /// True if no mantissa can be divided by ten, and zero has no exponent, as in `CompactDecimal`.
  private static func areCanonical(_ mantissas: [UInt64], _ exponents: [Int8]) -> Bool {
    for (word, exponent) in zip(mantissas, exponents) where exponent != CompactDecimal.largeMark {
      let mantissa = Int64(bitPattern: word)
      if mantissa == 0 ? exponent != 0 : mantissa % 10 == 0 || mantissa == .min { return false }
    }
    return true
  }

  // MARK: Links

  /// Reads links, or none where the closure says that there is no value.
  private func links(
    _ reader: inout PayloadReader,
    _ count: Int,
    kind: UInt8,
    isNull: (Int) -> Bool
  ) throws(PayloadError) -> [PersistentIdentifier] {
    if kind == 0 { return try mixedLinks(&reader, count, isNull: isNull) }
    return try uniformLinks(&reader, count, kind: kind, isNull: isNull)
  }

  /// Reads links that each begin with their entity and the kind of their key.
  private func mixedLinks(
    _ reader: inout PayloadReader,
    _ count: Int,
    isNull: (Int) -> Bool
  ) throws(PayloadError) -> [PersistentIdentifier] {
    let items = LogItemDecoder(schema)
    var links: [PersistentIdentifier] = []
    links.reserveCapacity(min(count, reader.remaining))
    for place in 0..<count {
      links.append(isNull(place) ? Column.noIdentifier : try items.link(&reader))
    }
    return links
  }

  /// Reads links to one entity with keys of one kind.
  private func uniformLinks(
    _ reader: inout PayloadReader,
    _ count: Int,
    kind: UInt8,
    isNull: (Int) -> Bool
  ) throws(PayloadError) -> [PersistentIdentifier] {
    var links: [PersistentIdentifier] = []
    links.reserveCapacity(min(count, reader.remaining))
    let scope = try schema.entity(try reader.fixed64()).scope
    let size = kind == LogKeyKind.number ? 1 : 2
    let words = try reader.words(size * count)
    for place in 0..<count {
      let (high, low) = (words[size * place], words[size * place + size - 1])
      if isNull(place) {
        guard high | low == 0 else { throw PayloadError(reason: "unexpected value") }
        links.append(Column.noIdentifier)
        continue
      }
      switch kind {
      case LogKeyKind.number: links.append(scope.identifier(number: Int(bitPattern: UInt(low))))
      case LogKeyKind.record:
        guard high >> 42 | low >> 38 == 0 else { throw PayloadError(reason: "invalid key") }
        links.append(scope.identifier(key: RecordKey(milliseconds: high, sequence: low)))
      case LogKeyKind.uuid: links.append(scope.identifier(uuid: UUID(high: high, low: low)))
      default: throw .unknownColumn
      }
    }
    return links
  }

  private func appendLists(
    _ reader: inout PayloadReader,
    _ rows: Range<Int>,
    kind: UInt8,
    to column: inout Column
  ) throws(PayloadError) {
    let sizes = try reader.numbers(rows.count, as: UInt32.self)
    try reader.skipPadding()
    let (spans, total) = Self.spans(sizes, from: column.identifiers.count)
    guard total <= reader.remaining else { throw .endsEarly }
    column.words += spans
    column.identifiers += try links(&reader, total, kind: kind) { _ in false }
  }
}
