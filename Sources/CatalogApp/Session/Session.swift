import Foundation
package import OpenSwiftData

/// Connects commands with the records: a context on the open store, and the services that commands
/// need.
///
/// Confined to one thread, like its context.
package final class Session {
  /// The store that is open.
  package var store: CurrentStore
  /// Its records and their unsaved changes.
  package var context: ModelContext { store.context }
  /// The entity of commands that do not name one.
  package var entityName: String?
  /// The services that the program provides.
  package let services: any Services
  /// How it reads, prints and saves.
  package var settings: SessionSettings
  /// What the script has said so far.
  package var script = ScriptState()
  private let news = ExternalChanges()
  /// The looks at the store that lines share.
  package var looks = SharedLooks()
  /// The place where the running command was entered; `.script` while none runs.
  private(set) var origin = CommandOrigin.script
  /// The line of the last command, to find the word that a failure is about; nil for a command without words.
  var failurePlace: FailurePlace?
  /// The columns of the table on the screen, with its entity; nil in scripts.
  var shownColumns: (entity: String?, columns: ColumnArrangement)?
  /// Called with each command before it is performed.
  package var willPerform: ((Command) -> Void)?
  /// Information from the running command, or from the last one.
  var notes = CommandNotes()
  /// The notes about the last command that are for standard error.
  package var remarks: [String] { notes.remarks }
  /// The records by values, for commands that read many rows of a file; nil for all others.
  var valueIndex: ValueIndex?

  /// The store that the tour has put aside; nil without a tour.
  var aside: StoreAside?

  /// The files that the command has read beside the store, by their paths.
  var fileTables: [String: FileTable] = [:]

  package init(
    container: ModelContainer,
    storeName: String,
    entityName: String? = nil,
    isReadOnly: Bool = false,
    storeReason: String? = nil,
    services: any Services,
    format: OutputFormat = .table
  ) {
    store = CurrentStore(
      container: container,
      name: storeName,
      isReadOnly: isReadOnly,
      unsavableReason: storeReason,
      author: services.author
    )
    self.entityName = entityName
    self.services = services
    settings = SessionSettings(format: format)
    news.listen(to: container)
  }

  /// Watches the store for saves of other programs, and calls the closure when there are any.
  func watch(_ wake: (@Sendable () -> Void)?) {
    news.setWake(wake)
    if news.isAwaited { context.container.startWatching() }
  }

  /// Merges and returns the saves of other programs since the last call; nil if there were none.
  ///
  /// - Throws: The error of a store that cannot be read.
  func takeExternalChanges() throws -> ExternalChanges.Content? {
    try context.container.refresh()
    store.readingFailure = nil
    guard let content = news.take() else { return nil }
    context.processPendingChanges()
    return content
  }

  /// Opens another store in place of this one; unsaved changes are lost, so callers ask first.
  ///
  /// With `keepingEdits` they are kept as after a crash, and offered for recovery.
  package func open(_ location: String, keepingEdits: Bool = false) throws {
    if keepingEdits { try store.keepEdits() }
    let opened = try services.open(
      location,
      schema: nil,
      isReadOnly: store.isReadOnly,
      reading: settings.saidReading?.location == location ? settings.saidReading?.options : nil
    )
    // If the file cannot be removed, it is offered once more, which is harmless.
    if !keepingEdits { try? store.recovery?.leave(context) }
    store.recovery = nil
    close()
    use(opened, at: location)
    if store.readOnlyReason == nil { store.recovery = services.recovery(for: location) }
  }

  /// Uses a store that was opened in place of the current one.
  func use(_ opened: OpenedStore, at location: String? = nil, isForTour: Bool = false) {
    var new = CurrentStore(
      container: opened.container,
      name: opened.name,
      location: location,
      isReadOnly: store.isReadOnly && !isForTour,
      unsavableReason: opened.readOnlyReason,
      author: services.author
    )
    new.note(opened)
    new.isForTour = isForTour
    use(new, entityName: opened.entityName)
  }

  /// Uses a store in place of the current one.
  func use(_ store: CurrentStore, entityName: String?) {
    self.store = store
    news.listen(to: store.context.container)
    if news.isAwaited { store.context.container.startWatching() }
    looks.forget()
    self.entityName = entityName
    script.tables = [:]
    script.book = nil
    script.identifiers = PrintedIdentifiers()
  }

  /// Releases the files of the store; unsaved changes would keep it open.
  package func close() { context.container.close() }

  // MARK: Performing commands

  /// Performs an instruction that was entered at a certain place, as one undo step.
  ///
  /// - Throws: As `perform(_:)` for a line.
  package func perform(_ instruction: any Instruction, from origin: CommandOrigin = .script) throws
    -> Outcome
  {
    try self.from(origin) {
      try prepare(type(of: instruction).command)
      return try perform(prepared: instruction)
    }
  }

  /// Checks that a command may run, and merges the saves of other programs.
  func prepare(_ command: Command) throws {
    if command.changesData, let readOnlyReason = store.readOnlyReason {
      throw CommandError("\(command.name): \(readOnlyReason)", code: .readOnly)
    }
    willPerform?(command)
    context.processPendingChanges()
    notes = CommandNotes()
    fileTables = [:]
    looks.look(at: context.container, before: command)
  }

  func perform(prepared instruction: any Instruction) throws -> Outcome {
    let former = notes
    for _ in 1..<OvertakenMatches.mostAttempts {
      do {
        return try performOnce(instruction)
      } catch is OvertakenMatches {
        notes = former
      }
    }
    return try performOnce(instruction)
  }

  private func performOnce(_ instruction: any Instruction) throws -> Outcome {
    defer { dropWidenedTypes() }
    do {
      context.beginUndoStep()
      if type(of: instruction).command.usesRecords { store.hasUsedRecords = true }
      let outcome = try instruction.perform(in: self)
      context.closeUndoStep(named: notes.step ?? .text(instruction.title))
      return outcome
    } catch {
      // A command that was stopped leaves nothing half done.
      try Interruption.ignored { try context.abandonUndoStep() }
      throw error
    }
  }

  /// Runs the body with the origin of a command.
  ///
  /// Its list of records is not held afterwards, so that the list can change in place.
  func from<Result>(_ origin: CommandOrigin, _ body: () throws -> Result) rethrows -> Result {
    self.origin = origin
    defer { self.origin = .script }
    return try body()
  }

  // MARK: Looking up entities and records

  /// The entity whose records are views.
  static let viewEntityName = "CatalogView"

  /// The reason why a database of another program has nothing to list.
  static let noTablesReason = "no tables; create one with sqlite3"

  /// The entity with the name, or the current entity without a name, with the types that its fields have in use.
  package func entity(_ name: String? = nil) throws -> Schema.Entity {
    let entity = try knownEntity(name)
    try context.readTypes(of: entity.name)
    return try context.schema.entity(named: entity.name)
  }

  /// The entity that a line without one means; nil if it has to name one.
  ///
  /// - Throws: `PersistenceError` if the current entity does not exist any more.
  var impliedEntity: Schema.Entity? {
    get throws {
      let schema = context.schema
      if let entityName { return try schema.entity(named: entityName) }
      // The views in the store are not what a line without an entity means.
      let entities = schema.entities.filter { $0.name != Self.viewEntityName }
      if entities.count == 1 { return entities[0] }
      return schema.entities.count == 1 ? schema.entities[0] : nil
    }
  }

  private func knownEntity(_ name: String?) throws -> Schema.Entity {
    let schema = context.schema
    if let name { return try schema.entity(named: name) }
    if let entity = try impliedEntity { return entity }
    if schema.entities.isEmpty, !store.allowsSchemaChanges {
      throw CommandError(Self.noTablesReason)
    }
    throw CommandError(
      schema.entities.isEmpty
        ? "no entities yet\(missingFileClause); create one with \"entity create NAME FIELD:TYPE …\" "
          + "or \"import FILE into NAME\""
        : "which entity? give one of \(schema.entities.map(\.name).joined(separator: ", ")), or start with --entity NAME"
    )
  }

  /// `: films.csv does not exist` for a file that has not been saved yet.
  private var missingFileClause: String { store.missingFile.map { ": \($0) does not exist" } ?? "" }

  /// Reads the next word if it is the name of an entity; otherwise returns the current entity.
  package func takeEntity(_ arguments: inout Arguments) throws -> Schema.Entity {
    if let word = arguments.peek, let entity = context.schema.entitiesByName[word.text] {
      _ = arguments.next()
      return try self.entity(entity.name)
    }
    if let word = arguments.peek, word.equals == nil, !word.isQuoted, !arguments.startsObject,
      !Self.clauseWords.contains(word.text.lowercased())
    {
      guard !context.schema.entities.isEmpty || !store.allowsSchemaChanges else {
        throw CommandError(
          "unknown entity \(Value.quoted(word.text)); no entities yet\(missingFileClause); "
            + "create it with \"entity create \(CommandText.quoted(word.text)) FIELD:TYPE …\"",
          code: .unknownEntity
        )
      }
      _ = try context.schema.entity(named: word.text)
    }
    return try entity()
  }

  private static let clauseWords: Set<String> = [
    "where", "sort", "limit", "offset", "fields", "into", "to", "by", "distinct", "having", "per",
    "sample", "join", "missing", "skip",
  ]

  /// The record that a link refers to, given by its identifier or by a value (`name:Calvino`).
  ///
  /// - Throws: `CommandError` if it is not found, or belongs to another entity.
  func linked(_ text: String, from attribute: Schema.Attribute) throws
    -> PersistentIdentifier
  {
    if text.first == "{" {
      guard let record = try record(named: text, for: attribute) else {
        throw CommandError("\(attribute.name): expected a value in \(text)", code: .invalidValue)
      }
      return record
    }
    if let record = try recordByValue(text, for: attribute) { return record }
    let destination = attribute.type.destination ?? ""
    let identifier: PersistentIdentifier
    do {
      identifier = try liveIdentifier(text, linkedAs: destination)
    } catch let error as CommandError where error.code == .unknownRecord {
      try attribute.requireLinkedField(text, in: context.schema)
      guard origin.isOnScreen, let record = try record(titled: text, for: attribute) else {
        throw error
      }
      return record
    }
    guard context.schema.accepts(identifier.entityName, for: destination) else {
      throw CommandError(
        "\(attribute.name): record \(text) belongs to \(identifier.entityName), not \(destination)"
      )
    }
    return identifier
  }
}
