import OpenSwiftData

/// What rows change.
extension Upsert {
  /// The changes that rows make, all of them possible.
  struct Plan {
    fileprivate var counts = Counts()
    fileprivate var changed: [PersistentIdentifier] = []
    fileprivate var rowByRecord: [PersistentIdentifier: Int] = [:]
    /// The places of the rows that become new records, and the values of these.
    fileprivate var new: [Int] = []
    fileprivate var inserted: [[Value]] = []
    /// The records to delete.
    fileprivate var lacking: [PersistentIdentifier] = []
  }

  /// Compares the rows with the records, without a change.
  ///
  /// - Parameters:
  ///   - mirror: True to delete the records that no row matches.
  ///   - isNew: True for an entity that does not exist yet.
  /// - Returns: The changes.
  /// - Throws: `ImportError` for a row that cannot become a record.
  func plan(mirror: Bool, isNew: Bool = false) throws -> Plan {
    let found = isNew ? [:] : try matches()
    var plan = Plan()
    var meter = WorkMeter()
    for (place, row) in rows.enumerated() {
      try meter.count(row.slots.count)
      guard let record = found[place] else {
        plan.new.append(place)
        continue
      }
      try requireValues(row, in: record.orderedValues)
      let isUnchanged = zip(row.slots, row.values).allSatisfy {
        isKept(record.orderedValues[$0], at: $0, by: $1)
      }
      if isUnchanged {
        plan.counts.unchanged += 1
      } else {
        try requireChangeable(row, in: record)
        plan.changed.append(record.persistentIdentifier)
        plan.rowByRecord[record.persistentIdentifier] = place
      }
    }
    plan.counts.updated = plan.changed.count
    plan.counts.inserted = plan.new.count
    plan.inserted = try plan.new.map { place in
      try meter.count(entity.fields.count)
      return try values(of: rows[place])
    }
    if mirror, !isNew { plan.lacking = try lacking(found) }
    try entity.requireRoom(for: plan.changed.count + plan.new.count + plan.lacking.count)
    if rows.count == 1 { plan.counts.record = found[0]?.persistentIdentifier }
    return plan
  }

  /// True if a value stays as it is: JSON with the same content keeps its spelling, and so does a key that the store
  /// takes for the same.
  private func isKept(_ stored: Value, at slot: Int, by value: Value) -> Bool {
    if stored.hasSameContent(as: value) { return true }
    guard keySlots.contains(slot) else { return false }
    return entity.fields[slot].compared(stored) == entity.fields[slot].compared(value)
  }

  /// Checks that a row changes no key of a saved record.
  private func requireChangeable(_ row: Row, in record: DefaultSnapshot) throws {
    let identifier = record.persistentIdentifier
    for (slot, value) in zip(row.slots, row.values)
    where !isKept(record.orderedValues[slot], at: slot, by: value) {
      let field = entity.fields[slot]
      let isFree = field.isSettableWhenNew && identifier.isTemporary
      guard let reason = (isFree ? nil : field.readOnlyReason) ?? field.keyReason(identifier) else {
        continue
      }
      throw row.error(reason, .readOnly, slot: slot)
    }
  }

  /// Updates and inserts records; with `mirror`, deletes those that no row has matched.
  ///
  /// - Throws: The errors of the store.
  func apply(_ plan: Plan) throws -> Counts {
    var counts = plan.counts
    identify(plan.changed + plan.lacking)
    session.context.reserve(plan.changed.count)
    for batch in plan.changed.batches { try update(Array(batch), plan.rowByRecord) }
    let last = try insert(plan.new, plan.inserted)
    if rows.count == 1 { counts.record = counts.record ?? last }
    if !plan.lacking.isEmpty {
      counts.deleted = plan.lacking.count + (try session.context.delete(plan.lacking).cascadedCount)
    }
    return counts
  }

  /// Lets the key decide which these records are, if another program changes the file before the save.
  func identify(_ records: [PersistentIdentifier]) {
    if !isByIdentifier { session.context.identify(records, of: entity.name, by: keys) }
  }

  private func update(_ records: [PersistentIdentifier], _ rowByRecord: [PersistentIdentifier: Int])
    throws
  {
    try Interruption.check()
    for state in try session.context.states(for: records) {
      guard let place = rowByRecord[state.identifier] else { continue }
      for (slot, value) in zip(rows[place].slots, rows[place].values)
      where !isKept(state.value(at: slot), at: slot, by: value) {
        state.set(value, at: slot)
      }
    }
  }

  /// Inserts the new records, and returns the identifier of the last one.
  private func insert(_ new: [Int], _ values: [[Value]]) throws -> PersistentIdentifier? {
    let entity = try session.context.schema.entity(named: entity.name)
    guard isByIdentifier else {
      let slots = Set(new.map { rows[$0].slots })
      let names = slots.count == 1 ? slots.first.map { $0.map { entity.fields[$0].name } } : nil
      return try session.context.insert(
        values,
        of: entity,
        soughtBy: keys,
        assigning: names.map { Set($0) }
      )
    }
    for (place, values) in zip(new, values) {
      guard let identifier = rows[place].identifier else { continue }
      session.context.insertAgain(identifier, values, in: entity)
    }
    return new.last.flatMap { rows[$0].identifier }
  }

  /// The records that no row has matched.
  private func lacking(_ found: [Int: DefaultSnapshot]) throws -> [PersistentIdentifier] {
    var meter = WorkMeter()
    var matched: Set<PersistentIdentifier> = []
    matched.reserveCapacity(found.count)
    for record in found.values {
      try meter.count()
      matched.insert(record.persistentIdentifier)
    }
    let all = try session.context.fetchIdentifiers(matching: Query(entity.name))
    guard !rows.isEmpty || all.isEmpty else {
      throw CommandError(
        "mirror: the file has no records; to delete all, use \"delete \(CommandText.quoted(entity.name)) where true\""
      )
    }
    return try all.filter { identifier in
      try meter.count()
      return !matched.contains(identifier)
    }
  }

  /// The values of a new record.
  private func values(of row: Row) throws -> [Value] {
    var values = entity.defaultValues
    for (slot, value) in zip(row.slots, row.values) { values[slot] = value }
    try requireValues(row, in: values)
    return values
  }

  /// Checks that required fields have values after the row is applied.
  private func requireValues(_ row: Row, in values: [Value]) throws {
    for (slot, attribute) in entity.fields.enumerated() where !attribute.isOptional {
      let place = row.slots.firstIndex(of: slot)
      guard (place.map { row.values[$0] } ?? values[slot]).isNull else { continue }
      throw row.error("\(attribute.name): a value is required", .invalidValue, slot: slot)
    }
  }
}

extension Arguments {
  /// Reads the names of key fields after `by`.
  ///
  /// - Throws: `CommandError` if a name is missing or given twice.
  mutating func requireKeys() throws -> [String] {
    let word = try require("field after \"by\"")
    if let names = quotedNames(word) { return names }
    if !word.text.isEmpty, !word.text.utf8.contains(UInt8(ascii: ",")) { return [word.text] }
    let names = word.text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return try locating(word) {
      var seen: Set<String> = []
      for name in names {
        guard !name.isEmpty else {
          throw CommandError("invalid field list \(Value.quoted(word.text)); use A,B,C")
        }
        guard seen.insert(name).inserted else {
          throw CommandError("duplicate field \(Value.quoted(name))")
        }
      }
      return names
    }
  }

  /// The names in a list in which one stands in backticks, and may have commas; nil for any other list.
  private func quotedNames(_ word: CommandText.Word) -> [String]? {
    guard word.isQuoted, word.end <= line.text.utf8.count else { return nil }
    let written = line.typed(word.start..<word.end)
    let name = /`((?:[^`]|``)+)`/
    guard written.wholeMatch(of: /(?:`(?:[^`]|``)+`|[^`,]+)(?:,(?:`(?:[^`]|``)+`|[^`,]+))*/) != nil,
      written.contains("`")
    else { return nil }
    var rest = written[...]
    var names: [String] = []
    while !rest.isEmpty {
      if let quoted = rest.prefixMatch(of: name) {
        names.append(String(quoted.output.1).replacing("``", with: "`"))
        rest = rest[quoted.range.upperBound...]
      } else {
        let plain = rest.prefix { $0 != "," }
        names.append(String(plain))
        rest = rest[plain.endIndex...]
      }
      rest = rest.dropFirst()
    }
    return Set(names).count == names.count ? names : nil
  }
}
