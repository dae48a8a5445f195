package import OpenSwiftData
import SQL

/// What the database would do, in its own words.
extension SQLiteSession {
  /// How a listing finds its records.
  func explanation(of query: Query) throws -> QueryExplanation {
    let (query, table) = try prepared(query, reading: query.attributes)
    let sql = try table.select(
      [],
      where: condition(query.filter, table),
      sort: query.sort,
      limit: query.limit,
      offset: query.offset
    )
    let lines = try connection.rows(SQLText("EXPLAIN QUERY PLAN ") + sql)
    return QueryExplanation(
      statement: sql.shown,
      steps: lines.compactMap { line in
        guard case .text(let text)? = line.last else { return nil }
        return PlanWords.words(text)
      }
    )
  }

  /// The statements that a save would make; the keys that they use are not used up.
  func statements(of changes: ChangeSet) throws -> [String] {
    let former = (generator, firstNewKey, usedNumbers)
    defer { (generator, firstNewKey, usedNumbers) = former }
    let (assigned, identifiers) = try assignIdentifiers(changes)
    var found: [String] = []
    let plan = CommitPlan(
      replacingDeleted(assigned),
      try tablesToWrite(),
      new: Set(identifiers.permanent)
    )
    try plan.forEachStep { step in
      try Interruption.check()
      found.append(step.statement.shown)
    }
    return found
  }
}

extension SQLiteStore: ExplainingStore {
  package func explanation(of query: Query) throws -> QueryExplanation {
    try reading { try $0.explanation(of: query) }
  }

  package func statements(of changes: ChangeSet) throws -> [String] {
    try reading { try $0.statements(of: changes) }
  }

  package func cascades(of changes: ChangeSet) throws -> SideEffects {
    try reading { try $0.cascades(of: changes) }
  }
}
