import OpenSwiftData
import SQL

/// The permanent identifiers of new records.
extension ForeignDatabase {
  /// Gives new records permanent identifiers.
  func assignIdentifiers(_ changes: ChangeSet) throws -> (ChangeSet, IdentifierMap) {
    var map: [PersistentIdentifier: PersistentIdentifier] = [:]
    var next: [String: Int] = [:]
    keys.beginNumbering()
    noteRestoredNumbers(changes)
    try assignChosenNumbers(changes, &map)
    for snapshot in changes.inserted where map[snapshot.persistentIdentifier] == nil {
      let identifier = snapshot.persistentIdentifier
      let table = try table(identifier.entityName)
      guard identifier.isTemporary else { continue }
      switch table.key {
      case .number:
        let number = try next[table.name] ?? nextNumber(table)
        next[table.name] = number + 1
        keys.given.numbers[table.name] = Int64(number)
        let expected = table.scope.identifier(number: number)
        map[identifier] = expected
        keys.expectNumber(expected, in: table)
      case .own, .columns: break
      }
    }
    let (assigned, all) = try changes.assigningKeys(tables, map)
    return (assigned, IdentifierMap(all))
  }

  /// Keeps the numbers of restored records from new ones.
  private func noteRestoredNumbers(_ changes: ChangeSet) {
    for identifier in changes.inserted.lazy.map(\.persistentIdentifier) {
      guard let number = identifier.numberKey, let table = tables[identifier.entityName],
        table.key == .number
      else { continue }
      keys.note(Int64(number), in: table)
    }
  }

  /// Takes the numbers that new records have in their key field.
  private func assignChosenNumbers(
    _ changes: ChangeSet,
    _ map: inout [PersistentIdentifier: PersistentIdentifier]
  ) throws {
    var chosen = Set(changes.inserted.lazy.map(\.persistentIdentifier).filter { !$0.isTemporary })
    let deleted = Set(changes.deleted.map(\.persistentIdentifier))
    for snapshot in changes.inserted where snapshot.persistentIdentifier.isTemporary {
      let table = try table(snapshot.persistentIdentifier.entityName)
      guard table.key == .number,
        let slot = table.columns.firstIndex(where: { $0.keyPart != nil }),
        case .integer(let number) = snapshot.orderedValues[slot]
      else { continue }
      let identifier = table.scope.identifier(number: Int(number))
      let isNew =
        try chosen.insert(identifier).inserted
        && (deleted.contains(identifier) || reader.isGone(identifier))
      guard isNew else {
        throw PersistenceError(
          .notUnique,
          "\(table.entity.name).\(table.columns[slot].field.name): must be unique; "
            + "record \(identifier) already exists"
        )
      }
      map[snapshot.persistentIdentifier] = identifier
      keys.note(Int64(number), in: table)
    }
  }

  private func nextNumber(_ table: TableDescription) throws -> Int {
    let greatest = try connection.number(
      "SELECT max(\(table.keyColumns[0])) FROM \(table.source)"
    )
    var last: Int64 = 0
    if try connection.number(
      "SELECT count(*) FROM main.sqlite_schema WHERE name = 'sqlite_sequence'"
    )
      > 0
    {
      last = try connection.number(
        "SELECT seq FROM main.sqlite_sequence WHERE name = \(.text(table.name))"
      )
    }
    let (next, overflows) = max(greatest, last, keys.given.numbers[table.name] ?? 0)
      .addingReportingOverflow(1)
    guard !overflows else {
      throw PersistenceError(
        .limitExceeded,
        "\(table.entity.name): no number is left for a new row"
      )
    }
    return Int(next)
  }
}
