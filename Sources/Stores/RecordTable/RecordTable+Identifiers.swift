package import OpenSwiftData

extension RecordTable {
  /// Gives new records permanent identifiers, and replaces the temporary ones in all values.
  ///
  /// An entity with numbered records continues with the next number, as long as there is one; others get
  /// record keys, greater than all in the table and in the changes.
  ///
  /// - Returns: The changes with permanent identifiers, and those of the new records in order.
  package func assigningIdentifiers(
    to changes: ChangeSet,
    using generator: inout RecordKeyGenerator
  ) -> (ChangeSet, [PersistentIdentifier]) {
    guard !changes.inserted.isEmpty else { return (changes, []) }
    var permanent: [PersistentIdentifier] = []
    permanent.reserveCapacity(changes.inserted.count)
    var lastNumbers: [Int: Int] = [:]
    var places = ScopePlaces()
    for table in tables { generator.note(table.keys.greatestKey) }
    for key in changes.inserted.lazy.compactMap(\.persistentIdentifier.recordKey) {
      generator.note(key)
    }
    for new in changes.inserted.indices {
      let temporary = changes.inserted[new].persistentIdentifier
      // Validation names the unknown entity.
      guard temporary.isTemporary, let place = places.place(of: temporary, in: self) else {
        permanent.append(temporary)
        continue
      }
      let scope = tables[place].keys.scope
      if tables[place].keys.kind == .integer,
        case let last = lastNumbers[place] ?? greatestNumber(place, changes), last < Int.max
      {
        lastNumbers[place] = last + 1
        permanent.append(scope.identifier(number: last + 1))
      } else {
        permanent.append(scope.identifier(key: generator.next()))
      }
    }
    return (changes.assigning(permanent), permanent)
  }

  /// The greatest number that was ever the key of a record of the entity; 0 if there was none.
  func greatestNumber(of entity: String) -> Int {
    place(of: entity).map { tables[$0].keys.greatestNumber } ?? 0
  }

  /// Records that numbers up to this one were keys, so that none is assigned again.
  mutating func note(greatestNumber number: Int, of entity: String) {
    guard let place = place(of: entity) else { return }
    tables[place].note(greatestNumber: number)
  }

  /// The greatest number among the keys of an entity and of the changes' new records.
  private func greatestNumber(_ place: Int, _ changes: ChangeSet) -> Int {
    let keys = tables[place].keys
    let brought = changes.inserted.compactMap { snapshot -> Int? in
      let identifier = snapshot.persistentIdentifier
      guard let number = identifier.numberKey, keys.scope.identifier(number: number) == identifier
      else { return nil }
      return number
    }
    return max(keys.greatestNumber, brought.max() ?? 0)
  }
}

/// The tables of entities, found by the scope of an identifier; looked up once for a run of the same.
struct ScopePlaces {
  private var scope: IdentifierScope?
  private var place: Int?

  mutating func place(of identifier: PersistentIdentifier, in table: RecordTable) -> Int? {
    let scope = identifier.identifierScope
    if scope == self.scope { return place }
    self.scope = scope
    place = table.place(of: identifier.entityName)
    return place
  }
}

extension RecordTable {
  /// Lets listings of a former table of the same store find their records in this one.
  func succeed(_ former: RecordTable) {
    for table in tables {
      guard let old = former.table(of: table.entity.name), old.numbering !== table.numbering else {
        continue
      }
      old.numbering.end(with: table.numbering, keys: old.keys)
    }
  }
}
