import OpenSwiftData

// Adding the frames of a file.
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
    case .note, .conversionNote: addNote(&reader, namesConversions: kind == .conversionNote)
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
    guard !eras.isEmpty, !isFounded, baseLoader.isComplete else {
      throw PayloadError(reason: "unexpected base")
    }
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
    noteHighestKey(table.greatestKey)
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
    noteHighestKey(end.highestKey)
    for (entity, number) in zip(schema.entities, end.greatestNumbers) {
      table.note(greatestNumber: number, of: entity.name)
    }
    isFounded = true
  }
}
