package import OpenSwiftData

/// Several values of a record, each of which is a row of a list: beside the record, with a name.
package struct ListUnpivot: Sendable {
  /// The values, which are called as they are written.
  let parts: [ListItem]
  /// The type that all values have.
  private let type: ExpressionType
  private let evaluations: [Evaluation]
  /// The fields from which the values are taken, by their numbers.
  package let usedFields: Set<Int>

  /// Checks that the values have one type.
  ///
  /// - Throws: `SyntaxProblem` at the first value of another type.
  package init(_ parts: [ListItem], in scope: ExpressionScope) throws(SyntaxProblem) {
    self.parts = parts
    var evaluations: [Evaluation] = []
    var type = ExpressionType.null
    for part in parts {
      let compiled = try ExpressionCompiler(part.text, scope).compile(part.expression).content
      guard let unified = type.unified(with: compiled.type) else {
        let texts = type == .text ? [part] : Array(parts.prefix(evaluations.count))
        throw SyntaxProblem(
          offset: part.expression.source.lowerBound,
          message:
            "unpivot needs fields of one type, found \(type.rawValue) and \(compiled.type.rawValue); "
            + "write \(texts.map { "text(\($0.source))" }.joined(separator: ", "))"
        )
      }
      type = unified
      evaluations.append(compiled.evaluation)
    }
    (self.type, self.evaluations) = (type, evaluations)
    usedFields = parts.reduce(into: []) { $0.formUnion($1.expression.usedFields) }
  }

  /// What is added to the fields of a record: the name and the value.
  package func fields(named name: String, _ value: String) -> [ExpressionScope.Field] {
    [ExpressionScope.Field(name, .text), ExpressionScope.Field(value, type)]
  }

  /// The record beside each of the values.
  func rows(of record: ExpressionRow) throws(ExpressionFailure) -> [ExpressionRow] {
    var rows: [ExpressionRow] = []
    for (part, evaluation) in zip(parts, evaluations) {
      let computed = try evaluation(record).converted(to: type)
      rows.append(record.adding([.text(part.name), computed.value ?? .text(computed.text)]))
    }
    return rows
  }
}
