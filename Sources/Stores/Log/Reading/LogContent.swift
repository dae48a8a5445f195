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

  // The properties are set by this file and the other extensions of the content only.

  let header: LogHeader
  let storeIdentifier: String
  var table: RecordTable
  /// The schemas in their order; the last is in force.
  var eras: [SchemaEra]
  /// The token of the last transaction that exists only in the base; history begins after it.
  var horizon: Int64 = 0
  /// The transactions up to the horizon that were kept when later ones were discarded.
  var past = LogKeptHistory()
  /// The transactions after the horizon, in order.
  var transactions: [TransactionPlace] = []
  /// The approximate size of the records in a base.
  var recordBytes = 0
  /// The same for the records at the horizon.
  var horizonRecordBytes = 0
  /// The greatest record key ever assigned.
  var highestKey: RecordKey?
  /// The end of the last complete transaction.
  var committedOffset: Int
  /// The chain that the frame at `committedOffset` continues.
  var committedChain: LogChain
  /// The notes by the identifiers of their transactions.
  var notes: [UUID: LogNote] = [:]
  /// Where the schema in force can be found.
  var schemaPlaces = LogSchemaPlaces()
  /// Whether the schema and the base were read; without them no other frame is valid.
  var isFounded = false

  /// Frames of a transaction whose last frame was not read yet.
  var pending: Pending?
  var baseRecordCount = 0
  /// Adds the records of the base that are in columns.
  var baseLoader = LogGroupLoader()
  /// True unless a transaction without end begins before the end of the last complete one.
  var hasOrderlyPending: Bool { pending.map { $0.offset >= committedOffset } ?? true }

  struct Pending: Sendable {
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

  /// True if nothing was ever stored, not even an entity.
  var isEmpty: Bool { lastToken == 0 && schema.schema.entities.isEmpty }

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

  mutating func begin(with schema: Schema) {
    table = RecordTable(schema: schema, storeIdentifier: storeIdentifier)
    eras = [SchemaEra(token: 0, schema: LogSchema(schema, storeIdentifier: storeIdentifier))]
  }

  /// Records keys as assigned, so that none is assigned again.
  mutating func note(_ identifiers: some Sequence<PersistentIdentifier>) {
    for identifier in identifiers { noteHighestKey(identifier.recordKey) }
  }

  /// Records a key as assigned, so that it is not assigned again.
  mutating func noteHighestKey(_ key: RecordKey?) {
    if let key { highestKey = max(highestKey ?? key, key) }
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

  mutating func remember(_ offset: Int, growthBytes: Int) {
    recordBytes += growthBytes
    transactions.append(TransactionPlace(offset: offset, recordBytes: recordBytes))
  }

  /// Makes the changes of a recorded transaction visible, with the new schema if it changed that.
  mutating func apply(_ change: TableChange, under schema: LogSchema?, token: Int64) {
    if let schema { beginEra(schema, token: token) }
    change.apply(to: &table)
    note(change.changes.inserted.lazy.map(\.persistentIdentifier))
    if let key = change.newRows?.table.greatestKey { highestKey = max(highestKey ?? key, key) }
    checkInvariantsWhenSmall()
  }

  /// Makes the records of a recorded transaction visible, the first ones of the log.
  mutating func apply(_ records: RecordTable) {
    table = records
    noteHighestKey(records.greatestKey)
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
