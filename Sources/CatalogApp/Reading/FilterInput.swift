import Foundation
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
  /// What the words that are the beginning of a boolean field's name mean.
  private var shortened: [String] = []

  /// An error in a predicate, with its position.
  package struct Problem: Error, Hashable, Sendable {
    /// The place in characters from 1.
    let column: Int
    let message: String
    /// True for a field name alone, which may also be a plain word.
    var isMereField = false
    /// The characters that are wrong; nil for all up to the end.
    var length: Int?
    /// True if no other reading of the text has a better reason.
    var isCertain = false
    /// The text before the last word, if that may become the name of a field or is a term that is not valid yet; nil for
    /// other problems.
    fileprivate(set) var finished: String?

    var sentence: String { "filter, column \(column): \(message)" }
  }

  init() {}

  /// Takes a filter that was not typed.
  init(_ filter: Filter, text: String) {
    self.filter = filter
    self.text = text
    kind = filter == .all ? .all : .predicate
  }

  /// The filter combined with another condition, which may be on a path, in both text and meaning.
  func and(_ added: Filter, at path: FieldPath?) -> FilterInput {
    let own = if case .or = filter { "(\(predicate))" } else { predicate }
    let other = if case .or = added { "(\(added))" } else { "\(added)" }
    let text = isActive ? "\(own) and \(other)" : "\(added)"
    var input = FilterInput(filter.and(added), text: text)
    input.namesRecords = namesRecords || path != nil
    input.paths = paths + [path].compactMap { $0 }
    return input
  }

  /// The filter for the other records; inverting it again gives the first one.
  var inverted: FilterInput {
    var input = self
    if case .not(let part) = filter, predicate.hasPrefix("not ("), predicate.hasSuffix(")") {
      (input.filter, input.text) = (part, String(predicate.dropFirst(5).dropLast()))
    } else {
      (input.filter, input.text) = (.not(filter), "not (\(predicate))")
    }
    // A predicate that was not typed says itself what ignores case.
    input.ignoresCase = kind == .predicate && ignoresCase
    (input.kind, input.meaning, input.shortened) = (.predicate, nil, [])
    return input
  }

  /// Converts a text that names records to a filter; `link` finds the records.
  ///
  /// - Throws: `Problem` with the error and its position.
  static func filter(
    _ text: String,
    for entity: Schema.Entity,
    link: @escaping (String, Schema.Attribute) throws -> PersistentIdentifier
  ) throws(Problem) -> Filter {
    do {
      return try parsed(text, for: entity, link: link).ignoringCaseOfLowercase
    } catch {
      // `author=300` means a title if no record has this number.
      guard !text.contains("\""), !text.contains("'"),
        let terms = try? FilterTerm.filter(text, entity, today: nil)
      else { throw Problem(error) }
      return terms.ignoringCaseOfLowercase
    }
  }

  /// Parses a text that is a predicate as it is, with the conditions in it that are known.
  ///
  /// - Throws: `FilterSyntaxError`, or the error of a comparison that is not possible.
  static func parsed(
    _ text: String,
    for entity: Schema.Entity,
    link: @escaping (String, Schema.Attribute) throws -> PersistentIdentifier = placeholder,
    known: [Int: (filter: Filter, end: Int)] = [:]
  ) throws -> Filter {
    let parsed = try FilterParser.parse(text, for: entity, link: link, known: known)
    try parsed.validate(for: entity)
    return parsed
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
    defer {
      namesRecords = Self.needsLookup(filter, known, paths)
      if kind == .words || kind == .terms {
        shortened = FilterTerm.shortenedBooleans(in: text, known).map {
          "\($0.word) is a word; the field is \($0.field)"
        }
      }
    }
    self.text = text
    self.paths = paths
    let entity = known.extended(withIdentifier: false, paths: paths)
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    do {
      let parsed = try Self.parsed(text, for: entity)
      filter = parsed.ignoringCaseOfLowercase
      kind = .predicate
      ignoresCase = filter != parsed
    } catch let error as FilterSyntaxError where error.problem == .limit {
      // No other reading would find out what is meant.
      problem = Problem(error)
    } catch {
      if !allowsWords, let unfinished = Problem(unfinishedName: text, known) {
        problem = unfinished
        return
      }
      var wrongPart: Problem?
      do throws(Problem) {
        if let forgiving = try ForgivingFilter(text, entity, today: today) {
          (filter, meaning) = (forgiving.filter.ignoringCaseOfLowercase, forgiving.predicate)
          kind = .terms
          return
        }
      } catch {
        wrongPart = error
      }
      let beginning = PredicateBeginning(text, entity)
      if let expected = Problem(operatorAfter: beginning, text),
        !allowsWords || !expected.isMereField
      {
        problem = expected
      } else if beginning == .comparison, wrongPart?.isCertain != true {
        problem = Problem(error)
      } else if let wrongPart {
        // The parts before plain words are valid, since names are forgiven.
        problem = wrongPart
      } else {
        let words = Filter.words(text, isFinished: allowsWords)
        filter = words.ignoringCaseOfLowercase
        kind = .words
        ignoresCase = words.textMatches.contains(where: \.ignoresCaseOfLowercase)
      }
    }
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

  var isActive: Bool { filter != .all }

  /// The filter as a predicate, as scripts write it.
  var predicate: String { kind == .predicate ? text : meaning ?? filter.description }

  /// A placeholder for a record that has not been looked up.
  static func placeholder(_ name: String, _ field: Schema.Attribute)
    -> PersistentIdentifier
  {
    IdentifierScope(store: nil, entity: field.type.destination ?? "").identifier(parsing: name)
  }

  /// Which of the texts are found in any case; nil if none is, or if the filter tells it.
  var caseNote: String? {
    guard ignoresCase else { return nil }
    let parts: [TextMatch.Operation] = [.contains, .beginsWith, .endsWith, .like]
    let isMixed = filter.textMatches.contains {
      parts.contains($0.operation) && !$0.options.contains(.caseInsensitive)
    }
    return isMixed ? "lowercase in any case" : "any case"
  }

  /// The applied filter and its interpretation, for the status line.
  var statusText: String {
    let shown = kind == .terms ? predicate : text
    let flat = String(shown.map { $0.isNewline ? " " : $0 })
    let how =
      (kind == .words ? ["words"] : []) + (caseNote.map { [$0] } ?? [])
      + filter.textsComparedWithDates.map { "\($0) is text, not dates" }
      + filter.textsCompared { DigitText($0) != nil }.map {
        "\($0) is text, compared letter by letter"
      } + shortened
    return "filter " + flat + (how.isEmpty ? "" : " (\(how.joined(separator: ", ")))")
  }
}

extension FilterInput.Problem {
  /// A name that is not that of one field, at a place from 0.
  init(name: String, at place: Int, length: Int? = nil, of entity: Schema.Entity) {
    let names = entity.fields.map(\.name)
    column = place + 1
    self.length = length ?? name.count
    if case .ambiguous(let found) = TypedName(name, among: names) {
      message = "\(Value.quoted(name)) could be \(found.prefix(4).joined(separator: " or "))"
    } else {
      let similar = Suggestion.text(for: name, among: names)
      message =
        "\(entity.name) has no field \(Value.quoted(name))"
        + (similar.hasPrefix("did you mean") ? "; \(similar)" : "")
    }
  }

  /// The error of a value in a term.
  init(_ error: ValueError, of field: Schema.Attribute, at place: Int, length: Int) {
    self.init(column: place + 1, message: "\(field.name): \(error)", length: length)
  }

  /// The operators that may follow, if the text ends where one is expected; nil otherwise.
  init?(operatorAfter beginning: PredicateBeginning, _ text: String) {
    switch beginning {
    case .field(let field), .operation(let field):
      let operators =
        field.type == .text
        ? "=, !=, contains, beginswith, like, in, is null" : "=, !=, <, >, between, in, is null"
      self.init(column: text.count + 1, message: "expected \(operators)")
      isMereField = beginning == .field(field)
    case .comparison, .other: return nil
    }
  }

  /// The problem of a text of terms; those before the one that is being typed are valid.
  func ofTerm(in text: String, _ entity: Schema.Entity) -> Self {
    var problem = self
    problem.isCertain = true
    if let last = FilterTerm.split(text, entity).last, last.start > 0, column > last.start {
      problem.finished = String(text.prefix(last.start))
    }
    return problem
  }

  /// The problem of a part of a text, as one of the whole text.
  func moved(by places: Int) -> Self {
    Self(column: column + places, message: message, length: length)
  }

  /// Wraps the error of a parser.
  init(_ error: any Error) {
    let syntax = error as? FilterSyntaxError
    column = syntax?.column ?? 1
    message = syntax?.message ?? String(describing: error)
  }

  /// The last word, if it is the beginning of a field's name and may become a term; nil otherwise.
  ///
  /// Of the first word, three letters are needed to tell. After other words, it may also be the whole name.
  init?(unfinishedName text: String, _ entity: Schema.Entity) {
    guard FilterTerm.mayBeTerms(text), let term = FilterTerm.last(of: text) else { return nil }
    let name = String(term.text.drop { $0 == "-" })
    // It is a condition already, whatever other names begin with it.
    guard FilterTerm.booleanField(named: name, of: entity) == nil else { return nil }
    let word = name.lowercased()
    let fields = entity.fields.filter {
      $0.name.lowercased().hasPrefix(word) && ($0.name.count > word.count || term.start > 0)
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
}

extension FilterInput {
  /// How to exclude a word, if `not` before it was read as a word.
  var negationHint: String? {
    guard kind == .words else { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let place = words.firstIndex(where: { $0.lowercased() == "not" }),
      words.indices.contains(place + 1)
    else { return nil }
    return "\"\(words[place])\" is a word here; type -\(words[place + 1]) to exclude a word"
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
    } else if options.subtracting(.jsonStrings).isEmpty, ignoresCaseOfLowercase,
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
    mapConditions { condition in
      switch condition {
      case .text(let name, let match): .text(name, match.typed(isAnyField: false))
      case .anyText(let match): .anyText(match.typed(isAnyField: true))
      default: condition
      }
    }
  }

  /// The text fields whose order is compared with a text that means a date.
  var textsComparedWithDates: [String] { textsCompared(\.meansDate) }

  /// The text fields whose order is compared, letter by letter, with a text that means something else.
  fileprivate func textsCompared(_ isWanted: (String) -> Bool) -> [String] {
    var seen: Set<String> = []
    return conditions.compactMap { condition in
      switch condition {
      case .compare(let name, let comparison, .text(let text)):
        comparison != .equal && comparison != .notEqual && isWanted(text) ? name : nil
      case .between(let name, .text(let first), .text(let last)):
        isWanted(first) || isWanted(last) ? name : nil
      default: nil
      }
    }.filter { seen.insert($0).inserted }
  }

  /// True if a text is compared by `=`, which is case-sensitive.
  var comparesTextExactly: Bool {
    switch self {
    case .compare(_, .equal, .text(let text)): text.lowercased() != text.uppercased()
    case .text(_, let match): match == TextMatch(.equals, match.pattern)
    case .and(let parts), .or(let parts): parts.contains(where: \.comparesTextExactly)
    default: false
    }
  }

  /// The tests of texts in it.
  var textMatches: [TextMatch] {
    conditions.compactMap { condition in
      switch condition {
      case .text(_, let match), .anyText(let match): match
      default: nil
      }
    }
  }
}

extension String {
  /// True for a text that means a date, such as `2009-05-29`, `3 mar 72` or `last may`.
  fileprivate var meansDate: Bool {
    guard !allSatisfy(\.isNumber) else { return false }
    return !EntryReader(today: CalendarDate(daysSince1970: 0)).days(self).isEmpty
  }
}
