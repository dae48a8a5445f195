import Foundation
import OpenSwiftData
import SQL
import Stores

/// The state of an open store; used under the lock of the store.
final class SQLiteSession: @unchecked Sendable, SQLitePart {
  // Unchecked because the lock of the store is around every use.

  let reader: SQLiteReader
  var writer: SQLiteWriter
  /// What is special about a database of our own, or of another program.
  let database: any SQLiteDatabase
  /// True if reading has created a write-ahead log that was not there, and its index.
  var hasCreatedLog = false
  /// The number of temporary tables, for their names.
  var listingCount = 0
  /// Temporary tables of listings that were released, to drop.
  let abandoned = AbandonedTables()
  /// The views of the records under unsaved changes of the schema.
  var views: [StagedView] = []
  /// The number of records up to which the history keeps what copies and deletions by queries change.
  var bulkLimit = 10_000
  /// Why the database cannot be saved, in a few words; nil if it can, or if it was to be opened read-only.
  var readOnlyReason: String?
  /// True while a save runs that is undone at its end.
  private var isRehearsal = false

  private var keys: NewKeys { database.keys }

  init(_ database: any SQLiteDatabase) {
    (self.database, reader) = (database, database.reader)
    writer = SQLiteWriter(database.reader, database.keys)
  }

  /// Notices what other programs have saved since the last look.
  ///
  /// - Returns: What changed; nil if nothing did.
  func takeInOthers() throws -> StoreChange? {
    if database.isUnwritten { return nil }
    if try connection.number("PRAGMA data_version") == reader.dataVersion { return nil }
    // Another save between the statements would be taken in with this one, and look like a change outside the history
    // later.
    return try connection.atOneMoment {
      let version = try connection.number("PRAGMA data_version")
      let change = try database.takeIn()
      reader.schemaVersion = try connection.number("PRAGMA schema_version")
      // Last, so that a look that fails is repeated by the next one.
      reader.dataVersion = version
      return change
    }
  }

  /// Looks for damage, for links to rows that do not exist, and in a database of our own for invalid values; a thorough
  /// check compares the indexes with their tables.
  func check(isThorough: Bool) throws -> [String] {
    if database.isUnwritten { return [] }
    return try reader.check(isThorough: isThorough) + database.problems()
  }

  func close() {
    if let empty = try? SQLiteConnection(":memory:", isReadOnly: false, canCreate: true) {
      reader.connection = empty
    }
    removeCreatedLog()
  }

  /// Removes an empty write-ahead log that reading has created: a connection that cannot write leaves it.
  ///
  /// The database does so when its last connection is closed, unless another program uses it.
  private func removeCreatedLog() {
    guard hasCreatedLog, SQLiteReader.removeEmptyLog(path, reader.file) else { return }
    hasCreatedLog = false
  }
}

// MARK: Saves

extension SQLiteSession {
  /// Runs a body that writes; creates the file if there is none yet.
  func writing<Result>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
    try reader.checkIsIntact()
    return try database.creatingFile { try body(self) }
  }

  /// Runs a body that saves, in a transaction that is undone; a file that does not exist is not created.
  ///
  /// - Throws: What the body throws.
  func rehearsing<Result>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
    try reader.checkIsIntact()
    let former = keys.given
    isRehearsal = true
    defer {
      isRehearsal = false
      keys.given = former
    }
    // What another program has left in the log stays there when the database is closed.
    if SQLiteReader.logSize(path) ?? 0 > 0 { connection.keepLogWhenClosed() }
    return try body(self)
  }

  /// Saves all changes or none; the check is called in the transaction, and its error ends the save.
  ///
  /// - Throws: `PersistenceError`, `SQLiteFailure`, the error of the check.
  func commit(
    _ changes: ChangeSet,
    author: String?,
    message: String?,
    checking check: (StagedReading) throws -> Void = { _ in }
  ) throws -> CommitResult {
    if changes.isEmpty { return CommitResult(token: nil) }
    let changes = database.widened(changes)
    return try saving(author, message) { entry in
      try check(stagedReading())
      let (assigned, identifiers) = try database.assignIdentifiers(changes)
      keys.identifiers = identifiers
      defer { keys.identifiers = IdentifierMap() }
      var new = database.makesValues ? Set(identifiers.permanent) : []
      entry.saved = try writer.checked(assigned, new: new)
      let tables = try writer.tablesToWrite()
      let mayChangeOthers =
        database.mayChangeOthers || tables.values.contains(where: \.isGuarded)
      let mayDiffer = database.makesValues || mayChangeOthers
      if !mayDiffer { entry.encoded = EncodedChanges(entry.saved, reader.codec) }
      var effects = try writer.write(&entry.saved, new: &new, watchingIf: mayChangeOthers)
      try database.checkReferences(entry.saved)
      var result = CommitResult(keys.identifiers)
      if mayDiffer, try !(new.isEmpty && entry.saved.isKept(by: tables)) {
        let written = entry.saved
        result.reregistered = try writer.readBack(&entry.saved, new: new)
        effects.addFurtherUpdates(written, entry.saved, tables)
      }
      entry.further = effects.changes
      result.sideEffects = effects
      return result
    }
  }

  /// Changes the schema, then records, in one transaction.
  ///
  /// The changes of records have the new layouts; `steps` are the single changes that the change combines. If it is not a
  /// save, its maker has checked the records.
  ///
  /// - Throws: `PersistenceError`, the error of the check; nothing is changed then.
  func apply(
    _ change: SchemaChange,
    _ changes: ChangeSet,
    steps: [SchemaStep] = [],
    isSave: Bool = false,
    author: String?,
    message: String? = nil,
    checking check: (StagedReading) throws -> Void = { _ in }
  ) throws -> CommitResult {
    var change = try database.tableChange(change, steps: steps)
    let former = (schema, ordered)
    var isChanged = false
    defer { if !isChanged { reader.use(former.0, former.1) } }
    var kept: [() -> Void] = []
    let result = try saving(author, message) { entry in
      try check(stagedReading())
      kept = try keepDroppedValues(change.replacement)
      if isSave {
        change.formerValues = try change.replaced.formerValues(changedBy: changes) {
          try stagedReading().forEachPage($0, [], $1)
        }
      }
      try change.rebuild()
      let (assigned, identifiers) = try database.assignIdentifiers(changes)
      entry.saved = isSave ? try writer.checked(assigned) : assigned
      try writer.write(entry.saved)
      if isSave { try change.checkRequiredValues() }
      try change.createIndexes()
      entry.change = change
      return CommitResult(identifiers)
    }
    if isRehearsal { return result }
    isChanged = true
    for hold in kept { hold() }
    return result
  }

  /// Runs a save in one transaction; the body writes, and completes the entry of the history.
  ///
  /// A rehearsal is undone instead.
  ///
  /// - Throws: `PersistenceError`, with code `.outcomeUnknown` if it cannot be determined whether it was saved; what the
  ///   body throws.
  func saving(
    _ author: String?,
    _ message: String?,
    _ body: (inout HistoryEntry) throws -> CommitResult
  ) throws -> CommitResult {
    var entry = HistoryEntry(author: author, message: message)
    func write() throws -> CommitResult {
      try database.prepareToWrite()
      let result = try body(&entry)
      try database.record(&entry)
      return result
    }
    if isRehearsal { return try connection.rehearsal(write) }
    var result = CommitResult()
    let formerNumbers = keys.given.numbers
    do {
      try connection.transaction {
        result = try write()
        // A long save gives another program time to put a file of its own in place of this one.
        try reader.checkFile(isSaving: true)
        SaveWitness.note(database.trace(of: entry))
      }
    } catch let doubt as UncertainCommit {
      try checkIsSaved(entry, doubt.failure)
    } catch {
      // The rows that got them were undone, perhaps for another try.
      keys.given.numbers = formerNumbers
      throw error
    }
    if let file = reader.file, FileIdentity(path) != file {
      reader.isInDoubt = true
      throw reader.doubtError()
    }
    result.token = database.noteSave(entry)
    return result
  }

  /// Finds out what became of a save whose end failed, as after a write error of the disk.
  ///
  /// - Throws: The failure if it was not saved; `PersistenceError` with code `.outcomeUnknown`.
  private func checkIsSaved(_ entry: HistoryEntry, _ failure: SQLiteFailure) throws {
    switch isSaved(entry) {
    case true?: return
    case false?: throw failure
    case nil:
      reader.isInDoubt = true
      throw reader.doubtError(failure)
    }
  }

  /// Looks with another connection, because that of the save may know only what it meant to write.
  private func isSaved(_ entry: HistoryEntry) -> Bool? {
    let former = connection
    defer { reader.connection = former }
    do {
      guard reader.file == nil || FileIdentity(path) == reader.file else { return nil }
      reader.connection = try SQLiteConnection(path, isReadOnly: false)
      connection.setTimeout(seconds: 1)
      return try database.isSaved(entry)
    } catch {
      return nil
    }
  }
}

/// The end of a transaction failed, and the connection does not tell whether it was written.
struct UncertainCommit: Error {
  let failure: SQLiteFailure
}
