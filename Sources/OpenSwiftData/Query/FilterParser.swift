import Foundation

/// Reads predicates as `NSPredicate` writes them into filters.
///
/// Grammar: `or` binds weakest, then `and`, then `not`; a comparison is `field operator value`,
/// `value operator field` or `field operator field`. Words are understood in any case.
public struct FilterParser {
  private let entity: Schema.Entity
  private var lexer: FilterLexer
  private var token: FilterToken
  private var depth = 0
  private var link: ((String, Schema.Attribute) throws -> PersistentIdentifier)?
  private static let depthLimit = 64
  private static let reserved: Set<String> = [
    "and", "or", "not", "between", "in", "contains", "beginswith", "endswith", "like", "matches",
    "is", "null", "nil", "true", "false", "sort", "limit", "offset", "fields", "where",
  ]

  /// True when the name of a field needs no quotes.
  static func isPlainField(_ name: String) -> Bool {
    let lower = name.lowercased()
    guard !reserved.contains(lower),
      !["yes", "no", "truepredicate", "falsepredicate"].contains(lower)
    else { return false }
    var lexer = FilterLexer(name, from: 0)
    // A name that cannot be read at all needs quotes as well.
    guard let token = try? lexer.next() else { return false }
    return token.kind == .word(name) && token.end == name.utf8.count
  }

  /// The name as it is written in predicates: in backticks where it could be taken for something else,
  /// with two backticks for one.
  package static func spelled(_ name: String) -> String {
    isPlainField(name) ? name : "`\(name.replacing("`", with: "``"))`"
  }

  /// Reads a whole text.
  ///
  /// - Throws: `FilterSyntaxError` with the column and what was expected.
  public static func parse(_ text: String, for entity: Schema.Entity) throws(FilterSyntaxError)
    -> Filter
  { try parse(text, for: entity, link: nil) }

  /// Reads a whole text; `link` finds the record that a text names where a link is compared.
  ///
  /// - Throws: `FilterSyntaxError` with the column and what was expected, or what `link` says.
  package static func parse(
    _ text: String,
    for entity: Schema.Entity,
    link: ((String, Schema.Attribute) throws -> PersistentIdentifier)?
  ) throws(FilterSyntaxError) -> Filter {
    let (filter, end) = try parsePrefix(of: text, from: 0, for: entity, link: link)
    var rest = FilterLexer(text, from: end)
    let next = try rest.next()
    guard next.kind == .end else {
      throw rest.error(
        at: next.start,
        "expected \"and\", \"or\" or the end, found \(next.name)"
      )
    }
    return filter
  }

  /// Reads the longest predicate that begins at an offset, in bytes, and tells where it ends.
  ///
  /// - Throws: `FilterSyntaxError` with the column in the whole text.
  ///
  /// `link` finds the record that a text names where a link is compared.
  package static func parsePrefix(
    of text: String,
    from offset: Int,
    for entity: Schema.Entity,
    link: ((String, Schema.Attribute) throws -> PersistentIdentifier)? = nil
  ) throws(FilterSyntaxError) -> (filter: Filter, end: Int) {
    var parser = try FilterParser(text, from: offset, entity)
    parser.link = link
    let filter = try parser.disjunction()
    return (filter, parser.token.start)
  }

  private init(_ text: String, from offset: Int, _ entity: Schema.Entity)
    throws(FilterSyntaxError)
  {
    self.entity = entity
    lexer = FilterLexer(text, from: offset)
    token = try lexer.next()
  }

  // MARK: Logic

  private mutating func disjunction() throws(FilterSyntaxError) -> Filter {
    var parts = [try conjunction()]
    while isWord("or") || token.kind == .symbol("||") {
      try advance()
      parts.append(try conjunction())
    }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws(FilterSyntaxError) -> Filter {
    var parts = [try negation()]
    while isWord("and") || token.kind == .symbol("&&") {
      try advance()
      parts.append(try negation())
    }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation() throws(FilterSyntaxError) -> Filter {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw wrong("a predicate nested at most \(Self.depthLimit) deep")
    }
    if isWord("not") || token.kind == .symbol("!") {
      try advance()
      return .not(try negation())
    }
    guard token.kind == .symbol("(") else { return try comparison() }
    try advance()
    let inner = try disjunction()
    try expect(")")
    return inner
  }

  // MARK: Comparisons

  private enum Operand {
    case field(Schema.Attribute)
    case literal(Literal)
  }

  private struct Literal {
    let token: FilterToken
  }

  private mutating func comparison() throws(FilterSyntaxError) -> Filter {
    if isWord("truepredicate") || isWord("falsepredicate") {
      let value = isWord("truepredicate")
      try advance()
      return .constant(value)
    }
    let start = token
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
        throw lexer.error(
          at: start.start,
          "one side of a comparison must be a field" + hint(for: start)
        )
      }
      return .compare(attribute.name, comparison.flipped, try value(of: literal, for: attribute))
    }
  }

  /// The comparison of a field whose name stands in quotes; nil when the text in quotes is a text.
  ///
  /// It is one where no field has that name, and where the other side is a field.
  private mutating func quotedFieldComparison() throws(FilterSyntaxError) -> Filter? {
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

  /// How to name a field whose name is a word of the language.
  private func hint(for token: FilterToken) -> String {
    guard case .word(let word) = token.kind, entity.fieldsByName[word] != nil else { return "" }
    return "; write the field as `\(word)`"
  }

  private mutating func comparison(of attribute: Schema.Attribute) throws(FilterSyntaxError)
    -> Filter
  {
    if isWord("is") { return try nullTest(attribute) }
    if isWord("not") {
      try advance()
      guard isWord("in") || isWord("between") || isWord("contains") || isWord("like") else {
        throw wrong("in, between, contains or like")
      }
      return .not(try comparison(of: attribute))
    }
    if isWord("between") { return try range(attribute) }
    if isWord("in") { return try membership(attribute) }
    if case .word(let word) = token.kind,
      let operation = TextMatch.Operation(rawValue: word.lowercased()), operation != .equals
    {
      return try textTest(attribute, operation)
    }
    guard let (comparison, options) = try takeComparison() else {
      throw wrong(
        "a comparison after the field \"\(attribute.name)\", such as =, <, contains, in or is null"
      )
    }
    return try self.comparison(of: attribute, comparison, options)
  }

  private mutating func comparison(
    of attribute: Schema.Attribute,
    _ comparison: Filter.Comparison,
    _ options: TextMatch.Options
  ) throws(FilterSyntaxError) -> Filter {
    let right = try operand(isValue: true)
    switch right {
    case .field(let other): return .compareAttributes(attribute.name, comparison, other.name)
    case .literal(let literal):
      let value = try value(of: literal, for: attribute)
      if value.isNull, comparison == .equal { return .isNull(attribute.name) }
      if value.isNull, comparison == .notEqual { return .not(.isNull(attribute.name)) }
      guard !options.isEmpty, case .text(let text) = value else {
        return .compare(attribute.name, comparison, value)
      }
      let test = Filter.text(attribute.name, TextMatch(.equals, text, options: options))
      switch comparison {
      case .equal: return test
      case .notEqual: return .not(test)
      default:
        throw lexer.error(at: literal.token.start, "[c], [d] and [w] only work with = and !=")
      }
    }
  }

  private mutating func nullTest(_ attribute: Schema.Attribute) throws(FilterSyntaxError) -> Filter
  {
    try advance()
    let negated = isWord("not")
    if negated { try advance() }
    guard isWord("null") || isWord("nil") else {
      throw wrong(negated ? "null" : "null or not null")
    }
    try advance()
    return negated ? .not(.isNull(attribute.name)) : .isNull(attribute.name)
  }

  private mutating func range(_ attribute: Schema.Attribute) throws(FilterSyntaxError) -> Filter {
    try advance()
    let braced = token.kind == .symbol("{")
    if braced { try advance() }
    let low = try literalValue(for: attribute)
    if braced {
      try expect(",")
    } else {
      guard isWord("and") else { throw wrong("\"and\" between the two ends of the range") }
      try advance()
    }
    let high = try literalValue(for: attribute)
    if braced { try expect("}") }
    return .between(attribute.name, low, high)
  }

  private mutating func membership(_ attribute: Schema.Attribute) throws(FilterSyntaxError)
    -> Filter
  {
    try advance()
    guard token.kind == .symbol("(") || token.kind == .symbol("{") else {
      throw wrong("a list such as (1, 2)")
    }
    let close = token.kind == .symbol("(") ? ")" : "}"
    try advance()
    var values: [Value] = []
    while token.kind != .symbol(close) {
      if !values.isEmpty { try expect(",") }
      values.append(try literalValue(for: attribute))
    }
    try advance()
    return .isIn(attribute.name, values)
  }

  private mutating func textTest(
    _ attribute: Schema.Attribute,
    _ operation: TextMatch.Operation
  ) throws(FilterSyntaxError) -> Filter {
    try advance()
    let options = try takeOptions()
    guard case .text(let pattern) = token.kind else {
      throw wrong("text in quotes after \(operation.rawValue)")
    }
    let match = TextMatch(operation, pattern, options: options)
    do {
      _ = try TextMatcher(match)
    } catch let error as PersistenceError {
      throw lexer.error(at: place(of: error, in: token, pattern), error.message)
    } catch {
      throw lexer.error(at: token.start, "\(error)")
    }
    try advance()
    return .text(attribute.name, match)
  }

  /// Where in the line a pattern is wrong; its beginning where that is not known.
  private func place(of error: PersistenceError, in token: FilterToken, _ pattern: String) -> Int {
    // Between the quotes stands the pattern itself, unless there are escapes.
    guard let offset = (error.cause as? RegularExpression.Problem)?.offset,
      token.end - token.start == pattern.utf8.count + 2
    else { return token.start }
    return token.start + 1 + offset
  }

  private mutating func takeComparison() throws(FilterSyntaxError) -> (
    Filter.Comparison, TextMatch.Options
  )? {
    let comparison: Filter.Comparison
    switch token.kind {
    case .symbol("="), .symbol("=="): comparison = .equal
    case .symbol("!="), .symbol("<>"): comparison = .notEqual
    case .symbol("<"): comparison = .less
    case .symbol("<="), .symbol("=<"): comparison = .lessOrEqual
    case .symbol(">"): comparison = .greater
    case .symbol(">="), .symbol("=>"): comparison = .greaterOrEqual
    default: return nil
    }
    try advance()
    return (comparison, try takeOptions())
  }

  private mutating func takeOptions() throws(FilterSyntaxError) -> TextMatch.Options {
    guard token.kind == .symbol("[") else { return [] }
    try advance()
    var options: TextMatch.Options = []
    guard case .word(let letters) = token.kind else {
      throw wrong("one or more of c, d, w")
    }
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "w": options.insert(.characters)
      default: throw wrong("one or more of c, d, w")
      }
    }
    try advance()
    try expect("]")
    return options
  }

  // MARK: Operands

  private mutating func operand(isValue: Bool = false) throws(FilterSyntaxError) -> Operand {
    let current = token
    switch current.kind {
    case .quotedField(let name):
      try advance()
      return .field(try attribute(name, at: current))
    case .word(let word):
      let lower = word.lowercased()
      if ["true", "false", "yes", "no", "null", "nil"].contains(lower) {
        try advance()
        return .literal(Literal(token: current))
      }
      guard !Self.reserved.contains(lower) || entity.fieldsByName[word] != nil else {
        throw wrong("a field")
      }
      try advance()
      return .field(try attribute(word, at: current, isValue: isValue))
    case .text, .number, .date:
      try advance()
      return .literal(Literal(token: current))
    case .symbol, .end:
      throw wrong("a field or a value")
    }
  }

  private func attribute(_ name: String, at place: FilterToken, isValue: Bool = false)
    throws(FilterSyntaxError) -> Schema.Attribute
  {
    if let attribute = entity.fieldsByName[name] { return attribute }
    let alike = entity.fields.filter { $0.name.lowercased() == name.lowercased() }
    if alike.count == 1 { return alike[0] }
    let names = entity.fields.map(\.name)
    // Where a value is expected, a text without its quotes is the likelier mistake.
    let isText = isValue && Suggestion.nearest(to: name, among: names) == nil
    throw lexer.error(
      at: place.start,
      "\(entity.name) has no field \(Value.quoted(name)); "
        + (isText
          ? "write text in quotes: \(Value.quoted(name))"
          : Suggestion.text(for: name, among: names))
    )
  }

  private mutating func literalValue(for attribute: Schema.Attribute) throws(FilterSyntaxError)
    -> Value
  {
    guard case .literal(let literal) = try operand(isValue: true) else {
      throw wrong("a value for the field \"\(attribute.name)\"")
    }
    return try value(of: literal, for: attribute)
  }

  /// The literal as a value that can be compared with the attribute.
  private func value(of literal: Literal, for attribute: Schema.Attribute)
    throws(FilterSyntaxError) -> Value
  {
    let place = literal.token
    do {
      switch place.kind {
      case .word(let word):
        let lower = word.lowercased()
        if lower == "null" || lower == "nil" { return .null }
        guard attribute.type == .boolean else { throw ValueError("is not true or false") }
        return .boolean(lower == "true" || lower == "yes")
      case .number(let text): return try number(text, for: attribute)
      case .date(let text), .text(let text): return try value(text, place, for: attribute)
      default: throw ValueError("cannot be compared with \(place.name)")
      }
    } catch let error as ValueError {
      throw lexer.error(
        at: place.start,
        "field \"\(attribute.name)\" has type \(attribute.type.description); \(explain(error, place, attribute))"
      )
    } catch {
      throw lexer.error(at: place.start, "\(error)")
    }
  }

  private func explain(
    _ error: ValueError,
    _ place: FilterToken,
    _ attribute: Schema.Attribute
  ) -> String {
    if attribute.type == .text, case .number(let text) = place.kind {
      return "write \(Value.quoted(text))"
    }
    return error.description.hasPrefix("\"")
      ? error.description : "\(place.name) \(error.description)"
  }

  private func number(_ text: String, for attribute: Schema.Attribute) throws -> Value {
    guard attribute.type.isNumeric else {
      if attribute.type == .boolean { return try Value(parsing: text, as: .boolean) }
      throw ValueError("is a number")
    }
    if let whole = Int64(text) { return .integer(whole) }
    guard attribute.type == .number else { return try Value(parsing: text, as: .decimal) }
    do {
      return try Value(parsing: text, as: .number)
    } catch {
      // A bound need not be a number that the field can hold: a decimal is compared as exactly.
      guard let exact = try? Value(parsing: text, as: .decimal) else { throw error }
      return exact
    }
  }

  private func value(
    _ text: String,
    _ place: FilterToken,
    for attribute: Schema.Attribute
  ) throws -> Value {
    switch attribute.type {
    case .link:
      guard let link else { throw ValueError("links support only is null") }
      return .link(try link(text, attribute))
    case .links: throw ValueError("links support only is null")
    case .text, .json:
      if case .date(let date) = place.kind {
        throw ValueError("\"\(date)\" is a date; write it in quotes")
      }
      return attribute.type == .text ? .text(text) : .json(text)
    default: return try Value(parsing: text, as: attribute.type)
    }
  }

  // MARK: Tokens

  private func isWord(_ word: String) -> Bool {
    if case .word(let text) = token.kind { text.lowercased() == word } else { false }
  }

  private mutating func advance() throws(FilterSyntaxError) {
    token = try lexer.next()
  }

  private func wrong(_ expected: String) -> FilterSyntaxError {
    lexer.error(at: token.start, "expected \(expected), found \(token.name)")
  }

  private mutating func expect(_ symbol: String) throws(FilterSyntaxError) {
    guard token.kind == .symbol(symbol) else { throw wrong("\"\(symbol)\"") }
    try advance()
  }
}

extension Filter {
  /// The filter for plain words: every word occurs in some field, whatever case and accents.
  ///
  /// Words in double quotes count as one.
  public static func words(_ text: String) -> Filter {
    var words: [String] = []
    for (position, part) in text.split(separator: "\"", omittingEmptySubsequences: false)
      .enumerated()
    {
      words += position % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
    let tests = words.filter { !$0.isEmpty }.map {
      Filter.anyText(
        TextMatch(.contains, $0, options: [.caseInsensitive, .diacriticInsensitive])
      )
    }
    return tests.isEmpty ? .all : tests.count == 1 ? tests[0] : .and(tests)
  }
}
