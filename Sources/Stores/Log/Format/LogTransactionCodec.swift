import Foundation
import OpenSwiftData

/// The start of a transaction: its author, its time and its schema.
struct LogTransactionHead: Hashable, Sendable {
  var token: Int64
  var id: UUID
  var microsecondsSince1970: Int64
  var author: String?
  var schemaChecksum: UInt64

  var timestamp: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1e6) }

  func encode(to payload: inout PayloadWriter) {
    LogValueCodec.append(id, to: &payload)
    payload.append(fixed: UInt64(bitPattern: microsecondsSince1970))
    payload.append(fixed: schemaChecksum)
    payload.append(unsigned: UInt64(token))
    payload.append(optionalText: author)
  }

  init(
    token: Int64,
    id: UUID,
    microsecondsSince1970: Int64,
    author: String?,
    schemaChecksum: UInt64
  ) {
    self.token = token
    self.id = id
    self.microsecondsSince1970 = microsecondsSince1970
    self.author = author
    self.schemaChecksum = schemaChecksum
  }

  init(from reader: inout PayloadReader) throws(PayloadError) {
    id = try LogValueCodec.uuid(from: &reader)
    microsecondsSince1970 = Int64(bitPattern: try reader.fixed64())
    schemaChecksum = try reader.fixed64()
    guard let token = Int64(exactly: try reader.unsigned()) else { throw .badNumber }
    self.token = token
    author = try reader.optionalText()
  }
}

/// The end of a base: its totals, and the point where the history begins.
struct LogBaseEnd: Hashable, Sendable {
  /// The token of the last transaction in the base.
  var horizon: Int64
  var recordCount: Int
  /// The greatest key ever assigned, so that keys of deleted records are not reused.
  var highestKey: RecordKey?
  /// The same for numbers, one per entity in the order of the schema.
  var greatestNumbers: [Int]

  func encode(to payload: inout PayloadWriter) {
    payload.append(unsigned: UInt64(horizon))
    payload.append(unsigned: UInt64(recordCount))
    payload.append(optionalText: highestKey?.description)
    for number in greatestNumbers { payload.append(unsigned: UInt64(number)) }
  }

  init(horizon: Int64, recordCount: Int, highestKey: RecordKey?, greatestNumbers: [Int]) {
    self.horizon = horizon
    self.recordCount = recordCount
    self.highestKey = highestKey
    self.greatestNumbers = greatestNumbers
  }

  init(from reader: inout PayloadReader) throws(PayloadError) {
    // Later transactions need greater tokens.
    guard let horizon = Int64(exactly: try reader.unsigned()), horizon <= Int64.max / 2,
      let recordCount = Int(exactly: try reader.unsigned())
    else { throw .badNumber }
    self.horizon = horizon
    self.recordCount = recordCount
    highestKey = try reader.optionalText().map { text throws(PayloadError) in
      guard let key = RecordKey(text) else {
        throw PayloadError(reason: "invalid key \"\(text)\"")
      }
      return key
    }
    greatestNumbers = []
    while !reader.isAtEnd {
      guard let number = Int(exactly: try reader.unsigned()) else { throw .badNumber }
      greatestNumbers.append(number)
    }
  }
}

/// Builds a sequence of frames and passes on their bytes.
final class LogFrameWriter {
  typealias Output = (UnsafeRawBufferPointer) throws -> Void

  /// The position from which the next frame continues.
  private(set) var chain: LogChain
  /// The change of the records' size in a base caused by what was written; may be negative.
  private(set) var growthBytes = 0
  private var frame = PayloadWriter(capacity: LogFormat.frameHeaderBytes + 256)
  private let payloadLimit: Int
  /// Whether the file header allows records in columns.
  private let allowsColumns: Bool
  private let output: Output

  init(
    continuing chain: LogChain,
    payloadLimit: Int = LogFormat.payloadLimit,
    allowsColumns: Bool = true,
    output: @escaping Output
  ) {
    self.chain = chain
    self.allowsColumns = allowsColumns
    self.payloadLimit = payloadLimit
    self.output = output
    frame.appendZeros(LogFormat.frameHeaderBytes)
  }

  /// The payload size of the current frame.
  var payloadBytes: Int { frame.count - LogFormat.frameHeaderBytes }

  /// Appends to the payload of the current frame.
  func append(_ body: (inout PayloadWriter) throws -> Void) rethrows { try body(&frame) }

  /// Ends the frame and writes it to the output.
  ///
  /// - Throws: `.limitExceeded` before anything of the frame is written, or what `output` throws.
  func finish(_ kind: LogFormat.FrameKind, continues: Bool = false) throws {
    let size = payloadBytes
    guard size <= payloadLimit else {
      throw PersistenceError(
        .limitExceeded,
        "record of \(size) bytes; the limit is \(payloadLimit)"
      )
    }
    let sequence = chain.sequence + 1
    let payload = UnsafeRawBufferPointer(rebasing: frame.bytes[LogFormat.frameHeaderBytes...])
    let checksum = chain.payloadChecksum(payload, sequence: sequence)
    let header = LogFrameHeader(
      payloadBytes: size,
      kind: kind,
      continues: continues,
      sequence: sequence,
      previousChecksum: chain.checksum,
      payloadChecksum: checksum
    )
    frame.appendZeros(header.frameBytes - frame.count)
    frame.withBytes { header.encode(to: $0, salt: chain.salt) }
    try output(frame.bytes)
    chain.sequence = sequence
    chain.checksum = checksum
    frame.shorten(to: LogFormat.frameHeaderBytes)
  }

  /// Writes a transaction: one frame, or several if it is large.
  ///
  /// - Complexity: O(size of the changes).
  func write(_ changes: ChangeSet, head: LogTransactionHead, schema: LogSchema) throws {
    head.encode(to: &frame)
    try write(changes, .transaction, schema)
  }

  /// Writes a transaction that inserts all records of a table, which has some.
  ///
  /// - Complexity: O(size of the records).
  func write(_ table: RecordTable, head: LogTransactionHead, schema: LogSchema) throws {
    head.encode(to: &frame)
    try finish(.transaction, continues: true)
    let encoder = columnEncoder(.transactionColumns, continues: true, schema)
    _ = try encoder.encode(table)
    growthBytes += encoder.bodyBytes
    try finish(.transactionColumns)
  }

  /// Writes a migration: the new schema, the origin of its values, and the other changes.
  ///
  /// - Complexity: O(size of the changes).
  func write(
    _ replacement: SchemaReplacement,
    _ changes: ChangeSet,
    head: LogTransactionHead,
    from former: LogSchema,
    to schema: LogSchema
  ) throws {
    head.encode(to: &frame)
    LogSchemaCodec.encode(replacement, from: former.schema, to: &frame)
    try write(changes, .migration, schema)
  }

  private func write(
    _ changes: ChangeSet,
    _ first: LogFormat.FrameKind,
    _ schema: LogSchema
  ) throws {
    var items = LogItemEncoder(schema)
    let counter = WorkCounter("writing", of: changes.count)
    var kind = first
    func split() throws {
      guard payloadBytes >= LogFormat.partBytes else { return }
      try finish(kind, continues: true)
      kind = .transactionPart
      items.beginFrame()
    }
    // The order in which a table applies them.
    for snapshot in changes.deleted {
      try split()
      let start = frame.count
      try items.append(LogItem.delete, snapshot, to: &frame)
      growthBytes -= frame.count - start
      try counter.add()
    }
    try changes.updated.withUnsafeBufferPointer { updates in
      for place in updates.indices {
        try split()
        growthBytes += try updates[place].append(to: &frame, by: &items)
        try counter.add()
      }
    }
    let (single, many) = inserts(of: changes, first, schema)
    for snapshot in single {
      try split()
      let start = frame.count
      try items.append(LogItem.insert, snapshot, to: &frame)
      growthBytes += frame.count - start
      try counter.add()
    }
    try finish(kind, continues: !many.isEmpty)
    if !many.isEmpty { try writeColumns(many, schema, counter) }
  }

  /// Divides inserts into those to write one by one, and those of entities with many of them.
  private func inserts(
    of changes: ChangeSet,
    _ kind: LogFormat.FrameKind,
    _ schema: LogSchema
  ) -> (single: [DefaultSnapshot], many: [Int: [DefaultSnapshot]]) {
    // The items of a migration have the new schema, which is known only after its first frame.
    guard allowsColumns, kind == .transaction,
      changes.inserted.count >= LogFormat.leastColumnRecords
    else { return (changes.inserted, [:]) }
    var many: [Int: [DefaultSnapshot]] = [:]
    var scopes: [IdentifierScope: Int] = [:]
    for snapshot in changes.inserted {
      let scope = snapshot.persistentIdentifier.identifierScope
      guard let index = scopes[scope] ?? schema.index(of: snapshot.persistentIdentifier.entityName)
      else {
        // Writing it one by one reports that the schema lacks its entity.
        return (changes.inserted, [:])
      }
      scopes[scope] = index
      many[index, default: []].append(snapshot)
    }
    var single: [DefaultSnapshot] = []
    for (index, snapshots) in many.sorted(by: { $0.key < $1.key }) {
      // The header of a section pays off if each column has a few values.
      let least = max(LogFormat.leastColumnRecords, schema.entities[index].kinds.count)
      if snapshots.count < least { single += many.removeValue(forKey: index) ?? [] }
    }
    return (single, many)
  }

  /// An encoder whose sections become frames of the kind; the last frame is not finished.
  func columnEncoder(
    _ kind: LogFormat.FrameKind,
    continues: Bool,
    _ schema: LogSchema
  ) -> LogColumnEncoder {
    LogColumnEncoder(schema) { section in
      if self.payloadBytes + section.count > LogFormat.partBytes, self.payloadBytes > 0 {
        try self.finish(kind, continues: continues)
      }
      self.append { $0.append(raw: section) }
    }
  }

  /// Writes the last inserts of a transaction in columns.
  private func writeColumns(
    _ inserts: [Int: [DefaultSnapshot]],
    _ schema: LogSchema,
    _ counter: WorkCounter
  ) throws {
    let encoder = columnEncoder(.transactionColumns, continues: true, schema)
    for (index, snapshots) in inserts.sorted(by: { $0.key < $1.key }) {
      try encoder.encode(snapshots, of: schema.entities[index], counter)
    }
    growthBytes += encoder.bodyBytes
    try finish(.transactionColumns)
  }

  /// Writes a change of the schema.
  func write(_ change: SchemaChange, head: LogTransactionHead) throws {
    head.encode(to: &frame)
    LogSchemaCodec.encode(change, to: &frame)
    try finish(.schemaChange)
  }

  /// Writes another copy of the file header and the schema in force.
  func write(copyOf schema: Schema, since sequence: UInt64, header: LogHeader) throws {
    LogSchemaCopy.encode(header, schema, since: sequence, to: &frame)
    try finish(.schemaCopy)
  }

  /// Writes the schema of transactions that are only history.
  func write(past schema: Schema) throws {
    LogSchemaCodec.encode(schema, to: &frame)
    try finish(.pastSchema)
  }

  /// Writes the schema that a log begins with.
  func write(_ schema: Schema) throws {
    LogSchemaCodec.encode(schema, to: &frame)
    try finish(.schema)
  }
}
