package import OpenSwiftData
import Synchronization

extension JSONStore: StagingStore {
  package var isUnwritten: Bool {
    state.withLock { state in
      state.version == nil && !configuration.isReadOnly
        && !state.content.table.schema.entities.isEmpty
    }
  }

  package var keepsSchema: Bool { state.withLock { $0.content.document.form == .catalog } }

  package func check(_ steps: [SchemaStep]) throws {
    try checkWritable()
    try use { state in
      let content = state.content
      let replacement = try SchemaStep.replacement(steps, from: content.table.schema)
      try checkNames(.replaceSchema(replacement), content)
      let count = replacement.schema.entities.count
      guard [.array, .lines].contains(content.document.form), count > 1 else { return }
      throw PersistenceError(
        .unsupported,
        "\(configuration.path): this format holds one entity; use saveas to make a catalog first"
      )
    }
  }

  package func staged(_ steps: [SchemaStep], known: StagedRecords?) throws -> StagedRecords {
    try state.withLock { state in
      let stamp = [state.readCount, state.history.lastToken]
      if let known, known.stamp == stamp { return known }
      return StagedRecords(records: try state.content.table.staged(steps), stamp: stamp)
    }
  }

  /// Writes the schema and the records in one replacement of the file.
  ///
  /// - Throws: As `commit(_:author:)`.
  package func commit(_ changes: ChangeSet, after steps: [SchemaStep], author: String?) throws
    -> CommitResult
  {
    try writing { state in
      try checkWritable()
      let change = try SchemaStep.change(steps, from: state.content.table.schema)
      if change == nil, changes.isEmpty, state.version != nil { return CommitResult() }
      if let change { try checkNames(change, state.content) }
      // Whatever could fail, fails on a copy.
      var changed = state.content.table
      if let change { try changed.apply(change) }
      let (assigned, permanent) = assignIdentifiers(to: changes, in: changed, &state)
      changed.takeConstraints(of: configuration.schema)
      try changed.validate(assigned, knownAs: changes)
      try checkJSON(in: assigned)
      if state.content.document.form != .catalog { try checkNumbers(in: assigned) }
      var final = changed
      final.apply(assigned)
      try final.checkRequiredValues(after: change)
      let outcome = try write(change, steps, assigned, changed, final, &state)
      if change == nil, changes.isEmpty { return CommitResult() }
      let former = state.content.table.schema
      state.content.table = final
      if let outcome {
        state.content.isHeaderStale = false
        note(assigned.inserted, outcome, &state)
      }
      let token = record(assigned, change, author, from: former, &state)
      return CommitResult(inserted: changes.inserted, as: permanent, token: token)
    }
  }

  /// Writes the file anew; not when all that is new is unknown to a file of somebody else.
  private func write(
    _ change: SchemaChange?,
    _ steps: [SchemaStep],
    _ changes: ChangeSet,
    _ arranged: RecordTable,
    _ final: RecordTable,
    _ state: inout State
  ) throws -> JSONSaving.Outcome? {
    let former = state.content.table.schema
    let isCatalog = state.content.document.form == .catalog
    guard let version = state.version else {
      return try save(&state, schema: arranged.schema) { document, _ in
        try JSONPlan(changes, document, arranged)
      }
    }
    let replacement = try SchemaStep.replacement(steps, from: former)
    let plan = try withSource(version) { source in
      try JSONMigrationPlan(replacement, from: former, state.content.document, final, source)
    }
    if !isCatalog, changes.isEmpty, plan.isEmpty { return nil }
    let extras = state.content.document.headerExtras
    let header =
      isCatalog
      ? JSONHeader.text(store: identifier, schema: arranged.schema, keeping: extras) : nil
    return try save(&state, schema: arranged.schema) { document, _ in
      try JSONPlan(
        changes,
        document,
        arranged,
        header: header,
        sectionsToCreate: plan.sectionsToCreate,
        migration: plan
      )
    }
  }
}
