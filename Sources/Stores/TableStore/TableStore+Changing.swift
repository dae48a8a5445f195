package import OpenSwiftData

extension TableStore {
  /// Saves the changes, all or none; an empty change set saves nothing.
  package func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    if changes.isEmpty { return CommitResult() }
    return try writing { try make(changes, author: author, &$0) }
  }

  /// Saves changes of the schema and of records in one transaction.
  package func commit(_ request: CommitRequest) throws -> CommitResult? {
    // Nothing asks for one, and it would be a save.
    precondition(!request.isRehearsal, "A store of tables cannot rehearse.")
    switch request.content {
    case .columns(let records): return try commit(records, request)
    case .changes(let changes): return try commit(changes, request)
    }
  }

  private func commit(_ changes: ChangeSet, _ request: CommitRequest) throws -> CommitResult {
    let steps = request.steps
    return try writing { session in
      try request.check(session.stagedReading)
      let change =
        steps.isEmpty ? nil : try SchemaStep.change(steps, from: session.table.schema)
      if change == nil, changes.isEmpty {
        try saveSchema(&session)
        return CommitResult()
      }
      return try make(
        changes,
        under: change,
        steps: steps.inHistory,
        author: request.author,
        message: request.message,
        &session
      )
    }
  }

  /// Saves a change of the schema.
  package func apply(_ change: SchemaChange, author: String?) throws {
    _ = try writing { session in
      try make(ChangeSet(), under: change, isSave: false, author: author, &session)
    }
  }

  /// Saves a migration in one transaction.
  package func migrate(_ migration: SchemaMigration, author: String?) throws {
    _ = try writing { session in
      try checkIsCurrent(migration, schema: session.table.schema, token: session.lastToken)
      let change = SchemaChange.replaceSchema(migration.replacement)
      return try make(migration.changes, under: change, isSave: false, author: author, &session)
    }
  }

  package var contentStamp: [Int64] { withSession(\.stamp) }

  package func check(_ steps: [SchemaStep]) throws {
    try withSession { session in
      try checkWritable(session)
      let replacement = try SchemaStep.replacement(steps, from: session.table.schema)
      try checkNames(.replaceSchema(replacement), session)
    }
  }

  private func make(
    _ changes: ChangeSet,
    under schemaChange: SchemaChange? = nil,
    steps: [SchemaStep] = [],
    isSave: Bool = true,
    author: String?,
    message: String? = nil,
    _ session: inout Session
  ) throws -> CommitResult {
    var change: TableChange
    let permanent: [PersistentIdentifier]
    if let schemaChange {
      (change, permanent) = try prepare(changes, schemaChange, steps, isSave, author, &session)
    } else {
      (change, permanent) = try prepare(changes, author, &session)
    }
    change.message = message
    let token = try save(change, &session)
    return CommitResult(inserted: changes.inserted, as: permanent, token: token)
  }

  /// Checks changes of records.
  ///
  /// The records are not copied: with two owners of the columns, the next change would copy them.
  private func prepare(
    _ changes: ChangeSet,
    _ author: String?,
    _ session: inout Session
  ) throws -> (TableChange, [PersistentIdentifier]) {
    session.takeConstraints(of: configuration.schema)
    if session.savesNewRows,
      let rows = NewRows(changes, for: session.table, using: &session.generator)
    {
      let change = TableChange(changes: ChangeSet(), newRows: rows, author: author, isSave: true)
      return (change, rows.identifiers)
    }
    let (assigned, permanent) = assignIdentifiers(to: changes, in: session.table, &session)
    try session.table.validate(assigned, knownAs: changes)
    try checkValues(assigned, session)
    return (TableChange(changes: assigned, author: author, isSave: true), permanent)
  }

  /// Changes the schema and checks changes of records, all on a copy, so that a failure has no
  /// effect.
  private func prepare(
    _ changes: ChangeSet,
    _ schemaChange: SchemaChange,
    _ steps: [SchemaStep],
    _ isSave: Bool,
    _ author: String?,
    _ session: inout Session
  ) throws -> (TableChange, [PersistentIdentifier]) {
    let records = try rearranged(for: schemaChange, session)
    var changed = records
    let assigned: ChangeSet
    let permanent: [PersistentIdentifier]
    var newRows: NewRows?
    if session.savesNewRows, let rows = NewRows(changes, for: records, using: &session.generator) {
      (assigned, permanent) = (rows.changes, rows.identifiers)
      changed.append(rows)
      newRows = rows
    } else {
      (assigned, permanent) = assignIdentifiers(to: changes, in: records, &session)
      try records.validate(assigned, knownAs: changes)
      try changed.applyUnlessStopped(assigned)
    }
    try checkValues(assigned, session)
    let change = TableChange(changes: assigned, newRows: newRows, author: author, isSave: isSave)
    return (
      try finished(change, schemaChange, steps, records, changed, session), permanent
    )
  }

  /// The records under another schema.
  func rearranged(for schemaChange: SchemaChange, _ session: Session) throws -> RecordTable {
    try checkNames(schemaChange, session)
    var records = session.table
    try records.apply(schemaChange)
    records.takeConstraints(of: configuration.schema)
    return records
  }

  /// Adds the change of the schema to those of the records.
  ///
  /// - Parameters:
  ///   - change: The changes of records.
  ///   - schemaChange: The change of the schema.
  ///   - steps: The changes that it combines.
  ///   - records: The records under the new schema.
  ///   - changed: The same after the changes.
  ///   - session: The session before all changes.
  /// - Returns: The complete change.
  /// - Throws: `PersistenceError` if a value is missing.
  func finished(
    _ change: TableChange,
    _ schemaChange: SchemaChange,
    _ steps: [SchemaStep],
    _ records: RecordTable,
    _ changed: RecordTable,
    _ session: Session
  ) throws -> TableChange {
    var change = change
    let former = session.table.schema
    if change.isSave { try changed.checkRequiredValues(after: schemaChange) }
    let replacement = try schemaChange.replacement(from: former)
    let removed = former.entities.filter { replacement.schema.entitiesByName[$0.name] == nil }
    change.schema = TableChange.SchemaPart(
      change: schemaChange,
      replacement: replacement,
      former: former,
      records: records,
      changedRecords: changed,
      removedRecords: try removed.flatMap {
        try session.table.snapshots(matching: Query($0.name))
      }
    )
    if case .replaceSchema = schemaChange { change.steps = steps }
    if change.isSave {
      change.formerValues =
        try change.replacedFields?.formerValues(changedBy: change.changes) {
          try session.stagedReading.forEachPage($0, [], $1)
        } ?? []
    }
    return change
  }
}

extension TableSession {
  /// Reads a copy of the records, which must not outlive the call: the next change would copy the columns.
  var stagedReading: StagedReading {
    let table = table
    return StagedReading(stamp: stamp, contentStamp: stamp) { query, steps, body in
      if steps.isEmpty { return try table.forEachPage(matching: query, body) }
      try table.staged(steps).forEachPage(matching: query, body)
    } snapshots: { identifiers, attributes in
      let known = identifiers.filter { table.schema.entitiesByName[$0.entityName] != nil }
      return try table.snapshots(for: known, attributes: attributes)
    }
  }
}

extension SchemaChange {
  /// The change as a replacement of the complete schema, in which it is known to be valid.
  fileprivate func replacement(from schema: Schema) throws -> SchemaReplacement {
    if case .replaceSchema(let replacement) = self { return replacement }
    return try SchemaStep.replacement(SchemaStep(self).map { [$0] } ?? [], from: schema)
  }
}
