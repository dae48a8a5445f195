package import OpenSwiftData

/// A table with a row for each group of records and a column for each value of an expression.
///
/// It consists of three lists: one has the rows, one the values that become columns, and one the cells, which are the
/// groups of both together.
package struct PivotPlan: TablePlan {
  let rows: ListPlan
  let columns: ListPlan
  let cells: ListPlan
  /// What becomes columns, as it is written.
  let columnName: String
  /// The names of the values of a cell.
  let valueNames: [String]

  // The rows know what the others use by its name.
  package var fields: Set<Int> { rows.fields }
  package var takesFirst: Bool { false }

  /// The number of columns that a pivot may have.
  package static let columnLimit = 1000

  /// The values are too many for columns.
  package struct TooManyColumns: Error, CustomStringConvertible {
    package let description: String
  }

  /// Checks the types and names of the clauses.
  ///
  /// - Parameters:
  ///   - clauses: The clauses of the list of the rows, whose keys are its columns.
  ///   - column: What becomes columns.
  ///   - values: What is computed for each cell.
  ///   - scope: The names that they may have.
  /// - Throws: `SyntaxProblem` at the part that is wrong.
  package init(
    _ clauses: ListClauses,
    by column: ListItem,
    _ values: [ListItem],
    in scope: ExpressionScope
  ) throws(SyntaxProblem) {
    var list = ListClauses()
    list.keys = clauses.keys + [column]
    list.columns = list.keys + values
    cells = try ListPlan(list, in: scope)
    (list.keys, list.columns) = ([column], [column])
    columns = try ListPlan(list, in: scope)
    list = clauses
    (list.columns, list.named) = (clauses.keys, [column] + values)
    rows = try ListPlan(list, in: scope)
    columnName = column.name
    valueNames = values.map(\.name)
  }
}
