package import OpenSwiftData

extension LogSession {
  /// The transactions with a greater token, oldest first, read from the file.
  ///
  /// - Throws: `.historyExpired` if part of the history after the token was discarded, or if the
  ///   token is greater than the last one.
  /// - Complexity: O(size of the transactions after the token).
  package func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try PersistenceError.check(
      token,
      horizon: content.horizon,
      last: content.lastToken,
      place: "\(path): "
    )
    guard let file else { return [] }
    var transactions: [Transaction] = []
    var open: LogHistoryReader.Open?
    let read: FrameVisitor = { place, kind, frame in
      let reader = LogHistoryReader(
        schema: place.schema,
        wanted: identifier,
        formerSchema: place.formerSchema?.schema
      )
      let read = try reader.read(kind, frame, continuing: open)
      open = frame.header.continues ? read : nil
      if frame.header.continues { return }
      var transaction = try reader.finished(read)
      transaction.token = place.token
      if let note = content.notes[transaction.id] {
        transaction.message = note.message
        transaction.steps = note.steps
        try transaction.takeFormerValues(
          note.formerValues,
          storeIdentifier: content.storeIdentifier
        )
      }
      if let identifier {
        guard let part = transaction.restricted(to: identifier) else { return }
        transaction = part
      }
      transactions.append(transaction)
    }
    if token == nil { try forEachPastFrame(of: content, in: file, read) }
    try forEachFrame(of: content, after: token ?? content.horizon, in: file, read)
    return transactions
  }
}

/// Builds transactions from frames.
struct LogHistoryReader {
  let schema: LogSchema
  /// The record whose changes are requested; `nil` for all.
  let wanted: PersistentIdentifier?
  /// For a migration, the schema before it.
  var formerSchema: Schema?

  /// A transaction while its frames are read.
  struct Open {
    var transaction: Transaction
    /// Its inserts that are in columns.
    var columns: LogColumnInserts?
  }

  /// Reads one frame; the frames of a large transaction one by one.
  func read(
    _ kind: LogFormat.FrameKind,
    _ frame: LogFrame,
    continuing open: Open?
  ) throws -> Open {
    var reader = PayloadReader(frame.payload)
    guard kind.isPart else { return Open(transaction: try begin(kind, &reader)) }
    guard var open else { throw PayloadError(reason: "missing start of the transaction") }
    if kind == .transactionColumns {
      var columns = open.columns ?? LogColumnInserts(schema)
      open.columns = nil
      try columns.add(&reader)
      open.columns = columns
    } else {
      try addItems(&reader, to: &open.transaction.changes)
    }
    return open
  }

  /// The transaction after its last frame.
  func finished(_ open: Open) throws -> Transaction {
    guard let columns = open.columns else { return open.transaction }
    try columns.checkComplete()
    var transaction = open.transaction
    if let wanted {
      transaction.changes.inserted += columns.table.snapshots(for: [wanted]).values
    } else {
      for entity in columns.table.schema.entities where columns.table.count(of: entity.name) > 0 {
        transaction.changes.inserted += try columns.table.snapshots(matching: Query(entity.name))
      }
    }
    return transaction
  }

  private func begin(_ kind: LogFormat.FrameKind, _ reader: inout PayloadReader) throws
    -> Transaction
  {
    let head = try LogTransactionHead(from: &reader)
    var transaction = Transaction(
      token: head.token,
      id: head.id,
      timestamp: head.timestamp,
      author: head.author,
      changes: ChangeSet()
    )
    if kind == .schemaChange {
      transaction.schemaChange = try LogSchemaCodec.change(from: &reader)
    } else {
      if kind == .migration, let formerSchema {
        transaction.schemaChange = .replaceSchema(
          try LogSchemaCodec.replacement(from: &reader, former: formerSchema)
        )
        transaction.formerSchema = formerSchema
      }
      try addItems(&reader, to: &transaction.changes)
    }
    return transaction
  }

  private func addItems(_ reader: inout PayloadReader, to changes: inout ChangeSet) throws {
    var items = LogItemDecoder(schema)
    var meter = WorkMeter()
    while let start = try items.next(&reader) {
      try meter.count()
      if let wanted, wanted != start.identifier {
        try items.skipValues(of: start, &reader)
        continue
      }
      try items.read(start, into: &changes, &reader)
    }
  }
}

extension LogSession {
  /// The transactions after one token up to another that other programs saved, one report each.
  ///
  /// If there are many, they are reported together instead of being read again.
  func news(after known: Int64, before own: Int64?) -> [StoreChange] {
    let last = own.map { $0 - 1 } ?? content.lastToken
    guard last > known else { return [] }
    guard last - known <= 64,
      // Transactions that cannot be read again are reported together.
      let transactions = try? transactions(after: known, touching: nil)
    else { return [.everything] }
    return transactions.filter { $0.token <= last }.map { transaction in
      var change = StoreChange(transaction.changes)
      change.isSchemaChanged = transaction.schemaChange != nil
      change.author = transaction.author
      return change
    }
  }
}
