package import OpenSwiftData

/// How a table is computed from records, ready to be evaluated.
///
/// It is a value and may be used on several threads.
package protocol TablePlan: Sendable {
  /// The fields that it reads, by their numbers among those of the scope.
  var fields: Set<Int> { get }
  /// True if the first records are enough for the first rows.
  var takesFirst: Bool { get }
  /// Begins without records.
  ///
  /// - Throws: `Interruption.Stopped`.
  func evaluation(failing: FailingValues) throws -> any TableEvaluation
}

/// Takes records one after the other, and gives the table that a plan describes.
package protocol TableEvaluation {
  /// The records for which an expression has no value.
  var failures: RecordFailures { get }
  /// Adds a record.
  ///
  /// - Throws: `Interruption.Stopped`.
  mutating func add(_ record: ExpressionRow) throws
  /// The table, after which the evaluation is over.
  ///
  /// - Throws: `Interruption.Stopped`, and `PivotPlan.TooManyColumns`.
  mutating func table() throws -> (columns: [String], rows: [[Value]])
}

extension ListPlan {
  package func evaluation(failing: FailingValues) throws -> any TableEvaluation {
    try ListEvaluation(self, failing: failing)
  }
}

extension PivotPlan {
  package func evaluation(failing: FailingValues) throws -> any TableEvaluation {
    try PivotEvaluation(self, failing: failing)
  }
}
