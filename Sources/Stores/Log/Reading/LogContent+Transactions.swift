import OpenSwiftData

// Adding the frames of transactions.
extension LogContent {
  private func head(from reader: inout PayloadReader) throws -> LogTransactionHead {
    let head = try LogTransactionHead(from: &reader)
    guard isFounded else { throw PayloadError(reason: "transaction before the schema or base") }
    guard head.token == lastToken + 1 else {
      throw PayloadError(reason: "transaction \(head.token) after \(lastToken)")
    }
    guard head.schemaChecksum == schema.checksum else {
      throw PayloadError(reason: "the transaction uses a different schema")
    }
    return head
  }

  mutating func addSchemaChange(_ reader: inout PayloadReader, _ frame: LogFrame) throws {
    guard pending == nil else { throw PayloadError(reason: "incomplete transaction") }
    let head = try head(from: &reader)
    try adopt(try LogSchemaCodec.change(from: &reader), token: head.token)
    remember(frame.offset, growthBytes: 0)
  }

  /// Switches to the schema of a migration, under which its items are read.
  private mutating func beginMigration(_ reader: inout PayloadReader, token: Int64) throws
    -> LogReplay
  {
    let replacement = try LogSchemaCodec.replacement(from: &reader, former: schema.schema)
    try adopt(.replaceSchema(replacement), token: token)
    return LogReplay(schema, highestKey: highestKey)
  }

  mutating func addTransaction(
    _ kind: LogFormat.FrameKind,
    _ payload: PayloadReader,
    _ frame: LogFrame,
    readPending: PendingReader
  ) throws {
    var reader = payload
    guard kind.isPart == (pending != nil) else {
      throw PayloadError(
        reason: kind.isPart ? "missing start of the transaction" : "incomplete transaction"
      )
    }
    let head = try pending?.head ?? head(from: &reader)
    let isMigration = pending?.isMigration ?? (kind == .migration)
    try takeItems(kind, &reader, frame)
    if frame.header.continues {
      if !kind.isPart {
        pending = Pending(
          head: head,
          offset: frame.offset,
          isMigration: isMigration,
          itemsEnd: frame.endOffset
        )
      }
      return
    }
    var replay = LogReplay(schema, highestKey: highestKey)
    if let pending {
      replay = try replayItems(of: pending, readPending)
    } else {
      if isMigration { replay = try beginMigration(&reader, token: head.token) }
      try replay.add(&reader, to: &table)
    }
    try finishTransaction(&replay, at: pending?.offset ?? frame.offset)
  }

  /// Adds the columns of a frame of the pending transaction, or notes that the frame has items.
  private mutating func takeItems(
    _ kind: LogFormat.FrameKind,
    _ reader: inout PayloadReader,
    _ frame: LogFrame
  ) throws {
    if kind == .transactionColumns { return try addColumns(&reader) }
    guard pending?.columns == nil else { throw PayloadError(reason: "unexpected items") }
    pending?.itemsEnd = frame.endOffset
  }

  /// Reads the items of a complete transaction again, and applies them.
  private mutating func replayItems(
    of pending: Pending,
    _ readPending: PendingReader
  ) throws -> LogReplay {
    var replay = LogReplay(schema, highestKey: highestKey)
    try readPending(pending.offset..<pending.itemsEnd) { bytes in
      var part = PayloadReader(bytes)
      if !replay.hasBegun {
        _ = try LogTransactionHead(from: &part)
        if pending.isMigration { replay = try beginMigration(&part, token: pending.head.token) }
      }
      try replay.add(&part, to: &table)
    }
    return replay
  }

  private mutating func finishTransaction(_ replay: inout LogReplay, at offset: Int) throws {
    try replay.finish(&table)
    highestKey = replay.highestKey
    let inserted = try insertColumns()
    remember(offset, growthBytes: replay.growthBytes + inserted)
    pending = nil
  }

  private mutating func addColumns(_ reader: inout PayloadReader) throws {
    guard pending?.isMigration == false else { throw PayloadError(reason: "unexpected columns") }
    var columns = pending?.columns ?? LogColumnInserts(schema)
    // Only one owner: with two, the columns would copy themselves.
    pending?.columns = nil
    try columns.add(&reader)
    pending?.columns = columns
  }

  /// Makes the inserts of the pending transaction that are in columns visible.
  ///
  /// - Returns: Their size.
  private mutating func insertColumns() throws -> Int {
    guard let columns = pending?.columns else { return 0 }
    pending?.columns = nil
    try columns.checkComplete()
    noteHighestKey(columns.greatestKey)
    let size = columns.loader.bodyBytes
    try table.insert(columns.table)
    return size
  }
}
