import OpenSwiftData

/// A filter as people type it on the screen: `year:1990-99 boxOffice>5m released<"last may" kuro -seen`.
///
/// Terms are separated by spaces, and all of them must match. A field is followed by `:` and a value, a range or a
/// list, or by a comparison, without spaces between them; names may be shortened. Other terms are words that
/// occur in any field. A `-` before a term inverts it. A boolean field alone, in any case, means that it is true, after
/// `-` that it is not.
struct FilterTerms {
  /// The condition, which a script writes as a predicate.
  let filter: Filter

  /// Reads a text; nil if it has no term with a field, or is meant as a predicate.
  ///
  /// - Throws: `FilterInput.Problem` with the place of a value that is not valid for its field.
  init?(_ text: String, _ entity: Schema.Entity, today: CalendarDate?) throws(FilterInput.Problem) {
    let terms = FilterTerm.split(text, entity)
    guard
      !terms.contains(where: { $0.isUnfinished || Self.reserved.contains($0.text.lowercased()) })
    else { return nil }
    var parts: [Filter] = []
    var hasField = false
    for (place, term) in terms.enumerated() {
      guard let reading = try TermReading(term, entity, today) else {
        let before = place > 0 ? terms[place - 1] : nil
        if terms.count > 1 { try TermReading.refuseUnknown(term, after: before, entity) }
        return nil
      }
      hasField = hasField || reading.hasField
      parts.append(reading.filter)
    }
    guard hasField else { return nil }
    filter = parts.count == 1 ? parts[0] : .and(parts)
  }

  /// True if a text is meant as terms: it has no word of a predicate.
  static func mayBeTerms(_ text: String) -> Bool {
    !text.contains("(")
      && !FilterTerm.split(text).contains { reserved.contains($0.text.lowercased()) }
  }

  /// The words of a text that are the beginning of a boolean field's name, with the name: `fav` and `favourite`.
  ///
  /// Only after `-` do they mean the field.
  static func shortenedBooleans(in text: String, _ entity: Schema.Entity)
    -> [(word: String, field: String)]
  {
    guard mayBeTerms(text) else { return [] }
    return FilterTerm.split(text).compactMap { term in
      let word = term.text.lowercased()
      guard word.count > 2, let field = FilterTerm.field(word, of: entity), field.type == .boolean,
        field.name.lowercased().hasPrefix(word), field.name.count > word.count
      else { return nil }
      return (term.text, field.name)
    }
  }

  /// The words that begin or connect parts of a predicate.
  fileprivate static let reserved = FilterTerm.signs.union(PredicateBeginning.wordOperators)
    .union(["and", "or", "&&", "||", "!"])
}

/// One term of a filter, as it was typed.
struct FilterTerm {
  /// The characters, with quotes.
  var text: String
  /// The place of the first character, from 0.
  var start: Int
  /// True if a quote is not closed.
  var isUnfinished: Bool
  /// The place of the value, if there were spaces before it.
  var valueStart: Int?

  /// Splits at spaces outside quotes, except those inside the name of a field and around a comparison after one.
  static func split(_ text: String, _ entity: Schema.Entity) -> [FilterTerm] {
    var terms: [FilterTerm] = []
    for var term in joiningComparisons(split(text), entity) {
      let count = term.wordsOfField(entity, before: terms)
      if count > 0 {
        let start = terms[terms.count - count].start
        terms.removeLast(count)
        term.text = text.dropFirst(start).prefix(term.start - start) + term.text
        term.start = start
      }
      terms.append(term)
    }
    return terms
  }

  /// The number of earlier terms that belong to the name of the field at the beginning of this one: as many as
  /// possible.
  private func wordsOfField(_ entity: Schema.Entity, before: [FilterTerm]) -> Int {
    guard let (name, _, _, _) = comparison, let first = text.first, !"-\"`".contains(first)
    else { return 0 }
    var words = [name]
    var count = 0
    for (place, earlier) in before.reversed().prefix(5).enumerated() {
      guard earlier.comparison == nil, !earlier.text.contains("\"") else { break }
      let isInverted = earlier.text.first == "-"
      words.insert(String(earlier.text.dropFirst(isInverted ? 1 : 0)), at: 0)
      if Self.isName(words, entity) { count = place + 1 }
      if isInverted { break }
    }
    return count
  }

  /// True if several words are the name of a field, or begin words of its name that follow each other.
  private static func isName(_ words: [String], _ entity: Schema.Entity) -> Bool {
    let name = words.joined(separator: " ")
    let lower = name.lowercased()
    if entity.fields.contains(where: { $0.name.lowercased() == lower }) { return true }
    guard !words.contains(where: { FilterTerms.reserved.contains($0.lowercased()) }),
      entity.fields.contains(where: { TypedName.areWords(words, of: $0.name) }),
      let field = field(name, of: entity)
    else { return false }
    return TypedName.areWords(words, of: field.name)
  }

  /// Joins `year > 1990` to `year>1990` where the name means a field only because names are forgiven; then also after
  /// the exact names in the same text, which would else begin a predicate.
  private static func joiningComparisons(_ terms: [FilterTerm], _ entity: Schema.Entity)
    -> [FilterTerm]
  {
    let isForgiving = terms.indices.dropFirst().contains { place in
      signs.contains(terms[place].text) && isForgiven(terms[place - 1].text, entity)
    }
    func isNamed(_ name: String) -> Bool {
      isForgiving ? field(name, of: entity) != nil : isForgiven(name, entity)
    }
    var joined: [FilterTerm] = []
    for (place, term) in terms.enumerated() {
      if place > 1, signs.contains(terms[place - 1].text), joined.count > 1,
        joined.last?.text == terms[place - 1].text,
        isNamed(joined[joined.count - 2].text)
          || endsName(joined.dropLast().map(\.text), entity)
      {
        joined.removeLast()
        var whole = joined.removeLast()
        whole.text += terms[place - 1].text + term.text
        (whole.isUnfinished, whole.valueStart) = (term.isUnfinished, term.start)
        joined.append(whole)
      } else {
        joined.append(term)
      }
    }
    return joined
  }

  /// True if a name means a field only because names are forgiven; a predicate has the others.
  private static func isForgiven(_ name: String, _ entity: Schema.Entity) -> Bool {
    guard let field = field(name, of: entity) else { return false }
    return field.name.lowercased() != name.lowercased()
  }

  /// True if the last words are the name of a field with spaces.
  private static func endsName(_ words: [String], _ entity: Schema.Entity) -> Bool {
    (2...6).contains { $0 <= words.count && isName(words.suffix($0), entity) }
  }

  fileprivate static let signs: Set<String> = ["=", "!=", "<", ">", "<=", ">="]

  /// Splits at spaces outside quotes.
  static func split(_ text: String) -> [FilterTerm] {
    var terms: [FilterTerm] = []
    var word = ""
    var start = 0
    var isQuoted = false
    func end() {
      if !word.isEmpty {
        terms.append(FilterTerm(text: word, start: start, isUnfinished: isQuoted))
      }
      word = ""
    }
    for (place, character) in text.enumerated() {
      if character == "\"" { isQuoted.toggle() }
      if character.isWhitespace, !isQuoted {
        end()
      } else {
        if word.isEmpty { start = place }
        word.append(character)
      }
    }
    end()
    return terms
  }

  /// The term that a text ends with; nil if its quote is not closed, and after a space.
  static func last(of text: String) -> FilterTerm? {
    guard let term = split(text).last, !term.isUnfinished,
      term.start + term.text.count == text.count
    else { return nil }
    return term
  }

  /// The place of the name of a field.
  var nameStart: Int { start + (text.first == "-" ? 1 : 0) }

  /// The text without quotes.
  static func plain(_ text: Substring) -> String { text.filter { $0 != "\"" } }

  typealias Comparison = (field: String, operation: String, value: Substring, valueStart: Int)

  /// The field and the operator at the beginning of the term, and the rest; nil for a word.
  var comparison: Comparison? {
    let body = text.drop { $0 == "-" }
    if let quoted = Self.quotedName(body) { return comparison(named: quoted.name, quoted.rest) }
    guard let place = body.firstIndex(where: { ":<>=!\"".contains($0) }), place > body.startIndex,
      body[place] != "\""
    else { return nil }
    return comparison(named: String(body[..<place]), body[place...])
  }

  private func comparison(named name: String, _ rest: Substring) -> Comparison? {
    guard let operation = rest.first == ":" ? ":" : TermValue.sign(rest) else { return nil }
    let value = rest.dropFirst(operation.count)
    let offset = text.distance(from: text.startIndex, to: value.startIndex)
    return (name, operation, value, valueStart ?? (start + offset))
  }

  /// The name in quotes at the beginning of a term, and what follows; nil if there is none.
  private static func quotedName(_ body: Substring) -> (name: String, rest: Substring)? {
    guard let quote = body.first, quote == "\"" || quote == "`",
      let end = body.dropFirst().firstIndex(of: quote)
    else { return nil }
    let rest = body[body.index(after: end)...]
    return rest.isEmpty ? nil : (String(body[body.index(after: body.startIndex)..<end]), rest)
  }

  /// The boolean field that the term names without a comparison; nil for a word.
  ///
  /// Only after `-` may the name be shortened, and a name in quotes is a word.
  fileprivate func booleanField(_ word: String, _ isInverted: Bool, of entity: Schema.Entity)
    -> Schema.Attribute?
  {
    if isInverted {
      let field = Self.field(word, of: entity)
      return field?.type == .boolean ? field : nil
    }
    return text.contains("\"") ? nil : Self.booleanField(named: word, of: entity)
  }

  /// The boolean field with a name, in any case if that is unambiguous; nil for any other name.
  static func booleanField(named name: String, of entity: Schema.Entity) -> Schema.Attribute? {
    let lower = name.lowercased()
    let alike = entity.fields.filter { $0.name.lowercased() == lower }
    let field = entity.fieldsByName[name] ?? (alike.count == 1 ? alike[0] : nil)
    return field?.type == .boolean ? field : nil
  }

  /// The field that a typed name means; nil if it is none, or several.
  static func field(_ name: String, of entity: Schema.Entity) -> Schema.Attribute? {
    guard case .field(let name) = TypedName(name, among: entity.fields.map(\.name)) else {
      return nil
    }
    return entity.fieldsByName[name]
  }
}

/// What one term means.
private struct TermReading {
  let filter: Filter
  /// True if it names a field.
  let hasField: Bool

  /// Reads a term; nil if only a predicate has such a part.
  init?(_ term: FilterTerm, _ entity: Schema.Entity, _ today: CalendarDate?)
    throws(FilterInput.Problem)
  {
    let isInverted = term.text.first == "-" && term.text.count > 1
    let word = FilterTerm.plain(term.text.dropFirst(isInverted ? 1 : 0))
    let options: TextMatch.Options = [.caseInsensitive, .diacriticInsensitive]
    let anyField = Filter.anyText(TextMatch(.contains, word, options: options))
    guard let (name, operation, value, start) = term.comparison else {
      guard !word.isEmpty else { return nil }
      if let field = term.booleanField(word, isInverted, of: entity) {
        filter = .compare(field.name, isInverted ? .notEqual : .equal, .boolean(true))
        hasField = true
      } else {
        (filter, hasField) = (isInverted ? .not(anyField) : anyField, isInverted)
      }
      return
    }
    let meaning = TypedName(name, among: entity.fields.map(\.name))
    guard case .field(let known) = meaning, let field = entity.fieldsByName[known] else {
      // A word may contain a colon, as addresses and times do.
      let isWord = value.hasPrefix("//") || name.allSatisfy(\.isNumber)
      guard operation == ":" || meaning != .unknown else { return nil }
      guard isWord, meaning == .unknown else {
        throw FilterInput.Problem(name: name, at: term.nameStart, of: entity)
      }
      (filter, hasField) = (isInverted ? .not(anyField) : anyField, false)
      return
    }
    guard !value.isEmpty || operation == ":" else { return nil }
    do throws(ValueError) {
      let reader = TermValue(field: field, today: today)
      let condition = try reader.filter(operation, FilterTerm.plain(value))
      (filter, hasField) = (isInverted ? .not(condition) : condition, true)
    } catch {
      throw FilterInput.Problem(
        column: start + 1,
        message: "\(field.name): \(error)",
        length: max(1, value.count)
      )
    }
  }
}

extension TermReading {
  /// Rejects the comparison of an unknown field next to other terms.
  ///
  /// - Throws: `FilterInput.Problem` with the place of the name.
  fileprivate static func refuseUnknown(
    _ term: FilterTerm,
    after before: FilterTerm?,
    _ entity: Schema.Entity
  ) throws(FilterInput.Problem) {
    guard let (name, _, _, _) = term.comparison, name.contains(where: \.isLetter),
      !name.contains(where: { "()!".contains($0) }),
      FilterTerm.field(name, of: entity) == nil
    else { return }
    // A plain word before it may belong to the name.
    let mayHaveSpaces = entity.fields.contains { $0.name.contains(" ") }
    guard !mayHaveSpaces || before == nil || before?.comparison != nil else { return }
    throw FilterInput.Problem(name: name, at: term.nameStart, of: entity)
  }
}
