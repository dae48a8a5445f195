package import OpenSwiftData

/// An expression whose types are checked, ready to be evaluated for many records.
///
/// It is a value and may be used on several threads.
package struct CompiledExpression: Sendable {
  /// The type of its values; that of JSON is known for each record.
  package let type: ExpressionType
  let evaluation: Evaluation

  /// Checks the types of an expression.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - text: The text that it was read from.
  ///   - scope: The fields that its names mean.
  /// - Throws: `SyntaxProblem` at the part whose type does not fit.
  package init(_ expression: ValueExpression, text: String, in scope: ExpressionScope)
    throws(SyntaxProblem)
  {
    let part = try ExpressionCompiler(text, scope).compile(expression)
    (type, evaluation) = (part.type, part.evaluation)
  }

  init(_ part: CompiledPart) { (type, evaluation) = (part.type, part.evaluation) }

  /// Checks the types of an expression that may use functions of records in their order.
  ///
  /// - Throws: As `init`.
  package static func checkInOrder(
    _ expression: ValueExpression,
    text: String,
    in scope: ExpressionScope
  ) throws(SyntaxProblem) -> ExpressionType {
    let list = ListScope(visible: [], keys: nil, summaries: SummaryList())
    return try ExpressionCompiler(text, scope, list: list).compile(expression).type
  }

  /// Checks a condition, whose values are true or false.
  ///
  /// - Throws: `SyntaxProblem` as `init`, and for an expression whose value is not true or false.
  package init(condition: ValueExpression, text: String, in scope: ExpressionScope)
    throws(SyntaxProblem)
  {
    let truth = try ExpressionCompiler(text, scope).truth(condition)
    type = .boolean
    evaluation = { row throws(ExpressionFailure) in .value(.boolean(try truth(row))) }
  }

  /// Evaluates the expression.
  ///
  /// - Throws: `ExpressionFailure` if it has no value, as after a division by zero.
  /// - Complexity: O(n) in the number of its parts and the length of the texts.
  package func callAsFunction(_ row: ExpressionRow) throws(ExpressionFailure) -> Computed {
    try evaluation(row)
  }
}

/// Evaluates a part of an expression for a record.
typealias Evaluation = @Sendable (ExpressionRow) throws(ExpressionFailure) -> Computed

/// Evaluates the several values that `tags[*]` has for a record.
typealias ElementsEvaluation = @Sendable (ExpressionRow) throws(ExpressionFailure) -> [Value]

/// A part of an expression whose type is known.
struct CompiledPart: Sendable {
  let node: ValueExpression
  let type: ExpressionType
  /// The values of a part that has several; nil for any other part.
  let elements: ElementsEvaluation?
  let evaluation: Evaluation

  init(
    node: ValueExpression,
    type: ExpressionType,
    elements: ElementsEvaluation? = nil,
    evaluation: @escaping Evaluation
  ) {
    (self.node, self.type, self.elements) = (node, type, elements)
    self.evaluation = evaluation
  }

  /// The part with the content of JSON in place of JSON.
  var content: CompiledPart {
    guard type == .json else { return self }
    return CompiledPart(node: node, type: type, elements: elements) {
      [evaluation] row throws(ExpressionFailure) in
      try evaluation(row).content
    }
  }

  /// True for a field, whose name messages tell.
  var isField: Bool { if case .field = node.kind { true } else { false } }
}

/// Checks the types of an expression and prepares its evaluation.
struct ExpressionCompiler {
  let text: String
  let scope: ExpressionScope
  /// The list that the expression belongs to; nil for any other expression.
  let list: ListScope?

  init(_ text: String, _ scope: ExpressionScope, list: ListScope? = nil) {
    (self.text, self.scope, self.list) = (text, scope, list)
  }

  func compile(_ node: ValueExpression) throws(SyntaxProblem) -> CompiledPart {
    if let key = try key(node) { return key }
    switch node.kind {
    case .literal(let literal): return constant(node, literal)
    case .field(let place):
      return CompiledPart(node: node, type: scope.fields[place].type) {
        row throws(ExpressionFailure) in
        .value(row.values[place])
      }
    case .identifier:
      return CompiledPart(node: node, type: .text) { row throws(ExpressionFailure) in
        .value(.text(row.identifier))
      }
    case .path(let base, let steps): return try path(node, base, steps)
    case .elements(let base, let steps): return try elements(node, base, steps)
    case .negated(let part): return try negation(node, compile(part).content)
    case .arithmetic(let operation, let left, let right):
      return try arithmetic(node, operation, compile(left).content, compile(right).content)
    case .fallback(let left, let right):
      return try fallback(node, compile(left).content, compile(right).content)
    case .conditional(let branches, let otherwise):
      return try conditional(node, branches, otherwise)
    case .call(let function, let values):
      return try call(
        node,
        function,
        values.map { value throws(SyntaxProblem) in try compile(value).content }
      )
    case .comparison, .isNull, .isIn, .isInFile, .between, .text, .not, .and, .or:
      return try condition(node)
    case .summary(let function, let values): return try summary(node, function, values)
    case .named(let place): return try named(node, place)
    }
  }

  // MARK: Messages

  func error(_ message: String, at offset: Int) -> SyntaxProblem {
    SyntaxProblem(offset: offset, message: message)
  }

  /// The text of a part.
  func source(_ node: ValueExpression) -> String {
    String(decoding: Array(text.utf8)[node.source], as: UTF8.self)
  }

  /// A part that can fail: its failure names it, unless a smaller part has failed.
  func failing(_ node: ValueExpression, _ type: ExpressionType, _ evaluation: @escaping Evaluation)
    -> CompiledPart
  {
    let source = Value.shortened(source(node))
    return CompiledPart(node: node, type: type) { row throws(ExpressionFailure) in
      do throws(ExpressionFailure) {
        return try evaluation(row)
      } catch {
        var failure = error
        if failure.source == nil { failure.source = source }
        throw failure
      }
    }
  }

  // MARK: Operands and operators

  private func constant(_ node: ValueExpression, _ literal: ValueExpression.Literal) -> CompiledPart
  {
    let computed: Computed =
      switch literal {
      case .null: .null
      case .boolean(let value): .value(.boolean(value))
      case .number(let value, _): .value(value)
      case .text(let text): .value(.text(text))
      case .date(let date): .value(.date(date))
      case .datetime(let moment): .value(moment)
      case .duration(let duration): .duration(duration)
      }
    return constant(node, computed)
  }

  /// A part that has the same value for all records.
  func constant(_ node: ValueExpression, _ computed: Computed) -> CompiledPart {
    CompiledPart(node: node, type: computed.type) { _ throws(ExpressionFailure) in computed }
  }

  private func path(
    _ node: ValueExpression,
    _ base: ValueExpression,
    _ path: JSONPath
  ) throws(SyntaxProblem) -> CompiledPart {
    let part = try compile(base)
    guard part.type == .json else {
      throw error(
        "expected json before the path, found \(part.type.rawValue)",
        at: base.source.lowerBound
      )
    }
    return CompiledPart(node: node, type: .json) { row throws(ExpressionFailure) in
      guard case .value(let value) = try part.evaluation(row) else { return .null }
      return .value(path.value(in: value))
    }
  }

  /// What is at a path in the elements of an array: several values, or elsewhere an array of those that are there.
  private func elements(_ node: ValueExpression, _ base: ValueExpression, _ path: JSONPath)
    throws(SyntaxProblem) -> CompiledPart
  {
    let part = try compile(base)
    guard part.type == .json else {
      throw error(
        "expected json before [*], found \(part.type.rawValue)",
        at: base.source.lowerBound
      )
    }
    let hasPath = !path.steps.isEmpty
    let values: ElementsEvaluation = { row throws(ExpressionFailure) in
      guard case .value(.json(let text)) = try part.evaluation(row) else { return [] }
      return JSONElements(text).elements.map { hasPath ? path.value(in: Value($0)) : Value($0) }
    }
    return CompiledPart(node: node, type: .json, elements: values) {
      row throws(ExpressionFailure) in
      guard case .value(.json) = try part.evaluation(row) else { return .null }
      return try values(row).filter { !$0.isNull }.jsonArray()
    }
  }

  private func negation(_ node: ValueExpression, _ part: CompiledPart) throws(SyntaxProblem)
    -> CompiledPart
  {
    guard part.type.isNumeric || [.json, .null, .duration].contains(part.type) else {
      let hint = part.type == .text ? "; write -number(\(source(part.node)))" : ""
      throw error(
        "- needs a number, found \(part.type.rawValue)\(hint)",
        at: node.source.lowerBound
      )
    }
    return failing(node, part.type) { row throws(ExpressionFailure) in
      switch try part.evaluation(row) {
      case .value(.number(let number)): return .value(.number(-number))
      case let operand: return try ValueExpression.Arithmetic.subtract(operand.zero, operand)
      }
    }
  }

  private func arithmetic(
    _ node: ValueExpression,
    _ operation: ValueExpression.Arithmetic,
    _ left: CompiledPart,
    _ right: CompiledPart
  ) throws(SyntaxProblem) -> CompiledPart {
    guard let type = operation.type(left.type, right.type) else {
      throw error(operation.complaint(left.type, right.type), at: node.mark)
    }
    let (first, second) = (left.evaluation, right.evaluation)
    return failing(node, type) { row throws(ExpressionFailure) in
      try operation(first(row), second(row))
    }
  }

  private func fallback(_ node: ValueExpression, _ left: CompiledPart, _ right: CompiledPart)
    throws(SyntaxProblem) -> CompiledPart
  {
    guard let type = left.type.unified(with: right.type) else {
      throw error(
        "?? needs values of one type, found \(left.type.rawValue) and \(right.type.rawValue); "
          + "write text(…) around both",
        at: right.node.source.lowerBound
      )
    }
    let (first, second) = (left.evaluation, right.evaluation)
    return CompiledPart(node: node, type: type) { row throws(ExpressionFailure) in
      let value = try first(row)
      return value.isNull ? try second(row).converted(to: type) : value.converted(to: type)
    }
  }

  private func conditional(
    _ node: ValueExpression,
    _ branches: [ValueExpression.Branch],
    _ otherwise: ValueExpression
  ) throws(SyntaxProblem) -> CompiledPart {
    var type = ExpressionType.null
    var compiled: [(condition: Truth, value: Evaluation)] = []
    func value(_ node: ValueExpression) throws(SyntaxProblem) -> Evaluation {
      let part = try compile(node).content
      guard let unified = type.unified(with: part.type) else {
        throw error(
          "the branches of if need one type, found \(type.rawValue) and \(part.type.rawValue); "
            + "write text(…) around both",
          at: node.source.lowerBound
        )
      }
      type = unified
      return part.evaluation
    }
    for branch in branches {
      compiled.append((try truth(branch.condition), try value(branch.value)))
    }
    let last = try value(otherwise)
    return CompiledPart(node: node, type: type) { [type, compiled] row throws(ExpressionFailure) in
      for branch in compiled where try branch.condition(row) {
        return try branch.value(row).converted(to: type)
      }
      return try last(row).converted(to: type)
    }
  }
}

extension ExpressionType {
  /// The type that values of both types have together; nil if there is none.
  func unified(with other: ExpressionType) -> ExpressionType? {
    if self == other || other == .null { return self }
    if self == .null { return other }
    if self == .json || other == .json { return .json }
    guard isNumeric, other.isNumeric else { return nil }
    return self == .number || other == .number ? .number : .decimal
  }
}

extension Computed {
  /// The number as one of a wider type.
  func converted(to type: ExpressionType) -> Computed {
    guard case .value(let value) = self else { return self }
    switch (value, type) {
    case (.integer(let whole), .decimal): return .value(Value(ExactDecimal(whole: whole)))
    case (.integer, .number), (.decimal, .number): return .value(.number(value.asDouble ?? .nan))
    default: return self
    }
  }

  /// What a value is subtracted from to negate it.
  fileprivate var zero: Computed {
    if case .duration = self { .duration(.zero) } else { .value(.integer(0)) }
  }
}
