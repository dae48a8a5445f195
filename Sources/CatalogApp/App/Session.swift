import Foundation
package import OpenSwiftData

/// The one place where commands meet the records: a context on the open store, and what commands need
/// from the world around.
///
/// Confined to one thread, like its context.
package final class Session {
  /// The records and their unsaved changes.
  package private(set) var context: ModelContext
  /// What the store is called on the screen and in messages.
  package private(set) var storeName: String
  /// The entity that commands mean when they name none.
  package var entityName: String?
  /// True when nothing may be written.
  package let isReadOnly: Bool
  /// What comes from outside.
  package let services: any Services
  /// How scripts print.
  package var format: OutputFormat

  /// Creates a session on an open store.
  package init(
    container: ModelContainer,
    storeName: String,
    entityName: String? = nil,
    isReadOnly: Bool = false,
    services: any Services,
    format: OutputFormat = .table
  ) {
    context = ModelContext(container)
    self.storeName = storeName
    self.entityName = entityName
    self.isReadOnly = isReadOnly
    self.services = services
    self.format = format
    context.author = services.author
  }

  /// Leaves the store for another one; unsaved changes are lost, so callers ask first.
  package func open(_ location: String) throws {
    let opened = try services.open(location, schema: nil, isReadOnly: isReadOnly)
    context = ModelContext(opened.container)
    context.author = services.author
    storeName = opened.name
    entityName = nil
  }

  /// Splits a line, finds its command and does it as one undo step.
  ///
  /// - Throws: One line for people: `CommandError`, `FilterSyntaxError`, `PersistenceError`.
  package func perform(_ text: String) throws -> Outcome {
    let line = try CommandLine(text)
    guard let (command, words) = try Command.find(line) else { return .done("") }
    return try perform(command, line, words)
  }

  /// Does a command that was found in a line, as one undo step.
  package func perform(_ command: Command, _ line: CommandLine, _ words: Int) throws -> Outcome {
    if command.changesData, isReadOnly {
      throw CommandError("\(command.name) is not possible: the store was opened with --read-only")
    }
    context.processPendingChanges()
    var arguments = Arguments(line, after: words)
    do {
      let outcome = try command.run(&arguments, self)
      context.closeUndoStep(named: command.name)
      return outcome
    } catch {
      try context.abandonUndoStep()
      throw error
    }
  }

  // MARK: Finding what words mean

  /// The entity with the name, or the one that is meant without a name.
  package func entity(_ name: String? = nil) throws -> Schema.Entity {
    let schema = context.schema
    if let name { return try schema.entity(named: name) }
    if let entityName { return try schema.entity(named: entityName) }
    if schema.entities.count == 1 { return schema.entities[0] }
    throw CommandError(
      schema.entities.isEmpty
        ? "the store has no entity yet; make one with: entity create NAME FIELD:TYPE …"
        : "name one of the entities \(schema.entities.map(\.name).joined(separator: ", ")), or start with --entity"
    )
  }

  /// Takes the name of an entity if the next word is one; otherwise the entity that is meant.
  package func takeEntity(_ arguments: inout Arguments) throws -> Schema.Entity {
    if let word = arguments.peek, let entity = context.schema.entitiesByName[word.text] {
      _ = arguments.next()
      return entity
    }
    if let word = arguments.peek, word.equals == nil, !word.isQuoted,
      !Self.clauseWords.contains(word.text.lowercased())
    {
      _ = try context.schema.entity(named: word.text)
    }
    return try entity()
  }

  private static let clauseWords: Set<String> = [
    "where", "sort", "limit", "offset", "fields", "into", "to",
  ]

  /// The record that an identifier, a unique beginning of one, or a temporary identifier names.
  ///
  /// - Throws: `CommandError` when there is none or more than one.
  package func identifier(_ text: String) throws -> PersistentIdentifier {
    let candidates = try context.identifiers(withPrefix: text, limit: 1000)
    if let exact = candidates.filter({ $0.description == text }).unique(preferring: entityName) {
      return exact
    }
    if let known = remembered[text] { return context.resolve(known) }
    guard text.utf8.count >= 4 else {
      throw CommandError(
        candidates.isEmpty
          ? "there is no record \(Value.quoted(text))"
          : "\(Value.quoted(text)) is too short to name a record; give at least four characters of its identifier"
      )
    }
    guard let first = candidates.first else {
      throw CommandError("there is no record \(Value.quoted(text))")
    }
    guard candidates.count == 1 else {
      let shown = candidates.prefix(3).map(\.description).joined(separator: ", ")
      throw CommandError(
        "\(Value.quoted(text)) names more than one record (\(shown)…); give more characters"
      )
    }
    return first
  }

  /// Temporary identifiers that were replaced by a save, so that scripts may go on using them.
  private var remembered: [String: PersistentIdentifier] = [:]

  /// Notes what a save replaced.
  package func remember(_ pairs: [SaveReport.Pair]) {
    for pair in pairs { remembered[pair.temporary.description] = pair.temporary }
  }

  /// Reads `FIELD=VALUE` words until the next word is none, at least one.
  package func takeAssignments(_ arguments: inout Arguments, for entity: Schema.Entity) throws
    -> [(attribute: Schema.Attribute, value: Value)]
  {
    var assignments: [(attribute: Schema.Attribute, value: Value)] = []
    while let word = arguments.peek, let equals = word.equals {
      _ = arguments.next()
      let name = String(decoding: Array(word.text.utf8)[..<equals], as: UTF8.self)
      let text = String(decoding: Array(word.text.utf8)[(equals + 1)...], as: UTF8.self)
      let attribute = try entity.attribute(named: name)
      let value =
        text.isEmpty && !word.isQuoted ? Value.null : try self.value(text, for: attribute)
      assignments.append((attribute, value))
    }
    return assignments
  }

  /// Reads a value for an attribute from its text form; identifiers of links may be shortened.
  package func value(_ text: String, for attribute: Schema.Attribute) throws -> Value {
    switch attribute.type {
    case .link: return .link(try linked(text, from: attribute))
    case .links:
      return .links(
        try text.split(whereSeparator: { $0 == " " || $0 == "," }).map {
          try linked(String($0), from: attribute)
        }
      )
    default:
      do {
        return try Value(parsing: text, as: attribute.type)
      } catch {
        throw CommandError("\(attribute.name): \(error)")
      }
    }
  }

  private func linked(_ text: String, from attribute: Schema.Attribute) throws
    -> PersistentIdentifier
  {
    let identifier = try identifier(text)
    guard identifier.entityName == attribute.type.destination else {
      throw CommandError(
        "\(attribute.name): \(text) is a record of \(identifier.entityName), not of \(attribute.type.destination ?? "")"
      )
    }
    return identifier
  }
}

extension [PersistentIdentifier] {
  /// The only one, or the only one of the entity.
  fileprivate func unique(preferring entityName: String?) -> PersistentIdentifier? {
    if count == 1 { return first }
    let preferred = filter { $0.entityName == entityName }
    return preferred.count == 1 ? preferred.first : nil
  }
}
