package import OpenSwiftData

extension PostgresStore: ExplainingStore {
  /// The statement of the query, and the plan of the server.
  package func explanation(of query: Query) throws -> QueryExplanation {
    try reading { try $0.explanation(of: query) }
  }

  /// None: nothing is saved.
  package func statements(of changes: ChangeSet) throws -> [String] { [] }

  /// None: nothing is saved.
  package func cascades(of changes: ChangeSet) throws -> SideEffects { SideEffects() }
}
