import OpenSwiftData

/// Arithmetic, operands and names.
extension ExpressionParser {
  // MARK: Arithmetic

  mutating func fallback() throws(SyntaxProblem) -> ValueExpression {
    let start = token.start
    var left = try sum()
    while token.isSymbol("??") {
      let mark = try takeOperator()
      let right = try sum()
      left = node(.fallback(left, right), from: start, mark: mark)
    }
    return left
  }

  private mutating func sum() throws(SyntaxProblem) -> ValueExpression {
    let start = token.start
    var left = try term()
    while token.isSymbol("+") || token.isSymbol("-") {
      left = try arithmetic(left, from: start) { parser throws(SyntaxProblem) in
        try parser.term()
      }
    }
    return left
  }

  private mutating func term() throws(SyntaxProblem) -> ValueExpression {
    let start = token.start
    var left = try factor()
    while ["*", "/", "//", "%"].contains(where: { token.isSymbol($0) }) {
      left = try arithmetic(left, from: start) { parser throws(SyntaxProblem) in
        try parser.factor()
      }
    }
    return left
  }

  private mutating func arithmetic(
    _ left: ValueExpression,
    from start: Int,
    _ operand: (inout ExpressionParser) throws(SyntaxProblem) -> ValueExpression
  ) throws(SyntaxProblem) -> ValueExpression {
    guard case .symbol(let symbol) = token.kind,
      let operation = ValueExpression.Arithmetic(rawValue: symbol)
    else { return left }
    let mark = try takeOperator()
    let right = try operand(&self)
    return node(.arithmetic(operation, left, right), from: start, mark: mark)
  }

  private mutating func factor() throws(SyntaxProblem) -> ValueExpression {
    guard token.isSymbol("-") else { return try postfix() }
    let start = token.start
    try advance()
    if case .number(let digits, let isPercent) = token.kind {
      let literal = try literal("-" + digits, isPercent: isPercent, from: start)
      try advance()
      return try steps(after: node(.literal(literal), from: start), from: start)
    }
    let part = try nested { parser throws(SyntaxProblem) in try parser.factor() }
    return node(.negated(part), from: start)
  }

  private func literal(_ digits: String, isPercent: Bool, from start: Int)
    throws(SyntaxProblem) -> ValueExpression.Literal
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
      throw SyntaxProblem(offset: start, message: "\(error)")
    }
  }

  // MARK: Operands

  private mutating func postfix() throws(SyntaxProblem) -> ValueExpression {
    let start = token.start
    return try steps(after: try primary(), from: start)
  }

  /// Adds steps into JSON that follow without a space.
  private mutating func steps(after base: ValueExpression, from start: Int)
    throws(SyntaxProblem) -> ValueExpression
  {
    var steps: [JSONPath.Step] = []
    var array: ValueExpression?
    while token.start == end, token.isSymbol("[") || token.isSymbol(".") {
      if try take("[") {
        if token.isSymbol("*") {
          guard array == nil, !base.hasElements else {
            throw error("a path has at most one [*]", at: token.start)
          }
          try advance()
          try require("]")
          array = steps.isEmpty ? base : node(.path(base, JSONPath(steps)), from: start)
          steps = []
          continue
        }
        steps.append(try element())
        try require("]")
      } else {
        try advance()
        guard case .word(let word) = token.kind else { throw expected("the name of a member") }
        try advance()
        steps += word.split(separator: ".").map { .member(String($0)) }
      }
    }
    if let array { return node(.elements(array, JSONPath(steps)), from: start) }
    return steps.isEmpty ? base : node(.path(base, JSONPath(steps)), from: start)
  }

  private mutating func element() throws(SyntaxProblem) -> JSONPath.Step {
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
    default: throw expected("a number, * or a name in quotes")
    }
  }

  private static let literals: [String: ValueExpression.Literal] = [
    "true": .boolean(true), "yes": .boolean(true), "false": .boolean(false), "no": .boolean(false),
    "null": .null, "nil": .null,
  ]

  private mutating func primary() throws(SyntaxProblem) -> ValueExpression {
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
    case .parameter(_, let text): kind = .literal(text.map { .text($0) } ?? .null)
    case .name(let name): kind = try field(named: name, at: start)
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

  private func day(_ text: String, at start: Int) throws(SyntaxProblem)
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
  private mutating func operand(_ word: String) throws(SyntaxProblem) -> ValueExpression {
    let (start, name) = (token.start, word.lowercased())
    let isCall = scanner.byte(at: token.end) == UInt8(ascii: "(")
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
    return steps.isEmpty ? base : node(.path(base, JSONPath(steps)), from: start)
  }

  private mutating func call(_ word: String) throws(SyntaxProblem) -> ValueExpression {
    let start = token.start
    // An unknown name is told before what is wrong with its values.
    if SummaryFunction(named: word, count: 0) == nil {
      _ = try ExpressionFunction(named: word, at: start)
    }
    try advance()
    try advance()
    let values = try list(until: ")") { parser throws(SyntaxProblem) in
      try parser.condition()
    }
    if let summary = SummaryFunction(named: word, count: values.count) {
      try summary.check(count: values.count, at: start)
      if let inner = values.lazy.compactMap(\.summary).first {
        throw error(
          "\(inner.function.rawValue) cannot be used inside \(summary.rawValue)",
          at: inner.offset
        )
      }
      return node(.summary(summary, values), from: start)
    }
    let called = try ExpressionFunction(named: word, at: start)
    try called.check(count: values.count, at: start)
    return node(.call(called, values), from: start)
  }

  // MARK: Names

  private func field(named name: String, at start: Int) throws(SyntaxProblem)
    -> ValueExpression.Kind
  {
    if let place = scope.names.firstIndex(of: name) { return .named(place) }
    if let field = scope.field(named: name) { return .field(field) }
    throw unknown(name, at: start)
  }

  /// The field with the name, or the longest one before a point with the rest as steps into it.
  private func resolve(_ word: String, at start: Int) throws(SyntaxProblem)
    -> (ValueExpression.Kind, [JSONPath.Step])
  {
    if let place = scope.names.firstIndex(of: word) { return (.named(place), []) }
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

  private func unknown(_ name: String, at start: Int) -> SyntaxProblem {
    let names = scope.fields.map(\.name) + scope.names
    var hint = Suggestion.text(for: name, among: names)
    if let spaced = spacedMinus(name) {
      hint = "write the minus with spaces: \(spaced)"
    } else if ExpressionFunction.names.contains(name.lowercased()) {
      hint = "the function is written \(name)(…)"
    } else if let spaced = names.first(where: {
      $0.contains(" ") && scanner.text(start..<scanner.bytes.count).hasPrefix($0)
    }) {
      hint = "write a name with spaces in backticks: `\(spaced)`"
    }
    return SyntaxProblem(
      offset: start,
      message: "\(scope.entityName) has no field \(Value.quoted(name)); \(hint)",
      problem: .unknownField
    )
  }

  /// The name with spaces around each minus, if there are fields or numbers between them; nil otherwise.
  private func spacedMinus(_ name: String) -> String? {
    var rest = name.split(separator: "-", omittingEmptySubsequences: false)[...]
    guard rest.count > 1 else { return nil }
    var operands: [String] = []
    while let part = rest.first {
      let day = rest.prefix(3).joined(separator: "-")
      let isDay = part.utf8.count == 4 && CalendarDate(day) != nil
      let isNumber = part.utf8.allSatisfy { (48...57).contains($0) }
      guard isNumber || scope.field(named: String(part)) != nil else { return nil }
      operands.append(isDay ? day : String(part))
      rest = rest.dropFirst(isDay ? 3 : 1)
    }
    let spaced = operands.joined(separator: " - ")
    return spaced.hasSuffix(" ") ? String(spaced.dropLast()) : spaced
  }
}
