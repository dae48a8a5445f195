import OpenSwiftData

/// A filter as it was typed: a predicate, or plain words.
///
/// A text is a predicate if it parses as one. It also counts as one if its first word is followed by a
/// comparison, or is a field name followed by an operator: it then has a problem, and filters nothing.
/// All other texts are words, each of which must occur in some field. On the screen, text tests ignore
/// case unless they contain a capital letter. `=` is case-sensitive, as in scripts, so that a value
/// chosen from the table matches only that value.
package struct FilterInput: Hashable, Sendable {
  /// How a text was understood.
  enum Kind: Hashable, Sendable {
    case all, predicate, words, terms
  }

  var text = ""
  var filter = Filter.all
  private(set) var kind = Kind.all
  /// True if a test ignores case although the text does not request it.
  private(set) var ignoresCase = false
  /// True if it names records or paths, which only the session can look up.
  private(set) var namesRecords = false
  /// What the text means, as a predicate; nil if the text or the filter tells it.
  private var meaning: String?
  /// The paths that it may contain.
  private(set) var paths: [FieldPath] = []
  /// The reason why the text is not a valid predicate.
  private(set) var problem: Problem?
  /// The text fields that are compared with a date, which compares letter by letter.
  private(set) var datesAsText: [String] = []

  /// An error in a predicate, with its position.
  package struct Problem: Error, Hashable, Sendable {
    /// The place in characters from 1.
    let column: Int
    let message: String
    /// True for a field name alone, which may also be a plain word.
    var isMereField = false
    /// The characters that are wrong; nil for all up to the end.
    var length: Int?
    /// The text before a word that may become the name of a field; nil for other problems.
    private(set) var finished: String?

    init(column: Int, message: String, isMereField: Bool = false, length: Int? = nil) {
      (self.column, self.message, self.isMereField) = (column, message, isMereField)
      self.length = length
    }

    /// Wraps the error of a parser.
    init(_ error: any Error) {
      let syntax = error as? FilterSyntaxError
      column = syntax?.column ?? 1
      message = syntax?.message ?? String(describing: error)
    }

    /// The last word, if it is the beginning of a field's name and may become a term; nil otherwise.
    ///
    /// Of the first word, three letters are needed to tell.
    init?(unfinishedName text: String, _ entity: Schema.Entity) {
      guard FilterTerms.mayBeTerms(text), let term = FilterTerm.split(text).last,
        !term.isUnfinished,
        term.start + term.text.count == text.count
      else { return nil }
      let word = term.text.drop { $0 == "-" }.lowercased()
      let fields = entity.fields.filter {
        $0.name.lowercased().hasPrefix(word) && $0.name.count > word.count
      }
      guard word.count > (term.start == 0 ? 2 : 0), !fields.isEmpty else { return nil }
      let isBoolean = term.text.first == "-" && fields.count == 1 && fields[0].type == .boolean
      guard !isBoolean else { return nil }
      let names = fields.prefix(3).map(\.name).joined(separator: " or ")
      self.init(
        column: term.nameStart + 1,
        message: "a word, or the field \(names)? Tab completes it",
        isMereField: true,
        length: word.count
      )
      finished = String(text.prefix(term.start))
    }

    var sentence: String { "filter, column \(column): \(message)" }
  }

  init() {}

  /// Takes a filter that was not typed.
  init(_ filter: Filter, text: String) {
    self.filter = filter
    self.text = text
    kind = filter == .all ? .all : .predicate
  }

  /// The filter combined with another condition, in both text and meaning.
  func and(_ added: Filter, text: String) -> FilterInput {
    var input = FilterInput(filter.and(added), text: text)
    input.namesRecords = namesRecords
    input.paths = paths
    return input
  }

  /// The filter combined with another condition on a path.
  func and(_ added: Filter, at path: FieldPath, text: String) -> FilterInput {
    var input = and(added, text: text)
    input.namesRecords = true
    input.paths.append(path)
    return input
  }

  /// Converts a text that names records to a filter; `link` finds the records.
  ///
  /// - Throws: `Problem` with the error and its position.
  static func filter(
    _ text: String,
    for entity: Schema.Entity,
    link: (String, Schema.Attribute) throws -> PersistentIdentifier
  ) throws(Problem) -> Filter {
    do {
      let parsed = try withoutActuallyEscaping(link) {
        try FilterParser.parse(text, for: entity, link: $0)
      }
      try parsed.validate(for: entity)
      return parsed.ignoringCaseOfLowercase
    } catch {
      throw Problem(error)
    }
  }

  /// Parses the typed text; with `allowsWords` a field name alone is a word.
  ///
  /// Paths that the text contains are given, because only a schema knows them.
  init(
    _ text: String,
    for known: Schema.Entity,
    paths: [FieldPath] = [],
    today: CalendarDate? = nil,
    allowsWords: Bool = true
  ) {
    defer { datesAsText = filter.textsComparedWithDates }
    self.text = text
    self.paths = paths
    let entity = known.extended(withIdentifier: false, paths: paths)
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    do {
      var names = 0
      let parsed = try withoutActuallyEscaping({ (name: String, field: Schema.Attribute) in
        names += 1
        return Self.placeholder(name, field)
      }) {
        try FilterParser.parse(text, for: entity, link: $0)
      }
      try parsed.validate(for: entity)
      namesRecords = names > 0 || Self.needsLookup(parsed, known, paths)
      filter = parsed.ignoringCaseOfLowercase
      kind = .predicate
      ignoresCase = filter != parsed
    } catch {
      if !allowsWords, let unfinished = Problem(unfinishedName: text, known) {
        problem = unfinished
        return
      }
      if take(termsOf: text, entity, today) { return }
      let clauses = Self.clauses(of: text, entity, today)
      if let predicate = clauses.predicate, take(predicate, known, entity) { return }
      let beginning = PredicateBeginning(text, entity)
      if let operators = beginning.operatorsToCome, !allowsWords || !beginning.isMereField {
        problem = Problem(
          column: text.count + 1,
          message: "expected \(operators)",
          isMereField: beginning.isMereField
        )
      } else if beginning.isPredicate {
        problem = Problem(error)
      } else if let problem = clauses.problem {
        self.problem = problem
      } else {
        let words = Filter.words(text)
        filter = words.ignoringCaseOfLowercase
        kind = .words
        namesRecords = Self.needsLookup(words, known, paths)
        ignoresCase = words.holdsText { $0.ignoresCaseOfLowercase }
      }
    }
  }

  /// Reads the text as parts with forgiven names; both are nil if it compares nothing.
  private static func clauses(of text: String, _ entity: Schema.Entity, _ today: CalendarDate?)
    -> (predicate: String?, problem: Problem?)
  {
    do {
      return (try FilterClauses(text, entity, today: today)?.predicate, nil)
    } catch {
      return (nil, error)
    }
  }

  /// Takes a predicate that says what the typed text means; false if it is not valid.
  private mutating func take(_ predicate: String, _ known: Schema.Entity, _ entity: Schema.Entity)
    -> Bool
  {
    guard
      let parsed = try? FilterParser.parse(predicate, for: entity, link: Self.placeholder),
      (try? parsed.validate(for: entity)) != nil
    else { return false }
    filter = parsed.ignoringCaseOfLowercase
    kind = .terms
    meaning = predicate
    namesRecords = Self.needsLookup(filter, known, paths)
    return true
  }

  /// True if a filter uses paths or links, which only the session can follow.
  private static func needsLookup(_ filter: Filter, _ entity: Schema.Entity, _ paths: [FieldPath])
    -> Bool
  {
    let links = entity.fields.filter { $0.type.destination != nil }.map(\.name)
    let looked = links + paths.map(\.name)
    return filter.attributeNames.map { used in looked.contains(where: used.contains) }
      ?? !looked.isEmpty
  }

  /// Reads the text as terms; false if it has none with a field.
  private mutating func take(termsOf text: String, _ entity: Schema.Entity, _ today: CalendarDate?)
    -> Bool
  {
    do {
      guard let terms = try FilterTerms(text, entity, today: today) else { return false }
      filter = terms.filter.ignoringCaseOfLowercase
      kind = .terms
      namesRecords = Self.needsLookup(filter, entity, paths)
    } catch {
      problem = error
    }
    return true
  }

  var isActive: Bool { filter != .all }

  /// The filter as a predicate, as scripts write it.
  var predicate: String { kind == .predicate ? text : meaning ?? filter.description }

  /// A placeholder for a record that has not been looked up.
  static func placeholder(_ name: String, _ field: Schema.Attribute)
    -> PersistentIdentifier
  {
    IdentifierScope(store: nil, entity: field.type.destination ?? "").identifier(parsing: name)
  }

  /// True if a text is compared by `=`, which is case-sensitive.
  var comparesTextExactly: Bool { filter.comparesTextExactly }

  /// The text as a part of a longer predicate.
  var textForConjunction: String {
    if case .or = filter { "(\(predicate))" } else { predicate }
  }

  /// The applied filter and its interpretation, for the status line.
  var statusText: String {
    let shown = kind == .terms ? predicate : text
    let flat = String(shown.map { $0.isNewline ? " " : $0 })
    let how =
      (kind == .words ? ["words"] : []) + (ignoresCase ? ["any case"] : [])
      + datesAsText.map { "\($0) is text, not dates" }
    return "filter " + flat + (how.isEmpty ? "" : " (\(how.joined(separator: ", ")))")
  }
}

extension TextMatch {
  /// True for a test whose text has no capital letter.
  fileprivate var ignoresCaseOfLowercase: Bool { !pattern.contains(where: \.isUppercase) }

  /// The test as typed on the screen: case-insensitive, unless it contains a capital letter.
  fileprivate func typed(isAnyField: Bool) -> TextMatch {
    var match = self
    if isAnyField {
      if !ignoresCaseOfLowercase { match.options.remove(.caseInsensitive) }
    } else if options.isEmpty, ignoresCaseOfLowercase,
      [.contains, .beginsWith, .endsWith, .like].contains(operation)
    {
      match.options.insert(.caseInsensitive)
    }
    return match
  }
}

extension Filter {
  /// The filter with case-insensitive text tests, except those that contain a capital letter or have
  /// options of their own.
  fileprivate var ignoringCaseOfLowercase: Filter {
    switch self {
    case .text(let name, let match): .text(name, match.typed(isAnyField: false))
    case .anyText(let match): .anyText(match.typed(isAnyField: true))
    case .and(let parts): .and(parts.map(\.ignoringCaseOfLowercase))
    case .or(let parts): .or(parts.map(\.ignoringCaseOfLowercase))
    case .not(let part): .not(part.ignoringCaseOfLowercase)
    default: self
    }
  }

  /// The text fields that are compared with a text that means a date.
  var textsComparedWithDates: [String] {
    switch self {
    case .compare(let name, let comparison, .text(let text)):
      let isOrder = [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparison)
      return isOrder && text.meansDate ? [name] : []
    case .between(let name, .text(let first), .text(let last)):
      return first.meansDate || last.meansDate ? [name] : []
    case .and(let parts), .or(let parts):
      var seen: Set<String> = []
      return parts.flatMap(\.textsComparedWithDates).filter { seen.insert($0).inserted }
    case .not(let part): return part.textsComparedWithDates
    default: return []
    }
  }

  fileprivate var comparesTextExactly: Bool {
    switch self {
    case .compare(_, .equal, .text(let text)): text.lowercased() != text.uppercased()
    case .and(let parts), .or(let parts): parts.contains(where: \.comparesTextExactly)
    default: false
    }
  }

  fileprivate func holdsText(_ isWanted: (TextMatch) -> Bool) -> Bool {
    switch self {
    case .text(_, let match), .anyText(let match): isWanted(match)
    case .and(let parts), .or(let parts): parts.contains { $0.holdsText(isWanted) }
    case .not(let part): part.holdsText(isWanted)
    default: false
    }
  }
}

extension String {
  /// True for a text that means a date, such as `2009-05-29`, `3 mar 72` or `last may`.
  fileprivate var meansDate: Bool {
    guard !allSatisfy(\.isNumber) else { return false }
    let reader = EntryReader(today: CalendarDate(daysSince1970: 0))
    return reader.date(self) != nil || DateWords(self, today: reader.today) != nil
  }
}

/// Determines from the first words of a text whether it is meant as a predicate.
struct PredicateBeginning {
  /// True if a field, or a word in its position, is followed by a comparison.
  private(set) var isPredicate = false
  /// True if the text is only the name of a field.
  private(set) var isMereField = false
  /// The possible next operators, if the text ends where one is expected.
  private(set) var operatorsToCome: String?

  static let wordOperators = [
    "contains", "beginswith", "endswith", "like", "matches", "between", "in", "is", "not",
  ]

  init(_ text: String, _ entity: Schema.Entity) {
    var tokens = PredicateToken.split(text)[...]
    while let first = tokens.first, ["(", "!", "not"].contains(first.text.lowercased()) {
      // Only a predicate begins with these and a field.
      tokens.removeFirst()
    }
    guard let first = tokens.popFirst() else { return }
    let field = first.field(of: entity)
    guard let second = tokens.first else {
      guard let field, first.isWhole else { return }
      isMereField = true
      operatorsToCome = Self.operators(for: field)
      return
    }
    let word = second.text.lowercased()
    if second.kind == .symbol, first.kind != .symbol {
      isPredicate = "=<>".contains(word.prefix(1)) || word.hasPrefix("!=")
      if !isPredicate, word == "!", let field { operatorsToCome = Self.operators(for: field) }
    } else if let field, second.kind == .word {
      isPredicate = Self.wordOperators.contains(word)
      if !isPredicate, tokens.count == 1, Self.wordOperators.contains(where: { $0.hasPrefix(word) })
      {
        operatorsToCome = Self.operators(for: field)
      }
    } else if first.kind == .word, Self.wordOperators.contains(word), tokens.count > 1 {
      // An unknown field that is compared with a text or a number is an error.
      let third = tokens[tokens.startIndex + 1]
      isPredicate = third.kind == .quoted || third.kind == .number || third.text == "("
    }
  }

  static func operators(for field: Schema.Attribute) -> String {
    field.type == .text
      ? "=, !=, contains, beginswith, like, in, is null" : "=, !=, <, >, between, in, is null"
  }
}

/// A word, a quoted text, a number or a sign of a predicate that is being typed.
struct PredicateToken: Hashable {
  enum Kind: Hashable {
    case word, number, quoted, field, symbol
  }

  let kind: Kind
  /// Without quotes.
  let text: String
  /// Its range of characters in the whole text, including its quotes.
  let range: Range<Int>
  /// False when the closing quote is missing.
  let isWhole: Bool

  /// The field that it names, in any case if that is unambiguous.
  func field(of entity: Schema.Entity) -> Schema.Attribute? {
    guard kind == .word || kind == .field else { return nil }
    if let field = entity.fieldsByName[text] { return field }
    let alike = entity.fields.filter { $0.name.lowercased() == text.lowercased() }
    return alike.count == 1 ? alike[0] : nil
  }

  /// Splits any text.
  static func split(_ text: String) -> [PredicateToken] {
    let characters = Array(text)
    var tokens: [PredicateToken] = []
    var start = 0
    while start < characters.count {
      let first = characters[start]
      if first.isWhitespace {
        start += 1
        continue
      }
      let token =
        "\"'`".contains(first)
        ? quoted(characters, from: start)
        : isWord(first) ? word(characters, from: start) : symbol(characters, from: start)
      tokens.append(token)
      start = token.range.upperBound
    }
    return tokens
  }

  static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_.-:+".contains(character)
      || character.unicodeScalars.contains { $0.value > 0x7F }
  }

  private static func word(_ characters: [Character], from start: Int) -> PredicateToken {
    var end = characters[start...].firstIndex { !isWord($0) } ?? characters.count
    while let next = elementEnd(characters, from: end) {
      end = characters[next...].firstIndex { !isWord($0) } ?? characters.count
    }
    let kind: Kind = characters[start].isNumber || characters[start] == "-" ? .number : .word
    return PredicateToken(
      kind: kind,
      text: String(characters[start..<end]),
      range: start..<end,
      isWhole: true
    )
  }

  /// The end of a step into JSON, such as the `[0]` of `tags[0]` or the `["a.b"]` of `user["a.b"]`; nil if there is
  /// none.
  private static func elementEnd(_ characters: [Character], from start: Int) -> Int? {
    guard start + 1 < characters.count, characters[start] == "[" else { return nil }
    let digits = characters[(start + 1)...].prefix { $0.isASCII && $0.isNumber }
    var end = digits.endIndex
    if characters[start + 1] == "\"" {
      end = quoted(characters, from: start + 1).range.upperBound
    } else if digits.isEmpty {
      return nil
    }
    return end < characters.count && characters[end] == "]" ? end + 1 : nil
  }

  private static func symbol(_ characters: [Character], from start: Int) -> PredicateToken {
    let signs: Set<Character> = ["=", "<", ">", "!", "&", "|"]
    let isSign = signs.contains(characters[start])
    let end =
      isSign
      ? characters[start...].firstIndex { !signs.contains($0) } ?? characters.count : start + 1
    return PredicateToken(
      kind: .symbol,
      text: String(characters[start..<end]),
      range: start..<end,
      isWhole: true
    )
  }

  private static func quoted(_ characters: [Character], from start: Int) -> PredicateToken {
    let quote = characters[start]
    var end = start + 1
    var text = ""
    while end < characters.count {
      if characters[end] == quote {
        // Two backticks in a name are one.
        guard quote == "`", end + 1 < characters.count, characters[end + 1] == quote else { break }
        end += 1
      }
      if characters[end] == "\\", quote != "`", end + 1 < characters.count { end += 1 }
      text.append(characters[end])
      end += 1
    }
    let isWhole = end < characters.count
    return PredicateToken(
      kind: quote == "`" ? .field : .quoted,
      text: text,
      range: start..<min(characters.count, end + 1),
      isWhole: isWhole
    )
  }
}
