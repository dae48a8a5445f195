import Foundation
package import OpenSwiftData

/// Connects commands with the records: a context on the open store, and the services that commands
/// need.
///
/// Confined to one thread, like its context.
package final class Session {
  /// The records and their unsaved changes.
  package private(set) var context: ModelContext
  /// The name of the store on the screen and in messages.
  package private(set) var storeName: String
  /// The location that reopens the store; nil if there is none.
  package var location: String?
  /// The path of the store, or its URL without a password; nil in memory.
  package var shownLocation: String? {
    guard let location, LocationText.scheme(of: location) == nil else {
      return location.map(LocationText.withoutPasswords)
    }
    return location.split(separator: ":", maxSplits: 1).last.map(String.init)
  }
  /// True if a save that was acknowledged before the store was opened may be lost; a script then does
  /// not end with status 0.
  package var mayHaveLostSave = false
  /// The bundled sample that was inserted into a new store; nil if there is none.
  package var sample: ChangeSet? { didSet { sampleSteps = context.unsavedSchemaSteps } }
  /// The unsaved schema changes that belong to the sample.
  private var sampleSteps: [SchemaStep] = []
  /// False if saved records are lost when the program ends.
  package var isLasting = true
  /// True if the records come from a pipe, so that they have no place to be saved to.
  package var isPipe = false
  /// The contents of a memory store when it was last copied to another store, and whether it was saved
  /// to since.
  private var copied = MemoryCopy()
  /// True after a save of unknown outcome: the store accepts no more saves.
  var isInDoubt = false
  /// The entity of commands that do not name one.
  package var entityName: String?
  /// True if the store is read-only.
  package let isReadOnly: Bool
  /// True if it is read-only because it shows a point in its history; other files can be written.
  package var isView = false
  /// Why the store cannot be saved although it was not opened read-only; nil if it can.
  private(set) var storeReason: String?
  /// Why it is read-only, in a few words; nil if changes are possible.
  var shortReadOnlyReason: String? {
    isReadOnly
      ? readOnlyOption : storeReason ?? maintainableStores.lazy.compactMap(\.readOnlyReason).first
  }
  /// Why nothing can be changed, and what helps; nil if changes are possible.
  package var readOnlyReason: String? {
    if isReadOnly { return "read-only store (opened with \(readOnlyOption))" }
    return storeReason.map { "read-only store (\($0)); use saveas FILE and edit the copy" }
  }
  /// The option that made it read-only, for messages.
  var readOnlyOption: String { isView ? "--at" : "--read-only" }
  /// The recovery files; nil if there is no place for them.
  package var recovery: Recovery? {
    didSet { recovery?.compare(with: context) }
  }
  /// How the file at a location is read in this run, whatever was kept; nil if nobody has said it.
  package var saidReading: (location: String, options: ReadingOptions)?
  /// A note about the way in which the file is read; nil for none.
  package var readingNote: String?
  /// True after a command that may have used the records of the store.
  private(set) var hasUsedRecords = false
  /// The services that the program provides.
  package let services: any Services
  /// How scripts print.
  package var format: OutputFormat
  /// The format that `--format` names for data without a file name; nil to recognize it.
  package var inputFormat: OutputFormat?
  /// The values that `$NAME` stands for; nil for null.
  package var parameters: [String: String?] = [:]
  /// The parameters that are numbers, truth values, arrays or objects of JSON, as they were written.
  var jsonParameters: Set<String> = []
  /// True if commands that write other files replace those that exist.
  package var replacesTargets = false
  /// The commands bound to keys, for scripts and `--plain`; the screen has its own.
  package var boundLines = BoundLines()
  /// True while the commands of a key run.
  var isPressing = false
  /// False if the text of `Outcome.done` is shown to nobody, as in most scripts, so that commands need not make it.
  var tellsWhatIsDone = true
  /// True if each command is answered by one JSON object.
  package var answersPrograms = false
  /// The name of a file that does not exist yet; nil for a store that does.
  package var missingFile: String?
  /// When the changes of a script are saved.
  package var saving = SavingMode.atOnce
  /// The records by values, for commands that look up many links; nil for all others.
  var linkIndex: LinkIndex?
  /// The records by values, for commands that run for each row of a file and add no records; nil for all others.
  var fieldIndex: FieldIndex?
  /// The table of scripts.
  var linear = LinearTable()
  /// The fields of a file of separated values that became text to keep a code.
  var codeFields: Set<String> = []
  /// True after the last line of a script.
  var isEnding = false
  /// The unsaved changes at the last save of a rehearsal; nil before one.
  var rehearsed: RehearsedChanges?
  /// The instruction that saves at the end, if a script has given one.
  var lastSave: (any Instruction)?
  /// True after the standard input was read as data.
  var hasReadInput = false
  private let news = ExternalChanges()
  private var isWatching = false
  /// The reason why changes of other programs cannot be merged; nil if they can.
  private var readingFailure: String?
  /// The place where the running command was entered; `.script` while none runs.
  private(set) var origin = CommandOrigin.script
  /// The line of the last command, to find the word that a failure is about; nil for a command without words.
  var failurePlace: FailurePlace?
  /// The command of the last line that was read, by the only word of its name.
  var recentCommand: (word: String, places: Command.Places, command: Command)?
  /// Called with each command before it is performed.
  package var willPerform: ((Command) -> Void)?
  /// Information from the running command, or from the last one.
  var notes = CommandNotes()
  /// The notes about the last command that are for standard error.
  package var remarks: [String] { notes.remarks }

  /// Creates a session on an open store.
  package init(
    container: ModelContainer,
    storeName: String,
    entityName: String? = nil,
    isReadOnly: Bool = false,
    storeReason: String? = nil,
    services: any Services,
    format: OutputFormat = .table
  ) {
    context = ModelContext(container)
    self.storeName = storeName
    self.entityName = entityName
    self.isReadOnly = isReadOnly
    self.storeReason = storeReason
    self.services = services
    self.format = format
    context.author = services.author
    context.postsNotifications = false
    context.noteEarlierSaves()
    news.listen(to: container)
  }

  /// Tests whether the unsaved changes are exactly the bundled sample.
  var isSampleUntouched: Bool {
    guard let sample, sample.count > 0,
      context.pendingCounts == (inserted: sample.count, updated: 0, deleted: 0),
      context.unsavedSchemaSteps == sampleSteps
    else { return false }
    return Set(context.pendingChanges.inserted) == Set(sample.inserted)
  }

  /// Updates the recovery file to the current unsaved changes.
  ///
  /// - Throws: As `Recovery.keep(_:isSample:)`.
  package func keepEdits() throws {
    guard let recovery else { return }
    // They are kept above all when the program is asked to stop.
    try Interruption.ignored { try recovery.keep(context, isSample: isSampleUntouched) }
  }

  /// Records that all records were written to another store.
  func noteCopied() {
    copied = MemoryCopy(
      changes: context.pendingChanges,
      schemaSteps: context.unsavedSchemaSteps
    )
  }

  /// True if the changes of records from a pipe, which cannot be saved, are in a copy.
  var isPipeCopied: Bool {
    isPipe && context.hasChanges && copied.schemaSteps == context.unsavedSchemaSteps
      && copied.changes == context.pendingChanges
  }

  /// The number of records that would be lost when a memory store is closed; nil if nothing would be:
  /// the store is on disk, or holds only its initial or copied contents.
  package var recordsOnlyHere: Int? {
    guard !isLasting, !isReadOnly, !context.schema.entities.isEmpty else { return nil }
    guard copied.isSavedTo || context.hasChanges,
      copied.isSavedTo || context.unsavedSchemaSteps != copied.schemaSteps
        || context.pendingChanges != copied.changes
    else { return nil }
    // A memory store can always be read.
    return context.schema.entities.reduce(0) {
      $0 + ((try? context.fetchCount(matching: Query($1.name))) ?? 0)
    }
  }

  /// A warning before quitting; nil if nothing would be lost.
  package var leavingWarning: String? {
    if !isLasting {
      return recordsOnlyHere.map {
        (context.hasChanges ? "unsaved changes, and " : "")
          + "\(Self.onlyHere($0)); type saveas FILE to keep them, or quit! to discard them"
      }
    }
    guard context.hasChanges, !isSampleUntouched, !isPipeCopied else { return nil }
    return "unsaved changes: type save to keep them, or quit! to discard them"
  }

  /// `31 records are in memory only`.
  static func onlyHere(_ count: Int) -> String {
    "\(counted(count)) \(count == 1 ? "is" : "are") in memory only"
  }

  /// Watches the store for saves of other programs, and calls the closure when there are any.
  func watch(_ wake: (@Sendable () -> Void)?) {
    news.setWake(wake)
    isWatching = wake != nil
    if isWatching { context.container.startWatching() }
  }

  /// The looks at the store that lines share.
  package var looks = SharedLooks()

  /// Merges and returns the saves of other programs since the last call; nil if there were none.
  ///
  /// - Throws: The error of a store that cannot be read.
  func takeExternalChanges() throws -> ExternalChanges.Content? {
    try context.container.refresh()
    readingFailure = nil
    guard let content = news.take() else { return nil }
    context.processPendingChanges()
    return content
  }

  /// Records that changes of other programs cannot be merged; false if that has been recorded already.
  func noteOutdated(_ reason: String) -> Bool {
    defer { readingFailure = reason }
    return readingFailure != reason
  }

  /// True while changes of other programs cannot be merged.
  var isOutdated: Bool { readingFailure != nil }

  /// Opens another store in place of this one; unsaved changes are lost, so callers ask first.
  ///
  /// With `keepingEdits` they are kept as after a crash, and offered for recovery.
  package func open(_ location: String, keepingEdits: Bool = false) throws {
    if keepingEdits { try keepEdits() }
    let opened = try services.open(
      location,
      schema: nil,
      isReadOnly: isReadOnly,
      reading: saidReading?.location == location ? saidReading?.options : nil
    )
    // If the file cannot be removed, it is offered once more, which is harmless.
    if !keepingEdits { try? recovery?.leave(context) }
    recovery = nil
    self.location = location
    isInDoubt = false
    isView = false
    isPipe = false
    readingFailure = nil
    close()
    context = ModelContext(opened.container)
    news.listen(to: opened.container)
    if isWatching { opened.container.startWatching() }
    storeReason = opened.readOnlyReason
    readingNote = opened.readingNote
    hasUsedRecords = false
    recovery = readOnlyReason == nil ? services.recovery(for: location) : nil
    context.author = services.author
    context.postsNotifications = false
    context.noteEarlierSaves()
    looks.forget()
    storeName = opened.name
    isLasting = opened.isLasting
    missingFile = opened.missingFile
    codeFields = []
    copied = MemoryCopy()
    entityName = opened.entityName
    linear = LinearTable()
    replaced = []
    sample = nil
  }

  /// Releases the files of the store; unsaved changes would keep it open.
  package func close() { context.container.close() }

  // MARK: Performing commands

  /// Performs an instruction as one undo step.
  ///
  /// - Throws: As `perform(_:)` for a line.
  package func perform(_ instruction: any Instruction) throws -> Outcome {
    try perform(instruction, from: .script)
  }

  /// Performs an instruction that was entered at a certain place, as one undo step.
  ///
  /// - Throws: As `perform(_:)` for a line.
  func perform(_ instruction: any Instruction, from origin: CommandOrigin) throws -> Outcome {
    try self.from(origin) {
      try prepare(type(of: instruction).command)
      return try perform(prepared: instruction)
    }
  }

  /// Checks that a command may run, and merges the saves of other programs.
  func prepare(_ command: Command) throws {
    if command.changesData, let readOnlyReason {
      throw CommandError("\(command.name): \(readOnlyReason)", code: .readOnly)
    }
    willPerform?(command)
    context.processPendingChanges()
    notes = CommandNotes()
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
    do {
      context.beginUndoStep()
      if type(of: instruction).command.usesRecords { hasUsedRecords = true }
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

  /// Records that all changes were saved; `isElsewhere` tells whether all records were in another store
  /// before, too.
  func noteSaved(isElsewhere: Bool) {
    notes.hasWritten = true
    copied = MemoryCopy(isSavedTo: !isElsewhere)
    // Remove the file immediately, so that a crash right after the save does not offer saved changes.
    // If the file cannot be removed, it is offered once more, which is harmless.
    try? recovery?.noteSaved()
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

  private func knownEntity(_ name: String?) throws -> Schema.Entity {
    let schema = context.schema
    if let name { return try schema.entity(named: name) }
    if let entityName { return try schema.entity(named: entityName) }
    // The views in the store are not what a line without an entity means.
    let entities = schema.entities.filter { $0.name != Self.viewEntityName }
    if entities.count == 1 { return entities[0] }
    if schema.entities.count == 1 { return schema.entities[0] }
    if schema.entities.isEmpty, !allowsSchemaChanges { throw CommandError(Self.noTablesReason) }
    throw CommandError(
      schema.entities.isEmpty
        ? "no entities yet\(missingFileClause); create one with \"entity create NAME FIELD:TYPE …\" "
          + "or \"import FILE into NAME\""
        : "which entity? give one of \(schema.entities.map(\.name).joined(separator: ", ")), or start with --entity NAME"
    )
  }

  /// `: films.csv does not exist` for a file that has not been saved yet.
  private var missingFileClause: String { missingFile.map { ": \($0) does not exist" } ?? "" }

  /// Reads the next word if it is the name of an entity; otherwise returns the current entity.
  package func takeEntity(_ arguments: inout Arguments) throws -> Schema.Entity {
    if let word = arguments.peek, let entity = context.schema.entitiesByName[word.text] {
      _ = arguments.next()
      return try self.entity(entity.name)
    }
    if let word = arguments.peek, word.equals == nil, !word.isQuoted, !arguments.startsObject,
      !Self.clauseWords.contains(word.text.lowercased())
    {
      guard !context.schema.entities.isEmpty || !allowsSchemaChanges else {
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
    "where", "sort", "limit", "offset", "fields", "into", "to", "by", "distinct",
  ]

  /// The temporary identifiers that saves replaced, so that scripts can continue to use them.
  private var replaced: [IdentifierMap] = []

  /// The temporary identifier with this text, if a save has replaced it.
  ///
  /// - Complexity: O(n) in the number of records that were saved as new ones.
  func remembered(_ text: String) -> PersistentIdentifier? {
    guard text.utf8.first == UInt8(ascii: "t"), let serial = UInt64(text.dropFirst()) else {
      return nil
    }
    for map in replaced.reversed() {
      let found = map.temporary.last { $0.words.low == serial && $0.description == text }
      if let found { return found }
    }
    return nil
  }

  /// The current line of the script; nil without a script.
  var lineNumber: Int?
  /// The unsaved records whose temporary identifiers were printed, with the lines that created them.
  private var reported: [PersistentIdentifier: Int?] = [:]
  /// The unsaved records whose temporary identifiers are only in answers for programs.
  private var answered: Set<PersistentIdentifier> = []

  /// Records the current line for new records whose temporary identifiers it prints.
  func noteReported(_ identifiers: [PersistentIdentifier]) {
    for identifier in identifiers { reported.updateValue(lineNumber, forKey: identifier) }
  }

  /// Records a new record whose temporary identifier is in the answer of a command.
  func noteAnswered(_ identifier: PersistentIdentifier) { answered.insert(identifier) }

  /// Adds to a failure which line created the record that it names by a temporary identifier.
  func located(_ failure: SaveFailure) -> SaveFailure {
    // Quoted text is a value, not an identifier.
    let text = String(describing: failure.cause).replacing(/"(?:[^"\\]|\\.)*"/, with: "")
    guard let name = text.firstMatch(of: /\brecords? (?:\S+ and )?(t[0-9]+)\b/)?.1,
      let line = reported.first(where: { $0.key.description == name })?.value
    else { return failure }
    return SaveFailure(cause: failure.cause, hint: "\(name) was inserted in line \(line)")
  }

  /// Records the identifiers that a save replaced.
  ///
  /// - Returns: Those whose temporary identifiers were printed, and those that were printed or in an answer.
  func remember(_ remapped: IdentifierMap) -> (printed: IdentifierMap, answered: IdentifierMap) {
    if !remapped.isEmpty { replaced.append(remapped) }
    if reported.isEmpty, answered.isEmpty { return (IdentifierMap(), IdentifierMap()) }
    // A record that was deleted before the save keeps its temporary identifier: undo restores it.
    defer {
      for pair in remapped {
        reported[pair.temporary] = nil
        answered.remove(pair.temporary)
      }
    }
    let printed = remapped.filter { reported[$0.temporary] != nil }
    let known = remapped.filter {
      reported[$0.temporary] != nil || answered.contains($0.temporary)
    }
    return (Self.map(printed), Self.map(known))
  }

  private static func map(_ pairs: [IdentifierMap.Element]) -> IdentifierMap {
    IdentifierMap(temporary: pairs.map(\.temporary), permanent: pairs.map(\.permanent))
  }

  /// The temporary and the permanent identifier of every record that was new and has been saved, in the order of their
  /// numbers.
  var replacedIdentifiers: [(temporary: PersistentIdentifier, permanent: PersistentIdentifier)] {
    replaced.flatMap(\.temporary).sorted().map { ($0, context.resolve($0)) }
  }

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
      try requireLinkedField(text, of: attribute)
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

/// The copied contents of a memory store.
private struct MemoryCopy {
  /// The unsaved changes that were copied, too.
  var changes = ChangeSet()
  var schemaSteps: [SchemaStep] = []
  /// True if the store was saved to since the copy.
  var isSavedTo = false
}
