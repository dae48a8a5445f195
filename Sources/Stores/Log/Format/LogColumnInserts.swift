import OpenSwiftData

/// The inserts of a transaction that are in columns, in a table of their own until it is complete.
struct LogColumnInserts: Sendable {
  let schema: LogSchema
  private(set) var table: RecordTable
  private(set) var loader = LogGroupLoader()

  init(_ schema: LogSchema) {
    self.schema = schema
    table = RecordTable(schema: schema.schema, storeIdentifier: schema.storeIdentifier)
  }

  /// The greatest record key of the inserts.
  var greatestKey: RecordKey? { table.greatestKey }

  /// Adds the sections of a frame.
  ///
  /// - Throws: `PayloadError`, `DuplicateKey`; the inserts are unusable then.
  mutating func add(_ reader: inout PayloadReader) throws {
    try loader.add(&reader, under: schema, to: &table)
  }

  /// Throws unless the last frame was added.
  func checkComplete() throws(PayloadError) {
    guard loader.isComplete else { throw PayloadError(reason: "incomplete columns") }
  }

  /// Passes on the records, some at a time.
  func forEachBatch(_ body: ([DefaultSnapshot]) -> Void) {
    for table in table.tables { table.forEachBatch(body) }
  }
}

extension EntityTable {
  /// The number of records to pass on together; fewer if they have many values.
  var batchCount: Int { max(1, (1 << 22) / max(1, columns.count)) }

  /// Passes on the records in natural order, some at a time.
  fileprivate func forEachBatch(_ body: ([DefaultSnapshot]) throws -> Void) rethrows {
    let size = batchCount
    var rows: [Int32] = []
    try forEachRow { row in
      rows.append(Int32(row))
      guard rows.count == size else { return }
      try body(snapshots(at: rows, as: wholeRecord))
      rows.removeAll(keepingCapacity: true)
    }
    if !rows.isEmpty { try body(snapshots(at: rows, as: wholeRecord)) }
  }
}

extension RecordTable {
  /// The greatest record key that was ever a key here; nil if there was none.
  var greatestKey: RecordKey? {
    let greatest = tables.map(\.keys.greatestKey).max()
    return greatest == RecordKey(milliseconds: 0, sequence: 0) ? nil : greatest
  }

  /// Inserts all records of another table with the same schema.
  ///
  /// - Throws: `DuplicateKey` if one exists; the table is unusable then.
  /// - Complexity: O(1) for entities without records here, O(size of the others) otherwise.
  mutating func insert(_ other: RecordTable) throws {
    for place in tables.indices where other.tables[place].rowCount > 0 {
      if tables[place].adopt(other.tables[place]) { continue }
      let name = tables[place].entity.name
      try other.tables[place].forEachBatch { records in
        for record in records where row(of: record.persistentIdentifier) != nil {
          throw DuplicateKey(identifier: record.persistentIdentifier)
        }
        assert(records.allSatisfy { $0.persistentIdentifier.entityName == name })
        apply(ChangeSet(inserted: records))
      }
    }
    finishChange()
  }
}
