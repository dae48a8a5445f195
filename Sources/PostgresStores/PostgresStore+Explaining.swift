package import OpenSwiftData

extension PostgresStore: ExplainingStore {
  /// The statement of the query, and the plan of the server.
  package func explanation(of query: Query) throws -> QueryExplanation {
    try reading { try $0.explanation(of: query) }
  }

  /// Throws an error: the keys of new records are known only when they are saved.
  package func statements(of changes: ChangeSet) throws -> [String] {
    throw PersistenceError(
      .unsupported,
      "\(configuration.shown): the statements of a save are not shown for PostgreSQL; run \"changes\""
    )
  }

  /// None: the server tells nothing of them before a save.
  package func cascades(of changes: ChangeSet) throws -> SideEffects { SideEffects() }
}
