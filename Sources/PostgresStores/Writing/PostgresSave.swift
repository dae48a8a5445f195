import OpenSwiftData
import SQL

/// One save in a transaction of three round trips, of which this does the first two.
///
/// The first one locks the rows and reads them. The second one writes, and reads what the server has made of the records.
/// COMMIT is a round trip of its own: it is sent only when everything else is known, and a lock that the transaction holds
/// until its end lets another connection wait for this end.
struct PostgresSave {
  let reader: PostgresReader
  let configuration: PostgresConfiguration
  /// The lock that the transaction holds, and the process of the server that runs it.
  private(set) var mark: SaveMark
  /// What is saved, with permanent identifiers, as the server has it.
  private(set) var saved = ChangeSet()
  /// The result, without a token.
  private(set) var result = CommitResult()
  /// What other programs have saved to the records since they were read here; nil for nothing.
  private(set) var others: StoreChange?
  private var identifiers = IdentifierMap()

  var connection: PostgresConnection { reader.connection }
  var tables: [String: TableDescription] { reader.tables.tables }

  init(_ reader: PostgresReader, _ configuration: PostgresConfiguration) {
    (self.reader, self.configuration) = (reader, configuration)
    mark = SaveMark()
  }

  /// Begins a transaction, writes, and reads back; the transaction waits for its end then.
  ///
  /// - Throws: `PersistenceError`, `PostgresFailure`, `MisfitColumn`, `Interruption.Stopped`; the transaction has to be
  ///   undone then.
  mutating func prepare(_ changes: ChangeSet) throws {
    for name in Set(changes.allIdentifiers.map(\.entityName)) {
      try reader.table(name).checkIsWritable()
    }
    let keys = GeneratedKeys(changes, tables)
    let locked = try LockedRows(knownIdentifiers(changes), tables)
    let answers = try connection.answers(
      ([beginning] + keys.statements + locked.statements(name: "catalog_locked", isLocking: true))
        .joined(separator: "; ")
    )
    if let failure = answers.last?.failure { throw failure }
    var results = answers.filter(\.hasRows)[...]
    guard results.count == 2 + keys.statements.count / 2 + locked.count else {
      throw PostgresFailure(state: "XX000", message: "answers are missing")
    }
    results.removeFirst()
    mark.note(results.removeFirst())
    let filled = try keys.fill(changes, &results)
    let stored = try locked.records(&results)
    let (assigned, map) = try filled.assigningKeys(tables)
    identifiers = IdentifierMap(map)
    noteOthers(assigned, stored)
    let plan = try checked(assigned, stored)
    try write(plan, given: assigned)
  }

  private var beginning: String {
    let milliseconds = Int(max(0.001, configuration.lockTimeoutSeconds) * 1000)
    return """
      BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = \(milliseconds); \
      \(mark.lockStatement); \(SaveMark.processStatement)
      """
  }

  /// The records that may exist.
  private func knownIdentifiers(_ changes: ChangeSet) throws -> [PersistentIdentifier] {
    let chosen = try changes.inserted.compactMap { record -> PersistentIdentifier? in
      let identifier = record.persistentIdentifier
      guard identifier.isTemporary else { return identifier }
      let table = try reader.table(identifier.entityName)
      if table.keyPlaces.contains(where: { record.orderedValues[$0].isNull }) { return nil }
      return try table.identifier(ofNew: record)
    }
    let identifiers = Set(
      chosen + changes.updated.map(\.persistentIdentifier)
        + changes.deleted.map(\.persistentIdentifier)
    )
    return identifiers.sorted()
  }

  // MARK: The check

  /// Notes which records other programs have changed.
  private mutating func noteOthers(
    _ changes: ChangeSet,
    _ stored: [PersistentIdentifier: DefaultSnapshot]
  ) {
    var change = StoreChange()
    for record in changes.updated.map(\.before) + changes.deleted {
      let identifier = record.persistentIdentifier
      guard let now = stored[identifier] else {
        change.deleted.append(identifier)
        continue
      }
      if now != record { change.updated.append(identifier) }
    }
    others = change == StoreChange() ? nil : change
  }

  /// The changes on top of what is stored now, with valid records.
  private func checked(_ changes: ChangeSet, _ stored: [PersistentIdentifier: DefaultSnapshot])
    throws -> ChangeSet
  {
    let new = Set(identifiers.permanent)
    let (rest, returning) = changes.separatingReturningRecords()
    if let taken = rest.inserted.lazy.map(\.persistentIdentifier)
      .first(where: { new.contains($0) && stored[$0] != nil })
    {
      throw try reader.table(taken.entityName).keyError("record \(taken) already exists")
    }
    var saved = try rest.rebased(onto: stored)
    saved.replaceDeleted(by: returning, tables)
    for record in saved.inserted + saved.updated.map(\.after) { try validate(record) }
    return saved
  }

  /// Validates a record; the error names it as the caller knows it.
  private func validate(_ record: DefaultSnapshot) throws {
    do {
      try reader.tables.schema.validate(record)
    } catch {
      var named = record
      named.persistentIdentifier = known(record.persistentIdentifier)
      try reader.tables.schema.validate(named)
      throw error
    }
  }

  /// The identifier under which the caller knows a record: the temporary one of a new record.
  func known(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    let place = identifiers.permanent.firstIndex(of: identifier)
    return place.map { identifiers.temporary[$0] } ?? identifier
  }

  // MARK: Writing

  /// Writes changes, and takes over what the server has made of the records.
  private mutating func write(_ changes: ChangeSet, given: ChangeSet) throws {
    saved = changes
    let new = Set(identifiers.permanent)
    let plan = CommitPlan(changes, tables, new: new)
    let written = LockedRows(Set(changes.allIdentifiers).sorted(), tables)
    let ending =
      ["SET CONSTRAINTS ALL IMMEDIATE"]
      + written.statements(name: "catalog_written", isLocking: false)
      // Nothing may stop the end of the transaction.
      + ["SET LOCAL statement_timeout = 0"]
    let answers = try PostgresWriter(self).run(plan, changes, ending: ending)
    var results = answers.filter(\.hasRows)[...]
    let found = try written.records(&results)
    try readBack(found)
    var effects = SideEffects()
    effects.addFurtherUpdates(changes, saved, tables)
    effects.isIncomplete = Set(changes.allIdentifiers.map(\.entityName))
      .contains { tables[$0]?.mayChangeOthers ?? false }
    result = CommitResult(identifiers)
    result.sideEffects = effects
    let asGiven = Dictionary(
      (given.inserted + given.updated.map(\.after)).map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    result.reregistered = (saved.inserted + saved.updated.map(\.after))
      .filter { asGiven[$0.persistentIdentifier] != $0 }
  }

  /// Takes over the records as the server has them now.
  private mutating func readBack(_ found: [PersistentIdentifier: DefaultSnapshot]) throws {
    func now(_ record: DefaultSnapshot) throws -> DefaultSnapshot {
      guard let stored = found[record.persistentIdentifier] else {
        throw refusal(record, "the database removed the record or changed its key")
      }
      return stored
    }
    saved.inserted = try saved.inserted.map(now)
    for place in saved.updated.indices {
      saved.updated[place].after = try now(saved.updated[place].after)
    }
    if let kept = saved.deleted.first(where: { found[$0.persistentIdentifier] != nil }) {
      throw refusal(kept, "the database kept the record")
    }
  }

  private func refusal(_ record: DefaultSnapshot, _ sentence: String) -> PersistenceError {
    let identifier = record.persistentIdentifier
    return PersistenceError(
      .storeViolation,
      "\(identifier.entityName) \(known(identifier)): \(sentence), perhaps by a trigger or a policy; "
        + "nothing was saved"
    )
  }
}
