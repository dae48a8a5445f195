package import OpenSwiftData

/// A list whose columns are computed from records, or from groups of them, ready to be evaluated.
///
/// It is a value and may be used on several threads.
package struct ListPlan: Sendable {
  /// The headings, in order.
  package let columns: [String]
  /// The types of the columns; that of JSON is known for each row.
  package let types: [ExpressionType]
  /// The fields that it reads, by their numbers among those of the scope.
  package let fields: Set<Int>
  /// True if the rows are groups.
  package let isGrouped: Bool

  /// True if the first records are enough for the first rows.
  package var takesFirst: Bool { !isGrouped && summaries.isEmpty && sort.isEmpty && per.isEmpty }

  let keys: [Evaluation]
  let values: [Evaluation]
  let having: Evaluation?
  let sort: [(value: Evaluation, isDescending: Bool)]
  let per: [Evaluation]
  let limit: Int?
  let offset: Int
  /// The functions of several records.
  let summaries: [Summary]

  /// Checks the types and names of the clauses.
  ///
  /// - Throws: `SyntaxProblem` at the part that is wrong; its offset is one in the text of the clause.
  package init(_ clauses: ListClauses, in scope: ExpressionScope) throws(SyntaxProblem) {
    let isGrouped = clauses.areGrouped
    let found = SummaryList()
    func compile(_ item: ListItem, _ visible: [ListItem], ofRecord: Bool = false)
      throws(SyntaxProblem) -> CompiledPart
    {
      var list = ListScope(visible: visible, keys: isGrouped ? clauses.keys : nil, summaries: found)
      if ofRecord { list.inside = .first }
      return try ExpressionCompiler(item.text, scope, list: list).compile(item.expression)
    }
    let named = clauses.keys + clauses.columns
    var keys: [Evaluation] = []
    for (place, key) in clauses.keys.enumerated() {
      keys.append(
        try compile(key, Array(clauses.keys[..<place]), ofRecord: true).content.evaluation
      )
    }
    var parts: [CompiledPart] = []
    for place in clauses.columns.indices {
      let visible = Array(named[..<(clauses.keys.count + place)])
      parts.append(try compile(clauses.columns[place], visible))
    }
    var having: Evaluation?
    if let condition = clauses.having {
      let list = ListScope(
        visible: named,
        keys: isGrouped ? clauses.keys : nil,
        summaries: found
      )
      let compiler = ExpressionCompiler(condition.text, scope, list: list)
      let truth = try compiler.truth(condition.expression)
      having = { row throws(ExpressionFailure) in .value(.boolean(try truth(row))) }
    }
    var sort: [(value: Evaluation, isDescending: Bool)] = []
    for key in clauses.sort {
      sort.append((try compile(key.item, named).content.evaluation, key.isDescending))
    }
    var per: [Evaluation] = []
    for key in clauses.per { per.append(try compile(key, named).content.evaluation) }
    (self.keys, self.having, self.sort, self.per) = (keys, having, sort, per)
    (columns, types) = (clauses.columns.map(\.name), parts.map(\.type))
    (values, summaries) = (parts.map(\.evaluation), found.parts)
    (limit, offset) = (clauses.limit, clauses.offset)
    self.isGrouped = isGrouped
    let items =
      named + clauses.sort.map(\.item) + clauses.per + (clauses.having.map { [$0] } ?? [])
    fields = items.reduce(into: []) { $0.formUnion($1.expression.fields(in: scope)) }
  }
}

extension ValueExpression {
  /// The fields that it reads, also those whose name a list may have given to something else.
  fileprivate func fields(in scope: ExpressionScope) -> Set<Int> {
    switch kind {
    case .field(let place): [place]
    case .named(let place): scope.field(named: scope.names[place]).map { [$0] } ?? []
    default: parts.reduce(into: []) { $0.formUnion($1.fields(in: scope)) }
    }
  }
}
