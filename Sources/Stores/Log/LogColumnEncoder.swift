import Foundation
import OpenSwiftData

/// Writes the records of tables as sections: for each group of rows its keys, then each column.
///
/// With groups, a file that lost its end or a part still has complete records. Equal records in the
/// same order give equal sections.
final class LogColumnEncoder {
  /// Receives the bytes of each section.
  typealias Output = (UnsafeRawBufferPointer) throws -> Void

  /// The maximum number of rows in a group, so that a column of them stays in the cache.
  static let groupRows = 1 << 15
  /// A section with more text than this is divided if it has more than one row.
  static let sectionBytes = 1 << 20

  private let schema: LogSchema
  private let output: Output
  private var section = PayloadWriter(capacity: 1 << 16)
  /// The size of what was written without headers, comparable to that of records one by one.
  private(set) var bodyBytes = 0

  init(_ schema: LogSchema, output: @escaping Output) {
    self.schema = schema
    self.output = output
  }

  /// Rows of a table on their way to sections.
  private struct Group {
    let entity: LogEntity
    /// The records, counted from the first one of the entity.
    let places: Range<Int>
    let totalRows: Int
  }

  /// The approximate size of the headers and the padding of all records.
  ///
  /// - Complexity: O(1) for each entity.
  static func headerBytes(of table: RecordTable) -> Int {
    table.tables.reduce(0) { size, table in
      let groups = (table.liveCount + groupRows - 1) / groupRows
      return size + groups * (table.columns.count + 1) * (LogSectionHeader.sizeBytes + 4)
    }
  }

  /// Writes all records of a table, which has the schema.
  ///
  /// - Returns: The number of records.
  /// - Throws: What the output throws; `PersistenceError` for a link that cannot be written.
  /// - Complexity: O(size of the records), with memory for one group.
  func encode(_ table: RecordTable) throws -> Int {
    var count = 0
    for entity in schema.entities {
      let rows = table.tables[table.knownPlace(entity.name)]
      try encode(rows, of: entity)
      count += rows.liveCount
    }
    return count
  }

  /// Writes new records of one entity, which have permanent identifiers.
  ///
  /// - Throws: As `encode(_:)`.
  func encode(_ snapshots: [DefaultSnapshot], of entity: LogEntity) throws {
    for start in stride(from: 0, to: snapshots.count, by: Self.groupRows) {
      let places = start..<min(start + Self.groupRows, snapshots.count)
      let group = Group(entity: entity, places: places, totalRows: snapshots.count)
      var keys = KeyColumn(scope: entity.scope)
      for snapshot in snapshots[places] { keys.append(snapshot.persistentIdentifier) }
      let rows = 0..<places.count
      try encode(keys, rows, group)
      for (slot, kind) in entity.kinds.enumerated() {
        var column = Column(kind, isWide: false)
        column.reserve(places.count)
        for (row, snapshot) in snapshots[places].enumerated() {
          let value =
            snapshot.layout === entity.layout
            ? snapshot.orderedValues[slot] : snapshot[entity.layout.names[slot]] ?? .null
          column.put(value, at: row)
        }
        try encode(column, slot, rows, group)
      }
    }
  }

  private func encode(_ table: EntityTable, of entity: LogEntity) throws {
    let total = table.liveCount
    func group(_ places: Range<Int>) -> Group {
      Group(entity: entity, places: places, totalRows: total)
    }
    if table.order == nil, total == table.rowCount {
      for start in stride(from: 0, to: total, by: Self.groupRows) {
        let rows = start..<min(start + Self.groupRows, total)
        try encode(table.keys, rows, group(rows))
        for slot in table.columns.indices {
          try encode(table.columns[slot], slot, rows, group(rows))
        }
      }
      return
    }
    var rows: [Int32] = []
    rows.reserveCapacity(min(total, Self.groupRows))
    var start = 0
    func finish() throws {
      let all = group(start..<start + rows.count)
      try encode(table.keys.gathering(rows), 0..<rows.count, all)
      for slot in table.columns.indices {
        let column = table.columns[slot].gathering(rows, isWide: table.columns[slot].isWide)
        try encode(column, slot, 0..<rows.count, all)
      }
      start += rows.count
      rows.removeAll(keepingCapacity: true)
    }
    try table.forEachRow { row in
      rows.append(Int32(row))
      if rows.count == Self.groupRows { try finish() }
    }
    if !rows.isEmpty { try finish() }
  }

  /// Writes one section: reserves its header, lets the body be written, and passes it on.
  private func emit(
    _ header: LogSectionHeader,
    _ body: (inout LogSectionHeader) throws -> Void
  ) throws {
    var header = header
    section.shorten(to: 0)
    section.appendZeros(LogSectionHeader.sizeBytes)
    try body(&header)
    header.bodyBytes = section.count - LogSectionHeader.sizeBytes
    bodyBytes += header.bodyBytes
    section.pad()
    section.withBytes { header.encode(to: $0) }
    try output(section.bytes)
  }
}

// MARK: Keys

extension LogColumnEncoder {
  private func encode(_ keys: KeyColumn, _ rows: Range<Int>, _ group: Group) throws {
    let header = LogSectionHeader(
      entity: group.entity.index,
      column: 0,
      rows: group.places,
      of: group.totalRows
    )
    try emit(header) { header in
      header.encoding = LogEncoding.keys.rawValue
      switch keys.kind {
      case .integer:
        header.width = LogKeyKind.number
        keys.numbers[rows].withUnsafeBytes { section.append(raw: $0) }
      case .record, .uuid:
        header.width = keys.kind == .record ? LogKeyKind.record : LogKeyKind.uuid
        keys.pairs[rows].withUnsafeBytes { section.append(raw: $0) }
      case .mixed:
        header.encoding = LogEncoding.mixedKeys.rawValue
        for row in rows {
          let kind = LogKeyCodec.kind(of: keys[row])
          section.append(byte: kind << 4)
          LogKeyCodec.append(keys[row], kind: kind, to: &section)
        }
      }
    }
  }
}

// MARK: Columns

extension LogColumnEncoder {
  private func encode(_ column: Column, _ slot: Int, _ rows: Range<Int>, _ group: Group) throws {
    let header = LogSectionHeader(
      entity: group.entity.index,
      column: slot + 1,
      rows: group.places,
      of: group.totalRows
    )
    guard let sparse = column.presentRowsIfFew(in: rows) else {
      if column.sideBytes(of: rows) > Self.sectionBytes, rows.count > 1 {
        return try divide(column, slot, rows, group)
      }
      return try emit(header) { header in
        if column.nulls.hasBits(in: rows) {
          header.flags |= LogSectionHeader.hasNulls
          section.append(bits: column.nulls, rows)
        }
        try append(column, rows, &header)
      }
    }
    guard !sparse.isEmpty else { return try emit(header) { _ in } }
    let values = column.gathering(sparse, isWide: false)
    let all = 0..<sparse.count
    if values.sideBytes(of: all) > Self.sectionBytes, rows.count > 1 {
      return try divide(column, slot, rows, group)
    }
    try emit(header) { header in
      header.flags |= LogSectionHeader.isSparse
      section.append(fixed: UInt64(sparse.count))
      for row in sparse { section.append(fixed: UInt32(Int(row) - rows.lowerBound)) }
      section.pad()
      try append(values, all, &header)
    }
  }

  /// Writes the halves of rows with much text.
  private func divide(_ column: Column, _ slot: Int, _ rows: Range<Int>, _ group: Group) throws {
    let half = rows.count / 2
    let places = group.places
    for (start, end) in [(0, half), (half, rows.count)] {
      let part = Group(
        entity: group.entity,
        places: places.lowerBound + start..<places.lowerBound + end,
        totalRows: group.totalRows
      )
      let range = rows.lowerBound + start..<rows.lowerBound + end
      try encode(column, slot, range, part)
    }
  }

  /// Appends the values of rows, with zeros for those without a value.
  private func append(
    _ column: Column,
    _ rows: Range<Int>,
    _ header: inout LogSectionHeader
  ) throws {
    header.encoding = column.layout.encoding.rawValue
    switch column.layout {
    case .whole:
      header.width = column.words[rows].withUnsafeBytes {
        section.append(shortest: $0.bindMemory(to: Int64.self))
      }
    case .float:
      header.width = 8
      column.words[rows].withUnsafeBytes { section.append(raw: $0) }
    case .days:
      header.width = column.days[rows].withUnsafeBufferPointer { section.append(shortest: $0) }
    case .bytes: header.width = appendTexts(of: column, rows)
    case .decimal: appendDecimals(of: column, rows)
    case .flag: section.append(bits: column.flags, rows)
    case .pair:
      column.words[2 * rows.lowerBound..<2 * rows.upperBound].withUnsafeBytes {
        section.append(raw: $0)
      }
    case .link:
      let present = rows.lazy.map { column.nulls[$0] ? nil : column.identifiers[$0] }
      header.width = try append(links: present)
    case .links:
      let spans = column.words[rows].map { Span(packed: $0) }
      for span in spans { section.append(fixed: UInt32(span.count)) }
      section.pad()
      let links = spans.lazy.flatMap { column.identifiers[$0.range] }.map { Optional($0) }
      header.width = try append(links: Array(links))
    }
  }

  /// Appends the sizes of texts, then the texts; returns the bytes of a size.
  private func appendTexts(of column: Column, _ rows: Range<Int>) -> UInt8 {
    let spans = column.words[rows].map { Span(packed: $0) }
    let longest = spans.reduce(0) { max($0, $1.count) }
    let width: UInt8 = longest <= UInt8.max ? 1 : longest <= UInt16.max ? 2 : 4
    for span in spans {
      switch width {
      case 1: section.append(byte: UInt8(span.count))
      case 2: section.append(fixed: UInt16(span.count))
      default: section.append(fixed: UInt32(span.count))
      }
    }
    section.pad()
    column.bytes.withUnsafeBytes { bytes in
      // Texts that follow each other are copied together.
      var run = 0..<0
      for span in spans where span.count > 0 {
        if span.start == run.upperBound {
          run = run.lowerBound..<span.range.upperBound
        } else {
          section.append(raw: UnsafeRawBufferPointer(rebasing: bytes[run]))
          run = span.range
        }
      }
      section.append(raw: UnsafeRawBufferPointer(rebasing: bytes[run]))
    }
    return width
  }

  /// Appends mantissas, exponents, and the texts of the decimals that do not fit into them.
  private func appendDecimals(of column: Column, _ rows: Range<Int>) {
    var large: [Int] = []
    for row in rows {
      let isLarge = column.exponents[row] == CompactDecimal.largeMark
      if isLarge { large.append(row) }
      section.append(fixed: isLarge ? 0 : column.words[row])
    }
    column.exponents[rows].withUnsafeBytes { section.append(raw: $0) }
    section.pad()
    for row in large {
      section.append(text: column.decimals[Int(column.words[row])].description)
    }
  }

  /// Appends links; returns the kind of their keys, or 0 if the keys or entities differ.
  private func append(links: some Sequence<PersistentIdentifier?>) throws -> UInt8 {
    let items = LogItemEncoder(schema)
    guard let first = links.first(where: { $0 != nil }) ?? nil, !first.isTemporary,
      LogKeyCodec.kind(of: first) != LogKeyKind.text,
      let entity = schema.index(of: first.entityName)
    else {
      for case let link? in links { try items.append(link: link, &section) }
      return 0
    }
    let kind = LogKeyCodec.kind(of: first)
    let isUniform = links.allSatisfy { link in
      guard let link else { return true }
      return link.identifierScope == first.identifierScope && link.keyKind == first.keyKind
    }
    guard isUniform else {
      for case let link? in links { try items.append(link: link, &section) }
      return 0
    }
    section.append(fixed: UInt64(entity))
    for link in links {
      let words = link?.words ?? (high: 0, low: 0)
      if kind != LogKeyKind.number { section.append(fixed: words.high) }
      section.append(fixed: words.low)
    }
    return kind
  }
}

extension ValueKind.Layout {
  /// How columns with the layout are written.
  var encoding: LogEncoding {
    switch self {
    case .whole, .float, .days: .words
    case .bytes: .texts
    case .decimal: .decimals
    case .flag: .flags
    case .pair: .pairs
    case .link: .links
    case .links: .linkLists
    }
  }
}

extension Column {
  /// The rows with a value if they are less than a quarter, as in wide tables; else nil.
  fileprivate func presentRowsIfFew(in rows: Range<Int>) -> [Int32]? {
    if isWide { return presentRows(in: rows) }
    let present = rows.count - nulls.populationCount(in: rows)
    guard 4 * present < rows.count else { return nil }
    return present == 0 ? [] : presentRows(in: rows)
  }

  /// The size of the texts or lists of rows of a dense column.
  fileprivate func sideBytes(of rows: Range<Int>) -> Int {
    switch layout {
    case .bytes: words[rows].reduce(0) { $0 + Span(packed: $1).count }
    case .links: words[rows].reduce(0) { $0 + 16 * Span(packed: $1).count }
    default: 0
    }
  }
}

extension PayloadWriter {
  /// Appends zeros up to a multiple of 8.
  mutating func pad() { appendZeros(-count & 7) }

  /// Appends 64 bits at a time of a bitmap's rows.
  mutating func append(bits: Bitmap, _ rows: Range<Int>) {
    for start in stride(from: rows.lowerBound, to: rows.upperBound, by: 64) {
      append(fixed: bits.word(at: start, limit: rows.upperBound))
    }
  }

  /// Appends integers in as many bytes as the longest needs; returns their number.
  mutating func append<Number: FixedWidthInteger & SignedInteger>(
    shortest numbers: UnsafeBufferPointer<Number>
  ) -> UInt8 {
    var (least, greatest): (Number, Number) = (0, 0)
    for number in numbers {
      least = min(least, number)
      greatest = max(greatest, number)
    }
    func fit<Short: FixedWidthInteger>(_ type: Short.Type) -> Bool {
      Short(exactly: least) != nil && Short(exactly: greatest) != nil
    }
    if fit(Int8.self) { return append(numbers, as: Int8.self) }
    if fit(Int16.self) { return append(numbers, as: Int16.self) }
    if fit(Int32.self) { return append(numbers, as: Int32.self) }
    return append(numbers, as: Int64.self)
  }

  private mutating func append<
    Number: FixedWidthInteger & SignedInteger,
    Short: FixedWidthInteger
  >(_ numbers: UnsafeBufferPointer<Number>, as type: Short.Type) -> UInt8 {
    let short = numbers.map { Short(truncatingIfNeeded: $0).littleEndian }
    short.withUnsafeBytes { append(raw: $0) }
    return UInt8(MemoryLayout<Short>.size)
  }
}
