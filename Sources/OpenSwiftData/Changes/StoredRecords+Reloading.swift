/// Records that are read again because another program has stored others.
extension StoredRecords {
  /// The same store with other records, and with another schema if one was read.
  ///
  /// Records of another store become records of this one, so that a file can be copied or renamed.
  ///
  /// - Throws: `PersistenceError`: why the schema is not valid, or `.storeViolation` for an invalid or duplicate
  ///   record.
  /// - Complexity: O(n) in the number of values.
  func reloaded(_ records: [DefaultSnapshot], schema read: Schema?) throws -> StoredRecords {
    var reloaded = self
    if let read, read != schema {
      try read.validate()
      reloaded.schema = read
    }
    try reloaded.replaceAll(by: records.map { $0.moved(to: storeIdentifier) })
    return reloaded
  }

  /// True if there is such a record.
  ///
  /// - Complexity: O(n) in the number of records of the entity.
  func contains(_ identifier: PersistentIdentifier) -> Bool {
    records[identifier.entityName]?.contains { $0.persistentIdentifier == identifier } ?? false
  }

  /// The changes that lead to these records from former ones under the same schema.
  ///
  /// - Complexity: O(n) in the number of values.
  func changes(since former: StoredRecords) -> ChangeSet {
    var changes = ChangeSet()
    for entity in schema.entities {
      var gone: [PersistentIdentifier: DefaultSnapshot] = [:]
      let old = former.records[entity.name] ?? []
      for record in old { gone[record.persistentIdentifier] = record }
      for record in records[entity.name] ?? [] {
        guard let before = gone.removeValue(forKey: record.persistentIdentifier) else {
          changes.inserted.append(record)
          continue
        }
        if before != record { changes.updated.append(RecordUpdate(before: before, after: record)) }
      }
      changes.deleted += old.filter { gone[$0.persistentIdentifier] != nil }
    }
    return changes
  }
}

extension DefaultSnapshot {
  /// The same record as one of another store, with its links to records of its own store.
  fileprivate func moved(to storeIdentifier: String) -> DefaultSnapshot {
    guard let own = persistentIdentifier.storeIdentifier, own != storeIdentifier else {
      return self
    }
    var moved = self
    moved.persistentIdentifier = persistentIdentifier.moved(from: own, to: storeIdentifier)
    moved.orderedValues = orderedValues.map { value in
      switch value {
      case .link(let link): .link(link.moved(from: own, to: storeIdentifier))
      case .links(let links): .links(links.map { $0.moved(from: own, to: storeIdentifier) })
      default: value
      }
    }
    return moved
  }
}

extension PersistentIdentifier {
  fileprivate func moved(from former: String, to storeIdentifier: String) -> PersistentIdentifier {
    guard self.storeIdentifier == former else { return self }
    let scope = IdentifierScope(store: storeIdentifier, entity: entityName)
    return PersistentIdentifier(high: high, low: low, scope: scope.number, kind: kind)
  }
}
