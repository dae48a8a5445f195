import OpenSwiftData

/// Adds the records of a base, or of a transaction, to a table: group by group, section by section.
///
/// It accepts sections only in the order in which `LogColumnEncoder` writes them, each once, so that
/// a missing, repeated or misplaced one is noticed.
struct LogGroupLoader: Sendable {
  /// The records of one entity on their way into a table.
  private struct Group: Sendable {
    let entity: LogEntity
    /// The records, counted from the first one of the entity.
    let places: Range<Int>
    let totalRows: Int
    /// The row of the first of them in the table.
    let firstRow: Int
    /// The column that the next section belongs to.
    var slot = 0
    /// The number of records of the group that the column already has.
    var filled = 0

    var isComplete: Bool { slot == entity.kinds.count }
  }

  private var group: Group?
  /// By column of the entity, the size of the texts whose memory was provided.
  private var providedTexts: [Int: Int] = [:]
  /// The number of records that were added.
  private(set) var count = 0
  /// The size of the added sections without headers, comparable to that of records one by one.
  private(set) var bodyBytes = 0

  /// True unless records are incomplete or missing.
  var isComplete: Bool {
    group.map { $0.isComplete && $0.places.upperBound == $0.totalRows } ?? true
  }

  /// Adds the sections of a payload.
  ///
  /// - Throws: `PayloadError`, `DuplicateKey`; the table is unusable then.
  /// - Complexity: O(size of the payload).
  mutating func add(
    _ reader: inout PayloadReader,
    under schema: LogSchema,
    to table: inout RecordTable
  ) throws {
    let decoder = LogColumnDecoder(schema: schema)
    while let (header, body) = try LogSectionHeader.next(in: &reader) {
      let entity = try schema.entity(UInt64(header.entity))
      let place = table.knownPlace(entity.name)
      bodyBytes += body.count
      if header.column == 0 {
        try begin(header, of: entity, firstRow: table.tables[place].rowCount)
        let keys = try decoder.keys(header, body, of: entity)
        table.tables[place].reserve(for: header, keys.kind)
        try table.tables[place].addRows(keys)
        count += header.rows.count
      } else {
        let row = try next(header)
        let slot = Int(header.column) - 1
        if table.tables[place].columns[slot].holdsDenseTexts {
          table.tables[place].columns[slot]
            .reserve(for: header, body.count, &providedTexts[slot, default: 0])
        }
        try decoder.load(header, body, into: &table.tables[place].columns[slot], at: row)
      }
      if let group, group.isComplete {
        let rows = group.firstRow..<group.firstRow + group.places.count
        table.tables[place].finishAdding(rows, isLast: isComplete)
      }
    }
  }

  private mutating func begin(
    _ header: LogSectionHeader,
    of entity: LogEntity,
    firstRow: Int
  ) throws(PayloadError) {
    let isNext: Bool
    if let group, group.entity === entity || !isComplete {
      isNext =
        group.isComplete && group.entity === entity
        && header.rows.lowerBound == group.places.upperBound
        && Int(header.totalRows) == group.totalRows
    } else {
      isNext = header.firstRow == 0 && entity.index > group?.entity.index ?? -1
    }
    guard isNext, header.rowCount > 0 else { throw .misplacedColumn }
    if group?.entity !== entity { providedTexts = [:] }
    group = Group(
      entity: entity,
      places: header.rows,
      totalRows: Int(header.totalRows),
      firstRow: firstRow
    )
  }

  /// Accepts the next section of the group; returns its first row in the table.
  private mutating func next(_ header: LogSectionHeader) throws(PayloadError) -> Int {
    guard var group, !group.isComplete, Int(header.entity) == group.entity.index,
      Int(header.column) == group.slot + 1, Int(header.totalRows) == group.totalRows,
      header.rowCount > 0, header.rows.lowerBound == group.places.lowerBound + group.filled,
      header.rows.upperBound <= group.places.upperBound
    else { throw .misplacedColumn }
    let row = group.firstRow + group.filled
    group.filled += header.rows.count
    if group.filled == group.places.count {
      group.slot += 1
      group.filled = 0
    }
    self.group = group
    return row
  }
}

extension PayloadError {
  fileprivate static let misplacedColumn = PayloadError(reason: "missing or misplaced column")
}

extension LogSectionHeader {
  /// True if no records of the entity follow.
  fileprivate var isLast: Bool { rows.upperBound == Int(totalRows) }

  /// The limit of a reservation, as a multiple of what has been read: a file cannot demand more.
  private static let trust = 64

  /// The amount to reserve for all rows of the entity if these have this much, with some room for
  /// the changes of the next saves, and the part of it that is expected; nil if it was reserved before.
  func reservation(_ count: Int, capacity: Int, present: Int) -> (capacity: Int, expected: Int)? {
    guard present + count > capacity else { return nil }
    let all = Double(present + count) * Double(totalRows) / Double(max(1, rows.upperBound))
    let trusted = min(Double(Self.trust) * Double(present + count), Double(Span.startLimit))
    return (
      max(present + count, Int(min(all * 17 / 16, trusted))) + 64,
      max(present + count, Int(min(all, trusted)))
    )
  }
}

extension EntityTable {
  /// Reserves rows for the records that a section of keys announces.
  fileprivate mutating func reserve(for header: LogSectionHeader, _ kind: KeyColumn.Kind) {
    let known = rowCount == 0 ? 0 : keys.capacity
    guard
      let (capacity, expected) = header.reservation(
        header.rows.count,
        capacity: known,
        present: rowCount
      )
    else { return }
    reserve(capacity - rowCount, keys: kind, expecting: expected)
  }

  /// Ends the addition of rows whose columns are filled.
  fileprivate mutating func finishAdding(_ rows: Range<Int>, isLast: Bool) {
    indexUniqueValues(rows)
    if isLast { mergeAddedRows() }
  }
}

extension Column {
  /// True if texts of rows that follow each other are put into `bytes`.
  fileprivate var holdsDenseTexts: Bool { layout == .bytes && !isWide }

  /// Reserves bytes for the texts that a section announces.
  ///
  /// How much other sections need is a guess, so memory is provided only for little more than there is.
  fileprivate mutating func reserve(
    for header: LogSectionHeader,
    _ size: Int,
    _ provided: inout Int
  ) {
    let present = bytes.count
    if let found = header.reservation(size, capacity: bytes.capacity, present: present) {
      bytes.reserveCapacity(found.capacity)
      provided = 0
    }
    guard present + size > provided else { return }
    provided = present + size + max((present + size) / 8, leastProvidedBytes)
    bytes.provideMemory(upTo: min(provided, header.isLast ? present + size : provided))
  }
}
