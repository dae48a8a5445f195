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
    var assigned = changes.remapped(map)
    // Keys that consist of links need the identifiers of the other records first.
    for _ in 0..<8 where assigned.inserted.contains(where: \.persistentIdentifier.isTemporary) {
      for snapshot in assigned.inserted where snapshot.persistentIdentifier.isTemporary {
        map[snapshot.persistentIdentifier] = try keyOfColumns(snapshot)
      }
      assigned = changes.remapped(map)
    }
    try checkKeysDiffer(changes, map)
    if let open = assigned.inserted.first(where: \.persistentIdentifier.isTemporary) {
      throw PersistenceError(
        .invalidValue,
        "\(open.persistentIdentifier.entityName): the key needs a value in each of its fields"
      )
    }
    return (assigned, IdentifierMap(map))
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

  /// Refuses new records with the same key, or with that of a restored one.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - map: The permanent identifiers of new records.
  /// - Throws: `PersistenceError` with code `.notUnique`.
  private func checkKeysDiffer(
    _ changes: ChangeSet,
    _ map: [PersistentIdentifier: PersistentIdentifier]
  ) throws {
    var owners: [PersistentIdentifier: PersistentIdentifier] = [:]
    for new in changes.inserted.lazy.map(\.persistentIdentifier) {
      let identifier = map[new] ?? new
      guard let other = owners.updateValue(new, forKey: identifier) else { continue }
      throw try reader.keyError(
        identifier,
        "records \(other) and \(new) would both have \(Value.quoted(identifier.description))"
      )
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

  /// The identifier that follows from the values of the key columns; nil if it cannot be known yet.
  private func keyOfColumns(_ snapshot: DefaultSnapshot) throws -> PersistentIdentifier? {
    let table = try table(snapshot.persistentIdentifier.entityName)
    var parts: [SQLValue?] = Array(repeating: nil, count: table.keyColumns.count)
    for (slot, column) in table.columns.enumerated() {
      guard let part = column.keyPart else { continue }
      let value = snapshot.orderedValues[slot]
      if value.isNull {
        throw PersistenceError(
          .invalidValue,
          "\(table.entity.name).\(column.field.name): part of the key; a value is required"
        )
      }
      if value.linkedIdentifiers.contains(where: \.isTemporary) { continue }
      parts[part] = column.kept(try table.stored(snapshot, slot))
    }
    let known = parts.compactMap { $0 }
    return known.count == parts.count ? table.key.identifier(known, in: table.scope) : nil
  }
}
