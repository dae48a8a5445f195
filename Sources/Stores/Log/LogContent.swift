import Foundation
import OpenSwiftData

/// The content of a log up to some frame: the records, the schemas, and the place of each
/// transaction.
///
/// Frames are added in order; a transaction of several frames takes effect with its last frame.
struct LogContent: Sendable {
  /// A schema and the token from which it applies.
  struct SchemaEra: Sendable {
    /// The token of the change that brought it; the horizon for the first.
    var token: Int64
    var schema: LogSchema
  }

  /// The offset of a transaction, and the approximate size of the records in a base after it.
  struct TransactionPlace: Sendable {
    var offset: Int
    var recordBytes: Int
  }

  let header: LogHeader
  let storeIdentifier: String
  private(set) var table: RecordTable
  /// The schemas in their order; the last is in force.
  private(set) var eras: [SchemaEra]
  /// The token of the last transaction that exists only in the base; history begins after it.
  private(set) var horizon: Int64 = 0
  /// The transactions up to the horizon that were kept when later ones were discarded.
  private(set) var past = LogKeptHistory()
  /// The transactions after the horizon, in order.
  private(set) var transactions: [TransactionPlace] = []
  /// The approximate size of the records in a base.
  private(set) var recordBytes = 0
  /// The same for the records at the horizon.
  private(set) var horizonRecordBytes = 0
  /// The greatest record key ever assigned.
  private(set) var highestKey: RecordKey?
  /// The end of the last complete transaction.
  private(set) var committedOffset: Int
  /// The chain that the frame at `committedOffset` continues.
  private(set) var committedChain: LogChain
  /// Where the schema in force can be found.
  private(set) var schemaPlaces = LogSchemaPlaces()
  /// Whether the schema and the base were read; without them no other frame is valid.
  private(set) var isFounded = false

  /// Frames of a transaction whose last frame was not read yet.
  private var pending: Pending?
  private var baseRecordCount = 0
  /// Adds the records of the base that are in columns.
  private var baseLoader = LogGroupLoader()
  /// True unless a transaction without end begins before the end of the last complete one.
  var hasOrderlyPending: Bool { pending.map { $0.offset >= committedOffset } ?? true }

  private struct Pending: Sendable {
    var head: LogTransactionHead
    var offset: Int
    var isMigration: Bool
    /// The end of the last frame with items.
    var itemsEnd: Int
    /// The inserts that are in columns; their frames are not read again.
    var columns: LogColumnInserts?
  }

  init(_ header: LogHeader) {
    self.header = header
    storeIdentifier = header.identifier.uuidString.lowercased()
    table = RecordTable(schema: Schema(), storeIdentifier: storeIdentifier)
    eras = []
    committedOffset = LogFormat.headerBytes
    committedChain = LogChain(header)
  }

  /// Starts a log that does not have a file yet.
  init(_ header: LogHeader, schema: Schema) {
    self.init(header)
    begin(with: schema)
    isFounded = true
  }

  /// Sets the constraints of the program, against which changes are checked.
  mutating func takeConstraints(of schema: Schema?) { table.takeConstraints(of: schema) }

  /// Creates the content of a new log for records salvaged from another one.
  init(
    _ header: LogHeader,
    salvaged table: RecordTable,
    schema: LogSchema,
    token: Int64,
    highestKey: RecordKey?
  ) {
    self.init(header)
    self.table = table
    self.highestKey = highestKey
    eras = [SchemaEra(token: token, schema: schema)]
    horizon = token
    isFounded = true
  }

  /// The token of the last transaction.
  var lastToken: Int64 { horizon + Int64(transactions.count) }

  /// Whether the content includes this transaction, this frame and everything before transactions.
  func reaches(_ token: Int64, sequence: UInt64) -> Bool {
    isFounded && lastToken >= token && committedChain.sequence >= sequence
  }

  /// The schema in force.
  var schema: LogSchema {
    guard let last = eras.last else { preconditionFailure("A log begins with a schema.") }
    return last.schema
  }

  /// The schema under which the transaction with the token was written.
  func schema(at token: Int64) -> LogSchema {
    eras.last { $0.token < token }?.schema ?? eras.first?.schema ?? schema
  }

  /// The offset of the first transaction after the token; the end if there is none.
  func offset(after token: Int64) -> Int {
    let index = Int(max(token, horizon) - horizon)
    return index < transactions.count ? transactions[index].offset : committedOffset
  }

  /// The approximate size of the file if only this much of its history is kept.
  ///
  /// It leaves out only the frame headers and the schemas; for the values of records it takes the size
  /// that they have one by one in transactions.
  func estimatedBytes(_ retention: LogRetention) -> Int {
    let token = retention.horizon
    assert(token >= horizon && token <= lastToken, "A horizon never goes back.")
    let records =
      token == horizon
      ? horizonRecordBytes : transactions[Int(token - horizon) - 1].recordBytes
    let kept = Set(retention.past)
    let pastBytes = past.places.reduce(0) { $0 + (kept.contains($1.token) ? $1.sizeBytes : 0) }
    let base = records + LogColumnEncoder.headerBytes(of: table)
    return LogFormat.headerBytes + base + pastBytes + committedOffset - offset(after: token)
  }

  private mutating func begin(with schema: Schema) {
    table = RecordTable(schema: schema, storeIdentifier: storeIdentifier)
    eras = [SchemaEra(token: 0, schema: LogSchema(schema, storeIdentifier: storeIdentifier))]
  }

  /// Records keys as assigned, so that none is assigned again.
  mutating func note(_ identifiers: some Sequence<PersistentIdentifier>) {
    for identifier in identifiers {
      guard let key = identifier.recordKey else { continue }
      highestKey = max(highestKey ?? key, key)
    }
  }

  /// Records a transaction that this process wrote; `apply(_:under:token:)` makes it visible.
  mutating func commit(at offset: Int, endingAt end: Int, chain: LogChain, growthBytes: Int) {
    remember(offset, growthBytes: growthBytes)
    markCommitted(at: end, chain)
  }

  /// Whether another copy of the schema should precede the next transaction.
  var isSchemaCopyDue: Bool {
    !schema.entities.isEmpty
      && schemaPlaces.isCopyDue(sizeBytes: committedOffset, schemaBytes: schema.sizeBytes)
  }

  /// Records a copy of the schema that this process wrote.
  mutating func addSchemaCopy(endingAt end: Int, chain: LogChain) {
    markCommitted(at: end, chain)
    schemaPlaces.count += 1
    schemaPlaces.endOffset = end
  }

  private mutating func remember(_ offset: Int, growthBytes: Int) {
    recordBytes += growthBytes
    transactions.append(TransactionPlace(offset: offset, recordBytes: recordBytes))
  }

  /// Makes the changes of a recorded transaction visible, with the new schema if it changed that.
  mutating func apply(_ change: TableChange, under schema: LogSchema?, token: Int64) {
    if let schema { beginEra(schema, token: token) }
    change.apply(to: &table)
    note(change.changes.inserted.lazy.map(\.persistentIdentifier))
    checkInvariantsWhenSmall()
  }

  /// Makes the records of a recorded transaction visible, the first ones of the log.
  mutating func apply(_ records: RecordTable) {
    table = records
    if let key = records.greatestKey { highestKey = max(highestKey ?? key, key) }
    checkInvariantsWhenSmall()
  }

  /// Changes the schema of the records and records it under the token.
  mutating func adopt(_ change: SchemaChange, token: Int64) throws {
    let changed = try schema.applying(change)
    try table.apply(change)
    beginEra(changed, token: token)
  }

  private mutating func beginEra(_ schema: LogSchema, token: Int64) {
    eras.append(SchemaEra(token: token, schema: schema))
    schemaPlaces = LogSchemaPlaces(sequence: committedChain.sequence, endOffset: committedOffset)
  }
}

extension LogContent {
  /// Runs its closure for the payload of each frame of a range of the file.
  typealias PendingReader = (Range<Int>, (UnsafeRawBufferPointer) throws -> Void) throws -> Void

  /// Drops the frames of a transaction without end, before they are read again.
  mutating func dropPending() { pending = nil }

  /// Adds the next frame.
  ///
  /// - Parameters:
  ///   - frame: A verified frame that follows all those before.
  ///   - chain: The chain that the next frame must continue.
  ///   - readPending: Reads the frames of a transaction again when its last one is read.
  /// - Throws: `LogDamage.nonsense` or `unknownFrame`; the content is unusable then.
  mutating func add(
    _ frame: LogFrame,
    chain: LogChain,
    readPending: PendingReader
  ) throws {
    do {
      try dispatch(frame, chain: chain, readPending: readPending)
    } catch let error as PayloadError {
      guard !error.isNewer else {
        throw LogDamage.unknownContent(offset: frame.offset, reason: error.reason)
      }
      throw nonsense(frame, error.reason)
    } catch let error as DuplicateKey {
      throw nonsense(frame, "duplicate record \(error.identifier)")
    } catch let error as PersistenceError {
      throw nonsense(frame, error.message)
    }
  }

  private func nonsense(_ frame: LogFrame, _ reason: String) -> LogDamage {
    .nonsense(offset: frame.offset, sequence: frame.header.sequence, reason: reason)
  }

  private mutating func dispatch(
    _ frame: LogFrame,
    chain: LogChain,
    readPending: PendingReader
  ) throws {
    guard let kind = LogFormat.FrameKind(rawValue: frame.header.kind) else {
      guard frame.header.kind & LogFormat.FrameKind.skippableBit != 0 else {
        throw LogDamage.unknownFrame(offset: frame.offset, kind: frame.header.kind)
      }
      if pending == nil { markCommitted(at: frame.endOffset, chain) }
      return
    }
    var reader = PayloadReader(frame.payload)
    let eraCount = eras.count
    switch kind {
    case .schema: try addSchema(&reader)
    case .schemaCopy: noteSchemaCopy(&reader, frame)
    case .baseChunk: try addBase(&reader)
    case .baseColumns: try addBaseColumns(&reader)
    case .baseEnd: try endBase(&reader)
    case .schemaChange: try addSchemaChange(&reader, frame)
    case .pastSchema, .pastTransaction, .pastTransactionPart, .pastSchemaChange, .pastMigration,
      .pastTransactionColumns:
      guard isFounded, pending == nil else {
        throw PayloadError(reason: "unexpected discarded history")
      }
      try past.add(kind, frame, horizon: horizon, storeIdentifier: storeIdentifier)
    case .transaction, .transactionPart, .transactionColumns, .migration:
      try addTransaction(kind, reader, frame, readPending: readPending)
    }
    if eras.count > eraCount {
      schemaPlaces = LogSchemaPlaces(sequence: frame.header.sequence, endOffset: frame.endOffset)
    }
    if pending == nil { markCommitted(at: frame.endOffset, chain) }
    checkInvariantsWhenSmall()
  }

  /// Records the place of a copy if it is of the schema in force; ignores other copies.
  private mutating func noteSchemaCopy(_ reader: inout PayloadReader, _ frame: LogFrame) {
    // Only salvaging needs copies, so an unreadable one is ignored.
    guard let copy = try? LogSchemaCopy(from: &reader), copy.header == header,
      copy.checksum == eras.last?.schema.checksum, copy.sequence == schemaPlaces.sequence
    else { return }
    schemaPlaces.count += 1
    schemaPlaces.endOffset = frame.endOffset
  }

  mutating func markCommitted(at offset: Int, _ chain: LogChain) {
    committedOffset = offset
    committedChain = chain
    // A later save has overwritten what an interrupted one left after the last transaction.
    if !hasOrderlyPending { pending = nil }
  }

  private mutating func addSchema(_ reader: inout PayloadReader) throws {
    guard eras.isEmpty else { throw PayloadError(reason: "unexpected second schema") }
    begin(with: try LogSchemaCodec.schema(from: &reader))
    isFounded = header.generation <= 1
  }

  private mutating func addBase(_ reader: inout PayloadReader) throws {
    guard !eras.isEmpty, !isFounded else { throw PayloadError(reason: "unexpected base") }
    var replay = LogReplay(schema, highestKey: highestKey)
    try replay.add(&reader, to: &table)
    guard replay.isInsertOnly else { throw PayloadError(reason: "the base contains changes") }
    baseRecordCount += replay.insertedCount
    recordBytes += replay.growthBytes
    highestKey = replay.highestKey
  }

  private mutating func addBaseColumns(_ reader: inout PayloadReader) throws {
    guard !eras.isEmpty, !isFounded else { throw PayloadError(reason: "unexpected base") }
    try baseLoader.add(&reader, under: schema, to: &table)
  }

  /// Takes the greatest keys from the columns of the base.
  private mutating func finishBaseColumns() throws(PayloadError) {
    guard baseLoader.isComplete else { throw PayloadError(reason: "the base is incomplete") }
    baseRecordCount += baseLoader.count
    recordBytes += baseLoader.bodyBytes
    if let key = table.greatestKey { highestKey = max(highestKey ?? key, key) }
    table.finishChange()
  }

  private mutating func endBase(_ reader: inout PayloadReader) throws {
    guard !eras.isEmpty, !isFounded else { throw PayloadError(reason: "unexpected base") }
    try finishBaseColumns()
    let end = try LogBaseEnd(from: &reader)
    guard end.recordCount == baseRecordCount else {
      throw PayloadError(
        reason: "expected \(end.recordCount) records in the base, found \(baseRecordCount)"
      )
    }
    horizon = end.horizon
    horizonRecordBytes = recordBytes
    eras[0].token = horizon
    if let key = end.highestKey { highestKey = max(highestKey ?? key, key) }
    for (entity, number) in zip(schema.entities, end.greatestNumbers) {
      table.note(greatestNumber: number, of: entity.name)
    }
    isFounded = true
  }

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

  private mutating func addSchemaChange(_ reader: inout PayloadReader, _ frame: LogFrame) throws {
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

  private mutating func addTransaction(
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
    if kind == .transactionColumns {
      try addColumns(&reader)
    } else if pending?.columns != nil {
      throw PayloadError(reason: "unexpected items")
    } else {
      pending?.itemsEnd = frame.endOffset
    }
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
      try readPending(pending.offset..<pending.itemsEnd) { bytes in
        var part = PayloadReader(bytes)
        if !replay.hasBegun {
          _ = try LogTransactionHead(from: &part)
          if isMigration { replay = try beginMigration(&part, token: head.token) }
        }
        try replay.add(&part, to: &table)
      }
    } else {
      if isMigration { replay = try beginMigration(&reader, token: head.token) }
      try replay.add(&reader, to: &table)
    }
    try replay.finish(&table)
    highestKey = replay.highestKey
    let inserted = try insertColumns()
    remember(
      pending?.offset ?? frame.offset,
      growthBytes: replay.growthBytes + inserted
    )
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
    if let key = columns.greatestKey { highestKey = max(highestKey ?? key, key) }
    let size = columns.loader.bodyBytes
    try table.insert(columns.table)
    return size
  }
}
