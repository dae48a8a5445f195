/// A store that can say how its database answers a query, and which statements a save would make.
package protocol ExplainingStore: QueryableStore {
  /// How the database finds the records of a query.
  ///
  /// - Throws: As `snapshots(matching:)`.
  func explanation(of query: Query) throws -> QueryExplanation

  /// The statements that a save of the changes would make, in order, with their values.
  ///
  /// The keys of new records are examples: each save makes its own. Nothing is written.
  ///
  /// - Throws: As `commit(_:author:)` for changes that no statement can make.
  /// - Complexity: O(n) in the changes.
  func statements(of changes: ChangeSet) throws -> [String]

  /// What foreign keys would delete and change beside the changes, as far as reading tells: only the
  /// counts are given, and triggers are not known.
  ///
  /// - Throws: As `snapshots(matching:)`.
  func cascades(of changes: ChangeSet) throws -> SideEffects
}

/// How a database finds the records of a query.
package struct QueryExplanation: Hashable, Sendable {
  /// The statement, with its values.
  package let statement: String
  /// What the database does, one sentence each, in order.
  package let steps: [String]

  /// Creates an explanation.
  package init(statement: String, steps: [String]) {
    (self.statement, self.steps) = (statement, steps)
  }
}
