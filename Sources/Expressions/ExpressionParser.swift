import OpenSwiftData

/// Reads expressions (`docs/scripts.md` has the language), from the weakest operators to the strongest.
///
/// One token is read ahead.
package struct ExpressionParser {
  let scope: ExpressionScope
  private(set) var lexer: ExpressionLexer
  private(set) var token: ExpressionToken
  /// The end of the last token that belongs to the expression.
  private var end: Int
  private var depth = 0

  /// The depth of parentheses and conditions.
  private static let depthLimit = 64

  /// The words that stand between operands, or after them.
  static let operatorWords: Set = [
    "and", "or", "not", "in", "between", "contains", "beginswith", "endswith", "like", "matches",
    "is",
    "then", "elif", "else",
  ]
  /// The words that are fields only if a field has their name.
  private static let reserved: Set = [
    "and", "or", "not", "in", "between", "contains", "beginswith", "endswith", "like", "matches",
    "is",
    "if", "sort", "limit", "offset", "fields", "where",
  ]

  private init(_ text: String, from offset: Int, in scope: ExpressionScope)
    throws(ExpressionSyntaxError)
  {
    self.scope = scope
    lexer = ExpressionLexer(text, from: offset, parameters: scope.parameters)
    token = try lexer.next()
    end = offset
  }

  /// Reads a text that is an expression and nothing else.
  ///
  /// - Throws: `ExpressionSyntaxError`.
  package static func parse(_ text: String, in scope: ExpressionScope) throws(ExpressionSyntaxError)
    -> ValueExpression
  {
    var parser = try ExpressionParser(text, from: 0, in: scope)
    let expression = try parser.value()
    guard parser.token.kind == .end else { throw parser.unexpectedEnd() }
    return expression
  }

  /// Reads an expression at a place of a line, which goes on behind it.
  ///
  /// - Returns: The expression, its place in the line, and the place of what follows, in bytes.
  /// - Throws: `ExpressionSyntaxError`, also if what follows is not apart.
  package static func parse(_ text: String, from offset: Int, in scope: ExpressionScope)
    throws(ExpressionSyntaxError)
    -> (expression: ValueExpression, range: Range<Int>, next: Int)
  {
    var parser = try ExpressionParser(text, from: offset, in: scope)
    let start = parser.token.start
    let expression = try parser.value()
    let (next, end) = (parser.token, parser.end)
    let isApart = next.kind == .end || next.isSymbol(",") || parser.lexer.isSpace(at: end)
    if !isApart || parser.isOperator(next) { throw parser.unexpectedEnd() }
    return (expression, start..<end, next.start)
  }

  // MARK: Tokens

  private mutating func advance() throws(ExpressionSyntaxError) {
    end = token.end
    token = try lexer.next()
  }

  private mutating func take(_ symbol: String) throws(ExpressionSyntaxError) -> Bool {
    guard token.isSymbol(symbol) else { return false }
    try advance()
    return true
  }

  private mutating func take(word: String) throws(ExpressionSyntaxError) -> Bool {
    guard token.isWord(word) else { return false }
    try advance()
    return true
  }

  private mutating func require(_ symbol: String) throws(ExpressionSyntaxError) {
    guard try take(symbol) else { throw expected("\"\(symbol)\"") }
  }

  private var found: String {
    token.kind == .end ? "the end" : Value.quoted(lexer.text(token.start..<token.end))
  }

  private func expected(_ what: String, _ hint: String = "") -> ExpressionSyntaxError {
    ExpressionSyntaxError(offset: token.start, message: "expected \(what), found \(found)\(hint)")
  }

  private func error(_ message: String, at offset: Int) -> ExpressionSyntaxError {
    ExpressionSyntaxError(offset: offset, message: message)
  }

  private func unexpectedEnd() -> ExpressionSyntaxError {
    expected(
      "an operator such as + or the end",
      isComparison ? "; write a condition in parentheses" : ""
    )
  }

  private func isOperator(_ token: ExpressionToken) -> Bool {
    switch token.kind {
    case .symbol(let symbol): !["{", ",", "\"", "-"].contains(symbol)
    default: false
    }
  }

  /// True at an operator of conditions.
  private var isComparison: Bool {
    switch token.kind {
    case .symbol(let symbol): Self.comparisons[symbol] != nil || symbol == "&&" || symbol == "||"
    case .word(let word):
      Self.operatorWords.subtracting(["then", "elif", "else"]).contains(word.lowercased())
    default: false
    }
  }

  private mutating func nested<Result>(
    _ body: (inout ExpressionParser) throws(ExpressionSyntaxError) -> Result
  ) throws(ExpressionSyntaxError) -> Result {
    guard depth < Self.depthLimit else {
      throw expected("an expression nested at most \(Self.depthLimit) deep")
    }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  private func node(
    _ kind: ValueExpression.Kind,
    from start: Int,
    mark: Int? = nil
  ) -> ValueExpression {
    ValueExpression(kind, start..<end, mark: mark)
  }

  // MARK: Conditions

  private mutating func value() throws(ExpressionSyntaxError) -> ValueExpression {
    try nested { parser throws(ExpressionSyntaxError) in
      parser.startsConditional ? try parser.conditional() : try parser.fallback()
    }
  }

  private mutating func conditional() throws(ExpressionSyntaxError) -> ValueExpression {
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
    var rest = lexer
    guard let next = try? rest.next() else { return true }
    switch next.kind {
    case .symbol(let symbol): return ["(", "-", "!"].contains(symbol)
    case .end: return false
    case .word(let word) where word.lowercased() == "not":
      guard let second = try? rest.next() else { return true }
      return !["in", "between", "contains", "like"].contains { second.isWord($0) }
    case .word(let word): return !Self.operatorWords.contains(word.lowercased())
    default: return true
    }
  }

  private mutating func condition() throws(ExpressionSyntaxError) -> ValueExpression {
    try nested { parser throws(ExpressionSyntaxError) in
      let start = parser.token.start
      var parts = [try parser.conjunction()]
      while parser.token.isWord("or") || parser.token.isSymbol("||") {
        try parser.advance()
        parts.append(try parser.conjunction())
      }
      return parts.count == 1 ? parts[0] : parser.node(.or(parts), from: start)
    }
  }

  private mutating func conjunction() throws(ExpressionSyntaxError) -> ValueExpression {
    let start = token.start
    var parts = [try negation()]
    while token.isWord("and") || token.isSymbol("&&") {
      try advance()
      parts.append(try negation())
    }
    return parts.count == 1 ? parts[0] : node(.and(parts), from: start)
  }

  private mutating func negation() throws(ExpressionSyntaxError) -> ValueExpression {
    let start = token.start
    guard token.isSymbol("!") || (token.isWord("not") && scope.field(named: "not") == nil) else {
      return try test()
    }
    try advance()
    let part = try nested { parser throws(ExpressionSyntaxError) in try parser.negation() }
    return node(.not(part), from: start)
  }

  private static let comparisons: [String: Filter.Comparison] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  private mutating func test() throws(ExpressionSyntaxError) -> ValueExpression {
    if startsConditional { return try conditional() }
    let start = token.start
    let left = try fallback()
    let mark = token.start
    if case .symbol(let symbol) = token.kind, let comparison = Self.comparisons[symbol] {
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
    throws(ExpressionSyntaxError) -> ValueExpression?
  {
    guard case .word(let word) = token.kind else { return nil }
    switch word.lowercased() {
    case "in":
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
        if operation == .contains || operation == .like { break }
        fallthrough
      default: throw expected("text in quotes after \(name)")
      }
      let right = try fallback()
      return node(.text(operation, options, left, right), from: start, mark: mark)
    }
  }

  /// Options such as `[cd]`.
  private mutating func options() throws(ExpressionSyntaxError) -> TextMatch.Options {
    guard try take("[") else { return [] }
    guard case .word(let letters) = token.kind else { throw expected("c, d or w") }
    var options: TextMatch.Options = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "w": options.insert(.characters)
      default: throw expected("c, d or w")
      }
    }
    try advance()
    try require("]")
    return options
  }

  private mutating func items() throws(ExpressionSyntaxError) -> [ValueExpression] {
    let isBraced = token.isSymbol("{")
    guard isBraced || token.isSymbol("(") else { throw expected("a list such as (1, 2)") }
    try advance()
    return try list(until: isBraced ? "}" : ")") { parser throws(ExpressionSyntaxError) in
      try parser.fallback()
    }
  }

  private mutating func list(
    until close: String,
    _ item: (inout ExpressionParser) throws(ExpressionSyntaxError) -> ValueExpression
  ) throws(ExpressionSyntaxError) -> [ValueExpression] {
    if try take(close) { return [] }
    var items: [ValueExpression] = []
    repeat { items.append(try item(&self)) } while try take(",")
    guard try take(close) else { throw expected("\",\"") }
    return items
  }

  // MARK: Arithmetic

  private mutating func fallback() throws(ExpressionSyntaxError) -> ValueExpression {
    let start = token.start
    var left = try sum()
    while token.isSymbol("??") {
      let mark = token.start
      try advance()
      let right = try sum()
      left = node(.fallback(left, right), from: start, mark: mark)
    }
    return left
  }

  private mutating func sum() throws(ExpressionSyntaxError) -> ValueExpression {
    let start = token.start
    var left = try term()
    while token.isSymbol("+") || token.isSymbol("-") {
      left = try arithmetic(left, from: start) { parser throws(ExpressionSyntaxError) in
        try parser.term()
      }
    }
    return left
  }

  private mutating func term() throws(ExpressionSyntaxError) -> ValueExpression {
    let start = token.start
    var left = try factor()
    while ["*", "/", "//", "%"].contains(where: { token.isSymbol($0) }) {
      left = try arithmetic(left, from: start) { parser throws(ExpressionSyntaxError) in
        try parser.factor()
      }
    }
    return left
  }

  private mutating func arithmetic(
    _ left: ValueExpression,
    from start: Int,
    _ operand: (inout ExpressionParser) throws(ExpressionSyntaxError) -> ValueExpression
  ) throws(ExpressionSyntaxError) -> ValueExpression {
    guard case .symbol(let symbol) = token.kind,
      let operation = ValueExpression.Arithmetic(rawValue: symbol)
    else { return left }
    let mark = token.start
    try advance()
    let right = try operand(&self)
    return node(.arithmetic(operation, left, right), from: start, mark: mark)
  }

  private mutating func factor() throws(ExpressionSyntaxError) -> ValueExpression {
    guard token.isSymbol("-") else { return try postfix() }
    let start = token.start
    try advance()
    if case .number(let digits, let isPercent) = token.kind {
      let literal = try literal("-" + digits, isPercent: isPercent, from: start)
      try advance()
      return try steps(after: node(.literal(literal), from: start), from: start)
    }
    let part = try nested { parser throws(ExpressionSyntaxError) in try parser.factor() }
    return node(.negated(part), from: start)
  }

  private func literal(_ digits: String, isPercent: Bool, from start: Int)
    throws(ExpressionSyntaxError) -> ValueExpression.Literal
  {
    do {
      if !isPercent, digits.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) }),
        let whole = Int64(digits)
      {
        return .number(.integer(whole), text: digits)
      }
      let value = try Value(parsing: digits, as: .decimal)
      guard case .decimal(let decimal) = value, let exact = ExactDecimal(decimal) else {
        return .null
      }
      let result =
        isPercent ? try exact * ExactDecimal(1, isNegative: false, exponent: -2) : exact
      return .number(.decimal(result.decimal), text: digits)
    } catch {
      throw ExpressionSyntaxError(offset: start, message: "\(error)")
    }
  }

  // MARK: Operands

  private mutating func postfix() throws(ExpressionSyntaxError) -> ValueExpression {
    let start = token.start
    return try steps(after: try primary(), from: start)
  }

  /// Adds steps into JSON that follow without a space.
  private mutating func steps(after base: ValueExpression, from start: Int)
    throws(ExpressionSyntaxError) -> ValueExpression
  {
    var steps: [ValueExpression.Step] = []
    while token.start == end, token.isSymbol("[") || token.isSymbol(".") {
      if try take("[") {
        steps.append(try element())
        try require("]")
      } else {
        try advance()
        guard case .word(let word) = token.kind else { throw expected("the name of a member") }
        try advance()
        steps += word.split(separator: ".").map { .member(String($0)) }
      }
    }
    return steps.isEmpty ? base : node(.path(base, steps), from: start)
  }

  private mutating func element() throws(ExpressionSyntaxError) -> ValueExpression.Step {
    let isNegative = try take("-")
    switch token.kind {
    case .number(let digits, isPercent: false):
      guard let number = Int(digits), number < 1 << 40 else {
        throw expected("the number of an element")
      }
      try advance()
      return .element(isNegative ? -number : number)
    case .text(let name) where !isNegative:
      try advance()
      return .member(name)
    default: throw expected("a number or a name in quotes")
    }
  }

  private static let literals: [String: ValueExpression.Literal] = [
    "true": .boolean(true), "yes": .boolean(true), "false": .boolean(false), "no": .boolean(false),
    "null": .null, "nil": .null,
  ]

  private mutating func primary() throws(ExpressionSyntaxError) -> ValueExpression {
    let start = token.start
    let kind: ValueExpression.Kind
    switch token.kind {
    case .number(let digits, let isPercent):
      kind = .literal(try literal(digits, isPercent: isPercent, from: start))
    case .duration(let digits, let unit):
      do {
        kind = .literal(.duration(try CalendarDuration(digits, unit: unit)))
      } catch { throw self.error(error.description, at: start) }
    case .date(let text): kind = .literal(try day(text, at: start))
    case .text(let text): kind = .literal(.text(text))
    case .parameter(let text): kind = .literal(text.map { .text($0) } ?? .null)
    case .name(let name): kind = .field(try field(named: name, at: start))
    case .word(let word): return try operand(word)
    case .symbol("("):
      try advance()
      let inner = try condition()
      try require(")")
      return inner
    default: throw expected("a field, a value or a function")
    }
    try advance()
    return node(kind, from: start)
  }

  private func day(_ text: String, at start: Int) throws(ExpressionSyntaxError)
    -> ValueExpression.Literal
  {
    let hasTime =
      text.utf8.count > 10 && text.utf8.dropFirst(10).first.map { $0 | 0x20 } == UInt8(ascii: "t")
    do {
      switch try Value(parsing: text, as: hasTime ? .datetime : .date) {
      case .date(let date): return .date(date)
      case let moment: return .datetime(moment)
      }
    } catch {
      let ending = "; write it as 2009-05-29"
      let hint = error.description.hasSuffix(ending) ? ", or the minus with spaces" : ""
      throw self.error(error.description + hint, at: start)
    }
  }

  /// A field, a literal or a call that begins with a word.
  private mutating func operand(_ word: String) throws(ExpressionSyntaxError) -> ValueExpression {
    let (start, name) = (token.start, word.lowercased())
    let isCall = lexer.byte(at: token.end) == UInt8(ascii: "(")
    if isCall, name != "if" { return try call(word) }
    if let literal = Self.literals[name] {
      try advance()
      return node(.literal(literal), from: start)
    }
    if Self.reserved.contains(name), scope.field(named: word) == nil {
      throw expected("a field, a value or a function")
    }
    let (kind, steps) = try resolve(word, at: start)
    try advance()
    let base = node(kind, from: start)
    return steps.isEmpty ? base : node(.path(base, steps), from: start)
  }

  private mutating func call(_ word: String) throws(ExpressionSyntaxError) -> ValueExpression {
    let start = token.start
    let function = try ExpressionFunction(named: word, at: start)
    try advance()
    try advance()
    let values = try list(until: ")") { parser throws(ExpressionSyntaxError) in
      try parser.condition()
    }
    try function.check(count: values.count, at: start)
    return node(.call(function, values), from: start)
  }

  // MARK: Names

  private func field(named name: String, at start: Int) throws(ExpressionSyntaxError) -> Int {
    if let field = scope.field(named: name) { return field }
    throw unknown(name, at: start)
  }

  /// The field with the name, or the longest one before a point with the rest as steps into it.
  private func resolve(_ word: String, at start: Int) throws(ExpressionSyntaxError)
    -> (ValueExpression.Kind, [ValueExpression.Step])
  {
    if let field = scope.field(named: word) { return (.field(field), []) }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    for count in (1..<max(1, parts.count)).reversed() {
      guard let field = scope.field(named: parts.prefix(count).joined(separator: ".")) else {
        continue
      }
      return (.field(field), parts.dropFirst(count).map { .member(String($0)) })
    }
    if scope.hasIdentifier, word == "id" { return (.identifier, []) }
    throw unknown(word, at: start)
  }

  private func unknown(_ name: String, at start: Int) -> ExpressionSyntaxError {
    let names = scope.fields.map(\.name)
    var hint = Suggestion.text(for: name, among: names)
    if let spaced = spacedMinus(name) {
      hint = "write the minus with spaces: \(spaced)"
    } else if ExpressionFunction(rawValue: name.lowercased()) != nil {
      hint = "the function is written \(name)(…)"
    } else if let spaced = names.first(where: {
      $0.contains(" ") && lexer.text(start..<lexer.bytes.count).hasPrefix($0)
    }) {
      hint = "write a name with spaces in backticks: `\(spaced)`"
    }
    return ExpressionSyntaxError(
      offset: start,
      message: "\(scope.entityName) has no field \(Value.quoted(name)); \(hint)",
      problem: .unknownField
    )
  }

  /// The name with spaces around each minus, if there are fields or numbers between them; nil otherwise.
  private func spacedMinus(_ name: String) -> String? {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return nil }
    let areOperands = parts.allSatisfy { part in
      part.isEmpty || part.utf8.allSatisfy { (48...57).contains($0) }
        || scope.field(named: String(part)) != nil
    }
    guard areOperands else { return nil }
    let spaced = parts.joined(separator: " - ")
    return spaced.hasSuffix(" ") ? String(spaced.dropLast()) : spaced
  }
}
