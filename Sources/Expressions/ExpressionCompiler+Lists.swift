import Foundation
import OpenSwiftData

/// What the expressions of a list may use beside the fields of a record.
struct ListScope: Sendable {
  /// The keys and columns that can be called by their names.
  var visible: [ListItem]
  /// The keys of the groups; nil for a list of records.
  let keys: [ListItem]?
  /// The functions of several records that were found.
  let summaries: SummaryList
  /// The function whose value is compiled: it sees a record, not a group.
  var inside: SummaryFunction?
  /// True for what chooses and divides the records before they have their order.
  var isBeforeOrder = false
}

/// The functions of several records in the expressions of a list, each once.
final class SummaryList: @unchecked Sendable {
  // Unchecked because it is filled only while one thread compiles a list.
  private(set) var parts: [Summary] = []
  private var nameCount = 0
  /// The number of times that names stand for what they were given to, each of which is computed again.
  private static let nameLimit = 1000

  /// Counts a name that stands for an expression.
  ///
  /// - Throws: `SyntaxProblem` if there are too many, as when each name is used twice by the next one.
  func countName(_ name: String, at node: ValueExpression) throws(SyntaxProblem) {
    nameCount += 1
    guard nameCount <= Self.nameLimit else {
      throw SyntaxProblem(
        offset: node.source.lowerBound,
        message:
          "\(Value.quoted(name)): the names of a list stand for at most \(Self.nameLimit) expressions"
      )
    }
  }

  /// Adds a function, and returns its place.
  func add(_ part: Summary) -> Int {
    if let place = parts.firstIndex(where: { $0.source == part.source }) { return place }
    parts.append(part)
    return parts.count - 1
  }
}

extension ExpressionCompiler {
  /// The key of the groups that a part is; nil in a list of records, and for a part that is computed of a group.
  ///
  /// - Throws: `SyntaxProblem` for a field that is no key.
  func key(_ node: ValueExpression) throws(SyntaxProblem) -> CompiledPart? {
    guard let list, let keys = list.keys, list.inside == nil else { return nil }
    let name = source(node)
    for (place, key) in keys.enumerated() {
      var isSame = key.source == name
      if case .field(let field) = node.kind, case .field(field) = key.expression.kind {
        isSame = true
      }
      guard isSame else { continue }
      return try result(node, at: place, as: key)
    }
    switch node.kind {
    case .field, .identifier:
      throw error(
        "\(name) is neither a key nor in a function such as sum(\(name)) or first(\(name))",
        at: node.source.lowerBound
      )
    default: return nil
    }
  }

  /// A part whose value is that of a key.
  private func result(_ node: ValueExpression, at place: Int, as key: ListItem)
    throws(SyntaxProblem) -> CompiledPart
  {
    // The key itself knows only those before it.
    let type = try record(knowing: place).part(key).type
    return CompiledPart(node: node, type: type) { row throws(ExpressionFailure) in
      row.results[place]
    }
  }

  /// The same for the record of a group, with the first names.
  private func record(knowing count: Int) -> ExpressionCompiler {
    guard var list else { return self }
    list.inside = .first
    list.visible = Array(list.visible.prefix(count))
    return ExpressionCompiler(text, scope, list: list)
  }

  /// The part that a key or a column is.
  func part(_ item: ListItem) throws(SyntaxProblem) -> CompiledPart {
    try ExpressionCompiler(item.text, scope, list: list).compile(item.expression)
  }

  /// What a name means: a key or a column of the list, or else the field.
  func named(_ node: ValueExpression, _ place: Int) throws(SyntaxProblem) -> CompiledPart {
    let name = scope.names[place]
    // A function of groups sees records: there a name means the field if there is one.
    let isOfRecord = list?.keys != nil && list?.inside != nil && scope.field(named: name) != nil
    if let list, !isOfRecord, let found = list.visible.firstIndex(where: { $0.name == name }) {
      try list.summaries.countName(name, at: node)
      let item = list.visible[found]
      if list.inside == nil, let key = list.keys?.firstIndex(where: { $0.name == name }) {
        return try result(node, at: key, as: item)
      }
      var rest = list
      rest.visible = Array(list.visible[..<found])
      let part = try ExpressionCompiler(text, scope, list: rest).part(item)
      guard part.elements == nil || list.keys == nil else {
        throw error(
          "\(name) has [*]; it can be used in fields, having and sort only",
          at: node.source.lowerBound
        )
      }
      return CompiledPart(node: node, type: part.type, evaluation: part.evaluation)
    }
    if scope.hasIdentifier, name == "id", scope.field(named: name) == nil {
      return try compile(ValueExpression(.identifier, node.source))
    }
    guard let field = scope.field(named: name) else {
      throw SyntaxProblem(
        offset: node.source.lowerBound,
        message: "\(scope.entityName) has no field \(Value.quoted(name))",
        problem: .unknownField
      )
    }
    return try compile(ValueExpression(.field(field), node.source))
  }

  // MARK: Functions

  /// A function of several records.
  func summary(_ node: ValueExpression, _ function: SummaryFunction, _ values: [ValueExpression])
    throws(SyntaxProblem) -> CompiledPart
  {
    try check(node, function)
    let part = try record(function).summary(of: node, function, values)
    guard let list else { return constant(node, .null) }
    let place = list.summaries.add(part) + (list.keys?.count ?? 0)
    return CompiledPart(node: node, type: part.type) { row throws(ExpressionFailure) in
      row.results[place]
    }
  }

  private func check(_ node: ValueExpression, _ function: SummaryFunction) throws(SyntaxProblem) {
    let name = function.rawValue
    let problem: String
    if let outer = list?.inside {
      problem =
        outer == .first
        ? "\(name) needs several records, but here it has one"
        : "\(name) cannot be used inside \(outer.rawValue)"
    } else if function.isOfOrder {
      if let list, list.keys == nil, !list.isBeforeOrder { return }
      problem =
        "\(name) needs records in order; "
        + (list?.keys != nil
          ? "it cannot be used in groups"
          : "use it in the fields of a list"
            + (list?.isBeforeOrder == true ? ", not after per or having" : ", or in set"))
    } else {
      if list?.keys != nil { return }
      problem = "\(name) belongs to groups: list by … having \(source(node)) > 1"
    }
    throw error(problem, at: node.source.lowerBound)
  }

  private func record(_ function: SummaryFunction) -> ExpressionCompiler {
    var list = list
    list?.inside = function
    return ExpressionCompiler(text, scope, list: list)
  }

  private func summary(
    of node: ValueExpression,
    _ function: SummaryFunction,
    _ values: [ValueExpression]
  ) throws(SyntaxProblem) -> Summary {
    var summary = Summary(function, source: source(node))
    guard let value = values.first else { return summary }
    if function == .random {
      summary.seed = try seed(value)
      return summary
    }
    if function == .any || function == .all {
      let truth = try truth(value)
      summary.argument = { row throws(ExpressionFailure) in .value(.boolean(try truth(row))) }
      return summary
    }
    let part = try compile(value).content
    if function.needsNumbers, !part.type.isNumeric, part.type != .json, part.type != .null,
      part.type != .duration || !function.takesDurations
    {
      let text = source(value)
      let hint = part.type == .text ? "; write number(\(text)) or decimal(\(text))" : ""
      throw error(
        "\(function.rawValue) needs a number, found \(part.type.rawValue)\(hint)",
        at: value.source.lowerBound
      )
    }
    (summary.argument, summary.elements) = (part.evaluation, part.elements)
    summary.argumentType = part.type
    if values.count > 1 { summary.portion = try portion(values[1]) }
    return summary
  }

  private func seed(_ node: ValueExpression) throws(SyntaxProblem) -> Int64 {
    guard case .literal(.number(.integer(let seed), _)) = node.kind else {
      throw error("random: the seed must be a whole number", at: node.source.lowerBound)
    }
    return seed
  }

  /// The part of the values that a percentile is about, 0 to 1.
  private func portion(_ node: ValueExpression) throws(SyntaxProblem) -> ExactDecimal {
    if case .literal(.number(let value, _)) = node.kind, let number = value.exact,
      let portion = try? number * ExactDecimal(1, isNegative: false, exponent: -2),
      Value(portion).compare(.integer(0)) != .orderedAscending,
      Value(portion).compare(.integer(1)) != .orderedDescending
    {
      return portion
    }
    throw error("percentile: p must be 0 to 100", at: node.source.lowerBound)
  }
}

extension SummaryFunction {
  /// True if the values are added.
  fileprivate var needsNumbers: Bool {
    switch self {
    case .sum, .mean, .stdev, .running, .share: true
    default: false
    }
  }

  fileprivate var takesDurations: Bool { self == .sum || self == .running }
}
