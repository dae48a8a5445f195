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

  let schema: LogSchema
  private let output: Output
  /// What the progress of all records says.
  private let title: String
  var section = PayloadWriter(capacity: 1 << 16)
  /// The size of the output without headers, comparable to that of records one by one.
  private(set) var bodyBytes = 0

  init(_ schema: LogSchema, title: String = "writing", output: @escaping Output) {
    self.schema = schema
    self.title = title
    self.output = output
  }

  /// Rows of a table on their way to sections.
  struct Group {
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
  /// - Throws: What the output throws; `PersistenceError` for a link that cannot be written; `Interruption.Stopped`.
  /// - Complexity: O(size of the records), with memory for one group.
  func encode(_ table: RecordTable) throws -> Int {
    let total = table.tables.reduce(0) { $0 + $1.liveCount }
    let counter = WorkCounter(title, of: total)
    var count = 0
    for entity in schema.entities {
      let rows = table.tables[table.knownPlace(entity.name)]
      try encode(rows, of: entity, counter)
      count += rows.liveCount
    }
    return count
  }

  /// Writes new records of one entity, which have permanent identifiers.
  ///
  /// - Throws: As `encode(_:)`.
  func encode(
    _ snapshots: [DefaultSnapshot],
    of entity: LogEntity,
    _ counter: WorkCounter? = nil
  ) throws {
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
      try counter?.add(places.count)
    }
  }

  private func encode(_ table: EntityTable, of entity: LogEntity, _ counter: WorkCounter) throws {
    if table.isInOrder {
      try encodeInOrder(table, of: entity, counter)
    } else {
      try encodeGathered(table, of: entity, counter)
    }
  }

  /// Writes the rows of a table by their numbers.
  private func encodeInOrder(
    _ table: EntityTable,
    of entity: LogEntity,
    _ counter: WorkCounter
  ) throws {
    let keys = mixedKeys(of: table) ?? table.keys
    for start in stride(from: 0, to: table.liveCount, by: Self.groupRows) {
      let rows = start..<min(start + Self.groupRows, table.liveCount)
      let group = Group(entity: entity, places: rows, totalRows: table.liveCount)
      try encode(keys, rows, group)
      for slot in table.columns.indices { try encode(table.columns[slot], slot, rows, group) }
      try counter.add(rows.count)
    }
  }

  /// Keys of several kinds, or of the one kind that is left of them, in natural order; nil if they always had
  /// one kind.
  ///
  /// What is written depends on the present keys alone, so that a reader's table is written in the same way.
  private func mixedKeys(of table: EntityTable) -> KeyColumn? {
    table.keys.kind == .mixed ? table.keys.gathering(table.rowsInOrder()) : nil
  }

  /// Writes the live rows of a table in natural order, of which it makes copies in groups.
  private func encodeGathered(
    _ table: EntityTable,
    of entity: LogEntity,
    _ counter: WorkCounter
  ) throws {
    var rows: [Int32] = []
    rows.reserveCapacity(min(table.liveCount, Self.groupRows))
    let mixedKeys = mixedKeys(of: table)
    var start = 0
    func finish() throws {
      let places = start..<start + rows.count
      let group = Group(entity: entity, places: places, totalRows: table.liveCount)
      if let mixedKeys {
        try encode(mixedKeys, places, group)
      } else {
        try encode(table.keys.gathering(rows), 0..<rows.count, group)
      }
      for slot in table.columns.indices {
        let column = table.columns[slot].gathering(rows, isWide: table.columns[slot].isWide)
        try encode(column, slot, 0..<rows.count, group)
      }
      try counter.add(rows.count)
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
    try Interruption.check()
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
