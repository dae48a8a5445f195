/// Finds links that a save would leave without a record because another program has saved meanwhile.
///
/// The check runs under the lock of the save. It looks at nothing unless others have saved, and then only at links to
/// deleted records and at the records of new links.
struct LinkCheck {
  let schema: Schema
  let changes: ChangeSet
  /// The unsaved changes of the schema, whose records the changes have.
  let steps: [SchemaStep]
  /// True if the store keeps links valid itself: then only links count whose records it would delete in silence.
  let isEnforced: Bool

  /// Links that other programs have saved to records that the save deletes.
  struct Late {
    let source: DefaultSnapshot
    let field: Schema.Attribute
    let target: PersistentIdentifier

    /// True when the rule of the field does more than clear the link; the user has not seen that yet.
    var isFirm: Bool {
      if field.deleteRule == .deny || field.deleteRule == .cascade { return true }
      if case .link = field.type { return !field.isOptional }
      return false
    }
  }

  /// True when records of the schema can have links.
  static func isNeeded(for schema: Schema) -> Bool {
    schema.entities.contains { $0.fields.contains { $0.type.destination != nil } }
  }

  /// Ends a save that has to clear links first.
  static let changedLinks = PersistenceError(
    .conflict,
    "other programs keep linking to a deleted record; save again"
  )

  /// The links to deleted records.
  ///
  /// - Throws: `PersistenceError` with code `.conflict` for a new link to a record that is gone, with code
  ///   `.deleteDenied` for a link that its rule does not just clear, or the error of the store.
  func lateLinks(_ reading: StagedReading) throws -> [Late] {
    if !isEnforced { try requireTargets(reading) }
    let late = try incomingLinks(reading)
    if let link = late.first(where: \.isFirm) { throw denial(link, late) }
    return late
  }

  /// Checks that the records of new links exist.
  private func requireTargets(_ reading: StagedReading) throws {
    let own = Set(changes.inserted.map(\.persistentIdentifier))
    var links: [(link: PersistentIdentifier, slot: Int, record: DefaultSnapshot)] = []
    var meter = WorkMeter()
    func add(_ record: DefaultSnapshot, _ slot: Int, besides former: Value) {
      for link in record.orderedValues[slot].linkedIdentifiers
      where !link.isTemporary && !own.contains(link) && !former.linkedIdentifiers.contains(link) {
        links.append((link, slot, record))
      }
    }
    for record in changes.inserted {
      try meter.count(record.orderedValues.count)
      for slot in record.orderedValues.indices where record.orderedValues[slot].isLink {
        add(record, slot, besides: .null)
      }
    }
    for update in changes.updated {
      try meter.count(update.after.orderedValues.count)
      for slot in update.changedSlots where update.after.orderedValues[slot].isLink {
        add(update.after, slot, besides: update.before.orderedValues[slot])
      }
    }
    if links.isEmpty { return }
    // A record that the save deletes is still there; that of a link to it is the caller's wish.
    let present = try reading.snapshots(Array(Set(links.map(\.link))), [])
    guard let lost = links.first(where: { present[$0.link] == nil }) else { return }
    let identifier = lost.record.persistentIdentifier
    throw PersistenceError(
      .conflict,
      "\(identifier.entityName).\(lost.record.layout.names[lost.slot]): \(lost.link.entityName) record "
        + "\(lost.link) no longer exists (record \(identifier)); give the field another value, or undo the change",
      cause: ValuesWithoutPlace()
    )
  }

  /// The links of other records to deleted ones, as they are stored now.
  private func incomingLinks(_ reading: StagedReading) throws -> [Late] {
    let doomed = Set(changes.deleted.map(\.persistentIdentifier))
    if doomed.isEmpty { return [] }
    let names = Set(doomed.map(\.entityName))
    let updates = Dictionary(
      changes.updated.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var found: [Late] = []
    for entity in schema.entities {
      for (slot, field) in entity.fields.enumerated() where concerns(field) {
        guard let destination = field.type.destination,
          names.contains(where: { schema.accepts($0, for: destination) })
        else { continue }
        // Only the links of all records are read.
        var targets: [PersistentIdentifier: [PersistentIdentifier]] = [:]
        try forEach(of: entity, linkingBy: field, to: doomed, [field.name], reading) { source in
          let identifier = source.persistentIdentifier
          guard !doomed.contains(identifier),
            // A link that both have changed is a conflict of its own.
            updates[identifier]?.changedSlots.contains(slot) != true
          else { return }
          let lost = (source[field.name]?.linkedIdentifiers ?? []).filter(doomed.contains)
          if !lost.isEmpty { targets[identifier] = lost }
        }
        if targets.isEmpty { continue }
        let lost = Set(targets.values.joined())
        try forEach(of: entity, linkingBy: field, to: lost, nil, reading) { source in
          for target in targets[source.persistentIdentifier] ?? [] {
            found.append(Late(source: source, field: field, target: target))
          }
        }
      }
    }
    return found
  }

  /// Above this number of records all links are read.
  private static let filterLimit = 1000

  /// Calls the body with the records that link to some others by a field, and perhaps with further ones.
  private func forEach(
    of entity: Schema.Entity,
    linkingBy field: Schema.Attribute,
    to targets: Set<PersistentIdentifier>,
    _ attributes: [String]?,
    _ reading: StagedReading,
    _ body: (DefaultSnapshot) -> Void
  ) throws {
    var filter = Filter.not(.isNull(field.name))
    if case .link = field.type, targets.count <= Self.filterLimit {
      filter = .isIn(field.name, targets.sorted().map { .link($0) })
    }
    let query = Query(entity.name, filter: filter, attributes: attributes)
    try reading.forEachPage(query, steps) { page in
      try Interruption.check()
      for source in page.snapshots { body(source) }
    }
  }

  /// True if something follows for a record whose link in this field loses its target.
  private func concerns(_ field: Schema.Attribute) -> Bool {
    isEnforced ? field.deleteRule == .cascade : field.deleteRule != .noAction
  }

  private func denial(_ link: Late, _ all: [Late]) -> PersistenceError {
    let rest = Set(all.filter(\.isFirm).map(\.source.persistentIdentifier)).count - 1
    let source = link.source.persistentIdentifier
    return PersistenceError(
      .deleteDenied,
      "cannot delete \(link.target.entityName) \(link.target): another program has saved "
        + "\(source.entityName) \(source), which links to it in \(link.field.name)"
        + (rest > 0 ? " (and \(rest) more \(rest == 1 ? "record" : "records"))" : "")
        + "; delete or change that record first, or undo the deletion"
    )
  }
}

extension ChangeSet {
  /// Clears links to deleted records, and notes what was changed besides the changes of the user.
  mutating func clear(_ links: [LinkCheck.Late], _ effects: inout SideEffects) {
    effects.isByRules = true
    let bySource = Dictionary(grouping: links, by: \.source.persistentIdentifier)
    for source in bySource.keys.sorted() {
      guard let links = bySource[source], let stored = links.first?.source else { continue }
      var after = stored
      for link in links {
        guard let slot = stored.layout.slot(of: link.field.name) else { continue }
        let kept = after.orderedValues[slot].linkedIdentifiers.filter { $0 != link.target }
        after.orderedValues[slot] = kept.isEmpty ? .null : .links(kept)
        effects.causes[source] = link.target
      }
      let cleared = RecordUpdate(before: stored, after: after)
      effects.counts[source.entityName, default: .init()].updated += 1
      if let place = updated.firstIndex(where: { $0.persistentIdentifier == source }) {
        updated[place].take(cleared)
        effects.furtherUpdates.append(cleared)
      } else {
        updated.append(cleared)
        effects.changes.updated.append(cleared)
      }
    }
  }
}

extension RecordUpdate {
  /// Makes the changes of another update of the same record as well.
  fileprivate mutating func take(_ other: RecordUpdate) {
    for slot in other.changedSlots {
      before.orderedValues[slot] = other.before.orderedValues[slot]
      after.orderedValues[slot] = other.after.orderedValues[slot]
    }
  }
}
