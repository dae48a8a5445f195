import OpenSwiftData

/// What rows change.
extension Upsert {
  /// Updates and inserts records; with `mirror`, deletes those that no row has matched.
  ///
  /// - Throws: `ImportError` for a row that cannot become a record; nothing has changed then.
  func apply(mirror: Bool) throws -> Counts {
    let found = try matches()
    var counts = Counts()
    var changed: [PersistentIdentifier] = []
    var rowByRecord: [PersistentIdentifier: Int] = [:]
    var new: [Int] = []
    for (place, row) in rows.enumerated() {
      guard let record = found[place] else {
        new.append(place)
        continue
      }
      try requireValues(row, in: record.orderedValues)
      let isUnchanged = zip(row.slots, row.values).allSatisfy {
        record.orderedValues[$0].hasSameContent(as: $1)
      }
      if isUnchanged {
        counts.unchanged += 1
      } else {
        changed.append(record.persistentIdentifier)
        rowByRecord[record.persistentIdentifier] = place
      }
    }
    counts.updated = changed.count
    counts.inserted = new.count
    let inserted = try new.map { try values(of: rows[$0]) }
    let lacking = mirror ? try lacking(Set(found.values.map(\.persistentIdentifier))) : []
    try entity.requireRoom(for: changed.count + new.count + lacking.count)
    session.context.reserve(changed.count)
    for batch in changed.batches { try update(Array(batch), rowByRecord) }
    let last = try insert(new, inserted)
    if rows.count == 1 { counts.record = found[0]?.persistentIdentifier ?? last }
    if !lacking.isEmpty {
      counts.deleted = lacking.count + (try session.context.delete(lacking).cascadedCount)
    }
    return counts
  }

  private func update(_ records: [PersistentIdentifier], _ rowByRecord: [PersistentIdentifier: Int])
    throws
  {
    try Interruption.check()
    for state in try session.context.states(for: records) {
      guard let place = rowByRecord[state.identifier] else { continue }
      // JSON with the same content keeps its spelling.
      for (slot, value) in zip(rows[place].slots, rows[place].values)
      where !state.value(at: slot).hasSameContent(as: value) {
        state.set(value, at: slot)
      }
    }
  }

  /// Inserts the new records, and returns the identifier of the last one.
  private func insert(_ new: [Int], _ values: [[Value]]) throws -> PersistentIdentifier? {
    guard isByIdentifier else { return try session.context.insert(values, of: entity) }
    for (place, values) in zip(new, values) {
      guard let identifier = rows[place].identifier else { continue }
      session.context.insertAgain(identifier, values, in: entity)
    }
    return new.last.flatMap { rows[$0].identifier }
  }

  /// The records that no row has matched.
  private func lacking(_ matched: Set<PersistentIdentifier>) throws -> [PersistentIdentifier] {
    let all = try session.context.fetchIdentifiers(matching: Query(entity.name))
    guard !rows.isEmpty || all.isEmpty else {
      throw CommandError(
        "mirror: the file has no records; to delete all, use \"delete \(CommandText.quoted(entity.name)) where true\""
      )
    }
    return all.filter { !matched.contains($0) }
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
      throw ImportError(
        line: row.line,
        "\(attribute.name): a value is required",
        code: .invalidValue
      )
    }
  }
}

extension Arguments {
  /// Reads the names of key fields after `by`.
  ///
  /// - Throws: `CommandError` if a name is missing or given twice.
  mutating func requireKeys() throws -> [String] {
    let word = try require("field after \"by\"")
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
}
