import OpenSwiftData
import SQL

/// The numbers of new rows in tables of other programs to which triggers add rows of their own.
///
/// A trigger may take the number that a new row was to get, so the database numbers these rows. Links to them are
/// written before: a save whose rows get other numbers than expected is undone and written again with these.
struct RowNumbers {
  /// The new records that the database numbers, with the numbers that are expected.
  var expected: Set<PersistentIdentifier> = []
  /// By table, the greatest number that is not to be used again.
  var used: [String: Int64] = [:]
  /// By the expected identifier, what the database has made of it.
  var found: [PersistentIdentifier: PersistentIdentifier] = [:]
}

extension SQLiteSession {
  /// Expects the number of a new row, or leaves it to the database.
  func expectNumber(_ identifier: PersistentIdentifier, in table: TableDescription) {
    guard table.isFilledByTriggers, let number = identifier.numberKey else { return }
    rowNumbers.expected.insert(identifier)
    if rowNumbers.used[table.name] == nil { rowNumbers.used[table.name] = Int64(number) - 1 }
  }

  /// A new record as it is added, if the database numbers it: it gets a number only to use none again.
  func numbered(_ record: DefaultSnapshot, _ table: TableDescription) throws -> (
    record: DefaultSnapshot, key: [SQLValue]
  )? {
    guard rowNumbers.expected.contains(record.persistentIdentifier) else { return nil }
    let greatest = try connection.number(
      SQLText("SELECT max(\(table.keyColumns[0])) FROM \(table.source)")
    )
    let used = rowNumbers.used[table.name] ?? 0
    let links = ChangeSet(inserted: [record]).remapped(rowNumbers.found).inserted[0]
    return (links, [used > greatest ? .integer(used + 1) : .null])
  }

  /// Notes the number of the row that was added.
  func noteNumber(of step: CommitPlan.Step) {
    guard step.action == .insert, rowNumbers.expected.contains(step.identifier),
      let table = tables[step.identifier.entityName]
    else { return }
    let number = connection.lastRow
    usedNumbers[table.name] = max(number, usedNumbers[table.name] ?? 0)
    let identifier = table.scope.identifier(number: Int(number))
    if identifier != step.identifier { rowNumbers.found[step.identifier] = identifier }
  }

  /// Gives the new records the numbers that the database gave them.
  ///
  /// - Returns: False if these are the ones that were expected.
  func takeFoundNumbers(
    _ changes: inout ChangeSet,
    _ new: inout Set<PersistentIdentifier>
  ) -> Bool {
    let found = rowNumbers.found
    if found.isEmpty { return false }
    func now(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
      found[identifier] ?? identifier
    }
    changes = changes.remapped(found)
    new = Set(new.map(now))
    newIdentifiers = IdentifierMap(
      temporary: newIdentifiers.temporary,
      permanent: newIdentifiers.permanent.map(now)
    )
    rowNumbers.expected = Set(rowNumbers.expected.map(now))
    rowNumbers.found = [:]
    return true
  }

  /// Refuses a save in which the same statements number the rows differently each time.
  func checkNumbersAreFound() throws {
    guard let identifier = rowNumbers.found.keys.min() else { return }
    throw PersistenceError(
      .storeViolation,
      "\(identifier.entityName) \(known(identifier)): a trigger adds a different number of rows each time, so the "
        + "record has no certain number; nothing was saved; save one new record at a time"
    )
  }
}
