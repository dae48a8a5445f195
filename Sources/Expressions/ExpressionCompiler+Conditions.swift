import Foundation
import OpenSwiftData

/// Evaluates a condition for a record; a missing value is false.
typealias Truth = @Sendable (ExpressionRow) throws(ExpressionFailure) -> Bool

extension ExpressionCompiler {
  /// A condition as a value, true or false.
  func condition(_ node: ValueExpression) throws(SyntaxProblem) -> CompiledPart {
    let test = try test(node)
    return failing(node, .boolean) { row throws(ExpressionFailure) in
      .value(.boolean(try test(row)))
    }
  }

  /// The condition that a part is.
  ///
  /// - Throws: `SyntaxProblem` if it is a number or a text.
  func truth(_ node: ValueExpression) throws(SyntaxProblem) -> Truth {
    let part = try compile(node).content
    guard [.boolean, .json, .null].contains(part.type) else {
      throw error(
        "expected a condition, found \(part.type.rawValue); write a comparison such as = or <",
        at: node.source.lowerBound
      )
    }
    return { row throws(ExpressionFailure) in
      switch try part.evaluation(row) {
      case .value(.boolean(let value)): return value
      case .value(.null): return false
      case let other:
        throw ExpressionFailure(
          "\(Value.quoted(other.text)) is \(other.type.rawValue); expected a condition"
        )
      }
    }
  }

  private func test(_ node: ValueExpression) throws(SyntaxProblem) -> Truth {
    switch node.kind {
    case .comparison(let comparison, let options, let left, let right):
      return try self.comparison(node, comparison, options, left, right)
    case .isNull(let part):
      let evaluation = try compile(part).content.evaluation
      return { row throws(ExpressionFailure) in try evaluation(row).isNull }
    case .isIn(let left, let items):
      let value = try compile(left).evaluation
      let tests = try items.map { item throws(SyntaxProblem) in
        try self.comparison(node, .equal, [], left, item)
      }
      let isAny = Self.any(tests)
      return { row throws(ExpressionFailure) in
        // It fails also if there is nothing to compare it with.
        _ = try value(row)
        return try isAny(row)
      }
    case .isInFile(let left, let column):
      let part = try compile(left).content
      let comparison = KeyComparison(part.type, column.values)
      let keys = Set(column.values.compactMap { comparison.key(ofCell: $0) })
      if let elements = part.elements {
        return Self.any(of: elements) { value, _ in
          comparison.key(of: value).map(keys.contains) ?? false
        }
      }
      return { row throws(ExpressionFailure) in
        comparison.key(of: try part.evaluation(row)).map(keys.contains) ?? false
      }
    case .between(let left, let low, let high):
      let lowest = try sides(node, .greaterOrEqual, [], left, low)
      let highest = try sides(node, .lessOrEqual, [], left, high)
      if let elements = lowest.left.elements {
        return Self.any(of: elements) { value, row throws(ExpressionFailure) in
          guard try lowest.order(value, lowest.right.evaluation(row)) else { return false }
          return try highest.order(value, highest.right.evaluation(row))
        }
      }
      let (first, second) = (lowest.truth, highest.truth)
      return { row throws(ExpressionFailure) in
        guard try first(row) else { return false }
        return try second(row)
      }
    case .text(let operation, let options, let left, let right):
      return try textTest(operation, options, left, right)
    case .not(let part):
      let test = try truth(part)
      return { row throws(ExpressionFailure) in try !test(row) }
    case .and(let parts):
      let tests = try parts.map { part throws(SyntaxProblem) in try truth(part) }
      return { row throws(ExpressionFailure) in
        for test in tests where try !test(row) { return false }
        return true
      }
    case .or(let parts):
      return Self.any(try parts.map { part throws(SyntaxProblem) in try truth(part) })
    default: return try truth(node)
    }
  }

  private static func any(_ tests: [Truth]) -> Truth {
    { row throws(ExpressionFailure) in
      for test in tests where try test(row) { return true }
      return false
    }
  }

  /// A test of a value that belongs to a record.
  private typealias ElementTest =
    @Sendable (Computed, ExpressionRow) throws(ExpressionFailure) -> Bool

  /// A test that one of several values meets; of `!=`, that all of them meet.
  private static func any(
    of elements: @escaping ElementsEvaluation,
    _ comparison: Filter.Comparison = .equal,
    _ test: @escaping ElementTest
  ) -> Truth {
    let isOfAll = comparison == .notEqual
    return { row throws(ExpressionFailure) in
      for value in try elements(row) where try test(.value(value), row) != isOfAll {
        return !isOfAll
      }
      return isOfAll
    }
  }

  // MARK: Texts

  private func textTest(
    _ operation: TextMatch.Operation,
    _ options: TextMatch.Options,
    _ left: ValueExpression,
    _ right: ValueExpression
  ) throws(SyntaxProblem) -> Truth {
    let part = try compile(left).content
    let text = part.evaluation
    if let pattern = right.literalText {
      let matcher: TextMatcher
      do { matcher = try TextMatcher(TextMatch(operation, pattern, options: options)) } catch {
        throw self.error("\(error)", at: right.source.lowerBound)
      }
      if let elements = part.elements {
        return Self.any(of: elements) { value, _ throws(ExpressionFailure) in
          !value.isNull && matcher.matches(value.text)
        }
      }
      return { row throws(ExpressionFailure) in
        let value = try text(row)
        return !value.isNull && matcher.matches(value.text)
      }
    }
    let pattern = try textOperand(compile(right).content, of: operation.rawValue)
    let test: ElementTest = { value, row throws(ExpressionFailure) in
      guard !value.isNull, let wanted = try pattern(row) else { return false }
      let matcher = try? TextMatcher(TextMatch(operation, wanted, options: options))
      return matcher?.matches(value.text) ?? false
    }
    if let elements = part.elements { return Self.any(of: elements, .equal, test) }
    return { row throws(ExpressionFailure) in try test(text(row), row) }
  }

  // MARK: Comparisons

  /// The sides of a comparison, and the order that compares their values.
  private struct Sides: Sendable {
    let left, right: CompiledPart
    let comparison: Filter.Comparison
    let order: ComputedOrder

    /// The comparison; one side may stand for several values.
    var truth: Truth {
      let (order, one, other) = (order, left.evaluation, right.evaluation)
      if let elements = left.elements {
        return ExpressionCompiler.any(of: elements, comparison) {
          value,
          row throws(ExpressionFailure) in try order(value, other(row))
        }
      }
      if let elements = right.elements {
        return ExpressionCompiler.any(of: elements, comparison) {
          value,
          row throws(ExpressionFailure) in try order(one(row), value)
        }
      }
      return { row throws(ExpressionFailure) in try order(one(row), other(row)) }
    }
  }

  private func sides(
    _ node: ValueExpression,
    _ comparison: Filter.Comparison,
    _ options: TextMatch.Options,
    _ left: ValueExpression,
    _ right: ValueExpression
  ) throws(SyntaxProblem) -> Sides {
    var first = try compile(left).content
    var second = try compile(right).content
    second = try adapted(second, to: first)
    first = try adapted(first, to: second)
    try checkTypes(first, second, node)
    guard first.elements == nil || second.elements == nil else {
      throw error("only one side of a comparison can have [*]", at: node.mark)
    }
    let areFields = first.isField && second.isField
    let order = ComputedOrder(comparison, options, areFields: areFields)
    return Sides(left: first, right: second, comparison: comparison, order: order)
  }

  private func comparison(
    _ node: ValueExpression,
    _ comparison: Filter.Comparison,
    _ options: TextMatch.Options,
    _ left: ValueExpression,
    _ right: ValueExpression
  ) throws(SyntaxProblem) -> Truth {
    try sides(node, comparison, options, left, right).truth
  }

  private func checkTypes(_ left: CompiledPart, _ right: CompiledPart, _ node: ValueExpression)
    throws(SyntaxProblem)
  {
    let types: Set = [left.type, right.type]
    if types.count == 1 || types.contains(.json) || types.contains(.null) { return }
    if left.type.isNumeric, right.type.isNumeric { return }
    if types == [.date, .datetime] || (left.isField && right.isField) { return }
    throw error(
      "cannot compare \(left.type.rawValue) with \(right.type.rawValue)",
      at: node.mark
    )
  }

  /// A literal as a value of the type that it is compared with.
  private func adapted(_ part: CompiledPart, to other: CompiledPart) throws(SyntaxProblem)
    -> CompiledPart
  {
    guard case .literal(let literal) = part.node.kind else { return part }
    var prefix = ""
    if case .field(let place) = other.node.kind {
      prefix = "field \(Value.quoted(scope.fields[place].name)) has type \(other.type.rawValue); "
    }
    let start = part.node.source.lowerBound
    switch literal {
    case .text(let text):
      guard let type = other.type.comparedAs else { return part }
      do { return constant(part.node, .value(try Value(reading: text, as: type))) } catch {
        throw self.error(prefix + error.description, at: start)
      }
    case .number(let value, let digits):
      switch other.type {
      case .text:
        throw error(
          prefix.isEmpty
            ? "\(Value.quoted(digits)) is a number, the other side is text; write \"\(digits)\" in quotes"
            : prefix + "write \"\(digits)\"",
          at: start
        )
      case .boolean:
        guard let truth = value.exact?.whole, truth == 0 || truth == 1 else {
          throw error(prefix + "\(Value.quoted(digits)) is neither true nor false", at: start)
        }
        return constant(part.node, .value(.boolean(truth == 1)))
      case .date, .datetime, .uuid:
        throw error(prefix + "\(Value.quoted(digits)) is a number", at: start)
      case .number:
        guard let number = Double(digits), Value.number(number).exact == value.exact else {
          return part
        }
        return constant(part.node, .value(.number(number)))
      default: return part
      }
    case .date(let date):
      guard other.type == .text else { return part }
      throw error(
        prefix + "\(Value.quoted(date.description)) is a date; write it in quotes",
        at: start
      )
    default: return part
    }
  }
}

extension ExpressionType {
  /// The type that a text beside a value of this type is read as; nil if it stays text.
  fileprivate var comparedAs: AttributeType? {
    switch self {
    case .boolean: .boolean
    case .integer: .integer
    case .decimal: .decimal
    case .number: .number
    case .date: .date
    case .datetime: .datetime
    case .uuid: .uuid
    default: nil
    }
  }
}

/// Compares computed values: without a value only `=` and `!=` can be true.
struct ComputedOrder: Sendable {
  private let comparison: Filter.Comparison
  private let options: TextMatch.Options
  private let areFields: Bool

  init(_ comparison: Filter.Comparison, _ options: TextMatch.Options, areFields: Bool) {
    (self.comparison, self.options, self.areFields) = (comparison, options, areFields)
  }

  func callAsFunction(_ left: Computed, _ right: Computed) throws(ExpressionFailure) -> Bool {
    if left.isNull || right.isNull {
      let isSame = left.isNull && right.isNull
      return comparison == .equal ? isSame : comparison == .notEqual && !isSame
    }
    guard let order = try order(left, right) else { return comparison == .notEqual }
    switch comparison {
    case .equal: return order == .orderedSame
    case .notEqual: return order != .orderedSame
    case .less: return order == .orderedAscending
    case .lessOrEqual: return order != .orderedDescending
    case .greater: return order == .orderedDescending
    case .greaterOrEqual: return order != .orderedAscending
    }
  }

  /// The order of two values; nil if they have none, so that only `!=` is true.
  private func order(_ left: Computed, _ right: Computed) throws(ExpressionFailure)
    -> ComparisonResult?
  {
    switch (left, right) {
    case (.duration(let left), .duration(let right)): return try Self.order(left, right)
    case (.value(.datetime(let moment)), .value(.date(let date))):
      return Value.date(moment.dayAndSeconds.day).compare(.date(date))
    case (.value(.date(let date)), .value(.datetime(let moment))):
      return Value.date(date).compare(.date(moment.dayAndSeconds.day))
    case (.value(.text(let left)), .value(.text(let right))) where !options.isEmpty:
      return Value.text(TextFolding.fold(left, options)).compare(
        .text(TextFolding.fold(right, options))
      )
    case (.value(let left), .value(let right)):
      if left.isNaN || right.isNaN {
        let isSame = left.isNaN && right.isNaN && !areFields
        return isSame && (comparison == .equal || comparison == .notEqual) ? .orderedSame : nil
      }
      let areAlike = Computed.value(left).type == Computed.value(right).type
      let areNumbers = Computed.value(left).type.isNumeric && Computed.value(right).type.isNumeric
      return areAlike ? left.compare(right) : areNumbers ? left.compareExactly(right) : nil
    default: return nil
    }
  }

  private static func order(_ left: CalendarDuration, _ right: CalendarDuration)
    throws(ExpressionFailure) -> ComparisonResult
  {
    let months = Value.integer(left.months).compare(.integer(right.months))
    let rest = Value.integer(left.microseconds).compare(.integer(right.microseconds))
    if months == .orderedSame { return rest }
    guard rest == .orderedSame else { throw ExpressionFailure("months and days have no order") }
    return months
  }
}

extension Value {
  /// Compares numbers by their exact values, where `compare(_:)` takes a binary one by its shortest digits: the binary
  /// number 0.1 is a little more than the decimal one.
  fileprivate func compareExactly(_ other: Value) -> ComparisonResult {
    switch (self, other) {
    case (.number(let number), .decimal) where number.isFinite: Self.order(number, other)
    case (.decimal, .number(let number)) where number.isFinite: Self.order(number, self).reversed
    default: compare(other)
    }
  }

  private static func order(_ number: Double, _ decimal: Value) -> ComparisonResult {
    let nearest = decimal.asDouble ?? .nan
    if number != nearest { return number < nearest ? .orderedAscending : .orderedDescending }
    let (left, right) = (DecimalDigits(of: number.manyDigits), DecimalDigits(of: decimal.text))
    return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
  }
}

extension Double {
  /// Far more digits than a decimal can have.
  fileprivate var manyDigits: String {
    withVaList([self]) { list in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) { buffer in
        vsnprintf(buffer.baseAddress, buffer.count, "%.150e", list)
        return buffer.baseAddress.map { String(cString: $0) } ?? ""
      }
    }
  }
}
