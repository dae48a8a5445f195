import Foundation

/// Parses predicates in the syntax of `NSPredicate` into filters.
///
/// Grammar: `or` binds weakest, then `and`, then `not`; a comparison is `field operator value`, `value
/// operator field` or `field operator field`. Keywords are not case-sensitive. A day that a field of moments is compared
/// with is the whole day in UTC.
public struct FilterParser {
  let entity: Schema.Entity
  var scanner: SyntaxScanner
  var token: SyntaxToken
  var depth = 0
  var link: ((String, Schema.Attribute) throws -> PersistentIdentifier)?
  /// The values of a column of a file, given as `FILE:COLUMN`, with which a field is compared.
  var column: ((String, Schema.Attribute) throws -> [Value])?
  /// The conditions that were read before, and their ends, by the places where they begin, in bytes.
  var known: [Int: (filter: Filter, end: Int)] = [:]
  static let depthLimit = 64
  static let reserved = SyntaxToken.conditionWords.union(SyntaxToken.clauseWords)
    .union(["null", "nil", "true", "false"])

  /// True when the name of a field needs no quotes.
  static func isUnquotedName(_ name: String) -> Bool {
    let lower = name.lowercased()
    guard !reserved.contains(lower),
      !["yes", "no", "truepredicate", "falsepredicate"].contains(lower)
    else { return false }
    var scanner = SyntaxScanner(name, from: 0)
    // A name that cannot be tokenized needs quotes as well.
    guard let token = try? scanner.filterToken() else { return false }
    return token.kind == .word(name) && token.end == name.utf8.count
  }

  /// The name as written in predicates: in backticks if ambiguous, with each backtick in it doubled.
  package static func spelled(_ name: String) -> String {
    isUnquotedName(name) ? name : "`\(name.replacing("`", with: "``"))`"
  }

  /// Parses a whole text.
  ///
  /// - Throws: `FilterSyntaxError` with the column and what was expected.
  public static func parse(_ text: String, for entity: Schema.Entity) throws(FilterSyntaxError)
    -> Filter
  { try parse(text, for: entity, link: nil) }

  /// Parses a whole text; `link` resolves the text that a link is compared with to a record.
  ///
  /// `known` has conditions that were read before, and their ends, by the places where they begin, in bytes.
  ///
  /// - Throws: `FilterSyntaxError` with the column and what was expected, or the error of `link`.
  package static func parse(
    _ text: String,
    for entity: Schema.Entity,
    link: ((String, Schema.Attribute) throws -> PersistentIdentifier)?,
    known: [Int: (filter: Filter, end: Int)] = [:]
  ) throws(FilterSyntaxError) -> Filter {
    var parser = try FilterParser(text, from: 0, entity)
    (parser.link, parser.known) = (link, known)
    let filter = try parser.disjunction()
    guard parser.token.kind == .end else { throw parser.unexpected }
    return filter
  }

  /// Parses the longest predicate that starts at an offset in bytes, and returns its end.
  ///
  /// - Throws: `FilterSyntaxError` with the column in the whole text.
  ///
  /// `link` resolves the text that a link is compared with to a record; `parameters` are the values that
  /// `$NAME` stands for, nil for null; `column` has the values of a column of a file after `in`.
  package static func parsePrefix(
    of text: String,
    from offset: Int,
    for entity: Schema.Entity,
    parameters: [String: String?] = [:],
    link: ((String, Schema.Attribute) throws -> PersistentIdentifier)? = nil,
    column: ((String, Schema.Attribute) throws -> [Value])? = nil
  ) throws(FilterSyntaxError) -> (filter: Filter, end: Int) {
    var parser = try FilterParser(text, from: offset, entity, parameters)
    (parser.link, parser.column) = (link, column)
    let filter = try parser.disjunction()
    // What directly follows, such as the `,5` of `> 7,5`, is not a separate word, so the command would not see it.
    let next = parser.token
    guard next.kind == .end || parser.scanner.followsSpace(next.start) else {
      throw parser.unexpected
    }
    return (filter, next.start)
  }

  private var unexpected: FilterSyntaxError {
    scanner.error(at: token.start, "expected \"and\", \"or\" or the end, found \(token.name)")
  }

  init(
    _ text: String,
    from offset: Int,
    _ entity: Schema.Entity,
    _ parameters: [String: String?] = [:]
  ) throws(FilterSyntaxError) {
    self.entity = entity
    scanner = SyntaxScanner(text, from: offset, parameters: parameters)
    token = try scanner.filterToken()
  }

  // MARK: Logic

  mutating func disjunction() throws(FilterSyntaxError) -> Filter {
    var parts = [try conjunction()]
    while token.isWord("or") || token.isSymbol("||") {
      try advance()
      parts.append(try conjunction())
    }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  mutating func conjunction() throws(FilterSyntaxError) -> Filter {
    var parts = [try negation()]
    while token.isWord("and") || token.isSymbol("&&") {
      try advance()
      parts.append(try negation())
    }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  mutating func negation() throws(FilterSyntaxError) -> Filter {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw wrong("a predicate nested at most \(Self.depthLimit) deep", .limit)
    }
    if token.isWord("not") || token.isSymbol("!") {
      try advance()
      return .not(try negation())
    }
    if let (filter, end) = known[token.start] {
      scanner.position = end
      try advance()
      return filter
    }
    guard token.isSymbol("(") else { return try comparison() }
    try advance()
    let inner = try disjunction()
    try expect(")")
    return inner
  }

  // MARK: Tokens

  mutating func advance() throws(FilterSyntaxError) {
    token = try scanner.filterToken()
  }

  func wrong(_ expected: String, _ problem: FilterSyntaxError.Problem = .syntax)
    -> FilterSyntaxError
  {
    scanner.error(at: token.start, "expected \(expected), found \(token.name)", problem)
  }

  mutating func expect(_ symbol: String) throws(FilterSyntaxError) {
    guard token.isSymbol(symbol) else { throw wrong("\"\(symbol)\"") }
    try advance()
  }
}
