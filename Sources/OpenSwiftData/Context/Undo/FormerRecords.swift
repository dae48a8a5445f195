/// A record that transactions have changed, now and before them.
struct FormerRecord {
  let identifier: PersistentIdentifier
  let entity: Schema.Entity
  /// Its values in the store; nil if it does not exist.
  let present: [Value]?
  /// Its values before the transactions; nil if it did not exist.
  fileprivate(set) var wanted: [Value]?
  /// By slot: the transaction before which the value is not known, because it dropped or replaced the field.
  fileprivate var unknown: [Int: Int64] = [:]
  /// By slot: the exact value at the moment that was reached, if only conversions to other types have changed it since.
  fileprivate var exact: [Int: Value] = [:]

  init(_ identifier: PersistentIdentifier, of entity: Schema.Entity, present: [Value]?) {
    (self.identifier, self.entity, self.present) = (identifier, entity, present)
    wanted = present
  }

  /// The record with values that the history has itself.
  func wanting(_ values: [Value]) -> FormerRecord {
    var record = self
    record.wanted = values
    return record
  }

  /// The values before the transactions.
  var wantedSnapshot: DefaultSnapshot? {
    wanted.map {
      DefaultSnapshot(persistentIdentifier: identifier, layout: entity.layout, orderedValues: $0)
    }
  }
  /// The values before the transactions as the fields hold them.
  var fittedValues: [Value] { wantedSnapshot.map { entity.fitted($0) } ?? [] }
  /// The slots of the values to restore.
  var changedSlots: [Int] {
    guard let wanted else { return [] }
    return wanted.indices.filter { present?[$0] != wanted[$0] }
  }
}

/// Records as they were before transactions.
struct FormerRecords {
  /// The records that the transactions have changed, in the order of their first changes.
  private(set) var records: [FormerRecord]
  private let places: [PersistentIdentifier: Int]
  private let schema: Schema
  /// The fields before all the transactions.
  private let earliest: FormerFields

  /// Undoes the transactions, oldest first, in records that exist or have existed.
  ///
  /// - Parameters:
  ///   - present: The records.
  ///   - transactions: The transactions.
  ///   - schema: The present schema.
  ///   - isComplete: False if transactions that change only the schema are left out.
  ///   - conversion: How fields were converted to other types.
  /// - Throws: `PersistenceError` with code `.unknownRecord` when a value is not known, or `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of changes of the transactions.
  init(
    _ present: [FormerRecord],
    before transactions: [Transaction],
    in schema: Schema,
    isComplete: Bool = true,
    _ conversion: ValueConversion
  ) throws {
    (records, self.schema) = (present, schema)
    places = Dictionary(
      present.enumerated().map { ($1.identifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var earliest = FormerFields(schema, isComplete: isComplete)
    for transaction in transactions.reversed() { earliest.goBack(before: transaction) }
    self.earliest = earliest
    var fields = FormerFields(schema, isComplete: isComplete)
    for transaction in transactions.reversed() {
      try undo(transaction, fields, conversion)
      fields.goBack(before: transaction)
    }
    try checkIsKnown()
  }

  /// Takes the values of fields that were dropped and came back from the changes before, as far as the history has them.
  ///
  /// The save that dropped a field may have changed its values as well; the history has the field as gone, and an undo
  /// brings back the changed value.
  ///
  /// - Parameter earlier: The transactions before those that were undone, oldest first.
  /// - Throws: The error of `earlier`, or `Interruption.Stopped`.
  mutating func takeReturnedValues(from earlier: () throws -> [Transaction]) throws {
    var wanted: [PersistentIdentifier: Set<Int>] = [:]
    for record in records where record.wanted != nil {
      let entity = record.entity.name
      let slots = earliest.dropped[entity]?.keys.filter { earliest.has($0, of: entity) } ?? []
      if !slots.isEmpty { wanted[record.identifier] = Set(slots) }
    }
    guard !wanted.isEmpty else { return }
    var fields = earliest
    var meter = WorkMeter()
    for transaction in try earlier().reversed() {
      if wanted.isEmpty || transaction.isIncomplete { break }
      for update in transaction.changes.updated {
        try meter.count()
        let identifier = update.persistentIdentifier
        guard let place = places[identifier], let slots = wanted[identifier] else { continue }
        let entity = records[place].entity
        let before = fields.values(of: update.before, in: entity)
        let after = fields.values(of: update.after, in: entity)
        for slot in slots where before[slot] != after[slot] {
          take(after[slot], at: slot, of: place)
          wanted[identifier]?.remove(slot)
        }
      }
      for snapshot in transaction.changes.inserted {
        try meter.count()
        let identifier = snapshot.persistentIdentifier
        guard let place = places[identifier], let slots = wanted.removeValue(forKey: identifier)
        else { continue }
        let values = fields.values(of: snapshot, in: records[place].entity)
        for slot in slots { take(values[slot], at: slot, of: place) }
      }
      for deleted in transaction.changes.deleted { wanted[deleted.persistentIdentifier] = nil }
      fields.goBack(before: transaction)
    }
  }

  private mutating func take(_ value: Value?, at slot: Int, of place: Int) {
    guard let value else { return }
    records[place].wanted?[slot] = value
    records[place].exact[slot] = nil
  }

  /// Converts the values of fields that had another type.
  ///
  /// A value that only conversions have changed is the former one if the field can hold that, and otherwise stays. One
  /// that a conversion has made missing is the former one also if the field cannot hold it.
  ///
  /// - Throws: `Interruption.Stopped`.
  mutating func convert(by conversion: ValueConversion) throws {
    guard !earliest.replaced.isEmpty else { return }
    var meter = WorkMeter()
    for place in records.indices {
      let entity = records[place].entity
      for slot in earliest.replaced[entity.name] ?? [] {
        try meter.count()
        let field = entity.fields[slot]
        guard let wanted = records[place].wanted?[slot] else { continue }
        let exact = records[place].exact[slot]
        if let exact, field.accepts(exact) {
          records[place].wanted?[slot] = exact
        } else if let value = wanted.isNull ? exact : wanted, !field.accepts(value) {
          // A value that the field cannot hold is not restored as a missing one: whoever wants it refuses.
          records[place].wanted?[slot] = conversion.convert(value, field.type, "") ?? value
        }
      }
    }
  }

  private mutating func undo(
    _ transaction: Transaction,
    _ fields: FormerFields,
    _ conversion: ValueConversion
  ) throws {
    var meter = WorkMeter()
    let replaced = transaction.replacedFields
    // By entity, the slots of fields that the transaction has added in place of former ones.
    var returned: [String: Set<Int>] = [:]
    var pairs: [String: [Int: ReplacedFields.Pair]] = [:]
    for entity in transaction.schemaChange == nil ? [] : schema.entities {
      let added = fields.slots(addedBy: transaction, to: entity)
      returned[entity.name] = Set(added.filter { earliest.has($0, of: entity.name) })
      for pair in replaced?.pairs(of: entity.name) ?? [] {
        guard let slot = fields.slot(of: pair.field.name, in: entity) else { continue }
        pairs[entity.name, default: [:]][slot] = pair
      }
    }
    let changes =
      replaced.map { transaction.changes.adding(transaction.formerValues, of: $0) }
      ?? transaction.changes
    let known = Dictionary(
      transaction.formerValues.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for snapshot in changes.inserted {
      try meter.count()
      if let place = places[snapshot.persistentIdentifier] {
        records[place].wanted = nil
        records[place].exact = [:]
      }
    }
    for update in changes.updated {
      try meter.count(update.before.orderedValues.count)
      guard let place = places[update.persistentIdentifier] else { continue }
      if transaction.isExternal, update.before == update.after {
        throw ModelContext.unknownValues(of: update.persistentIdentifier, before: transaction)
      }
      let entity = records[place].entity
      let before = fields.values(of: update.before, in: entity)
      let after = fields.values(of: update.after, in: entity)
      for slot in before.indices where before[slot] != after[slot] {
        guard let value = before[slot] else { continue }
        if returned[entity.name]?.contains(slot) == true {
          // A field that returns brings its values with it; the records were not changed.
          guard let pair = pairs[entity.name]?[slot] else { continue }
          let isMade = known[update.persistentIdentifier]?[pair.former.name].map { former in
            let new = after[slot] ?? .null
            return conversion.hasMade(new, of: former, as: pair.field.type, pair.convention)
          }
          if isMade ?? true {
            if !value.isNull { records[place].exact[slot] = value }
            continue
          }
        }
        records[place].wanted?[slot] = value
        note(slot, of: place, value, at: transaction.token)
      }
    }
    for deleted in changes.deleted {
      try meter.count(deleted.orderedValues.count)
      guard let place = places[deleted.persistentIdentifier] else { continue }
      let entity = records[place].entity
      guard deleted.hasValues || entity.fields.isEmpty else {
        throw ModelContext.unknownValues(of: deleted.persistentIdentifier, before: transaction)
      }
      let values = fields.values(of: deleted, in: entity)
      records[place].wanted = zip(values, entity.fields).map { $0 ?? $1.defaultValue }
      records[place].exact = [:]
      for (slot, value) in values.enumerated() {
        let isKnown =
          known[deleted.persistentIdentifier] != nil && pairs[entity.name]?[slot] != nil
        let isReturned = returned[entity.name]?.contains(slot) == true && !isKnown
        if value == nil ? earliest.has(slot, of: entity.name) : isReturned {
          let token = earliest.dropped[entity.name]?[slot] ?? transaction.token
          records[place].unknown[slot] = token
        } else {
          note(slot, of: place, value ?? .null, at: transaction.token)
        }
      }
    }
  }

  /// Notes whether a value is that of a field, or what a field contained that was added again.
  private mutating func note(_ slot: Int, of place: Int, _ value: Value, at token: Int64) {
    let dropped = earliest.dropped[records[place].entity.name]?[slot]
    records[place].unknown[slot] = dropped.flatMap { value.isNull && token > $0 ? $0 : nil }
    records[place].exact[slot] = nil
  }

  /// Checks that no value is lost because its former one is not known.
  private func checkIsKnown() throws {
    for record in records {
      guard let slot = record.unknown.keys.min(), let token = record.unknown[slot],
        let wanted = record.wanted, record.present?[slot] != wanted[slot]
      else { continue }
      let field = record.entity.fields[slot].name
      throw PersistenceError(
        .unknownRecord,
        "cannot revert: \(field) of record \(record.identifier) is not known before transaction \(token), "
          + "which dropped or converted the field; revert to \(token) or later"
      )
    }
  }
}
