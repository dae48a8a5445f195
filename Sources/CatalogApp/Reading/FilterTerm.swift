import OpenSwiftData

/// One term of a filter as people type it on the screen: `year:1990-99 boxOffice>5m released<"last may" kuro -seen`.
///
/// Terms are separated by spaces, and all of them must match. A field is followed by `:` and a value, a range or a
/// list, or by a comparison, without spaces between them; names may be shortened. Other terms are words that
/// occur in any field. A `-` before a term inverts it. A boolean field alone, in any case, means that it is true, after
/// `-` that it is not.
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
  ///
  /// `year > 1990` is a term only where a name in the text means a field because names are forgiven; else it begins a
  /// predicate.
  static func split(_ text: String, _ entity: Schema.Entity) -> [FilterTerm] {
    let pieces = split(text)
    let isForgiving = pieces.indices.dropFirst().contains { place in
      signs.contains(pieces[place].text) && isForgiven(pieces[place - 1].text, entity)
    }
    var terms: [FilterTerm] = []
    for var term in pieces {
      if let sign = terms.last?.text, signs.contains(sign), let name = terms.dropLast().last {
        var whole = name
        whole.text += sign + term.text
        (whole.isUnfinished, whole.valueStart) = (term.isUnfinished, term.start)
        let isNamed =
          isForgiving ? field(name.text, of: entity) != nil : isForgiven(name.text, entity)
        if isNamed || whole.wordsOfField(entity, before: terms.dropLast(2)) > 0 {
          terms.removeLast(2)
          term = whole
        }
      }
      let count = term.wordsOfField(entity, before: terms[...])
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
  private func wordsOfField(_ entity: Schema.Entity, before: ArraySlice<FilterTerm>) -> Int {
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
    guard !words.contains(where: { reserved.contains($0.lowercased()) }),
      entity.fields.contains(where: { TypedName.areWords(words, of: $0.name) }),
      let field = field(name, of: entity)
    else { return false }
    return TypedName.areWords(words, of: field.name)
  }

  /// True if a name means a field only because names are forgiven; a predicate has the others.
  private static func isForgiven(_ name: String, _ entity: Schema.Entity) -> Bool {
    guard let field = field(name, of: entity) else { return false }
    return field.name.lowercased() != name.lowercased()
  }

  private static let signs: Set<String> = ["=", "!=", "<", ">", "<=", ">="]

  /// The words that begin or connect parts of a predicate.
  private static let reserved = signs.union(SyntaxToken.conditionWords).union(["&&", "||", "!"])

  /// True if a text is meant as terms: it has no word of a predicate.
  static func mayBeTerms(_ text: String) -> Bool {
    !text.contains("(") && !split(text).contains(where: \.isReserved)
  }

  var isReserved: Bool { Self.reserved.contains(text.lowercased()) }

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

  /// The boolean field with a name, in any case if that is unambiguous; nil for any other name.
  static func booleanField(named name: String, of entity: Schema.Entity) -> Schema.Attribute? {
    entity.field(inAnyCase: name).flatMap { $0.type == .boolean ? $0 : nil }
  }

  /// The field that a typed name means; nil if it is none, or several.
  static func field(_ name: String, of entity: Schema.Entity) -> Schema.Attribute? {
    if case .field(let name) = TypedName(name, of: entity) {
      entity.fieldsByName[name]
    } else {
      nil
    }
  }
}
