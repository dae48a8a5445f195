import Foundation
import OpenSwiftData

/// What can follow in a command that is being typed, with the names and the values of an open store.
package struct CommandCompletion {
  private let session: Session
  private static let valueLimit = 100

  /// Completes commands on the store of a session.
  package init(_ session: Session) { self.session = session }

  /// The names of commands that begin with a text.
  package static func commands(beginning text: String) -> [String] {
    let names = Command.all(in: .scripts).map { String($0.name.prefix { $0 != " " }) }
    return Set(names).filter { $0.hasPrefix(text.lowercased()) }.sorted()
  }

  /// The text with each word that can complete its last one.
  ///
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: O(n) in the number of records if the word is a value.
  package func lines(completing text: String) throws -> [String] {
    let words = TypedWord.split(text)
    guard let first = words.first, let last = words.last, words.count > 1 else {
      return Self.commands(beginning: text)
    }
    let command = first.text.lowercased()
    if words.count == 2 {
      let seconds = Self.second(words: command, beginning: last.text)
      if !seconds.isEmpty { return seconds.map { text.prefix(last.start) + $0 } }
    }
    if let file = Completion.file(before: text) {
      return session.services.paths(beginning: file.beginning).map {
        text.prefix(file.range.lowerBound) + CommandText.quoted($0)
      }
    }
    let entity = try self.entity(of: words)
    if let start = TypedWord.predicateStart(in: words) {
      return try predicates(text, from: start, entity, last)
    }
    if let assignments = try assignments(last, entity, of: command) {
      return assignments.map { text.prefix(last.start) + $0 }
    }
    if let known = ArgumentWords(
      after: words.dropLast().map(\.name),
      current: last.name,
      entities: session.context.schema.entities.map(\.name)
    ), !["sort", "group"].contains(command) {
      return Self.names(known, entity, entities, beginning: last.name).map {
        text.prefix(last.start) + $0
      }
    }
    let found: (start: Int, candidates: [String])
    switch words[words.count - 2].text.lowercased() {
    case "sort", "fields", "by": found = fields(in: last, entity)
    case "into": found = (last.start, entities)
    case "keep" where ["save", "w", "write"].contains(command): found = (last.start, Self.sides)
    default: found = names(last, entity, of: command, isFirst: words.count == 2)
    }
    let head = text.prefix(found.start)
    let typed = text.dropFirst(found.start).lowercased()
    return found.candidates.filter { $0.lowercased().hasPrefix(typed) }.map { head + $0 }
  }

  /// The entities of the store.
  package var entities: [String] {
    session.context.schema.entities.map { CommandText.quoted($0.name) }
  }

  // MARK: Places

  private static func second(words command: String, beginning text: String) -> [String] {
    Command.all(in: .scripts).compactMap { other in
      guard other.name.hasPrefix(command + " ") else { return nil }
      let second = String(other.name.dropFirst(command.count + 1))
      return second.hasPrefix(text.lowercased()) ? second : nil
    }
  }

  /// The entity that the command names, or else the current one; nil if it could be any.
  private func entity(of words: [TypedWord]) throws -> Schema.Entity? {
    let schema = session.context.schema
    for word in words.dropFirst().dropLast() {
      if let entity = schema.entitiesByName[word.name] { return entity }
    }
    let isOnly = schema.entities.count == 1 || session.entityName != nil
    return isOnly ? try session.entity() : nil
  }

  /// The values that can follow `FIELD=`, each as a whole assignment with the quotes that it needs; nil elsewhere.
  private func assignments(_ last: TypedWord, _ entity: Schema.Entity?, of command: String) throws
    -> [String]?
  {
    guard Self.assigning.contains(command), let entity,
      let equals = last.text.firstIndex(of: "="),
      let field = entity.fieldsByName[String(last.text[..<equals])]
    else { return nil }
    let typed = last.text[equals...].dropFirst().drop { "\"'".contains($0) }
    return try values(of: field, in: entity, beginning: String(typed))
      .map { CommandText.assignment(field.name, $0.text) }
  }

  private static let assigning: Set<String> = ["insert", "set", "upsert"]

  private func names(
    _ last: TypedWord,
    _ entity: Schema.Entity?,
    of command: String,
    isFirst: Bool
  ) -> (start: Int, candidates: [String]) {
    let takesEntity = Self.commandsOfEntities.contains(command)
    var candidates = isFirst && takesEntity ? entities : []
    let fields = entity?.fields ?? []
    if Self.assigning.contains(command) {
      candidates += fields.map { CommandText.assignment($0.name, nil) }
    }
    if ["stats", "freq", "field", "pivot", "unpivot"].contains(command) {
      candidates += fields.map { CommandText.quoted($0.name) }
    }
    return (last.start, candidates + (Self.keywords[command] ?? []))
  }

  /// The commands whose first word can be an entity.
  private static let commandsOfEntities = Set(
    Command.all(in: .screen).filter {
      $0.usage.hasPrefix("ENTITY") || $0.usage.hasPrefix("[ENTITY")
    }
    .flatMap(\.names) + ["delete", "duplicate", "set", "entity"]
  )
  private static let sides = ["mine", "theirs"]
  private static let listWords = [
    "where", "join", "by", "having", "sort", "limit", "per", "offset", "sample", "fields",
    "distinct",
  ]
  private static let keywords: [String: [String]] = [
    "save": ["keep", "message"],
    "list": listWords, "export": listWords, "count": ["where", "join"],
    "expect": ["where", "join"], "set": ["where", "join", "sort", "per", "expect"],
    "delete": ["where", "expect"],
    "stats": ["where", "join"], "freq": ["where", "join"],
    "pivot": ["by", "where", "join", "sort", "limit", "offset"],
    "unpivot": ["as", "where", "join", "having", "sort", "limit", "offset"], "upsert": ["by"],
    "import": ["into", "by", "mirror"],
  ]

  /// The names and words that can follow at a fixed place.
  private static func names(
    _ known: ArgumentWords,
    _ entity: Schema.Entity?,
    _ entities: [String],
    beginning typed: String
  ) -> [String] {
    let fields = known.fields || known.columns ? entity?.fields ?? [] : []
    let names = fields.map(\.name) + known.words + (known.entities ? entities : [])
    return names.filter { $0.lowercased().hasPrefix(typed.lowercased()) }.map {
      known.words.contains($0) || entities.contains($0) ? $0 : CommandText.quoted($0)
    }
  }

  /// The fields that can follow the last comma of a list.
  private func fields(in last: TypedWord, _ entity: Schema.Entity?) -> (
    start: Int, candidates: [String]
  ) {
    let characters = Array(last.text)
    let comma = characters.lastIndex { $0 == "," || $0 == "-" }
    let typed = String(characters[(comma.map { $0 + 1 } ?? 0)...])
    guard let entity else { return (last.start, []) }
    let names = entity.fields.map(\.name) + paths(beginning: typed, entity).map(\.name)
    return (last.start + (comma.map { $0 + 1 } ?? 0), names + [entity.identifierKey])
  }

  private func predicates(
    _ text: String,
    from start: Int,
    _ entity: Schema.Entity?,
    _ last: TypedWord
  ) throws -> [String] {
    guard let entity else { return [] }
    let predicate = String(text.dropFirst(start))
    if let typed = PredicateCompletion.parameter(atEndOf: predicate) {
      return session.script.parameters.keys.sorted().map { "$" + $0 }.filter { $0.hasPrefix(typed) }
        .map { text.dropLast(typed.count) + $0 }
    }
    let used = session.paths(in: predicate[...], of: entity).values
    let possible = paths(beginning: last.name, entity)
    let all = Set(used).union(possible).sorted { $0.name < $1.name }
    let completion = PredicateCompletion(
      before: predicate,
      entity.extended(withIdentifier: false, paths: all)
    )
    let head = text.prefix(start + completion.range.lowerBound)
    switch completion.wanted {
    case .words(let words): return words.map { head + $0 }
    case .values(let field, let prefix):
      return try values(of: field, in: entity, beginning: prefix)
        .map { head + Filter.literal($0) }
    }
  }

  /// The paths to the fields of the record that a typed beginning such as `author.` links to.
  private func paths(beginning text: String, _ entity: Schema.Entity) -> [FieldPath] {
    guard let period = text.lastIndex(of: ".") else { return [] }
    let head = String(text[..<period])
    let schema = session.context.schema
    // A beginning that is not a path has no completions.
    let path = (try? FieldPath(head, of: entity, in: schema)) ?? nil
    guard let type = path?.type ?? entity.fieldsByName[head]?.type, case .link(let name) = type,
      let destination = schema.entitiesByName[name]
    else { return [] }
    return destination.fields.compactMap {
      (try? FieldPath("\(head).\($0.name)", of: entity, in: schema)) ?? nil
    }
  }

  // MARK: Values

  private func values(of field: Schema.Attribute, in entity: Schema.Entity, beginning text: String)
    throws -> [Value]
  {
    // Identifiers of links and bytes are not typed.
    guard field.type.destination == nil, !field.isBlob else { return [] }
    let selection = FieldSelection(
      query: Query(entity.name),
      field: field.name,
      usesShownRecords: false
    )
    var found: Set<Value> = []
    let typed = text.lowercased()
    try selection.forEachValue(in: session) { value in
      if !value.isNull, value.text.lowercased().hasPrefix(typed) { found.insert(value) }
    }
    return Array(
      found.sorted { $0.compare($1) == .orderedAscending }.prefix(Self.valueLimit)
    )
  }
}

/// A word of a command that is being typed, perhaps with an open quote.
struct TypedWord {
  /// As it was typed, quotes included.
  let text: String
  /// The place of its first character in the line.
  let start: Int

  /// The word without quotes.
  var name: String { text.filter { !"\"'`".contains($0) } }

  /// Where the predicate begins in which the last word is; nil if it is not in one.
  static func predicateStart(in words: [TypedWord]) -> Int? {
    let clauses: Set<String> = ["where", "sort", "fields", "by", "into"]
    let former = words.dropFirst().dropLast()
    guard let clause = former.lastIndex(where: { clauses.contains($0.text.lowercased()) }),
      words[clause].text.lowercased() == "where"
    else { return nil }
    return words[clause + 1].start
  }

  /// Splits at spaces that are not in quotes; the last word is empty after a space.
  static func split(_ text: String) -> [TypedWord] {
    var words: [TypedWord] = []
    var word = ""
    var start = 0
    var quote: Character?
    for (place, character) in text.enumerated() {
      if let open = quote {
        if character == open { quote = nil }
      } else if "\"'`".contains(character) {
        quote = character
      } else if character == " " {
        if !word.isEmpty { words.append(TypedWord(text: word, start: start)) }
        (word, start) = ("", place + 1)
        continue
      }
      word.append(character)
    }
    return words + [TypedWord(text: word, start: start)]
  }
}
