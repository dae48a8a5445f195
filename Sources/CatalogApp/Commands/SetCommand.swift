import OpenSwiftData

extension Command {
  /// `set`: changes values of one record or of all that match.
  static let set = Command(
    "set",
    usage: "ID FIELD=VALUE …  |  set [ENTITY] where P FIELD=VALUE …",
    summary: "change values of a record, or of all records that match",
    details: """
      FIELD= sets the field to null, FIELD="" to empty text.
      """ + "\n" + Command.identifierDetails,
    changesData: true
  ) { arguments, session in
    let identifiers: [PersistentIdentifier]
    let entity: Schema.Entity
    if let target = try session.takeFilteredEntity(&arguments) {
      entity = target.entity
      identifiers = try session.context.fetchIdentifiers(matching: target.query)
    } else if arguments.peek?.assignment != nil, let target = try session.takeTargets() {
      (entity, identifiers) = target
    } else {
      let word = try arguments.require("record ID or \"where\"")
      guard word.assignment == nil else {
        throw CommandError(
          "which record? use \"set ID \(word.text)\" or \"set where P \(word.text)\""
        )
      }
      if let hint = word.quotingHint {
        throw CommandError("\(Value.quoted(word.text)) is not an identifier; \(hint)")
      }
      let identifier = try session.liveIdentifier(word.text)
      entity = try session.context.schema.entity(named: identifier.entityName)
      identifiers = [identifier]
    }
    let assignments = try session.takeAssignments(&arguments, for: entity)
    guard !assignments.isEmpty else { throw CommandError("missing FIELD=VALUE") }
    try session.assign(assignments, to: identifiers, of: entity)
    return .done(session.stepName ?? "")
  }
}

extension Session {
  /// Takes `[ENTITY] where P` if the next words are that.
  func takeFilteredEntity(_ arguments: inout Arguments) throws
    -> (entity: Schema.Entity, query: Query)?
  {
    let words = arguments.remaining.prefix(2)
    let isFiltered =
      words.first?.isKeyword("where") == true
      || (words.count == 2 && words.last?.isKeyword("where") == true)
    guard isFiltered else { return nil }
    let entity = try takeEntity(&arguments)
    _ = arguments.take("where")
    let filter = try arguments.requirePredicate(for: entity, in: self)
    return (entity, Query(entity.name, filter: filter))
  }

  /// Sets the same values in all the records, a batch at a time.
  ///
  /// - Complexity: O(n) in the number of records.
  func assign(
    _ assignments: [(attribute: Schema.Attribute, value: Value)],
    to identifiers: [PersistentIdentifier],
    of entity: Schema.Entity
  ) throws {
    let slots = assignments.compactMap { assignment in
      entity.layout.slot(of: assignment.attribute.name).map { (slot: $0, value: assignment.value) }
    }
    let names = assignments.map(\.attribute.name).joined(separator: ", ")
    let first = identifiers.first.map { [$0] } ?? []
    let snapshot = try context.snapshots(for: first).values.first
    nameStep("set \(names) of", identifiers, snapshot)
    let overtaken =
      identifiers.count == 1 ? snapshot.map { valuesOvertaken(slots, $0) } : nil
    try entity.requireRoom(for: identifiers.count)
    for batch in identifiers.batches {
      try Interruption.check()
      for record in try context.records(for: Array(batch)) {
        let state = record.persistentState
        // Another program may have changed the schema since the line was read.
        guard state.entity.layout == entity.layout else {
          throw CommandError(
            "another program changed the fields of \(entity.name); try again"
          )
        }
        for (slot, value) in slots { state.set(value, at: slot) }
        if let overtaken, !overtaken.isEmpty { context.note(seen: overtaken, of: state) }
      }
    }
  }

  /// The values that stood on the screen, where the record has others by now; says so.
  private func valuesOvertaken(
    _ slots: [(slot: Int, value: Value)],
    _ snapshot: DefaultSnapshot
  ) -> [Int: Value] {
    guard let shown else { return [:] }
    var found: [Int: Value] = [:]
    var texts: [String] = []
    for (slot, new) in slots where snapshot.layout.names.indices.contains(slot) {
      let name = snapshot.layout.names[slot]
      let current = snapshot.orderedValues[slot]
      guard let value = shown.values[name], value != current, new != current else { continue }
      found[slot] = value
      texts.append("\(name) \(current.isNull ? "null" : Value.quoted(current.text))")
    }
    guard !found.isEmpty else { return [:] }
    self.shown?.warning =
      "another program saved \(texts.joined(separator: ", ")) while you were editing; resolve the conflict when you save"
    return found
  }
}

extension [PersistentIdentifier] {
  /// Pieces that are small enough to be held in memory as records.
  var batches: some Sequence<ArraySlice<PersistentIdentifier>> {
    stride(from: 0, to: count, by: 5000).lazy.map { self[$0..<Swift.min($0 + 5000, count)] }
  }
}
