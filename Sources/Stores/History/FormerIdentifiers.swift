import OpenSwiftData

/// Finds the records that the transactions of earlier runs have changed, in a file without identifiers.
///
/// There the identifier of a record is its position when the file was read. Transactions are followed from the last one
/// back, those of this run included: the values after a change tell which record it was. If several records have them, it
/// does not matter which one is meant, unless another program has left fewer of them: then it may be one of those that are
/// gone. If none has, because another program has changed the record since, the only one with the same values in the fields
/// is meant by which the save knew it; a position says nothing. What is not found is gone and gets a number of its own.
///
/// Values are compared under the names that their fields have now. Fields that were added later have no values then; those
/// that are gone say nothing, and of several records that are equal without them none is meant.
struct FormerIdentifiers {
  private typealias Values = [String: String]

  private struct Former: Hashable {
    let run: UInt64
    let identifier: PersistentIdentifier
  }

  private let table: RecordTable
  /// The records under the identifiers of their runs.
  private var known: [Former: PersistentIdentifier] = [:]
  /// The values at the moment that was reached, of records that were changed since; nil if they did not exist.
  private var former: [PersistentIdentifier: Values?] = [:]
  private var places: [Values: Set<PersistentIdentifier>] = [:]
  /// By entity, the records of the table with the values that may be looked for, by the hash of these.
  private var index: [String: [Int: [PersistentIdentifier]]] = [:]
  /// The fields by which the records of the transaction were known; nil if that was not kept.
  private var keys: HistoryKeys?
  /// The records of the transaction that were found.
  private var found: Set<PersistentIdentifier> = []
  /// By entity, the key of the present file.
  private var presentKeys: [String: KeyFields] = [:]
  private var records: [RecordKeys.Name: RecordKeys] = [:]
  /// The hashes of the values that may be looked for.
  private let wanted: Set<Int>
  /// By entity, the greatest number in use.
  private(set) var greatestNumbers: [String: Int] = [:]
  /// True if another program has changed the file since the transaction.
  private var isFileChanged = false
  /// By transaction and entity, the records that another program has added since under keys that undoing it brings back.
  private(set) var newcomers: [Int64: [String: Set<PersistentIdentifier>]] = [:]
  /// Why it is not certain what became of records that were not found.
  private(set) var doubts: [PersistentIdentifier: RecordDoubt] = [:]
  /// How many records had these values after the transaction, as far as that was asked.
  private var copyCounts: [Values: Int] = [:]

  private let spelling: FileSpelling
  /// The present fields at the moment that was reached.
  private var fields: FormerFields
  /// True if the fields were others then.
  private var isSchemaChanged = false

  /// Prepares for finding the records of transactions in a table.
  init(_ table: RecordTable, _ transactions: [Transaction], _ spelling: FileSpelling) {
    (self.table, self.spelling) = (table, spelling)
    fields = FormerFields(table.schema, isComplete: true)
    wanted = Set(
      transactions.flatMap { transaction in
        (transaction.changes.inserted + transaction.changes.updated.map(\.after))
          .map { spelling.values(of: $0).hashValue }
      }
    )
  }

  /// Goes back before a transaction of this run, whose records have their present identifiers; the last one comes first.
  ///
  /// - Throws: The error of a table that cannot be read.
  mutating func follow(_ transaction: Transaction, of run: UInt64) throws {
    let changes = transaction.changes
    let changed = changes.inserted + changes.updated.map(\.after) + changes.deleted
    for identifier in changed.map(\.persistentIdentifier) {
      note(identifier, as: Former(run: run, identifier: identifier))
    }
    _ = try goBack(before: PastTransaction(transaction: transaction, run: run))
  }

  /// Gives the records of a transaction of an earlier run their current identifiers; the last transaction comes first.
  ///
  /// - Throws: The error of a table that cannot be read.
  /// - Complexity: O(1) for each record at its position; O(n) in the number of records for the first other one.
  mutating func resolve(_ entry: PastTransaction) throws -> Transaction {
    let resolved = try goBack(before: entry)
    try noteNewcomers(entry.transaction)
    return resolved
  }

  private mutating func goBack(before entry: PastTransaction) throws -> Transaction {
    let (transaction, run) = (entry.transaction, entry.run)
    keys = entry.keys
    (copyCounts, found) = ([:], [])
    if transaction.isExternal { isFileChanged = true }
    var resolved = transaction
    resolved.changes = transaction.changes.withoutJSONNulls
    // All records are found among the values after the transaction.
    for place in resolved.changes.updated.indices {
      let identifier = try find(resolved.changes.updated[place].after, run)
      resolved.changes.updated[place].before.persistentIdentifier = identifier
      resolved.changes.updated[place].after.persistentIdentifier = identifier
    }
    for place in resolved.changes.inserted.indices {
      let identifier = try find(resolved.changes.inserted[place], run)
      resolved.changes.inserted[place].persistentIdentifier = identifier
    }
    for place in resolved.changes.deleted.indices {
      let snapshot = resolved.changes.deleted[place]
      let former = Former(run: run, identifier: snapshot.persistentIdentifier)
      let identifier = known[former] ?? gone(snapshot)
      note(identifier, as: former)
      resolved.changes.deleted[place].persistentIdentifier = identifier
    }
    for place in resolved.formerValues.indices {
      let snapshot = transaction.formerValues[place]
      let former = Former(run: run, identifier: snapshot.persistentIdentifier)
      // A record whose other values are not known is found by its position.
      let identifier = known[former] ?? snapshot.persistentIdentifier
      resolved.formerValues[place].persistentIdentifier = identifier
    }
    try setValues(before: resolved)
    if transaction.changesSchema { goBackToFields(before: transaction) }
    return resolved
  }

  /// Forgets the values of fields that did not exist before a transaction.
  private mutating func goBackToFields(before transaction: Transaction) {
    fields.goBack(before: transaction)
    isSchemaChanged = true
    (places, index, records) = ([:], [:], [:])
    for (identifier, values) in former {
      guard let values else { continue }
      let known = values.filter { exists($0.key, of: identifier.entityName) }
      former[identifier] = .some(known)
      places[known, default: []].insert(identifier)
    }
  }

  /// True if a present field existed at the moment that was reached.
  private func exists(_ name: String, of entity: String) -> Bool {
    guard isSchemaChanged, let slot = table.schema.entitiesByName[entity]?.layout.slot(of: name)
    else { return true }
    return fields.has(slot, of: entity)
  }

  /// The present name of a field at the moment that was reached; nil if it is gone.
  private func presentName(_ name: String, of entity: String) -> String? {
    guard isSchemaChanged, let entity = table.schema.entitiesByName[entity] else { return name }
    return fields.slot(of: name, in: entity).map { entity.fields[$0].name }
  }

  /// The values of a record from a transaction, by the present names.
  private func values(of snapshot: DefaultSnapshot) -> Values {
    guard isSchemaChanged,
      let entity = table.schema.entitiesByName[snapshot.persistentIdentifier.entityName]
    else { return spelling.values(of: snapshot) }
    let values = zip(entity.fields, fields.values(of: snapshot, in: entity))
    return spelling.texts(of: values.lazy.map { ($0.name, $1 ?? .null) })
  }

  /// True if a record had values then in fields that are gone.
  private func lacksFields(of snapshot: DefaultSnapshot) -> Bool {
    let entity = snapshot.persistentIdentifier.entityName
    return isSchemaChanged
      && zip(snapshot.layout.names, snapshot.orderedValues)
        .contains { !$1.isNull && presentName($0, of: entity) == nil }
  }

  /// The fields by which a record of the transaction was known; nil if that was not kept, and none if one of them is gone.
  private func keyFields(of record: PersistentIdentifier) -> KeyFields? {
    keys?.fields(of: record).map { presentName($0, of: record.entityName) }
  }

  /// Sets the values that the records of a transaction had before it.
  private mutating func setValues(before transaction: Transaction) throws {
    let replaced = transaction.replacedFields
    let formerValues = Dictionary(
      transaction.formerValues.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for update in transaction.changes.updated {
      let identifier = update.persistentIdentifier
      var before = values(of: update.before)
      // Most values of a converted field are known only as those after the change.
      let known = formerValues[identifier]
      for pair in replaced?.pairs(of: identifier.entityName) ?? [] {
        let value = known?[pair.former.name] ?? update.after[pair.field.name] ?? .null
        let name = presentName(pair.field.name, of: identifier.entityName)
        let text = spelling.text(of: value)
        if let name { before[name] = text.isEmpty ? nil : text }
      }
      try set(before, of: identifier)
    }
    for snapshot in transaction.changes.inserted {
      try set(nil, of: snapshot.persistentIdentifier)
    }
    for snapshot in transaction.changes.deleted {
      let known = formerValues[snapshot.persistentIdentifier].map(values) ?? [:]
      try set(
        values(of: snapshot).merging(known) { $1 },
        of: snapshot.persistentIdentifier
      )
    }
  }

  /// The current identifier of a record that had these values.
  private mutating func find(_ snapshot: DefaultSnapshot, _ run: UInt64) throws
    -> PersistentIdentifier
  {
    let former = Former(run: run, identifier: snapshot.persistentIdentifier)
    if let identifier = known[former] {
      found.insert(identifier)
      return identifier
    }
    let identifier: PersistentIdentifier
    switch try fate(of: snapshot) {
    case .success(let record): identifier = record
    case .failure(let reason):
      identifier = gone(snapshot)
      if let reason = reason.reason {
        let fields = keyFields(of: snapshot.persistentIdentifier)?.sure ?? []
        doubts[identifier] = RecordDoubt(reason.words(fields, of: snapshot), candidate: nil)
      }
    }
    found.insert(identifier)
    note(identifier, as: former)
    return identifier
  }

  /// Why a record was not found; nil if it is gone.
  private struct NotFound: Error {
    var reason: RecordFate.Reason?
  }

  private mutating func fate(of snapshot: DefaultSnapshot) throws -> Result<
    PersistentIdentifier, NotFound
  > {
    let place = snapshot.persistentIdentifier
    let values = values(of: snapshot)
    if try hasFewerCopies(values, place) { return .failure(NotFound(reason: .fewerCopies)) }
    if lacksFields(of: snapshot), try countOfRecords(with: values, of: place.entityName) > 1 {
      return .failure(NotFound(reason: .alike))
    }
    if try self.values(of: place) == values, !found.contains(place) { return .success(place) }
    if let record = try record(with: values, near: place) { return .success(record) }
    return try record(withKeyOf: values, of: place)
  }

  /// True if another program has left fewer records with these values than there were after the transaction.
  private mutating func hasFewerCopies(_ values: Values, _ former: PersistentIdentifier) throws
    -> Bool
  {
    guard isFileChanged, let number = former.numberKey,
      let count = keys?.copies[former.entityName]?[number]
    else { return false }
    let present = try copyCounts[values] ?? countOfRecords(with: values, of: former.entityName)
    copyCounts[values] = present
    return present > 0 && present < count
  }

  private mutating func note(_ identifier: PersistentIdentifier, as former: Former) {
    known[former] = identifier
  }

  /// The values of a record at the moment that was reached; nil if it did not exist.
  private func values(of identifier: PersistentIdentifier) throws -> Values? {
    if let values = former[identifier] { return values }
    return try storedValues(of: identifier)
  }

  /// The values of a record in the table; nil if it is not there.
  private func storedValues(of identifier: PersistentIdentifier) throws -> Values? {
    guard table.schema.entitiesByName[identifier.entityName] != nil else { return nil }
    let found = try table.snapshots(for: [identifier], attributes: nil)
    return found[identifier].map(storedValues)
  }

  private func storedValues(of snapshot: DefaultSnapshot) -> Values {
    let values = spelling.values(of: snapshot)
    guard isSchemaChanged else { return values }
    return values.filter { exists($0.key, of: snapshot.persistentIdentifier.entityName) }
  }

  // MARK: Equal records

  /// The record with these values at the moment that was reached whose number is nearest, as that of a record with the
  /// same spellings mostly is; those of the transaction that were found are left out.
  private mutating func record(with values: Values, near place: PersistentIdentifier) throws
    -> PersistentIdentifier?
  {
    let number = place.numberKey ?? 0
    func distance(_ identifier: PersistentIdentifier) -> Int {
      abs((identifier.numberKey ?? 0) - number)
    }
    let changed = places[values]?.filter { $0.entityName == place.entityName } ?? []
    try makeIndex(of: place.entityName)
    let others = index[place.entityName]?[values.hashValue]?.filter { former[$0] == nil } ?? []
    var candidates = (Array(changed) + others).filter { !found.contains($0) }
    while let nearest = candidates.indices.min(by: {
      (distance(candidates[$0]), candidates[$1]) < (distance(candidates[$1]), candidates[$0])
    }) {
      let identifier = candidates[nearest]
      // Other values may have the same hash.
      if try self.values(of: identifier) == values { return identifier }
      candidates.remove(at: nearest)
    }
    return nil
  }

  private mutating func countOfRecords(with values: Values, of entity: String) throws -> Int {
    let changed = places[values]?.count { $0.entityName == entity } ?? 0
    try makeIndex(of: entity)
    let others = index[entity]?[values.hashValue] ?? []
    return try changed + others.count { try former[$0] == nil && self.values(of: $0) == values }
  }

  private mutating func makeIndex(of entity: String) throws {
    guard index[entity] == nil else { return }
    var found: [Int: [PersistentIdentifier]] = [:]
    if table.schema.entitiesByName[entity] != nil {
      for snapshot in try table.snapshots(matching: Query(entity)) {
        let hash = storedValues(of: snapshot).hashValue
        guard isSchemaChanged || wanted.contains(hash) else { continue }
        found[hash, default: []].append(snapshot.persistentIdentifier)
      }
    }
    index[entity] = found
  }

  // MARK: The same key

  /// The only record with the key of these values, unless hardly anything but the key agrees, or less than half while
  /// another record has all other values.
  private mutating func record(withKeyOf values: Values, of former: PersistentIdentifier) throws
    -> Result<PersistentIdentifier, NotFound>
  {
    let entity = former.entityName
    let fields = keyFields(of: former) ?? presentKey(of: entity)
    guard let known = try recordKeys(of: entity, by: fields.sure), let key = known.key(of: values),
      let found = known.records[key], found.count == 1,
      let present = try self.values(of: found[0])
    else { return .failure(NotFound()) }
    let others = values.keys.filter { !fields.names.contains($0) }.sorted()
    let likeness = known.likeness(values, present)
    if others.count > 1, likeness.isLittle,
      let rest = try recordKeys(of: entity, by: others), let same = rest.key(of: values),
      let twins = rest.records[same], twins.contains(where: { $0 != found[0] })
    {
      return .failure(NotFound(reason: .contradiction))
    }
    let isContradicted =
      fields.strength == .identifier
      ? likeness.contradictsIdentifiers : likeness.contradictsNames
    return isContradicted ? .failure(NotFound(reason: .onlyKey)) : .success(found[0])
  }

  /// Notes the records that were added under the keys of records that the transaction has deleted or renamed.
  private mutating func noteNewcomers(_ transaction: Transaction) throws {
    guard isFileChanged else { return }
    let changes = transaction.changes
    var found: [String: Set<PersistentIdentifier>] = [:]
    for snapshot in changes.deleted + changes.updated.map(\.before) {
      let entity = snapshot.persistentIdentifier.entityName
      let fields = presentKey(of: entity).sure
      guard wasKey(fields, of: snapshot.persistentIdentifier),
        let known = try recordKeys(of: entity, by: fields),
        let key = known.key(of: values(of: snapshot))
      else { continue }
      // The others are records that this transaction or a later one has changed.
      let added = (known.records[key] ?? []).filter { former[$0] == nil }
      found[entity, default: []].formUnion(added)
    }
    newcomers[transaction.token] = found
  }

  /// False if several records may have had the same values of these fields at the time of the transaction.
  private func wasKey(_ fields: [String], of record: PersistentIdentifier) -> Bool {
    guard let former = keyFields(of: record)?.sure else { return true }
    return !former.isEmpty && Set(former).isSubset(of: fields)
  }

  /// The records of an entity by the values of fields at the moment that was reached; nil without fields.
  private mutating func recordKeys(of entity: String, by fields: [String]) throws -> RecordKeys? {
    let name = RecordKeys.Name(entity: entity, fields: fields)
    if let known = records[name] { return known }
    guard let table = table.table(of: entity), !fields.isEmpty else { return nil }
    var known = RecordKeys(name, of: table, spelling)
    for (identifier, values) in former where identifier.entityName == entity {
      known.move(identifier, from: try storedValues(of: identifier), to: values)
    }
    records[name] = known
    return known
  }

  private mutating func presentKey(of entity: String) -> KeyFields {
    if let known = presentKeys[entity] { return known }
    let chosen = table.table(of: entity).map { KeyFields(of: $0) } ?? KeyFields([], .guess)
    presentKeys[entity] = chosen
    return chosen
  }

  /// A number for a record that no longer exists.
  private mutating func gone(_ snapshot: DefaultSnapshot) -> PersistentIdentifier {
    let name = snapshot.persistentIdentifier.entityName
    let number = (greatestNumbers[name] ?? table.greatestNumber(of: name)) + 1
    greatestNumbers[name] = number
    return IdentifierScope(store: table.storeIdentifier, entity: name).identifier(number: number)
  }

  /// Sets the values that a record had before a change; nil if it did not exist.
  private mutating func set(_ values: Values?, of identifier: PersistentIdentifier) throws {
    let last = try self.values(of: identifier)
    for name in records.keys where name.entity == identifier.entityName {
      records[name]?.move(identifier, from: last, to: values)
    }
    if former[identifier] != nil, let last { places[last]?.remove(identifier) }
    former[identifier] = .some(values)
    if let values { places[values, default: []].insert(identifier) }
  }
}

extension ChangeSet {
  /// The changes as the file shows them: there, null is a missing value whatever the type of the field.
  fileprivate var withoutJSONNulls: ChangeSet {
    var changes = self
    for place in inserted.indices { changes.inserted[place].dropJSONNulls() }
    for place in deleted.indices { changes.deleted[place].dropJSONNulls() }
    for place in updated.indices {
      changes.updated[place].before.dropJSONNulls()
      changes.updated[place].after.dropJSONNulls()
    }
    return changes
  }
}

extension DefaultSnapshot {
  fileprivate mutating func dropJSONNulls() {
    for (slot, value) in orderedValues.enumerated() where value == .json("null") {
      orderedValues[slot] = .null
    }
  }
}
