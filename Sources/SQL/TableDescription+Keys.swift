package import OpenSwiftData

/// The keys of new records.
extension TableDescription {
  /// The identifier that follows from the values of the key columns of a new record.
  ///
  /// - Returns: The identifier; nil if it cannot be known yet, because a part is a link to another new record.
  /// - Throws: `PersistenceError` with code `.invalidValue` for a part without a value.
  package func identifier(ofNew record: DefaultSnapshot) throws -> PersistentIdentifier? {
    var parts: [SQLValue?] = Array(repeating: nil, count: keyColumns.count)
    for (slot, column) in columns.enumerated() {
      guard let part = column.keyPart else { continue }
      let value = record.orderedValues[slot]
      if value.isNull {
        throw PersistenceError(
          .invalidValue,
          "\(entity.name).\(column.field.name): part of the key; a value is required"
        )
      }
      if value.linkedIdentifiers.contains(where: \.isTemporary) { continue }
      parts[part] = column.kept(try stored(record, slot))
    }
    let known = parts.compactMap { $0 }
    return known.count == parts.count ? key.identifier(known, in: scope) : nil
  }

  /// The error of a key that is not unique.
  package func keyError(_ reason: String) -> PersistenceError {
    let names = columns.filter { $0.keyPart != nil }.map { "\(entity.name).\($0.field.name)" }
    return PersistenceError(
      .notUnique,
      names.joined(separator: " and ")
        + ": must be unique\(names.count > 1 ? " in combination" : ""); \(reason)"
    )
  }
}

extension ChangeSet {
  /// Gives new records the identifiers that follow from the values of their key columns.
  ///
  /// - Parameters:
  ///   - tables: The tables by entity.
  ///   - known: The permanent identifiers of new records that are known already.
  /// - Returns: The changes with permanent identifiers, and all of these by the temporary ones.
  /// - Throws: `PersistenceError` with code `.invalidValue` for a part of a key without a value, `.notUnique` for new
  ///   records with the same key.
  package func assigningKeys(
    _ tables: [String: TableDescription],
    _ known: [PersistentIdentifier: PersistentIdentifier] = [:]
  ) throws -> (ChangeSet, [PersistentIdentifier: PersistentIdentifier]) {
    var map = known
    var assigned = remapped(map)
    // Keys that consist of links need the identifiers of the other records first.
    for _ in 0..<8 where assigned.inserted.contains(where: \.persistentIdentifier.isTemporary) {
      for snapshot in assigned.inserted where snapshot.persistentIdentifier.isTemporary {
        map[snapshot.persistentIdentifier] = try tables[snapshot.persistentIdentifier.entityName]?
          .identifier(ofNew: snapshot)
      }
      assigned = remapped(map)
    }
    try checkKeysDiffer(map, tables)
    if let open = assigned.inserted.first(where: \.persistentIdentifier.isTemporary) {
      throw PersistenceError(
        .invalidValue,
        "\(open.persistentIdentifier.entityName): the key needs a value in each of its fields"
      )
    }
    return (assigned, map)
  }

  /// Refuses new records with the same key, or with that of a restored one.
  private func checkKeysDiffer(
    _ map: [PersistentIdentifier: PersistentIdentifier],
    _ tables: [String: TableDescription]
  ) throws {
    var owners: [PersistentIdentifier: PersistentIdentifier] = [:]
    for new in inserted.lazy.map(\.persistentIdentifier) {
      let identifier = map[new] ?? new
      guard let other = owners.updateValue(new, forKey: identifier),
        let table = tables[identifier.entityName]
      else { continue }
      throw table.keyError(
        "records \(other) and \(new) would both have \(Value.quoted(identifier.description))"
      )
    }
  }
}
