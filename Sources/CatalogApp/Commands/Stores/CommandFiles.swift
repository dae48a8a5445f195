import Expressions
import OpenSwiftData

/// What a command takes from files beside the store, as it was written.
struct CommandFiles: Hashable, Sendable {
  var joins: [JoinClause] = []
  var conditions: [String] = []
  /// The columns for which conditions ask, by how they are written.
  var columns: [String: ListedColumn] = [:]

  /// The same for records that need not meet the conditions.
  var withoutConditions: CommandFiles { CommandFiles(joins: joins, columns: columns) }

  /// Adds the columns of the files to the names that expressions may have.
  func extend(_ scope: inout ExpressionScope) {
    for join in joins { scope.fields += join.file.fields }
    scope.columns = columns
  }

  /// Puts the joins and conditions among the clauses of a list.
  ///
  /// - Throws: `SyntaxProblem` if a name or a type does not fit, as after a change of another program.
  func add(to clauses: inout ListClauses, in scope: ExpressionScope) throws(SyntaxProblem) {
    clauses.joins = try joins.map { join throws(SyntaxProblem) in
      join.join(
        try join.keys.map { key throws(SyntaxProblem) in
          ListItem(try ExpressionParser.parse(key, in: scope), in: key)
        }
      )
    }
    clauses.conditions = try conditions.map { text throws(SyntaxProblem) in
      ListItem(try ExpressionParser.parseCondition(text, from: 0, in: scope).expression, in: text)
    }
  }

  /// The plan to find the rows beside the records of an entity, and the fields of the records that it reads.
  ///
  /// - Throws: `CommandError` if a name or a type does not fit, as after a change of another program.
  func plan(of entity: Schema.Entity, in session: Session) throws -> (
    plan: ListPlan, fields: Set<String>
  ) {
    var scope = session.expressionScope(of: entity)
    extend(&scope)
    do {
      var clauses = ListClauses()
      try add(to: &clauses, in: scope)
      let plan = try ListPlan(clauses, in: scope)
      return (plan, Set(plan.fields.map { scope.fieldName(at: $0) }))
    } catch {
      throw CommandError(error.message, code: FailureCode(error))
    }
  }
}
