package import OpenSwiftData

/// A list whose columns are computed from records, or from groups of them, ready to be evaluated.
///
/// It is a value and may be used on several threads.
package struct ListPlan: TablePlan {
  /// The headings, in order.
  package let columns: [String]
  /// The fields that it reads, by their numbers among those of the scope.
  package let fields: Set<Int>
  /// True if the rows are groups.
  package let isGrouped: Bool
  /// True if the first records are enough for the first rows.
  package var takesFirst: Bool {
    !isGrouped && summaries.isEmpty && sort.isEmpty && per.isEmpty && conditions.isEmpty
      && having == nil && sample == nil
  }

  /// True if a column depends on the order of the records.
  package var usesOrder: Bool { !isGrouped && !summaries.isEmpty }

  let joins: [CompiledJoin]
  let conditions: [Evaluation]
  let unpivot: ListUnpivot?
  let sample: SampleSize?
  let keys: [Evaluation]
  /// The key that has several values for a record.
  let elements: (key: Int, values: ElementsEvaluation)?
  let values: [Evaluation]
  /// The columns as expressions of a record with the results of the functions of records in their order.
  package let expressions: [CompiledExpression]
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
    let compiler = ListCompiler(clauses, scope)
    isGrouped = clauses.areGrouped
    (limit, offset) = (clauses.limit, clauses.offset)
    (unpivot, sample) = (clauses.unpivot, clauses.sample)
    columns = clauses.columns.map(\.name)
    joins = try clauses.joins.map { join throws(SyntaxProblem) in
      let keys = try join.keys.map { key throws(SyntaxProblem) in
        try compiler.part(key, knowing: 0, ofRecord: true)
      }
      return CompiledJoin(join: join, keys: keys)
    }
    conditions = try clauses.conditions.map { item throws(SyntaxProblem) in
      try compiler.condition(item, ofRecord: true)
    }
    let keys = try compiler.keys()
    self.keys = keys.map(\.evaluation)
    elements = keys.enumerated().compactMap { place, key in key.elements.map { (place, $0) } }.first
    if let second = keys.filter({ $0.elements != nil }).dropFirst().first {
      throw SyntaxProblem(
        offset: second.node.source.lowerBound,
        message: "only one key can have [*]"
      )
    }
    expressions = try compiler.columns()
    values = expressions.map(\.evaluation)
    let first = compiler.beforeOrder
    having = try clauses.having.map { item throws(SyntaxProblem) in try first.condition(item) }
    sort = try clauses.sort.map { key throws(SyntaxProblem) in
      (try compiler.value(key.item), key.isDescending)
    }
    per = try clauses.per.map { key throws(SyntaxProblem) in try first.value(key) }
    summaries = compiler.summaries.parts
    let items =
      compiler.named + clauses.sort.map(\.item) + clauses.per + clauses.conditions
      + clauses.joins.flatMap(\.keys) + [clauses.having].compactMap(\.self)
      + (clauses.unpivot?.parts ?? [])
    // The last fields are those of the files, and the name and the value.
    let count =
      scope.fields.count - clauses.joins.reduce(0) { $0 + $1.width }
      - (clauses.unpivot == nil ? 0 : 2)
    fields = items.reduce(into: []) {
      $0.formUnion($1.expression.fields(in: scope).filter { $0 < count })
    }
  }
}

/// Compiles the clauses of a list together: what one names is known in the others.
private struct ListCompiler {
  let clauses: ListClauses
  let scope: ExpressionScope
  let summaries = SummaryList()
  /// What has a name: the keys, then the columns.
  let named: [ListItem]
  private var isBeforeOrder = false

  /// The compiler of what chooses and divides the records before they have their order.
  var beforeOrder: ListCompiler {
    var result = self
    result.isBeforeOrder = true
    return result
  }

  init(_ clauses: ListClauses, _ scope: ExpressionScope) {
    (self.clauses, self.scope) = (clauses, scope)
    named = clauses.keys + clauses.columns + clauses.named
  }

  private func compiler(_ item: ListItem, knowing count: Int, ofRecord: Bool = false)
    -> ExpressionCompiler
  {
    let list = ListScope(
      visible: Array(named[..<count]),
      keys: clauses.areGrouped ? clauses.keys : nil,
      summaries: summaries,
      inside: ofRecord ? .first : nil,
      isBeforeOrder: isBeforeOrder
    )
    return ExpressionCompiler(item.text, scope, list: list)
  }

  /// The keys, each of which knows those before it.
  func keys() throws(SyntaxProblem) -> [CompiledPart] {
    try clauses.keys.indices.map { place throws(SyntaxProblem) in
      try part(clauses.keys[place], knowing: place, ofRecord: true)
    }
  }

  /// A value that knows the first names.
  func part(_ item: ListItem, knowing count: Int, ofRecord: Bool = false) throws(SyntaxProblem)
    -> CompiledPart
  {
    try compiler(item, knowing: count, ofRecord: ofRecord).compile(item.expression).content
  }

  /// The columns, each of which knows the keys and the columns before it.
  func columns() throws(SyntaxProblem) -> [CompiledExpression] {
    try clauses.columns.indices.map { place throws(SyntaxProblem) in
      let column = clauses.columns[place]
      let compiler = compiler(column, knowing: clauses.keys.count + place)
      return CompiledExpression(try compiler.compile(column.expression))
    }
  }

  /// A value that knows all names.
  func value(_ item: ListItem) throws(SyntaxProblem) -> Evaluation {
    try part(item, knowing: named.count).evaluation
  }

  /// A condition that knows all names, or that of a record, which knows none.
  func condition(_ item: ListItem, ofRecord: Bool = false) throws(SyntaxProblem) -> Evaluation {
    let compiler = compiler(item, knowing: ofRecord ? 0 : named.count, ofRecord: ofRecord)
    let truth = try compiler.truth(item.expression)
    return { row throws(ExpressionFailure) in .value(.boolean(try truth(row))) }
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
