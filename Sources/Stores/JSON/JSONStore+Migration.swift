package import OpenSwiftData
import Synchronization

extension JSONStore {
  /// The schema in the header of a catalog; a file of somebody else has none and is never migrated.
  package var storedSchema: Schema? {
    state.withLock { $0.content.document.form == .catalog ? $0.content.table.schema : nil }
  }

  package var isReadOnly: Bool { configuration.isReadOnly }

  package var migrationToken: Int64? { state.withLock { $0.history.lastToken } }

  /// Replaces the schema in the header and changes the text of the records that are concerned, in one
  /// replacement of the file.
  ///
  /// - Throws: `PersistenceError`; nothing is changed then.
  package func migrate(_ migration: SchemaMigration, author: String?) throws {
    try writing { state in
      try checkWritable()
      try checkIsCurrent(
        migration,
        schema: state.content.table.schema,
        token: state.history.lastToken
      )
      let change = SchemaChange.replaceSchema(migration.replacement)
      try checkNames(change, state.content)
      var changed = state.content.table
      try changed.apply(change)
      let (permanent, _) = changed.assigningIdentifiers(
        to: migration.changes,
        using: &state.generator
      )
      changed.takeConstraints(of: configuration.schema)
      try changed.validate(permanent, knownAs: migration.changes)
      try checkJSON(in: permanent)
      let former = state.content.table.schema
      let outcome = try write(migration.replacement, permanent, changed, &state)
      changed.apply(permanent)
      state.content.table = changed
      if let outcome { note(permanent.inserted, outcome, &state) }
      _ = record(permanent, change, author, from: former, &state)
    }
  }

  /// Writes the file anew, if there is one.
  private func write(
    _ replacement: SchemaReplacement,
    _ changes: ChangeSet,
    _ arranged: RecordTable,
    _ state: inout State
  ) throws -> JSONSaving.Outcome? {
    guard let version = state.version else { return nil }
    let former = state.content.table.schema
    var final = arranged
    final.apply(changes)
    let plan = try withSource(version) { source in
      try JSONMigrationPlan(replacement, from: former, state.content.document, final, source)
    }
    let outcome = try save(&state, schema: arranged.schema) { document, _ in
      try JSONPlan(
        changes,
        document,
        arranged,
        header: JSONHeader.text(
          store: identifier,
          schema: arranged.schema,
          keeping: document.headerExtras
        ),
        sectionsToCreate: plan.sectionsToCreate,
        migration: plan
      )
    }
    state.content.isHeaderStale = false
    return outcome
  }
}
