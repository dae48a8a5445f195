import OpenSwiftData

/// Finds the records that the transactions of earlier runs have changed, in a file without identifiers.
///
/// There the identifier of a record is its position when the file was read. Transactions are followed from the last one
/// back: the values after a change tell which record it was. If several records have them, it does not matter which one
/// is meant, unless another program has left fewer of them: then it may be one of those that are gone. If none has, because another program has changed the record since, the only one with the same values in the
/// fields is meant by which the save knew it; a position says nothing. What is not found is gone and gets a number of its
/// own.
struct FormerIdentifiers {
  private typealias Values = [String: String]

  private struct Former: Hashable {
    let run: UInt64
    let identifier: PersistentIdentifier
  }

  private let table: RecordTable
  /// The records under the identifiers of their runs.
  private var known: [Former: PersistentIdentifier] = [:]
  /// The values at the moment that was reached, of records that were changed since; empty if they did not exist.
  private var former: [PersistentIdentifier: Values] = [:]
  private var places: [Values: Set<PersistentIdentifier>] = [:]
  /// By entity, the records of the table with the values that may be looked for, by the hash of these.
  private var index: [String: [Int: [PersistentIdentifier]]] = [:]
  /// The fields by which the records of the transaction were known; nil if that was not kept.
  private var keys: HistoryKeys?
  /// By entity, the key of the present file.
  private var presentKeys: [String: KeyFields] = [:]
  private var records: [RecordKeys.Name: RecordKeys] = [:]
  /// The hashes of the values that may be looked for.
  private let wanted: Set<Int>
  /// By entity, the greatest number in use.
  private(set) var greatestNumbers: [String: Int] = [:]
  /// True if another program has changed the file since the transaction.
  private var isFileChanged = false
  /// By entity, the records that another program has added under keys which undoing the transactions brings back.
  private(set) var newcomers: [String: Set<PersistentIdentifier>] = [:]
  /// Why some records are gone that others are equal to.
  private(set) var doubts: [PersistentIdentifier: RecordDoubt] = [:]
  /// How many records had these values after the transaction, as far as that was asked.
  private var copyCounts: [Values: Int] = [:]

  /// Prepares for finding the records of transactions in a table.
  init(_ table: RecordTable, _ transactions: [Transaction]) {
    self.table = table
    wanted = Set(
      transactions.flatMap { transaction in
        (transaction.changes.inserted + transaction.changes.updated.map(\.after))
          .map(\.namedValues.hashValue)
      }
    )
  }

  /// Gives the records of a transaction their current identifiers; the last transaction comes first.
  ///
  /// - Throws: The error of a table that cannot be read.
  /// - Complexity: O(1) for each record at its position; O(n) in the number of records for the first other one.
  mutating func resolve(_ entry: PastTransaction) throws -> Transaction {
    let (transaction, run) = (entry.transaction, entry.run)
    keys = entry.keys
    copyCounts = [:]
    if transaction.isExternal { isFileChanged = true }
    let changes = transaction.changes.withoutJSONNulls
    let replaced = transaction.replacedFields
    var result = changes
    let formerValues = Dictionary(
      transaction.formerValues.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for place in changes.updated.indices {
      let update = changes.updated[place]
      let identifier = try find(update.after, run)
      result.updated[place].before.persistentIdentifier = identifier
      result.updated[place].after.persistentIdentifier = identifier
      var before = update.before.namedValues
      // Most values of a converted field are known only as those after the change.
      let values = formerValues[update.persistentIdentifier]
      for pair in replaced?.pairs(of: identifier.entityName) ?? [] {
        let value = values?[pair.former.name] ?? update.after[pair.field.name] ?? .null
        before[pair.field.name] = nil
        let text = value.spelledAlike
        before[pair.former.name] = text.isEmpty ? nil : text
      }
      try set(before, of: identifier)
    }
    for place in changes.inserted.indices {
      let identifier = try find(changes.inserted[place], run)
      result.inserted[place].persistentIdentifier = identifier
      try set([:], of: identifier)
    }
    for place in changes.deleted.indices {
      let snapshot = changes.deleted[place]
      let former = Former(run: run, identifier: snapshot.persistentIdentifier)
      let identifier = known[former] ?? gone(snapshot)
      note(identifier, as: former)
      result.deleted[place].persistentIdentifier = identifier
      let values = formerValues[snapshot.persistentIdentifier]?.namedValues ?? [:]
      try set(snapshot.namedValues.merging(values) { $1 }, of: identifier)
    }
    try noteNewcomers(changes)
    var resolved = transaction
    resolved.changes = result
    for place in resolved.formerValues.indices {
      let snapshot = transaction.formerValues[place]
      let former = Former(run: run, identifier: snapshot.persistentIdentifier)
      // A record whose other values are not known is found by its position.
      let identifier = known[former] ?? snapshot.persistentIdentifier
      resolved.formerValues[place].persistentIdentifier = identifier
    }
    return resolved
  }

  /// The current identifier of a record that had these values.
  private mutating func find(_ snapshot: DefaultSnapshot, _ run: UInt64) throws
    -> PersistentIdentifier
  {
    let former = Former(run: run, identifier: snapshot.persistentIdentifier)
    if let identifier = known[former] { return identifier }
    let place = snapshot.persistentIdentifier
    let values = snapshot.namedValues
    if try hasFewerCopies(values, place) {
      let identifier = gone(snapshot)
      let reason = RecordFate.Reason.fewerCopies.words([], of: snapshot)
      doubts[identifier] = RecordDoubt(reason, candidate: nil)
      note(identifier, as: former)
      return identifier
    }
    let present = try self.values(of: place)
    var found = present == values ? place : nil
    if found == nil { found = try records(with: values, of: place.entityName, limit: 1).first }
    if found == nil { found = try record(withKeyOf: values, of: place) }
    let identifier = found ?? gone(snapshot)
    note(identifier, as: former)
    return identifier
  }

  /// True if another program has left fewer records with these values than there were after the transaction.
  private mutating func hasFewerCopies(_ values: Values, _ former: PersistentIdentifier) throws
    -> Bool
  {
    guard isFileChanged, let number = former.numberKey,
      let count = keys?.copies[former.entityName]?[number]
    else { return false }
    let present = try copyCounts[values] ?? records(with: values, of: former.entityName).count
    copyCounts[values] = present
    return present > 0 && present < count
  }

  private mutating func note(_ identifier: PersistentIdentifier, as former: Former) {
    known[former] = identifier
  }

  /// The values of a record at the moment that was reached; empty if it did not exist.
  private func values(of identifier: PersistentIdentifier) throws -> Values {
    try former[identifier] ?? storedValues(of: identifier)
  }

  /// The values of a record in the table; empty if it is not there.
  private func storedValues(of identifier: PersistentIdentifier) throws -> Values {
    guard table.schema.entitiesByName[identifier.entityName] != nil else { return [:] }
    return try table.snapshots(for: [identifier], attributes: nil)[identifier]?.namedValues ?? [:]
  }

  /// The records that had these values at the moment that was reached, first those that have changed since.
  private mutating func records(with values: Values, of entity: String, limit: Int = .max) throws
    -> [PersistentIdentifier]
  {
    var found = places[values]?.filter { $0.entityName == entity }.sorted() ?? []
    if found.count >= limit { return found }
    try makeIndex(of: entity)
    for identifier in index[entity]?[values.hashValue] ?? [] where former[identifier] == nil {
      if try self.values(of: identifier) == values { found.append(identifier) }
      if found.count >= limit { break }
    }
    return found
  }

  private mutating func makeIndex(of entity: String) throws {
    guard index[entity] == nil else { return }
    var found: [Int: [PersistentIdentifier]] = [:]
    if table.schema.entitiesByName[entity] != nil {
      for snapshot in try table.snapshots(matching: Query(entity)) {
        let hash = snapshot.namedValues.hashValue
        if wanted.contains(hash) { found[hash, default: []].append(snapshot.persistentIdentifier) }
      }
    }
    index[entity] = found
  }

  /// The only record with the key of these values, unless hardly anything but the key agrees.
  private mutating func record(withKeyOf values: Values, of former: PersistentIdentifier) throws
    -> PersistentIdentifier?
  {
    let entity = former.entityName
    let fields = keys?.fields(of: former) ?? presentKey(of: entity)
    guard let known = try recordKeys(of: entity, by: fields.sure), let key = known.key(of: values),
      let found = known.records[key], found.count == 1
    else { return nil }
    let identifier = found[0]
    let present = try self.values(of: identifier)
    return known.mayBeSame(values, present, fields.strength) ? identifier : nil
  }

  /// Notes the records that were added under the keys of records that the transaction has deleted or renamed.
  private mutating func noteNewcomers(_ changes: ChangeSet) throws {
    guard isFileChanged else { return }
    for snapshot in changes.deleted + changes.updated.map(\.before) {
      let entity = snapshot.persistentIdentifier.entityName
      guard let known = try recordKeys(of: entity, by: presentKey(of: entity).sure),
        let key = known.key(of: snapshot.namedValues)
      else { continue }
      // The others are records that this transaction or a later one has changed.
      let added = (known.records[key] ?? []).filter { former[$0] == nil }
      newcomers[entity, default: []].formUnion(added)
    }
  }

  /// The records of an entity by the values of fields at the moment that was reached; nil without fields.
  private mutating func recordKeys(of entity: String, by fields: [String]) throws -> RecordKeys? {
    let name = RecordKeys.Name(entity: entity, fields: fields)
    if let known = records[name] { return known }
    guard let table = table.table(of: entity), !fields.isEmpty else { return nil }
    var known = RecordKeys(name, of: table)
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

  /// Sets the values that a record had before a change; empty if it did not exist.
  private mutating func set(_ values: Values, of identifier: PersistentIdentifier) throws {
    for name in records.keys where name.entity == identifier.entityName {
      let last = try self.values(of: identifier)
      records[name]?.move(identifier, from: last, to: values)
    }
    if let last = former[identifier] { places[last]?.remove(identifier) }
    former[identifier] = values
    if !values.isEmpty { places[values, default: []].insert(identifier) }
  }
}

extension ChangeSet {
  /// The changes as the file has them: its null is no value in a field of any type.
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

  /// The values that are not null, by name, without their types: these follow from all values of the file.
  fileprivate var namedValues: [String: String] {
    var values: [String: String] = [:]
    for (name, value) in zip(layout.names, orderedValues) {
      let text = value.spelledAlike
      if !text.isEmpty || value.kind == .text { values[name] = text }
    }
    return values
  }
}
