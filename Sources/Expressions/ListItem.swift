/// A key, a column, a condition or a sort key of a list, with the name that it has there.
package struct ListItem: Sendable {
  /// The name after `as`, or the expression as it is written.
  package let name: String
  /// The text that the places of the expression refer to.
  let text: String
  let expression: ValueExpression

  /// Creates an item; without a name it is called as it is written.
  package init(_ expression: ValueExpression, in text: String, as name: String? = nil) {
    (self.expression, self.text) = (expression, text)
    self.name = name ?? Self.source(expression, text)
  }

  /// Creates an item for a field, by its number among those of the scope, or for the identifier.
  package init(field: Int?, at place: Range<Int>, in text: String, as name: String) {
    let kind = field.map { ValueExpression.Kind.field($0) } ?? .identifier
    (expression, self.text, self.name) = (ValueExpression(kind, place), text, name)
  }

  /// The expression as it is written.
  var source: String { Self.source(expression, text) }

  private static func source(_ expression: ValueExpression, _ text: String) -> String {
    String(decoding: Array(text.utf8)[expression.source], as: UTF8.self)
  }
}

/// The clauses of a list whose columns are computed.
package struct ListClauses: Sendable {
  /// The files whose rows are joined to the records.
  package var joins: [ListJoin] = []
  /// The conditions that a record meets with the rows beside it.
  package var conditions: [ListItem] = []
  /// What the records are grouped by.
  package var keys: [ListItem] = []
  package var columns: [ListItem] = []
  /// What the clauses name without making it a column.
  package var named: [ListItem] = []
  /// What makes several rows of a record.
  package var unpivot: ListUnpivot?
  /// How many of the rows are chosen at random, before they are grouped or sorted.
  package var sample: SampleSize?
  /// The condition that a group meets.
  package var having: ListItem?
  package var sort: [(item: ListItem, isDescending: Bool)] = []
  /// What the limit and the functions of records in their order count separately for.
  package var per: [ListItem] = []
  package var limit: Int?
  package var offset = 0

  /// Creates clauses of a list without columns.
  package init() {}

  /// True if the rows of the list are groups: there are keys, or a column is of all records.
  package var areGrouped: Bool {
    !keys.isEmpty || columns.contains { $0.expression.hasSummary { !$0.isOfOrder } }
  }
}

extension ValueExpression {
  /// What a list calls by a name that is the whole expression; nil for any other expression.
  package func listName(in scope: ExpressionScope) -> String? {
    if case .named(let place) = kind { scope.names[place] } else { nil }
  }

  /// The first function of several records in it, and its place.
  var summary: (function: SummaryFunction, offset: Int)? {
    if case .summary(let function, _) = kind { return (function, source.lowerBound) }
    return parts.lazy.compactMap(\.summary).first
  }

  /// True if one of its parts is such a function of several records.
  func hasSummary(where matches: (SummaryFunction) -> Bool) -> Bool {
    if case .summary(let function, _) = kind, matches(function) { return true }
    return parts.contains { $0.hasSummary(where: matches) }
  }
}
