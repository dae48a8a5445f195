import Foundation

/// Conditions on one field.
extension FilterParser {
  enum Operand {
    case field(Schema.Attribute)
    case literal(SyntaxToken)
  }

  mutating func comparison() throws(FilterSyntaxError) -> Filter {
    if token.isWord("truepredicate") || token.isWord("falsepredicate") {
      let value = token.isWord("truepredicate")
      try advance()
      return .constant(value)
    }
    let start = token
    if let filter = try anyFieldTest() { return filter }
    if let filter = try quotedFieldComparison() { return filter }
    switch try operand() {
    case .field(let attribute): return try comparison(of: attribute)
    case .literal(let literal):
      guard let comparison = try takeComparison()?.0 else {
        if case .word(let word) = start.kind, ["true", "false"].contains(word.lowercased()) {
          return .constant(word.lowercased() == "true")
        }
        throw wrong("a comparison such as = or <")
      }
      guard case .field(let attribute) = try operand() else {
        throw scanner.error(
          at: start.start,
          "one side of a comparison must be a field" + hint(for: start)
        )
      }
      return .compare(attribute, comparison.flipped, try value(of: literal, for: attribute))
    }
  }

  /// The test of any field: `any field contains "x"`, also where a field is called `any`; nil for other words.
  mutating func anyFieldTest() throws(FilterSyntaxError) -> Filter? {
    guard token.isWord("any") else { return nil }
    let before = self
    try advance()
    if token.isWord("field") {
      try advance()
      if case .word(let word) = token.kind,
        let operation = TextMatch.Operation(rawValue: word.lowercased()), operation != .equals,
        case .text(_, let match) = try textTest(Schema.Attribute("any field", .text), operation)
      {
        return .anyText(match)
      }
      if entity.fieldsByName["any"] == nil {
        throw wrong("contains, beginswith, endswith, like or matches after \"any field\"")
      }
    }
    self = before
    return nil
  }

  /// The comparison of a field whose name is in quotes; nil if the quoted text is a value.
  ///
  /// It is a value if no field has that name, or if the other side is a field.
  mutating func quotedFieldComparison() throws(FilterSyntaxError) -> Filter? {
    guard case .text(let name) = token.kind, let attribute = entity.fieldsByName[name] else {
      return nil
    }
    let before = self
    try advance()
    let filter = try comparison(of: attribute)
    guard case .compareAttributes = filter else { return filter }
    self = before
    return nil
  }

  /// A hint on how to write a field name that is a keyword of the language.
  func hint(for token: SyntaxToken) -> String {
    guard case .word(let word) = token.kind, entity.fieldsByName[word] != nil else { return "" }
    return "; write the field as `\(word)`"
  }

  mutating func comparison(of attribute: Schema.Attribute) throws(FilterSyntaxError)
    -> Filter
  {
    if token.isWord("is") { return try nullTest(attribute) }
    if token.isWord("not") {
      try advance()
      guard token.isWord(in: ["in", "between", "contains", "like"]) else {
        throw wrong("in, between, contains or like")
      }
      return .not(try comparison(of: attribute))
    }
    if token.isWord("between") { return try range(attribute) }
    if token.isWord("in") { return try membership(attribute) }
    if case .word(let word) = token.kind,
      let operation = TextMatch.Operation(rawValue: word.lowercased()), operation != .equals
    {
      return try textTest(attribute, operation)
    }
    guard let (comparison, options) = try takeComparison() else {
      throw wrong(
        "a comparison after the field \"\(attribute.name)\", such as = or contains"
      )
    }
    return try self.comparison(of: attribute, comparison, options)
  }

  mutating func comparison(
    of attribute: Schema.Attribute,
    _ comparison: Filter.Comparison,
    _ options: TextMatch.Options
  ) throws(FilterSyntaxError) -> Filter {
    if let value = try linkByValue(attribute) { return .compare(attribute.name, comparison, value) }
    let right = try operand(isValue: true)
    switch right {
    case .field(let other): return .compareAttributes(attribute.name, comparison, other.name)
    case .literal(let literal):
      if attribute.type == .json, case .number = literal.kind, comparison.isOrder {
        throw scanner.error(
          at: literal.start,
          "field \"\(attribute.name)\" has type json, whose numbers have no order; use = or !="
        )
      }
      let value = try value(of: literal, for: attribute)
      if value.isNull, comparison == .equal { return .isNull(attribute.name) }
      if value.isNull, comparison == .notEqual { return .not(.isNull(attribute.name)) }
      guard !options.isEmpty, value.kind == .text || value.kind == .json, case let text = value.text
      else {
        return .compare(attribute, comparison, value)
      }
      let test = Self.test(attribute, TextMatch(.equals, text, options: options))
      switch comparison {
      case .equal: return test
      case .notEqual: return .not(test)
      default:
        throw scanner.error(at: literal.start, "[c], [d] and [w] only work with = and !=")
      }
    }
  }

  private static func test(_ attribute: Schema.Attribute, _ match: TextMatch) -> Filter {
    attribute.type == .json ? .json(attribute.name, match) : .text(attribute.name, match)
  }

  mutating func nullTest(_ attribute: Schema.Attribute) throws(FilterSyntaxError) -> Filter {
    try advance()
    let negated = token.isWord("not")
    if negated { try advance() }
    guard token.isWord("null") || token.isWord("nil") else {
      throw wrong(negated ? "null" : "null or not null")
    }
    try advance()
    return negated ? .not(.isNull(attribute.name)) : .isNull(attribute.name)
  }

  mutating func range(_ attribute: Schema.Attribute) throws(FilterSyntaxError) -> Filter {
    try advance()
    let braced = token.isSymbol("{")
    if braced { try advance() }
    let low = Filter.ordered(try literalValue(for: attribute))
    if braced {
      try expect(",")
    } else {
      guard token.isWord("and") else { throw wrong("\"and\" between the two ends of the range") }
      try advance()
    }
    let high = Filter.ordered(try literalValue(for: attribute))
    if braced { try expect("}") }
    return .between(attribute, low, high)
  }

  mutating func membership(_ attribute: Schema.Attribute) throws(FilterSyntaxError)
    -> Filter
  {
    if let values = try fileValues(for: attribute) { return .isIn(attribute, values) }
    try advance()
    guard token.isSymbol("(") || token.isSymbol("{") else {
      throw wrong("a list such as (1, 2)")
    }
    let close = token.isSymbol("(") ? ")" : "}"
    try advance()
    var values: [Value] = []
    while !token.isSymbol(close) {
      if !values.isEmpty { try expect(",") }
      let value = try literalValue(for: attribute)
      guard case .json(let text) = value else {
        values.append(value)
        continue
      }
      let spellings = Filter.jsonSpellings(of: text).map { Value.json($0) }
      values += spellings.filter { !values.contains($0) }
    }
    try advance()
    return .isIn(attribute, values)
  }

  /// The values of `FILE:COLUMN`; nil at a list in parentheses, and where no file can be read.
  private mutating func fileValues(for attribute: Schema.Attribute) throws(FilterSyntaxError)
    -> [Value]?
  {
    guard let column else { return nil }
    // What comes next need not be a token: it may be a path.
    var rest = scanner
    let found: (text: String, start: Int)?
    do { found = try rest.fileColumn() } catch {
      throw scanner.error(at: error.offset, error.message, error.problem)
    }
    guard let found else { return nil }
    let values: [Value]
    do { values = try column(found.text, attribute) } catch {
      throw scanner.error(at: found.start, "\(error)")
    }
    scanner = rest
    try advance()
    return values
  }

  mutating func textTest(
    _ attribute: Schema.Attribute,
    _ operation: TextMatch.Operation
  ) throws(FilterSyntaxError) -> Filter {
    try advance()
    let options = try takeOptions()
    let pattern: String
    switch token.kind {
    case .text(let text), .parameter(_, let text?): pattern = text
    default: throw wrong("text in quotes after \(operation.rawValue)")
    }
    let match = TextMatch(operation, pattern, options: options)
    do {
      _ = try TextMatcher(match)
    } catch let error as PersistenceError {
      throw scanner.error(at: place(of: error, in: token, pattern), error.message)
    } catch {
      throw scanner.error(at: token.start, "\(error)")
    }
    try advance()
    return Self.test(attribute, match)
  }

  /// The position of the error in a pattern; the start of the pattern if it is not known.
  func place(of error: PersistenceError, in token: SyntaxToken, _ pattern: String) -> Int {
    // The text between the quotes is the pattern itself, unless it contains escapes.
    guard case .text = token.kind,
      let offset = (error.cause as? RegularExpression.Problem)?.offset,
      token.end - token.start == pattern.utf8.count + 2
    else { return token.start }
    return token.start + 1 + offset
  }

  mutating func takeComparison() throws(FilterSyntaxError) -> (
    Filter.Comparison, TextMatch.Options
  )? {
    guard case .symbol(let sign) = token.kind, let comparison = Filter.Comparison(sign: sign)
    else { return nil }
    try advance()
    return (comparison, try takeOptions())
  }

  mutating func takeOptions() throws(FilterSyntaxError) -> TextMatch.Options {
    guard token.isSymbol("[") else { return [] }
    try advance()
    guard case .word(let letters) = token.kind, let options = TextMatch.Options(letters: letters)
    else { throw wrong("one or more of c, d, w") }
    try advance()
    try expect("]")
    return options
  }
}

extension Filter.Comparison {
  /// Reads a sign, which can be spelled in two ways; nil for any other text.
  package init?(sign: String) { self.init(rawValue: Self.otherSigns[sign] ?? sign) }

  private static let otherSigns = ["==": "=", "<>": "!=", "=<": "<=", "=>": ">="]

  /// True for less and greater, with equal or without.
  fileprivate var isOrder: Bool { self != .equal && self != .notEqual }
}
