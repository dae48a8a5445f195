package import OpenSwiftData
import SQL

/// What the database would do, in its own words.
extension SQLiteSession {
  /// The statements that a save would make; the keys that they use are not used up.
  func statements(of changes: ChangeSet) throws -> [String] {
    let former = database.keys.given
    defer { database.keys.given = former }
    let (assigned, identifiers) = try database.assignIdentifiers(changes)
    var found: [String] = []
    let plan = CommitPlan(
      assigned.replacingDeleted(tables),
      try writer.tablesToWrite(),
      new: Set(identifiers.permanent)
    )
    try plan.forEachStep { step in
      try Interruption.check()
      found.append(step.statement.shown)
    }
    return found
  }

  /// The rows that foreign keys would delete or change with the records of a save.
  func cascades(of changes: ChangeSet) throws -> SideEffects {
    var effects = try database.cascades(of: changes)
    effects.limit = writer.watchLimit
    return effects
  }
}

extension SQLiteStore: ExplainingStore {
  package func explanation(of query: Query) throws -> QueryExplanation {
    try reading { try $0.reader.explanation(of: query) }
  }

  package func statements(of changes: ChangeSet) throws -> [String] {
    try reading { try $0.statements(of: changes) }
  }

  package func cascades(of changes: ChangeSet) throws -> SideEffects {
    try reading { try $0.cascades(of: changes) }
  }
}
