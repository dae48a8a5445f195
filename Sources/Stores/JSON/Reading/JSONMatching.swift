package import OpenSwiftData

/// What a store knows about the records of a file without identifiers.
struct JSONMatching: Sendable {
  /// The records that commands have named by fields.
  var named: [RecordFields] = []
  /// By entity, the fields by which the records are known, unless they were named.
  private var keys: [String: KeyFields] = [:]
  /// By entity, how its records were matched last.
  private var merged: [String: KeyFields] = [:]
  /// Records that another program's version does not have for certain.
  private(set) var doubts: [PersistentIdentifier: RecordDoubt] = [:]
  /// By entity, the records that other programs have added since the records were read that are changed here.
  private(set) var newcomers: [String: [PersistentIdentifier]] = [:]
  /// By transaction of an earlier run and entity, those that were added since and would be in the way of undoing it.
  private var newcomersSince: [Int64: [String: Set<PersistentIdentifier>]] = [:]
  /// Those that were found during the present save.
  private(set) var late: [String: [PersistentIdentifier]] = [:]

  /// Takes over what the matching of an entity has found.
  ///
  /// - Parameters:
  ///   - matching: The matching.
  ///   - old: The former table.
  ///   - oldRows: Its rows, in the order of the file.
  ///   - present: The identifiers of the present rows.
  mutating func take(
    _ matching: RowMatching,
    _ old: EntityTable,
    _ oldRows: [Int32],
    _ present: [PersistentIdentifier]
  ) {
    let entity = old.entity.name
    let fields = KeyFields(matching.keyFields, matching.key?.strength ?? .guess)
    keys[entity] = fields
    if !oldRows.isEmpty { merged[entity] = fields }
    var isNew = Array(repeating: true, count: present.count)
    for (row, fate) in matching.fates.enumerated() {
      switch fate {
      case .same(let place): isNew[place] = false
      case .gone: break
      case .unsure(let reason, let place):
        let record = old.snapshot(at: Int(oldRows[row]))
        doubts[record.persistentIdentifier] = RecordDoubt(
          reason.words(matching.keyFields(ofRow: row), of: record),
          candidate: place.map { present[$0] }
        )
      }
    }
    let added = present.indices.filter { isNew[$0] }.map { present[$0] }
    newcomers[entity, default: []] += added
    late[entity, default: []] += added
  }

  /// Adds what was found about the records of transactions of earlier runs.
  ///
  /// - Parameters:
  ///   - doubts: Why records are gone.
  ///   - added: By transaction and entity, the records that other programs have added since.
  mutating func add(
    _ doubts: [PersistentIdentifier: RecordDoubt],
    newcomers added: [Int64: [String: Set<PersistentIdentifier>]]
  ) {
    self.doubts.merge(doubts) { $1 }
    newcomersSince = added
  }

  /// Regards the records as new that were added since a transaction of an earlier run, because it is undone.
  mutating func goBack(before token: Int64) {
    for (since, added) in newcomersSince.sorted(by: { $0.key < $1.key }) where since >= token {
      for (entity, added) in added {
        let known = newcomers[entity] ?? []
        newcomers[entity] = known + added.subtracting(known).sorted()
      }
      newcomersSince[since] = nil
    }
  }

  /// The fields by which the records of an entity are known, those of a table if they were not chosen before.
  mutating func keyFields(of table: EntityTable) -> KeyFields {
    if let known = keys[table.entity.name] { return known }
    let chosen = KeyFields(of: table)
    keys[table.entity.name] = chosen
    return chosen
  }

  /// The fields by which another program's version of an entity was matched last; empty for a guess.
  func matchedFields(of entityName: String) -> [String] { keys[entityName]?.sure ?? [] }

  /// Forgets the fields of small tables, which the next records may show more clearly.
  mutating func noteSave(_ table: RecordTable) {
    for name in keys.keys where table.count(of: name) < Self.smallCount { keys[name] = nil }
  }

  /// The fields of smaller tables are chosen anew after each save.
  private static let smallCount = 1000

  /// How changes of other programs were merged last; nil if a sure key decided.
  var words: String? {
    let unsure = merged.filter { $0.value.sure.isEmpty }.sorted { $0.key < $1.key }
    if unsure.isEmpty { return nil }
    let parts = unsure.map { entity, fields in
      (merged.count > 1 ? "\(entity) " : "")
        + (fields.names.isEmpty ? "by equal rows" : "by \(fields.names.joined(separator: ", "))")
    }
    return "merged " + parts.joined(separator: "; ")
  }

  /// Begins a save.
  mutating func beginSave() { late = [:] }
}

extension JSONStore: TextBackedStore {
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

  package func keyFields(of entityName: String) -> [String]? {
    withSession { $0.keyFields(of: entityName)?.sure }
  }

  package func copies(of identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: Int] {
    withSession { $0.copies(of: identifiers) }
  }

  package var mergingWords: String? { withSession { $0.matching.words } }

  package func checks(of entityName: String) -> RecordChecks? {
    withSession { session in
      guard !session.content.document.format.isCatalog,
        let table = session.content.table.table(of: entityName)
      else { return nil }
      let check = RowCheck(table)
      return RecordChecks { table.row(of: $0).map(check.text) }
    }
  }

  package func goBack(before token: Int64) { withSession { $0.matching.goBack(before: token) } }

  package var hasNewcomers: Bool {
    withSession { $0.matching.newcomers.contains { !$0.value.isEmpty } }
  }

  package func newcomers(of entityName: String, withKeys keys: Set<[String]>) -> [[String]:
    PersistentIdentifier]
  {
    withSession { session in
      session.records(
        session.matching.newcomers[entityName] ?? [],
        of: entityName,
        by: session.keyFields(of: entityName)?.sure ?? [],
        withKeys: keys
      )
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
        session.content.document.format.isCatalog ? nil : session.content.table.table(of: name)
      }
    }
    guard let old = try table(self, entityName), let new = try table(other, otherName) else {
      return nil
    }
    let (oldRows, newRows) = (old.rowsInOrder(), new.rowsInOrder())
    let matching = RowMatching(old, oldRows, new, newRows)
    var records: [PersistentIdentifier: PersistentIdentifier] = [:]
    var unsureCount = 0
    var copies: [Int32] = []
    for (row, fate) in zip(oldRows, matching.fates) {
      if let place = fate.place {
        records[new.keys[Int(newRows[place])]] = old.keys[Int(row)]
      } else if case .unsure(.fewerCopies, _) = fate {
        copies.append(row)
      } else if case .unsure = fate {
        unsureCount += 1
      }
    }
    if !copies.isEmpty {
      let others = newRows.filter { records[new.keys[Int($0)]] == nil }
      for (one, other) in Self.pairs(ofEqual: copies, of: old, others, of: new) {
        records[new.keys[Int(other)]] = old.keys[Int(one)]
      }
    }
    return RecordCounterparts(records, by: matching.keyFields, unsureCount: unsureCount)
  }

  /// Pairs of rows of two files that are equal as a whole: to compare them, it does not matter which of them are the same.
  private static func pairs(
    ofEqual rows: [Int32],
    of table: EntityTable,
    _ others: [Int32],
    of other: EntityTable
  ) -> [(Int32, Int32)] {
    let spelling = FileSpelling(options: nil)
    var places: [[String: String]: [Int32]] = [:]
    for row in others.reversed() {
      places[spelling.values(of: other.snapshot(at: Int(row))), default: []].append(row)
    }
    return rows.compactMap { row in
      places[spelling.values(of: table.snapshot(at: Int(row)))]?.popLast().map { (row, $0) }
    }
  }

  package func identify(_ named: [RecordFields]) { withSession { $0.matching.named = named } }
}

extension JSONStore.Session {
  /// The fields by which the records of an entity are known, unless commands have named them; nil if they have
  /// identifiers.
  mutating func keyFields(of entityName: String) -> KeyFields? {
    guard !content.document.format.isCatalog, let table = content.table.table(of: entityName)
    else { return nil }
    return matching.keyFields(of: table)
  }

  /// The numbers of records that are equal as a whole to each of these, with itself; only of those that have equal ones,
  /// and none in files with identifiers.
  mutating func copies(of identifiers: some Sequence<PersistentIdentifier>)
    -> [PersistentIdentifier: Int]
  {
    if content.document.format.isCatalog { return [:] }
    var found: [PersistentIdentifier: Int] = [:]
    for (entity, identifiers) in Dictionary(grouping: identifiers, by: \.entityName) {
      guard let table = content.table.table(of: entity) else { continue }
      let rows = identifiers.compactMap(table.row)
      let known = RowCopies(table, knownBy: keyFields(of: entity)?.names ?? [])
      for (row, count) in known.counts(of: rows) { found[table.keys[row]] = count }
    }
    return found
  }

  /// Checks that no record that another program has added during the save has the key of a new record.
  ///
  /// - Throws: `PersistenceError` with code `.conflict`; the context then finds the two records.
  func checkKeys(of changes: ChangeSet) throws {
    for (entity, late) in matching.late.sorted(by: { $0.key < $1.key }) where !late.isEmpty {
      let fields = matching.matchedFields(of: entity)
      guard !fields.isEmpty else { continue }
      let mine = changes.inserted + changes.updated.filter { $0.changes(fields) }.map(\.after)
      let keys = Set(
        mine.filter { $0.persistentIdentifier.entityName == entity }
          .compactMap { $0.key(of: fields) }
      )
      guard let key = records(late, of: entity, by: fields, withKeys: keys).keys.min(by: isBefore)
      else {
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
    by fields: [String],
    withKeys keys: Set<[String]>
  ) -> [[String]: PersistentIdentifier] {
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
