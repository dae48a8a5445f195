package import OpenSwiftData

/// What a store knows about the records of a file without identifiers.
struct JSONMatching: Sendable {
  /// By entity, the keys that were declared; see `RecordMatchingStore.identify(_:by:)`.
  var declared: [String: [[String]]] = [:]
  /// By entity, the fields by which the records were matched last, unless that was a guess.
  var keys: [String: [String]] = [:]
  /// Records that another program's version does not have for certain.
  private(set) var doubts: [PersistentIdentifier: RecordDoubt] = [:]
  /// By entity, the records that other programs have added.
  private(set) var newcomers: [String: [PersistentIdentifier]] = [:]
  /// Those that were found during the present save.
  private(set) var late: [String: [PersistentIdentifier]] = [:]

  /// Takes over what the matching of an entity has found.
  ///
  /// - Parameters:
  ///   - matching: The matching.
  ///   - entity: The entity.
  ///   - former: The identifiers of the former rows, in order.
  ///   - present: Those of the present rows.
  mutating func take(
    _ matching: RowMatching,
    of entity: String,
    _ former: [PersistentIdentifier],
    _ present: [PersistentIdentifier]
  ) {
    let isSure = matching.key.map { $0.strength > .guess } ?? false
    keys[entity] = isSure ? matching.keyFields : []
    var isNew = Array(repeating: true, count: present.count)
    for (row, fate) in matching.fates.enumerated() {
      switch fate {
      case .same(let place): isNew[place] = false
      case .gone: break
      case .unsure(let reason, let place):
        doubts[former[row]] = RecordDoubt(
          reason.words(matching.keyFields),
          candidate: place.map { present[$0] }
        )
      }
    }
    let added = present.indices.filter { isNew[$0] }.map { present[$0] }
    newcomers[entity, default: []] += added
    late[entity, default: []] += added
  }

  /// The fields by which the records of an entity are known.
  func keyFields(of entityName: String) -> [String] {
    declared[entityName]?.first ?? keys[entityName] ?? []
  }

  /// Begins a save.
  mutating func beginSave() { late = [:] }
}

extension JSONStore: RecordMatchingStore {
  package func doubts(about identifiers: [PersistentIdentifier]) -> [PersistentIdentifier:
    RecordDoubt]
  {
    withSession { session in
      var found: [PersistentIdentifier: RecordDoubt] = [:]
      if session.matching.doubts.isEmpty { return found }
      for identifier in identifiers { found[identifier] = session.matching.doubts[identifier] }
      return found
    }
  }

  package func keyFields(of entityName: String) -> [String] {
    withSession { $0.matching.keyFields(of: entityName) }
  }

  package func checks(of identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: String] {
    withSession { session in
      if session.content.document.layout == .catalog { return [:] }
      var checks: [PersistentIdentifier: String] = [:]
      for (entity, identifiers) in Dictionary(grouping: identifiers, by: \.entityName) {
        guard let table = session.content.table.table(of: entity) else { continue }
        let declared = session.matching.declared[entity]?.first ?? []
        let check = RowCheck(table, declared: declared)
        for identifier in identifiers {
          checks[identifier] = table.row(of: identifier).map(check.text)
        }
      }
      return checks
    }
  }

  package var hasNewcomers: Bool {
    withSession { $0.matching.newcomers.contains { !$0.value.isEmpty } }
  }

  package func newcomers(of entityName: String, withKeys keys: Set<[String]>) -> [[String]:
    PersistentIdentifier]
  {
    withSession { session in
      session.records(session.matching.newcomers[entityName] ?? [], of: entityName, withKeys: keys)
    }
  }

  package func counterparts(
    of entityName: String,
    in other: any QueryableStore,
    _ otherName: String
  ) throws -> RecordCounterparts? {
    guard let other = other as? JSONStore, other !== self else { return nil }
    func table(_ store: JSONStore, _ name: String) throws -> EntityTable? {
      try store.reading { session in
        session.content.document.layout == .catalog ? nil : session.content.table.table(of: name)
      }
    }
    guard let old = try table(self, entityName), let new = try table(other, otherName) else {
      return nil
    }
    let (oldRows, newRows) = (old.rowsInOrder(), new.rowsInOrder())
    let matching = RowMatching(old, oldRows, new, newRows)
    var records: [PersistentIdentifier: PersistentIdentifier] = [:]
    var unsureCount = 0
    for (row, fate) in zip(oldRows, matching.fates) {
      if let place = fate.place {
        records[new.keys[Int(newRows[place])]] = old.keys[Int(row)]
      } else if case .unsure = fate {
        unsureCount += 1
      }
    }
    return RecordCounterparts(records, unsureCount: unsureCount)
  }

  package func identify(_ entityName: String, by keys: [[String]]) {
    withSession { $0.matching.declared[entityName] = keys.isEmpty ? nil : keys }
  }
}

extension JSONStore.Session {
  /// Checks that no record that another program has added during the save has the key of a new record.
  ///
  /// - Throws: `PersistenceError` with code `.conflict`; the context then finds the two records.
  func checkKeys(of changes: ChangeSet) throws {
    for (entity, late) in matching.late.sorted(by: { $0.key < $1.key }) where !late.isEmpty {
      let fields = matching.keyFields(of: entity)
      guard !fields.isEmpty else { continue }
      let mine = changes.inserted + changes.updated.filter { $0.changes(fields) }.map(\.after)
      let keys = Set(
        mine.filter { $0.persistentIdentifier.entityName == entity }
          .compactMap { $0.key(of: fields) }
      )
      guard let key = records(late, of: entity, withKeys: keys).keys.min(by: isBefore) else {
        continue
      }
      throw PersistenceError(
        .conflict,
        "\(entity): \(fields.joined(separator: ", ")) \(key.joined(separator: ", ")) has been added by "
          + "another program"
      )
    }
  }

  private func isBefore(_ left: [String], _ right: [String]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }

  /// Those of some records that have one of the keys.
  fileprivate func records(
    _ identifiers: [PersistentIdentifier],
    of entity: String,
    withKeys keys: Set<[String]>
  ) -> [[String]: PersistentIdentifier] {
    let fields = matching.keyFields(of: entity)
    guard !keys.isEmpty, !fields.isEmpty, let table = content.table.table(of: entity),
      let projection = try? table.projection(fields)
    else { return [:] }
    var found: [[String]: PersistentIdentifier] = [:]
    for identifier in identifiers {
      guard let row = table.row(of: identifier),
        let key = table.snapshot(at: row, as: projection).key(of: fields), keys.contains(key)
      else { continue }
      found[key] = found[key] ?? identifier
    }
    return found
  }
}

extension RecordUpdate {
  /// True if one of the fields changes.
  fileprivate func changes(_ fields: [String]) -> Bool {
    fields.contains { before[$0]?.spelledAlike != after[$0]?.spelledAlike }
  }
}
