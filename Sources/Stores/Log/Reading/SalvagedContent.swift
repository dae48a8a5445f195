import OpenSwiftData

/// The records that the intact frames of a damaged log yield, frame by frame.
struct SalvagedContent {
  private(set) var table: RecordTable?
  private(set) var schema: LogSchema?
  private(set) var highestKey: RecordKey?
  /// The number of the last transaction found, complete or not.
  private(set) var lastToken: Int64?
  let storeIdentifier: String
  /// The schemas that are readable anywhere in the log.
  private let schemas: SalvagedSchemas
  /// What is missing although the current frame was used.
  private var notes: [String] = []
  /// The payloads of a transaction whose last frame was not read yet.
  private var open: OpenTransaction?

  /// The records of the base that are in columns, while its frames are read.
  private var columns: SalvagedColumns?

  /// A transaction as its frames describe it.
  private struct OpenTransaction {
    let head: LogTransactionHead
    let isMigration: Bool
    var payloads: [[UInt8]]
    var columnPayloads: [[UInt8]] = []
  }

  init(storeIdentifier: String, schemas: SalvagedSchemas) {
    self.storeIdentifier = storeIdentifier
    self.schemas = schemas
    if let first = schemas.first { begin(with: first) }
  }

  private mutating func begin(with schema: LogSchema) {
    self.schema = schema
    table = RecordTable(schema: schema.schema, storeIdentifier: storeIdentifier)
  }

  /// Adds a verified frame.
  ///
  /// - Returns: The parts of it that cannot be used, one line each.
  mutating func take(_ frame: LogFrame) -> [String] {
    guard let kind = LogFormat.FrameKind(rawValue: frame.header.kind) else { return [] }
    notes = []
    do {
      let lines = try take(kind, frame)
      return notes + lines
    } catch {
      open = nil
      let reason = (error as? PayloadError)?.reason ?? "\(error)"
      return notes + [
        "frame \(frame.header.sequence) at offset \(frame.offset) skipped: \(reason)"
      ]
    }
  }

  private mutating func take(_ kind: LogFormat.FrameKind, _ frame: LogFrame) throws -> [String] {
    var reader = PayloadReader(frame.payload)
    if kind != .baseColumns, kind != .baseEnd, columns != nil {
      notes += finishColumns(recordCount: nil)
    }
    switch kind {
    case .schema, .schemaCopy:
      // Taken from any readable place, if nothing else was read before.
      return []
    case .baseChunk:
      var changes = PartialChanges()
      try changes.read(&reader, known())
      return make(changes)
    case .baseColumns: return try takeColumns(&reader)
    case .baseEnd:
      try takeBaseEnd(&reader)
      return []
    case .pastSchema, .pastTransaction, .pastTransactionPart, .pastSchemaChange, .pastMigration,
      .pastTransactionColumns, .note, .conversionNote:
      // The base contains these changes, and the new log has no history.
      return []
    case .schemaChange:
      _ = try head(from: &reader)
      try adopt(try LogSchemaCodec.change(from: &reader))
      return []
    case .transaction, .migration:
      let lines = dropOpenTransaction()
      open = OpenTransaction(
        head: try head(from: &reader),
        isMigration: kind == .migration,
        payloads: [Array(frame.payload)]
      )
      return lines + (try finish(frame))
    case .transactionPart, .transactionColumns:
      return try takePart(frame, hasColumns: kind == .transactionColumns)
    }
  }

  private mutating func takeColumns(_ reader: inout PayloadReader) throws -> [String] {
    var columns = try columns ?? SalvagedColumns(known())
    self.columns = nil
    defer { self.columns = columns }
    var lines: [String] = []
    try columns.add(&reader) { lines += make(PartialChanges(inserting: $0)) }
    return lines
  }

  private mutating func takeBaseEnd(_ reader: inout PayloadReader) throws {
    let end = try LogBaseEnd(from: &reader)
    notes += finishColumns(recordCount: end.recordCount)
    lastToken = end.horizon
    noteHighestKey(end.highestKey)
    for (entity, number) in zip(schema?.entities ?? [], end.greatestNumbers) {
      table?.note(greatestNumber: number, of: entity.name)
    }
  }

  private mutating func takePart(_ frame: LogFrame, hasColumns: Bool) throws -> [String] {
    guard open != nil else {
      return ["frame \(frame.header.sequence) skipped: start of its transaction is lost"]
    }
    if hasColumns {
      open?.columnPayloads.append(Array(frame.payload))
    } else {
      open?.payloads.append(Array(frame.payload))
    }
    return try finish(frame)
  }

  /// Applies the transaction that ends with this frame.
  private mutating func finish(_ frame: LogFrame) throws -> [String] {
    guard !frame.header.continues, let whole = open else { return [] }
    open = nil
    return try apply(whole)
  }

  /// Ends the content after the last frame.
  ///
  /// - Returns: What cannot be used, one line each.
  mutating func finish() -> [String] { finishColumns(recordCount: nil) + dropOpenTransaction() }

  /// Adds the last records in columns; returns what is missing of them.
  private mutating func finishColumns(recordCount: Int?) -> [String] {
    guard var columns else { return [] }
    self.columns = nil
    var lines: [String] = []
    columns.finish { lines += make(PartialChanges(inserting: $0)) }
    return lines + columns.losses(of: recordCount)
  }

  /// Drops a transaction of which only a part is readable.
  mutating func dropOpenTransaction() -> [String] {
    guard let open else { return [] }
    self.open = nil
    return [
      "transaction \(open.head.token) of \(open.head.timestamp) skipped: incomplete"
    ]
  }

  private mutating func head(from reader: inout PayloadReader) throws -> LogTransactionHead {
    let head = try LogTransactionHead(from: &reader)
    lastToken = max(lastToken ?? 0, head.token)
    if head.schemaChecksum != schema?.checksum, let found = schemas[head.schemaChecksum] {
      try goOver(to: found, before: head)
    }
    guard head.schemaChecksum == (try known().checksum) else {
      throw PayloadError(
        reason: "transaction \(head.token) of \(head.timestamp) uses a lost schema"
      )
    }
    return head
  }

  /// Adopts the schema of an unreadable change; fields keep their values by name.
  private mutating func goOver(to found: LogSchema, before head: LogTransactionHead) throws {
    guard let former = schema else { return begin(with: found) }
    var origins: [String: [String: String]] = [:]
    for entity in found.schema.entities {
      guard let old = former.schema.entitiesByName[entity.name] else { continue }
      let types = Dictionary(old.fields.map { ($0.name, $0.type) }) { first, _ in first }
      let kept = entity.fields.filter { types[$0.name] == $0.type }
      origins[entity.name] = Dictionary(kept.map { ($0.name, $0.name) }) { first, _ in first }
    }
    notes.append(
      "schema change before transaction \(head.token) unreadable; restored from a copy, "
        + "but values of fields that it renamed or changed are lost"
    )
    try adopt(.replaceSchema(SchemaReplacement(schema: found.schema, origins: origins)))
  }

  private mutating func adopt(_ change: SchemaChange) throws {
    guard let changed = try schema?.applying(change) else { return }
    try table?.apply(change)
    schema = changed
  }

  /// Reads a complete transaction before applying anything of it.
  private mutating func apply(_ whole: OpenTransaction) throws -> [String] {
    var changes = PartialChanges()
    for (place, payload) in whole.payloads.enumerated() {
      try payload.withUnsafeBytes { bytes in
        var reader = PayloadReader(bytes)
        if place == 0 {
          _ = try LogTransactionHead(from: &reader)
          if whole.isMigration {
            let former = try known().schema
            let change = try LogSchemaCodec.replacement(from: &reader, former: former)
            try adopt(.replaceSchema(change))
          }
        }
        try changes.read(&reader, known())
      }
    }
    guard !whole.columnPayloads.isEmpty else { return make(changes) }
    var columns = LogColumnInserts(try known())
    for payload in whole.columnPayloads {
      try payload.withUnsafeBytes { bytes in
        var reader = PayloadReader(bytes)
        try columns.add(&reader)
      }
    }
    try columns.checkComplete()
    var lines = make(changes)
    columns.forEachBatch { lines += make(PartialChanges(inserting: $0)) }
    return lines
  }

  private func known() throws -> LogSchema {
    guard let schema else { throw PayloadError(reason: "missing schema") }
    return schema
  }

  /// Applies changes as far as the records exist.
  private mutating func make(_ changes: PartialChanges) -> [String] {
    noteHighestKey(changes.highestKey)
    guard var table else { return [] }
    // Only one owner: with two, the table would copy itself.
    self.table = nil
    defer { self.table = table }
    return changes.apply(to: &table)
  }

  private mutating func noteHighestKey(_ key: RecordKey?) {
    if let key { highestKey = max(highestKey ?? key, key) }
  }

  /// Records with duplicate values of unique fields.
  ///
  /// - Complexity: O(n) in the records of entities with unique fields.
  func contradictions() throws -> [String] {
    var lines: [String] = []
    for entity in table?.schema.entities ?? [] where entity.fields.contains(where: \.isUnique) {
      let all = try table?.snapshots(matching: Query(entity.name)) ?? []
      do {
        try entity.validateUniqueness(of: all)
      } catch let error as PersistenceError where error.code == .notUnique {
        lines.append("salvaged records violate the schema: \(error)")
      }
    }
    return lines
  }
}

/// The changes of a transaction, applied where possible.
private struct PartialChanges {
  private var inserts: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var order: [PersistentIdentifier] = []
  private var updates: [(PersistentIdentifier, [(slot: Int, old: Value, new: Value)])] = []
  private var deletes: [PersistentIdentifier] = []
  private(set) var highestKey: RecordKey?

  init() {}

  init(inserting records: [DefaultSnapshot]) { for record in records { insert(record) } }

  private mutating func insert(_ record: DefaultSnapshot) {
    let identifier = record.persistentIdentifier
    if inserts.updateValue(record, forKey: identifier) == nil { order.append(identifier) }
    if let key = identifier.recordKey { highestKey = max(highestKey ?? key, key) }
  }

  mutating func read(_ reader: inout PayloadReader, _ schema: LogSchema) throws {
    var items = LogItemDecoder(schema)
    while let start = try items.next(&reader) {
      let identifier = start.identifier
      switch start.item {
      case LogItem.insert:
        insert(
          DefaultSnapshot(
            persistentIdentifier: identifier,
            layout: start.entity.layout,
            orderedValues: try items.values(of: start.entity, &reader)
          )
        )
      case LogItem.update:
        updates.append((identifier, try items.changes(of: start.entity, &reader)))
      default:
        try items.skipValues(of: start, &reader)
        deletes.append(identifier)
      }
    }
  }

  func apply(to table: inout RecordTable) -> [String] {
    var lines: [String] = []
    var changes = ChangeSet()
    var present = table.snapshots(for: deletes)
    changes.deleted = deletes.compactMap { present[$0] }
    present = table.snapshots(for: updates.map(\.0) + order)
    for (identifier, values) in updates {
      guard let before = present[identifier] else {
        lines.append(
          "change to \(identifier.entityName) \(identifier) skipped: the record is lost"
        )
        continue
      }
      var after = before
      for (slot, _, new) in values { after.orderedValues[slot] = new }
      changes.updated.append(RecordUpdate(before: before, after: after))
    }
    table.apply(changes)
    changes = ChangeSet()
    for identifier in order {
      guard let new = inserts[identifier] else { continue }
      if let before = table.snapshots(for: [identifier])[identifier] {
        changes.updated.append(RecordUpdate(before: before, after: new))
      } else {
        changes.inserted.append(new)
      }
    }
    table.apply(changes)
    return lines
  }
}
