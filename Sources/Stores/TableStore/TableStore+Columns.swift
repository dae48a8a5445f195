import OpenSwiftData

extension TableStore {
  /// Saves new records in columns after changes of the schema.
  ///
  /// - Returns: Nil, with nothing saved, if they have to be saved as a change set.
  func commit(_ records: NewRecords, _ request: CommitRequest) throws -> CommitResult? {
    var isSaved = false
    let result = try writing { session in
      try request.check(session.stagedReading)
      guard
        var change = try prepare(records, after: request.steps, request.author, &session),
        let rows = change.newRows
      else { return CommitResult() }
      change.message = request.message
      isSaved = true
      let token = try save(change, &session)
      return CommitResult(inserted: records, as: rows.identifiers, token: token)
    }
    return isSaved ? result : nil
  }

  /// Prepares to save new records in columns; nil if they have to be saved as a change set.
  private func prepare(
    _ records: NewRecords,
    after steps: [SchemaStep],
    _ author: String?,
    _ session: inout Session
  ) throws -> TableChange? {
    guard session.savesNewRows else { return nil }
    let schemaChange =
      steps.isEmpty ? nil : try SchemaStep.change(steps, from: session.table.schema)
    guard let schemaChange else {
      session.takeConstraints(of: configuration.schema)
      return NewRows(records, for: session.table, using: &session.generator).map {
        TableChange(changes: ChangeSet(), newRows: $0, author: author, isSave: true)
      }
    }
    guard session.savesNewRows(after: schemaChange) else { return nil }
    let table = try rearranged(for: schemaChange, session)
    guard let rows = NewRows(records, for: table, using: &session.generator) else { return nil }
    var changed = table
    changed.append(rows)
    return try finished(
      TableChange(changes: ChangeSet(), newRows: rows, author: author, isSave: true),
      schemaChange,
      steps.inHistory,
      table,
      changed,
      session
    )
  }
}
