import OpenSwiftData

/// The records that the sound frames of a damaged log leave, one frame after the other.
struct SalvagedContent {
  private(set) var table: RecordTable?
  private(set) var schema: LogSchema?
  private(set) var highestKey: RecordKey?
  /// The number of the last transaction that was seen, whole or not.
  private(set) var lastToken: Int64?
  private let storeIdentifier: String
  /// The payloads of a transaction whose last frame was not seen yet.
  private var open: (head: LogTransactionHead, isMigration: Bool, payloads: [[UInt8]])?

  init(storeIdentifier: String) { self.storeIdentifier = storeIdentifier }

  /// Takes in a frame that verified.
  ///
  /// - Returns: What of it could not be used, one line each.
  mutating func take(_ frame: LogFrame) -> [String] {
    guard let kind = LogFormat.FrameKind(rawValue: frame.header.kind) else { return [] }
    do {
      return try take(kind, frame)
    } catch {
      open = nil
      let reason = (error as? PayloadError)?.reason ?? "\(error)"
      return ["frame \(frame.header.sequence) at byte \(frame.offset) cannot be used: \(reason)"]
    }
  }

  private mutating func take(_ kind: LogFormat.FrameKind, _ frame: LogFrame) throws -> [String] {
    var reader = PayloadReader(frame.payload)
    switch kind {
    case .schema:
      let schema = try LogSchemaCodec.schema(from: &reader)
      guard table == nil else { return [] }
      self.schema = LogSchema(schema, storeIdentifier: storeIdentifier)
      table = RecordTable(schema: schema, storeIdentifier: storeIdentifier)
      return []
    case .baseChunk: return try apply([reader])
    case .baseEnd:
      let end = try LogBaseEnd(from: &reader)
      lastToken = end.horizon
      note(end.highestKey)
      for (entity, number) in zip(schema?.entities ?? [], end.greatestNumbers) {
        table?.note(greatestNumber: number, of: entity.name)
      }
      return []
    case .schemaChange:
      let head = try head(from: &reader)
      try adopt(try LogSchemaCodec.change(from: &reader), head)
      return []
    case .transaction, .migration:
      let lines = dropOpenTransaction()
      let head = try head(from: &reader)
      let isMigration = kind == .migration
      if frame.header.continues {
        open = (head, isMigration, [Array(frame.payload)])
        return lines
      }
      return lines + (try apply([reader], head, isMigration))
    case .transactionPart:
      guard open != nil else {
        return ["frame \(frame.header.sequence) belongs to a transaction that has no beginning"]
      }
      open?.payloads.append(Array(frame.payload))
      guard !frame.header.continues, let whole = open else { return [] }
      open = nil
      return try apply(whole)
    }
  }

  /// Forgets a transaction of which only a part could be read.
  mutating func dropOpenTransaction() -> [String] {
    guard let open else { return [] }
    self.open = nil
    return [
      "transaction \(open.head.token) of \(open.head.timestamp) is there in part and left out"
    ]
  }

  private mutating func head(from reader: inout PayloadReader) throws -> LogTransactionHead {
    let head = try LogTransactionHead(from: &reader)
    lastToken = max(lastToken ?? 0, head.token)
    guard let schema else { throw PayloadError(reason: "the schema is missing") }
    guard head.schemaChecksum == schema.checksum else {
      throw PayloadError(
        reason: "transaction \(head.token) of \(head.timestamp) needs a schema that is lost"
      )
    }
    return head
  }

  private mutating func adopt(_ change: SchemaChange, _ head: LogTransactionHead) throws {
    guard let changed = try schema?.applying(change) else { return }
    try table?.apply(change)
    schema = changed
  }

  private mutating func apply(
    _ whole: (head: LogTransactionHead, isMigration: Bool, payloads: [[UInt8]])
  ) throws -> [String] {
    // The readers stay within the call: they point into the payloads.
    var lines: [String] = []
    for (place, payload) in whole.payloads.enumerated() {
      lines += try payload.withUnsafeBytes { bytes in
        var reader = PayloadReader(bytes)
        guard place == 0 else { return try apply([reader]) }
        _ = try LogTransactionHead(from: &reader)
        return try apply([reader], whole.head, whole.isMigration)
      }
    }
    return lines
  }

  private mutating func apply(
    _ readers: [PayloadReader],
    _ head: LogTransactionHead,
    _ isMigration: Bool
  ) throws -> [String] {
    guard isMigration, var reader = readers.first, let schema else { return try apply(readers) }
    let replacement = try LogSchemaCodec.replacement(from: &reader, former: schema.schema)
    try adopt(.replaceSchema(replacement), head)
    return try apply([reader])
  }

  /// Makes the changes of payloads as far as the records are there.
  private mutating func apply(_ readers: [PayloadReader]) throws -> [String] {
    guard let schema, var table else { throw PayloadError(reason: "the schema is missing") }
    // One owner only: two would make the table copy itself.
    self.table = nil
    defer { self.table = table }
    var changes = LooseChanges()
    for reader in readers {
      var reader = reader
      try changes.read(&reader, schema)
    }
    note(changes.highestKey)
    return changes.apply(to: &table)
  }

  private mutating func note(_ key: RecordKey?) {
    if let key { highestKey = max(highestKey ?? key, key) }
  }

  /// Records that have the values of others where these must be unique.
  ///
  /// - Complexity: O(n) in the records of entities with unique fields.
  func contradictions() -> [String] {
    var lines: [String] = []
    for entity in table?.schema.entities ?? [] where entity.fields.contains(where: \.isUnique) {
      let all = try? table?.snapshots(matching: Query(entity.name))
      do {
        try entity.validateUniqueness(of: all ?? [])
      } catch {
        lines.append("the new log contradicts its schema: \(error)")
      }
    }
    return lines
  }
}

/// The changes of a transaction, made where they can be.
private struct LooseChanges {
  private var inserts: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var order: [PersistentIdentifier] = []
  private var updates: [(PersistentIdentifier, [(slot: Int, old: Value, new: Value)])] = []
  private var deletes: [PersistentIdentifier] = []
  private(set) var highestKey: RecordKey?

  mutating func read(_ reader: inout PayloadReader, _ schema: LogSchema) throws {
    var items = LogItemDecoder(schema)
    while let start = try items.next(&reader) {
      let identifier = start.identifier
      switch start.item {
      case LogItem.insert:
        let values = try items.values(of: start.entity, &reader)
        if inserts[identifier] == nil { order.append(identifier) }
        inserts[identifier] = DefaultSnapshot(
          persistentIdentifier: identifier,
          layout: start.entity.layout,
          orderedValues: values
        )
        if let key = identifier.recordKey { highestKey = max(highestKey ?? key, key) }
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
          "a change of the record \(identifier) of \(identifier.entityName), which is missing, is left out"
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
