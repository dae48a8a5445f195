import OpenSwiftData
import SQL

/// The keys of new records: those that the running save gives, and those that are not given again.
///
/// A trigger may take the number that a new row was to get, so the database numbers the rows of tables to which triggers
/// add rows of their own. Links to them are written before: a save whose rows get other numbers than expected is undone
/// and written again with these.
final class NewKeys {
  /// What was given, as it has to be again after a save that is undone.
  struct Given {
    /// Creates keys for new records in tables of our own.
    var generator = RecordKeyGenerator()
    /// The first key that the running save has made; the records with this key and greater ones are new.
    var first: RecordKey?
    /// By table, the greatest number given to a new row; a number is not used again while the store is open.
    var numbers: [String: Int64] = [:]
  }

  var given = Given()
  /// The identifiers that the running save has given to new records.
  var identifiers = IdentifierMap()
  /// The new records that the database numbers, with the numbers that are expected.
  private var expected: Set<PersistentIdentifier> = []
  /// By table, the greatest number that is not to be used again.
  private var used: [String: Int64] = [:]
  /// By the expected identifier, what the database has made of it.
  private var found: [PersistentIdentifier: PersistentIdentifier] = [:]

  /// The identifier under which the caller knows a record: the temporary one of a new record.
  ///
  /// - Complexity: O(n) in the number of new records, for messages only.
  func known(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    let place = identifiers.permanent.firstIndex(of: identifier)
    return place.map { identifiers.temporary[$0] } ?? identifier
  }

  /// Notes the number of a row, which no other new row gets.
  func note(_ number: Int64, in table: TableDescription) {
    given.numbers[table.name] = max(number, given.numbers[table.name] ?? 0)
  }

  /// Forgets the numbers that the last save expected.
  func beginNumbering() { (expected, used, found) = ([], [:], [:]) }

  /// Expects the number of a new row, or leaves it to the database.
  func expectNumber(_ identifier: PersistentIdentifier, in table: TableDescription) {
    guard table.isFilledByTriggers, let number = identifier.numberKey else { return }
    expected.insert(identifier)
    if used[table.name] == nil { used[table.name] = Int64(number) - 1 }
  }

  /// A new record as it is added, if the database numbers it: it gets a number only to use none again.
  func numbered(
    _ record: DefaultSnapshot,
    _ table: TableDescription,
    _ connection: SQLiteConnection
  ) throws -> (record: DefaultSnapshot, key: [SQLValue])? {
    guard expected.contains(record.persistentIdentifier) else { return nil }
    let greatest = try connection.number(
      "SELECT max(\(table.keyColumns[0])) FROM \(table.source)"
    )
    let used = used[table.name] ?? 0
    let links = ChangeSet(inserted: [record]).remapped(found).inserted[0]
    return (links, [used > greatest ? .integer(used + 1) : .null])
  }

  /// Notes the number of the row that was added.
  func noteNumber(
    of step: CommitPlan.Step,
    _ tables: [String: TableDescription],
    _ connection: SQLiteConnection
  ) {
    guard step.action == .insert, expected.contains(step.identifier),
      let table = tables[step.identifier.entityName]
    else { return }
    let number = connection.lastRow
    note(number, in: table)
    let identifier = table.scope.identifier(number: Int(number))
    if identifier != step.identifier { found[step.identifier] = identifier }
  }

  /// Gives the new records the numbers that the database gave them.
  ///
  /// - Returns: False if these are the ones that were expected.
  func takeFoundNumbers(
    _ changes: inout ChangeSet,
    _ new: inout Set<PersistentIdentifier>
  ) -> Bool {
    let found = found
    if found.isEmpty { return false }
    func now(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
      found[identifier] ?? identifier
    }
    changes = changes.remapped(found)
    new = Set(new.map(now))
    identifiers = IdentifierMap(
      temporary: identifiers.temporary,
      permanent: identifiers.permanent.map(now)
    )
    expected = Set(expected.map(now))
    self.found = [:]
    return true
  }

  /// Refuses a save in which the same statements number the rows differently each time.
  func checkNumbersAreFound() throws {
    guard let identifier = found.keys.min() else { return }
    throw PersistenceError(
      .storeViolation,
      "\(identifier.entityName) \(known(identifier)): a trigger adds a different number of rows each time, so the "
        + "record has no certain number; nothing was saved; save one new record at a time"
    )
  }
}
