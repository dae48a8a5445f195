import OpenSwiftData

/// The parts of a predicate as people type them: `IMDB Rating>8.5 and Director:nolan`.
///
/// Between `and`, `or` and parentheses, the name of a field may contain spaces or be shortened, and a part may be a
/// term of `FilterTerms`.
struct FilterClauses {
  /// The text as a predicate.
  private(set) var predicate = ""

  private let tokens: [PredicateToken]
  private let characters: [Character]
  private let entity: Schema.Entity
  private let today: CalendarDate?
  /// The place up to which the text is a part of the predicate.
  private var done = 0

  /// Reads a text; nil if no part of it compares a field.
  ///
  /// - Throws: `FilterInput.Problem` with the place of the first part that is wrong.
  /// - Complexity: O(n²) in the length of the text.
  init?(_ text: String, _ entity: Schema.Entity, today: CalendarDate?) throws(FilterInput.Problem) {
    tokens = PredicateToken.split(text)
    characters = Array(text)
    (self.entity, self.today) = (entity, today)
    var found: [(clause: Range<Int>, isCondition: Bool)] = []
    for clause in clauses { found.append((clause, try isCondition(clause))) }
    guard found.contains(where: \.isCondition) else { return nil }
    for (clause, isCondition) in found {
      let range = characterRange(clause)
      guard isCondition else {
        // The text may begin with plain words, too.
        throw FilterInput.Problem(
          column: range.lowerBound + 1,
          message: Self.missingComparison(String(characters[range])),
          length: range.count,
          isPlainWord: done > 0
        )
      }
      predicate += connection(before: clause)
      predicate += try condition(clause)
      done = range.upperBound
    }
    predicate += String(characters[done...])
  }

  private static func missingComparison(_ words: String) -> String {
    let isQuoted = words.contains { "\"'`".contains($0) }
    let hint = isQuoted ? "" : "; for a text: any field contains \"\(words)\""
    return "expected a field and a comparison" + hint
  }

  /// The text between the part before and this one, with `and` if only parentheses are between them.
  private func connection(before clause: Range<Int>) -> String {
    let start = tokens[clause.lowerBound].range.lowerBound
    let text = String(characters[done..<start])
    let between = tokens.filter { $0.range.lowerBound >= done && $0.range.upperBound <= start }
    let isConnected = between.contains { Self.connectives.contains($0.text.lowercased()) }
    guard done > 0, !isConnected, let end = text.lastIndex(of: ")") else { return text }
    return text[...end] + " and" + text[text.index(after: end)...]
  }

  // MARK: Parts

  /// The ranges of tokens between connecting words and outside parentheses.
  private var clauses: [Range<Int>] {
    var found: [Range<Int>] = []
    var start = 0
    var depth = 0
    var isBetween = false
    for (place, token) in tokens.enumerated() {
      let word = token.kind == .quoted || token.kind == .field ? "" : token.text.lowercased()
      let begins = start == place
      if begins, ["(", ")", "!", "not"].contains(word) {
        start = place + 1
      } else if depth == 0, word == ")" || (Self.connectives.contains(word) && !isBetween) {
        if !begins { found.append(start..<place) }
        start = place + 1
      } else if word == "(" || word == ")" {
        depth += word == "(" ? 1 : -1
      } else if word == "and" || word == "between" {
        isBetween = word == "between"
      }
    }
    if start < tokens.count { found.append(start..<tokens.count) }
    return found
  }

  private static let connectives: Set<String> = ["and", "or", "&&", "||"]

  private func characterRange(_ clause: Range<Int>) -> Range<Int> {
    tokens[clause.lowerBound].range.lowerBound..<tokens[clause.upperBound - 1].range.upperBound
  }

  /// The token of the operator after the name of a field; nil without one.
  private func operatorPlace(_ clause: Range<Int>) -> Int? {
    clause.dropFirst().first { place in
      let token = tokens[place]
      if token.kind == .symbol {
        return "=<>".contains(token.text.prefix(1)) || token.text.hasPrefix("!=")
      }
      guard token.kind == .word, PredicateBeginning.wordOperators.contains(token.text.lowercased())
      else { return false }
      if isField(clause.lowerBound..<place) { return true }
      guard place + 1 < clause.upperBound else { return false }
      let next = tokens[place + 1]
      return next.kind == .quoted || next.kind == .number || next.text == "("
    }
  }

  /// True if some words are the name of a field, in any case.
  private func isField(_ words: Range<Int>) -> Bool {
    let count = characterRange(words).count
    // Names are compared only if they are as long, so that a long text costs little.
    let fields = entity.fields.filter { $0.name.count == count || words.count == 1 }
    guard !fields.isEmpty else { return false }
    let name = name(words).lowercased()
    return fields.contains { $0.name.lowercased() == name }
  }

  private func name(_ range: Range<Int>) -> String {
    if range.count == 1 { return tokens[range.lowerBound].text }
    return String(characters[characterRange(range)])
  }

  private func isCondition(_ clause: Range<Int>) throws(FilterInput.Problem) -> Bool {
    if operatorPlace(clause) != nil { return true }
    return try terms(clause) != nil
  }

  // MARK: Conditions

  /// A part as a predicate.
  private func condition(_ clause: Range<Int>) throws(FilterInput.Problem) -> String {
    let range = characterRange(clause)
    let text = String(characters[range])
    guard failure(of: text) != nil else { return text }
    guard let place = operatorPlace(clause) else { return try terms(clause) ?? text }
    // Plain words and other terms may stand before the name.
    if place - clause.lowerBound > 1, fieldName(clause.lowerBound..<place) == .unknown,
      let terms = try? terms(clause)
    {
      return terms
    }
    let start = tokens[place].range.lowerBound
    let spelled = FilterParser.spelled(try field(clause.lowerBound..<place))
    let changed = spelled + " " + String(characters[start..<range.upperBound])
    guard let problem = failure(of: changed) else { return changed }
    if let comparison = try comparison(spelled, place, clause) { return comparison }
    if let term = try term(field(clause.lowerBound..<place), place, clause) { return term }
    // The end of the name is where the operator begins.
    let inside = max(0, problem.column - 1 - spelled.count - 1)
    throw FilterInput.Problem(
      column: min(start + inside, range.upperBound) + 1,
      message: problem.message,
      length: problem.length
    )
  }

  /// What some words mean as the name of a field.
  private func fieldName(_ words: Range<Int>) -> TypedName {
    TypedName(name(words), among: entity.fields.map(\.name))
  }

  /// The name of the field that some words mean.
  private func field(_ words: Range<Int>) throws(FilterInput.Problem) -> String {
    if case .field(let name) = fieldName(words) { return name }
    let range = characterRange(words)
    throw FilterInput.Problem(
      name: name(words),
      at: range.lowerBound,
      length: range.count,
      of: entity
    )
  }

  /// The comparison with another field whose name has spaces; nil for other values.
  private func comparison(_ spelled: String, _ place: Int, _ clause: Range<Int>)
    throws(FilterInput.Problem) -> String?
  {
    let words = place + 1..<clause.upperBound
    guard tokens[place].kind == .symbol, words.count > 1, isField(words) else { return nil }
    let text = "\(spelled) \(tokens[place].text) \(FilterParser.spelled(try field(words)))"
    return failure(of: text) == nil ? text : nil
  }

  /// The comparison of a field with a word or a month after an operator as a term; nil for other values.
  ///
  /// In a predicate, a word without quotes would be the name of a field.
  private func term(_ field: String, _ place: Int, _ clause: Range<Int>)
    throws(FilterInput.Problem) -> String?
  {
    let isPercentage = clause.upperBound == place + 3 && tokens[place + 2].text == "%"
    guard tokens[place].kind == .symbol, clause.upperBound == place + 2 || isPercentage else {
      return nil
    }
    let isOfDates = [.date, .datetime].contains(entity.fieldsByName[field]?.type)
    let kind = tokens[place + 1].kind
    guard kind == .word || kind == .number && (isOfDates || isPercentage) else { return nil }
    let value = tokens[place + 1].text + (isPercentage ? "%" : "")
    let text = "\"\(field)\"\(tokens[place].text)\(value)"
    do {
      guard let filter = try FilterTerms(text, entity, today: today)?.filter else { return nil }
      if case .and = filter { return "(\(filter))" }
      return "\(filter)"
    } catch {
      let word = tokens[place + 1].range
      throw FilterInput.Problem(
        column: word.lowerBound + 1,
        message: error.message,
        length: word.count
      )
    }
  }

  /// A part as terms; nil if they name no field.
  private func terms(_ clause: Range<Int>) throws(FilterInput.Problem) -> String? {
    let range = characterRange(clause)
    do {
      let terms = try FilterTerms(String(characters[range]), entity, today: today)
      return terms.map { "(\($0.filter))" }
    } catch {
      throw error.moved(by: range.lowerBound)
    }
  }

  private func failure(of text: String) -> FilterInput.Problem? {
    do {
      _ = try FilterInput.parsed(text, for: entity)
      return nil
    } catch {
      return FilterInput.Problem(error)
    }
  }
}
