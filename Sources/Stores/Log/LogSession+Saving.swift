import OpenSwiftData

extension LogSession {
  /// Makes a change durable, then visible.
  ///
  /// - Returns: The token of the transaction.
  /// - Complexity: O(size of the changes).
  mutating func save(_ change: TableChange) throws -> Int64 {
    if let part = change.schema, !part.isReplacement, change.changesRecords, isWithoutTransactions {
      return try found(part, with: change)
    }
    if change.isSave { try copySchemaIfDue() }
    let head = try newHead(author: change.author)
    let former = content.schema
    let schema = try change.schema.map { try former.applying($0.change) }
    let note = try LogNote(
      change,
      transaction: head.id,
      storeIdentifier: content.storeIdentifier
    )
    SaveWitness.note(SaveTrace(transaction: .init(id: head.id, token: head.token)))
    let isNew = file == nil
    if let note, !isNew { try append(note) }
    try append(under: schema?.schema) {
      if let note, isNew { try $0.write(note) }
      if let rows = change.newRows, change.schema == nil {
        return try $0.write(rows.table, head: head, schema: former)
      }
      guard let part = change.schema, let schema else {
        return try $0.write(change.changes, head: head, schema: former)
      }
      if !change.changesRecords, !part.isReplacement {
        try $0.write(part.change, head: head)
      } else {
        try $0.write(part.replacement, change.changes, head: head, from: former, to: schema)
      }
    }
    content.apply(change, under: schema, token: head.token)
    if let note { content.notes[note.transaction] = note }
    return head.token
  }

  /// True for a log without a file, in which nothing was saved.
  var isWithoutTransactions: Bool { file == nil && content.isEmpty }

  /// Saves the first change of a log: its schema is the one that the log begins with, and the records are what is saved.
  ///
  /// Otherwise, the records would be items of a migration, which are slower to read than columns. The history tells the
  /// changes of the schema from the note of the transaction.
  private mutating func found(_ part: TableChange.SchemaPart, with change: TableChange) throws
    -> Int64
  {
    let former = content
    content.begin(with: part.schema)
    content.table = part.records
    do {
      var change = change
      change.schema = nil
      if change.steps.isEmpty { change.steps = SchemaStep(part.change).map { [$0] } ?? [] }
      return try save(change)
    } catch {
      if file == nil { content = former }
      throw error
    }
  }

  /// Appends the note of the transaction that is saved next.
  ///
  /// It is made durable separately, so that a crash leaves pieces of only one write. Without its transaction it has no
  /// effect.
  private mutating func append(_ note: LogNote) throws {
    guard let file else { return }
    let (writer, end) = try appendFrames(to: file) { try $0.write(note) }
    content.markCommitted(at: end, writer.chain)
  }

  /// Saves copies of all records of a table as the first records of a log without a file.
  ///
  /// - Returns: The transaction's token and what was copied; nil if nothing was done: the log has a
  ///   file, another schema, or the records need checks that compare them, or have keys without an order.
  /// - Complexity: O(size of the records), with memory for the keys, the links and a group of rows.
  mutating func saveCopy(of source: RecordTable, keepsKeys: Bool, author: String?) throws
    -> (token: Int64, copied: CopiedRecords)?
  {
    guard file == nil, content.header.hasColumns, table.schema == source.schema,
      configuration.schema.map({ $0 == source.schema }) ?? true,
      source.tables.contains(where: { $0.liveCount > 0 }), TableCopy.isValid(source),
      var copy = TableCopy(
        source,
        storeIdentifier: content.storeIdentifier,
        keepsKeys: keepsKeys,
        &generator
      )
    else { return nil }
    let records = copy.table()
    let head = try newHead(author: author)
    let schema = content.schema
    try append { try $0.write(records, head: head, schema: schema) }
    content.apply(records)
    let count = records.tables.reduce(0) { $0 + $1.liveCount }
    return (head.token, CopiedRecords(count: count, lostLinks: copy.lostLinks))
  }

  /// Creates the file of a log that only has a schema.
  mutating func saveSchema() throws {
    if file == nil { try create { _ in } }
  }

  /// Throws if the log is read-only.
  func checkWritable() throws {
    try checkUsable()
    guard isReadOnly else { return }
    if let count = openedStatus?.linkCount, count > 1 {
      throw FileError.hardLinked(path: path, count: count)
    }
    throw readOnlyError
  }

  /// Runs `body` with the lock held and after reading everything that other programs saved.
  mutating func writing<Result>(_ body: (inout LogSession) throws -> Result) throws
    -> Result
  {
    try checkWritable()
    guard lock != nil, file != nil else { return try body(&self) }
    return try excludingOthers(waitingSeconds: configuration.lockTimeoutSeconds) { session in
      try session.catchUp()
      return try body(&session)
    }
  }

  /// Appends one transaction; creates the file if it does not exist.
  ///
  /// `schema` is the new schema in force, if the transaction changes it.
  private mutating func append(
    under schema: Schema? = nil,
    _ write: (LogFrameWriter) throws -> Void
  ) throws {
    guard let file else { return try create(under: schema, write) }
    let start = content.committedOffset
    let (writer, end) = try appendFrames(to: file, write)
    content.commit(
      at: start,
      endingAt: end,
      chain: writer.chain,
      growthBytes: writer.growthBytes
    )
  }

  /// Writes another copy of the schema if there are too few, or none nearby.
  ///
  /// The copy is made durable separately, so that a crash leaves pieces of only one write.
  private mutating func copySchemaIfDue() throws {
    guard let file, content.isSchemaCopyDue else { return }
    let content = content
    let (writer, end) = try appendFrames(to: file) {
      try $0.write(
        copyOf: content.schema.schema,
        since: content.schemaPlaces.sequence,
        header: content.header
      )
    }
    self.content.addSchemaCopy(endingAt: end, chain: writer.chain)
  }

  /// Appends frames and makes them durable; on failure, removes them again.
  ///
  /// - Returns: The writer in its final state, and the end of the file.
  private mutating func appendFrames(
    to file: OpenFile,
    _ write: (LogFrameWriter) throws -> Void
  ) throws -> (LogFrameWriter, end: Int) {
    let start = content.committedOffset
    var offset = start
    var hasBegun = false
    let fileSystem = fileSystem
    let writer = LogFrameWriter(
      continuing: content.committedChain,
      allowsColumns: content.header.hasColumns
    ) { bytes in
      try Interruption.check()
      hasBegun = true
      try fileSystem.writeAll(file, at: offset, bytes)
      offset += bytes.count
    }
    do {
      try write(writer)
    } catch {
      if hasBegun { try undoWrite(to: start, after: error) }
      throw error
    }
    try makeDurable(file)
    seenBytes = offset
    return (writer, offset)
  }

  /// Cuts off what a failed save has written; if that fails too, the store can no longer be used.
  private mutating func undoWrite(to start: Int, after cause: any Error) throws {
    guard let file else { return }
    do {
      try retrying { () throws(FileSystemError) in try fileSystem.truncate(file, to: start) }
      seenBytes = start
      // Ensures that no crash can leave pieces of this save after those of the next.
      guard configuration.durability == .powerLoss else { return }
      try retrying { () throws(FileSystemError) in try fileSystem.synchronizeData(file) }
    } catch {
      let failure = PersistenceError(
        .outcomeUnknown,
        "\(path): save failed (\(cause)) and could not be undone (\(error)); reopen the store to see what was written",
        cause: error
      )
      self.failure = failure
      throw failure
    }
  }

  /// Makes the save durable; this is its commit point.
  ///
  /// After a failure the kernel may have dropped the data and still report success for a second
  /// attempt, so there is no second attempt.
  private mutating func makeDurable(_ file: OpenFile) throws {
    guard configuration.durability == .powerLoss else { return }
    do {
      try retrying { () throws(FileSystemError) in try fileSystem.synchronizeData(file) }
    } catch {
      throw poisoned(by: FileError.outcomeUnknown(path: path, cause: error))
    }
  }

  mutating func poisoned(by error: FileError) -> PersistenceError {
    let failure = error.persistenceError
    self.failure = failure
    return failure
  }

  /// Creates the file with its first transaction.
  private mutating func create(
    under lastSchema: Schema? = nil,
    _ write: (LogFrameWriter) throws -> Void
  ) throws {
    try fileSystem.createDirectories(splitPath(path).directory)
    let header = content.header
    let schema = content.schema.schema
    var chain = LogChain(header)
    var start = 0
    var end = 0
    var growthBytes = 0
    var copy: (end: Int, chain: LogChain)?
    let version: FileVersion
    do {
      version = try FileReplacement(
        fileSystem: fileSystem,
        path: path,
        kind: "new",
        lockTimeoutSeconds: configuration.lockTimeoutSeconds
      ).create { sink in
        try sink.write(header.encoded())
        let writer = LogFrameWriter(continuing: chain) { try sink.write($0) }
        try writer.write(schema)
        start = sink.count
        try write(writer)
        end = sink.count
        growthBytes = writer.growthBytes
        chain = writer.chain
        if let lastSchema {
          // The next refresh reads it, when the schema is in force here as well.
          guard !lastSchema.entities.isEmpty else { return }
          try writer.write(copyOf: lastSchema, since: chain.sequence, header: header)
        } else if !schema.entities.isEmpty {
          try writer.write(copyOf: schema, since: 1, header: header)
          copy = (sink.count, writer.chain)
        }
      }
    } catch let error as FileError {
      if case .outcomeUnknown = error { throw poisoned(by: error) }
      throw error
    }
    if end > start {
      content.commit(at: start, endingAt: end, chain: chain, growthBytes: growthBytes)
    } else {
      content.markCommitted(at: end, chain)
    }
    if let copy { content.addSchemaCopy(endingAt: copy.end, chain: copy.chain) }
    try adopt(version)
  }

  /// Opens the file that was just created or rewritten.
  mutating func adopt(_ version: FileVersion) throws {
    if !version.hasDurableName { noteWeakDirectory() }
    do {
      let (next, status) = try fileSystem.openRegular(path, in: nil, .readWrite)
      closeFile()
      file = next
      openedStatus = status
      seenBytes = content.committedOffset
      guard status.isSameFile(as: version.status) else { throw LogDamage.exchanged }
      try openLock(like: status)
    } catch {
      // The transaction is saved; but without an open file no further save is possible.
      failure = PersistenceError(
        .inaccessible,
        "\(path): saved, but the file could not be reopened (\(error)); reopen the store",
        cause: error
      )
    }
  }
}
