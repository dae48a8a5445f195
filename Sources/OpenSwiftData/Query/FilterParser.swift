import Foundation

/// Parses predicates in the syntax of `NSPredicate` into filters.
///
/// Grammar: `or` binds weakest, then `and`, then `not`; a comparison is `field operator value`, `value
/// operator field` or `field operator field`. Keywords are not case-sensitive. A day that a field of moments is compared
/// with is the whole day in UTC.
public struct FilterParser {
  let entity: Schema.Entity
  var scanner: SyntaxScanner
  var token: FilterToken
  var depth = 0
  var link: ((String, Schema.Attribute) throws -> PersistentIdentifier)?
  /// The conditions that were read before, and their ends, by the places where they begin, in bytes.
  var known: [Int: (filter: Filter, end: Int)] = [:]
  static let depthLimit = 64
  static let reserved: Set<String> = [
    "and", "or", "not", "between", "in", "contains", "beginswith", "endswith", "like", "matches",
    "is", "null", "nil", "true", "false", "sort", "limit", "offset", "fields", "where",
  ]

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
    let (filter, end) = try parser.prefix()
    var rest = SyntaxScanner(text, from: end)
    let next = try rest.filterToken()
    guard next.kind == .end else {
      throw rest.error(at: next.start, unexpected(next))
    }
    return filter
  }

  /// Parses the longest predicate that starts at an offset in bytes, and returns its end.
  ///
  /// - Throws: `FilterSyntaxError` with the column in the whole text.
  ///
  /// `link` resolves the text that a link is compared with to a record; `parameters` are the values that
  /// `$NAME` stands for, nil for null.
  package static func parsePrefix(
    of text: String,
    from offset: Int,
    for entity: Schema.Entity,
    parameters: [String: String?] = [:],
    link: ((String, Schema.Attribute) throws -> PersistentIdentifier)? = nil
  ) throws(FilterSyntaxError) -> (filter: Filter, end: Int) {
    var parser = try FilterParser(text, from: offset, entity, parameters)
    parser.link = link
    return try parser.prefix()
  }

  private mutating func prefix() throws(FilterSyntaxError) -> (filter: Filter, end: Int) {
    let filter = try disjunction()
    try requireEndOfWord()
    return (filter, token.start)
  }

  /// Rejects text that directly follows a predicate, such as the `,5` of `> 7,5`: it is not a separate word, so the
  /// command would not see it.
  private func requireEndOfWord() throws(FilterSyntaxError) {
    guard token.kind != .end, !scanner.followsSpace(token.start) else { return }
    throw scanner.error(at: token.start, Self.unexpected(token))
  }

  private static func unexpected(_ token: FilterToken) -> String {
    "expected \"and\", \"or\" or the end, found \(token.name)"
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
    while isWord("or") || token.kind == .symbol("||") {
      try advance()
      parts.append(try conjunction())
    }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  mutating func conjunction() throws(FilterSyntaxError) -> Filter {
    var parts = [try negation()]
    while isWord("and") || token.kind == .symbol("&&") {
      try advance()
      parts.append(try negation())
    }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  mutating func negation() throws(FilterSyntaxError) -> Filter {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw wrong("a predicate nested at most \(Self.depthLimit) deep")
    }
    if isWord("not") || token.kind == .symbol("!") {
      try advance()
      return .not(try negation())
    }
    if let (filter, end) = known[token.start] {
      scanner.position = end
      try advance()
      return filter
    }
    guard token.kind == .symbol("(") else { return try comparison() }
    try advance()
    let inner = try disjunction()
    try expect(")")
    return inner
  }

  // MARK: Tokens

  func isWord(_ word: String) -> Bool {
    if case .word(let text) = token.kind { text.lowercased() == word } else { false }
  }

  mutating func advance() throws(FilterSyntaxError) {
    token = try scanner.filterToken()
  }

  func wrong(_ expected: String) -> FilterSyntaxError {
    scanner.error(at: token.start, "expected \(expected), found \(token.name)")
  }

  mutating func expect(_ symbol: String) throws(FilterSyntaxError) {
    guard token.kind == .symbol(symbol) else { throw wrong("\"\(symbol)\"") }
    try advance()
  }
}
