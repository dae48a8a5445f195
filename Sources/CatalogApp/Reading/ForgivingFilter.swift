import OpenSwiftData

/// A filter as people type it, with names that are shortened or contain spaces: `IMDB Rating>8.5 and Director:nolan`.
///
/// It is a list of terms, or has comparisons and such lists between `and`, `or` and parentheses.
struct ForgivingFilter {
  /// The condition.
  private(set) var filter = Filter.all
  /// The text with its parts as a predicate has them; nil for a list of terms.
  private(set) var predicate: String?

  private let tokens: [PredicateToken]
  private let characters: [Character]
  private let entity: Schema.Entity
  private let today: CalendarDate?

  /// A part of the text as a condition, and how a predicate has it.
  private typealias Part = (filter: Filter, text: String)

  /// Reads a text; nil if no part of it compares a field, or if they are not connected.
  ///
  /// - Throws: `FilterInput.Problem` with the place of the first part that is wrong.
  /// - Complexity: O(n²) in the length of the text.
  init?(_ text: String, _ entity: Schema.Entity, today: CalendarDate?) throws(FilterInput.Problem) {
    tokens = PredicateToken.split(text)
    characters = Array(text)
    (self.entity, self.today) = (entity, today)
    do throws(FilterInput.Problem) {
      if let terms = try FilterTerm.filter(text, entity, today: today) {
        filter = terms
        return
      }
    } catch {
      // The value may be a field whose name has spaces.
      if (try? connectClauses()) == true { return }
      throw error.ofTerm(in: text, entity)
    }
    guard try connectClauses() else { return nil }
  }

  /// Reads the parts between connecting words; false if none compares a field, or if they are not connected.
  private mutating func connectClauses() throws(FilterInput.Problem) -> Bool {
    var found: [(clause: Range<Int>, operation: Int?, terms: Part?)] = []
    for clause in clauses {
      let operation = operatorPlace(clause)
      found.append((clause, operation, operation == nil ? try terms(clause) : nil))
    }
    guard found.contains(where: { $0.operation != nil || $0.terms != nil }) else { return false }
    var known: [Int: (filter: Filter, end: Int)] = [:]
    var predicate = ""
    var done = 0
    for (clause, operation, terms) in found {
      let range = characterRange(clause)
      let condition: Part? = if let operation { try condition(clause, operation) } else { terms }
      guard let part = condition else { throw missingComparison(at: range, isFirst: done == 0) }
      predicate += connection(before: clause, from: done)
      let start = predicate.utf8.count
      predicate += part.text
      known[start] = (part.filter, predicate.utf8.count)
      done = range.upperBound
    }
    predicate += String(characters[done...])
    guard let filter = try? FilterInput.parsed(predicate, for: entity, known: known) else {
      return false
    }
    (self.filter, self.predicate) = (filter, predicate)
    return true
  }

  private func missingComparison(at range: Range<Int>, isFirst: Bool) -> FilterInput.Problem {
    let words = String(characters[range])
    let isQuoted = words.contains { "\"'`".contains($0) }
    let hint = isQuoted ? "" : "; for a text: any field contains \"\(words)\""
    // The text may begin with plain words, too.
    return FilterInput.Problem(
      column: range.lowerBound + 1,
      message: "expected a field and a comparison" + hint,
      length: range.count,
      isCertain: !isFirst
    )
  }

  /// The text between the part before and this one, with `and` if only parentheses are between them.
  private func connection(before clause: Range<Int>, from done: Int) -> String {
    let start = tokens[clause.lowerBound].range.lowerBound
    let text = String(characters[done..<start])
    let isConnected = tokens.contains {
      $0.range.lowerBound >= done && $0.range.upperBound <= start && $0.isConnective
    }
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
      let word = token.word
      let begins = start == place
      if begins, ["(", ")", "!", "not"].contains(word) {
        start = place + 1
      } else if depth == 0, word == ")" || (token.isConnective && !isBetween) {
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

  private func characterRange(_ clause: Range<Int>) -> Range<Int> {
    tokens[clause.lowerBound].range.lowerBound..<tokens[clause.upperBound - 1].range.upperBound
  }

  /// The token of the operator after the name of a field; nil without one.
  private func operatorPlace(_ clause: Range<Int>) -> Int? {
    clause.dropFirst().first { place in
      if tokens[place].isComparison { return true }
      guard tokens[place].isWordOperator else { return false }
      return isField(clause.lowerBound..<place)
        || place + 1 < clause.upperBound && tokens[place + 1].isLiteral
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

  // MARK: Conditions

  /// A comparison as it is in a predicate, or with a forgiven name or value.
  private func condition(_ clause: Range<Int>, _ operation: Int) throws(FilterInput.Problem)
    -> Part
  {
    let range = characterRange(clause)
    let text = String(characters[range])
    if let filter = try? FilterInput.parsed(text, for: entity) { return (filter, text) }
    let name = clause.lowerBound..<operation
    // Plain words and other terms may stand before the name.
    if name.count > 1, TypedName(self.name(name), of: entity) == .unknown,
      let terms = try? terms(clause)
    {
      return terms
    }
    let field = try field(name)
    let start = tokens[operation].range.lowerBound
    let spelled = FilterParser.spelled(field.name)
    let changed = spelled + " " + String(characters[start..<range.upperBound])
    do {
      return (try FilterInput.parsed(changed, for: entity), changed)
    } catch {
      if let part = try value(of: field, operation, clause.upperBound) { return part }
      let problem = FilterInput.Problem(error)
      // The end of the name is where the operator begins.
      let inside = max(0, problem.column - 1 - spelled.count - 1)
      throw FilterInput.Problem(
        column: min(start + inside, range.upperBound) + 1,
        message: problem.message,
        length: problem.length
      )
    }
  }

  /// The field that some words mean.
  private func field(_ words: Range<Int>) throws(FilterInput.Problem) -> Schema.Attribute {
    let name = name(words)
    if let field = FilterTerm.field(name, of: entity) { return field }
    let range = characterRange(words)
    throw FilterInput.Problem(name: name, at: range.lowerBound, length: range.count, of: entity)
  }

  /// The comparison with another field whose name has spaces, or with a word or a month as in a term; nil for other
  /// values.
  ///
  /// In a predicate, a word without quotes would be the name of a field.
  private func value(of field: Schema.Attribute, _ operation: Int, _ end: Int)
    throws(FilterInput.Problem) -> Part?
  {
    let words = operation + 1..<end
    let sign = tokens[operation].text
    guard tokens[operation].kind == .symbol, let first = tokens[words].first else { return nil }
    if words.count > 1, isField(words), let comparison = Filter.Comparison(sign: sign) {
      let other = try self.field(words)
      let filter = Filter.compareAttributes(field.name, comparison, other.name)
      return (filter, "\(filter)")
    }
    let isPercentage = words.count == 2 && tokens[end - 1].text == "%"
    let isOfDates = field.type == .date || field.type == .datetime
    guard words.count == 1 || isPercentage,
      first.kind == .word || first.kind == .number && (isOfDates || isPercentage),
      let known = TermValue.sign(sign)
    else { return nil }
    let value = sign.dropFirst(known.count) + first.text + (isPercentage ? "%" : "")
    do throws(ValueError) {
      let filter = try TermValue(field: field, today: today).filter(known, FilterTerm.plain(value))
      if case .and = filter { return (filter, "(\(filter))") }
      return (filter, "\(filter)")
    } catch {
      throw FilterInput.Problem(
        error,
        of: field,
        at: first.range.lowerBound,
        length: first.range.count
      )
    }
  }

  /// A part as terms; nil if they name no field.
  private func terms(_ clause: Range<Int>) throws(FilterInput.Problem) -> Part? {
    let range = characterRange(clause)
    do {
      let terms = try FilterTerm.filter(String(characters[range]), entity, today: today)
      return terms.map { ($0, "(\($0))") }
    } catch {
      throw error.moved(by: range.lowerBound)
    }
  }
}
