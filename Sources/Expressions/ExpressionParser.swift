package import OpenSwiftData

/// Reads expressions (`docs/scripts.md` has the language), from the weakest operators to the strongest.
///
/// One token is read ahead.
package struct ExpressionParser {
  let scope: ExpressionScope
  private(set) var scanner: SyntaxScanner
  private(set) var token: SyntaxToken
  /// The end of the last token that belongs to the expression.
  var end: Int
  private var depth = 0
  private var operatorCount = 0
  private var tokenCount = 1

  /// The depth of parentheses and conditions.
  private static let depthLimit = 64
  /// The number of operators, each of which is evaluated inside the next one.
  private static let operatorLimit = 500
  /// The number of tokens of one expression.
  private static let tokenLimit = 10_000

  /// The words that stand between operands, or after them.
  package static let operatorWords = SyntaxToken.conditionWords.union(["then", "elif", "else"])
  /// The words that are fields only if a field has their name.
  static let reserved = SyntaxToken.conditionWords.union(SyntaxToken.clauseWords).union(["if"])

  private init(_ text: String, from offset: Int, in scope: ExpressionScope)
    throws(SyntaxProblem)
  {
    self.scope = scope
    scanner = SyntaxScanner(text, from: offset, parameters: scope.parameters)
    token = try scanner.expressionToken()
    end = offset
  }

  /// Reads a text that is an expression and nothing else.
  ///
  /// - Throws: `SyntaxProblem`.
  package static func parse(_ text: String, in scope: ExpressionScope) throws(SyntaxProblem)
    -> ValueExpression
  {
    var parser = try ExpressionParser(text, from: 0, in: scope)
    let expression = try parser.value()
    guard parser.token.kind == .end else { throw parser.unexpectedEnd() }
    return expression
  }

  /// Reads an expression that begins at a place in a line and may be followed by other words.
  ///
  /// - Parameters:
  ///   - text: The line.
  ///   - offset: The place, in bytes.
  ///   - scope: The names that it may have.
  ///   - symbol: An operator that ends it.
  /// - Returns: The expression, its place in the line, and the place of what follows, in bytes.
  /// - Throws: `SyntaxProblem`, also if what follows is not apart.
  package static func parse(
    _ text: String,
    from offset: Int,
    in scope: ExpressionScope,
    before symbol: String? = nil
  ) throws(SyntaxProblem) -> (expression: ValueExpression, range: Range<Int>, next: Int) {
    var parser = try ExpressionParser(text, from: offset, in: scope)
    let start = parser.token.start
    let expression = try parser.value()
    let (next, end) = (parser.token, parser.end)
    if let symbol, next.isSymbol(symbol) { return (expression, start..<end, next.start) }
    let isApart = next.kind == .end || next.isSymbol(",") || parser.scanner.isSpace(at: end)
    if !isApart || parser.isOperator(next) { throw parser.unexpectedEnd() }
    return (expression, start..<end, next.start)
  }

  /// Reads a condition that begins at a place in a line and may be followed by other words.
  ///
  /// - Returns: The condition, and the place of what follows, in bytes.
  /// - Throws: `SyntaxProblem`.
  package static func parseCondition(
    _ text: String,
    from offset: Int,
    in scope: ExpressionScope
  ) throws(SyntaxProblem) -> (expression: ValueExpression, next: Int) {
    var parser = try ExpressionParser(text, from: offset, in: scope)
    let expression = try parser.condition()
    if parser.isOperator(parser.token) { throw parser.unexpectedEnd() }
    return (expression, parser.token.start)
  }

  // MARK: Tokens

  mutating func advance() throws(SyntaxProblem) {
    end = token.end
    token = try scanner.expressionToken()
    tokenCount += 1
    guard tokenCount <= Self.tokenLimit else {
      throw limit("an expression has at most \(Self.tokenLimit) parts")
    }
  }

  mutating func take(_ symbol: String) throws(SyntaxProblem) -> Bool {
    guard token.isSymbol(symbol) else { return false }
    try advance()
    return true
  }

  mutating func take(word: String) throws(SyntaxProblem) -> Bool {
    guard token.isWord(word) else { return false }
    try advance()
    return true
  }

  mutating func require(_ symbol: String) throws(SyntaxProblem) {
    guard try take(symbol) else { throw expected("\"\(symbol)\"") }
  }

  var found: String {
    token.kind == .end ? "the end" : Value.quoted(scanner.text(token.start..<token.end))
  }

  func expected(_ what: String, _ hint: String = "") -> SyntaxProblem {
    SyntaxProblem(offset: token.start, message: "expected \(what), found \(found)\(hint)")
  }

  func error(_ message: String, at offset: Int) -> SyntaxProblem {
    SyntaxProblem(offset: offset, message: message)
  }

  private func limit(_ message: String) -> SyntaxProblem {
    SyntaxProblem(offset: token.start, message: message, problem: .limit)
  }

  private func unexpectedEnd() -> SyntaxProblem {
    expected(
      "an operator such as + or the end",
      isComparison ? "; write a condition in parentheses" : ""
    )
  }

  private func isOperator(_ token: SyntaxToken) -> Bool {
    switch token.kind {
    case .symbol(let symbol): !["{", ",", "\"", "-"].contains(symbol)
    default: false
    }
  }

  /// True at an operator of conditions.
  private var isComparison: Bool {
    switch token.kind {
    case .symbol(let symbol):
      Filter.Comparison(sign: symbol) != nil || symbol == "&&" || symbol == "||"
    default: token.isWord(in: SyntaxToken.conditionWords)
    }
  }

  mutating func nested<Result>(
    _ body: (inout ExpressionParser) throws(SyntaxProblem) -> Result
  ) throws(SyntaxProblem) -> Result {
    guard depth < Self.depthLimit else {
      throw limit("expected an expression nested at most \(Self.depthLimit) deep, found \(found)")
    }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  /// Takes an operator between two operands, and returns its place.
  mutating func takeOperator() throws(SyntaxProblem) -> Int {
    operatorCount += 1
    guard operatorCount <= Self.operatorLimit else {
      throw limit("an expression has at most \(Self.operatorLimit) operators")
    }
    let mark = token.start
    try advance()
    return mark
  }

  func node(
    _ kind: ValueExpression.Kind,
    from start: Int,
    mark: Int? = nil
  ) -> ValueExpression {
    ValueExpression(kind, start..<end, mark: mark)
  }

  // MARK: Conditions

  mutating func value() throws(SyntaxProblem) -> ValueExpression {
    try nested { parser throws(SyntaxProblem) in
      parser.startsConditional ? try parser.conditional() : try parser.fallback()
    }
  }

  private mutating func conditional() throws(SyntaxProblem) -> ValueExpression {
    let start = token.start
    var branches: [ValueExpression.Branch] = []
    repeat {
      try advance()
      let condition = try condition()
      guard try take(word: "then") else { throw expected("\"then\"") }
      branches.append(.init(condition: condition, value: try value()))
    } while token.isWord("elif")
    guard try take(word: "else") else { throw expected("\"elif\" or \"else\"") }
    let last = try value()
    return node(.conditional(branches, otherwise: last), from: start)
  }

  /// True at an `if` that an operand follows; otherwise it is a field.
  private var startsConditional: Bool {
    guard token.isWord("if") else { return false }
    var rest = scanner
    guard let next = try? rest.expressionToken() else { return true }
    switch next.kind {
    case .symbol(let symbol): return ["(", "-", "!"].contains(symbol)
    case .end: return false
    case .word(let word) where word.lowercased() == "not":
      guard let second = try? rest.expressionToken() else { return true }
      return !second.isWord(in: ["in", "between", "contains", "like"])
    case .word(let word): return !Self.operatorWords.contains(word.lowercased())
    default: return true
    }
  }

  mutating func condition() throws(SyntaxProblem) -> ValueExpression {
    try nested { parser throws(SyntaxProblem) in
      let start = parser.token.start
      var parts = [try parser.conjunction()]
      while parser.token.isWord("or") || parser.token.isSymbol("||") {
        try parser.advance()
        parts.append(try parser.conjunction())
      }
      return parts.count == 1 ? parts[0] : parser.node(.or(parts), from: start)
    }
  }

  private mutating func conjunction() throws(SyntaxProblem) -> ValueExpression {
    let start = token.start
    var parts = [try negation()]
    while token.isWord("and") || token.isSymbol("&&") {
      try advance()
      parts.append(try negation())
    }
    return parts.count == 1 ? parts[0] : node(.and(parts), from: start)
  }

  private mutating func negation() throws(SyntaxProblem) -> ValueExpression {
    let start = token.start
    guard token.isSymbol("!") || (token.isWord("not") && scope.field(named: "not") == nil) else {
      return try test()
    }
    try advance()
    let part = try nested { parser throws(SyntaxProblem) in try parser.negation() }
    return node(.not(part), from: start)
  }

  private mutating func test() throws(SyntaxProblem) -> ValueExpression {
    if startsConditional { return try conditional() }
    let start = token.start
    let left = try fallback()
    let mark = token.start
    if case .symbol(let symbol) = token.kind, let comparison = Filter.Comparison(sign: symbol) {
      try advance()
      let options = try options()
      let right = try fallback()
      return node(.comparison(comparison, options, left, right), from: start, mark: mark)
    }
    if try take(word: "is") {
      let isNegated = try take(word: "not")
      guard token.isWord("null") || token.isWord("nil") else { throw expected("null") }
      try advance()
      let part = node(.isNull(left), from: start)
      return isNegated ? node(.not(part), from: start) : part
    }
    let isNegated = try take(word: "not")
    guard let part = try wordTest(left, from: start, mark) else {
      if isNegated { throw expected("\"in\", \"between\", \"contains\" or \"like\"") }
      return left
    }
    return isNegated ? node(.not(part), from: start) : part
  }

  /// A test that is named by a word; nil at anything else.
  private mutating func wordTest(_ left: ValueExpression, from start: Int, _ mark: Int)
    throws(SyntaxProblem) -> ValueExpression?
  {
    guard case .word(let word) = token.kind else { return nil }
    switch word.lowercased() {
    case "in":
      if let column = try listedColumn() {
        return node(.isInFile(left, column), from: start, mark: mark)
      }
      try advance()
      let items = try items()
      return node(.isIn(left, items), from: start, mark: mark)
    case "between":
      try advance()
      let isBraced = try take("{")
      let low = try fallback()
      guard try isBraced ? take(",") : take(word: "and") else {
        throw expected(isBraced ? "\",\"" : "\"and\" between the two ends of the range")
      }
      let high = try fallback()
      if isBraced { try require("}") }
      return node(.between(left, low, high), from: start, mark: mark)
    case let name:
      guard let operation = TextMatch.Operation(rawValue: name), operation != .equals else {
        return nil
      }
      try advance()
      let options = try options()
      switch token.kind {
      case .text, .parameter: break
      case .word, .name, .symbol("("):
        if operation != .matches { break }
        fallthrough
      default: throw expected("text in quotes after \(name)")
      }
      let right = try fallback()
      return node(.text(operation, options, left, right), from: start, mark: mark)
    }
  }

  /// Options such as `[cd]`.
  private mutating func options() throws(SyntaxProblem) -> TextMatch.Options {
    guard try take("[") else { return [] }
    guard case .word(let letters) = token.kind, let options = TextMatch.Options(letters: letters)
    else { throw expected("c, d or w") }
    try advance()
    try require("]")
    return options
  }

  /// The column that is written as `FILE:COLUMN`; nil at a list in parentheses, and where no file can be read.
  private mutating func listedColumn() throws(SyntaxProblem) -> ListedColumn? {
    // What comes next need not be a token: it may be a path.
    var rest = scanner
    guard !scope.columns.isEmpty, let found = try rest.fileColumn(),
      let column = scope.columns[found.text]
    else { return nil }
    if let problem = column.problem { throw error(problem, at: found.start) }
    scanner = rest
    try advance()
    end = rest.position
    return column
  }

  private mutating func items() throws(SyntaxProblem) -> [ValueExpression] {
    let isBraced = token.isSymbol("{")
    guard isBraced || token.isSymbol("(") else { throw expected("a list such as (1, 2)") }
    try advance()
    return try list(until: isBraced ? "}" : ")") { parser throws(SyntaxProblem) in
      try parser.fallback()
    }
  }

  mutating func list(
    until close: String,
    _ item: (inout ExpressionParser) throws(SyntaxProblem) -> ValueExpression
  ) throws(SyntaxProblem) -> [ValueExpression] {
    if try take(close) { return [] }
    var items: [ValueExpression] = []
    repeat { items.append(try item(&self)) } while try take(",")
    guard try take(close) else { throw expected("\",\"") }
    return items
  }
}
