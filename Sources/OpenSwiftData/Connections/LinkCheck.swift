/// Finds links that a save would leave without a record because another program has saved meanwhile.
///
/// The check runs under the lock of the save. It looks at nothing unless others have saved, and then only at links to
/// deleted records and at the records of new links.
struct LinkCheck {
  let schema: Schema
  let changes: ChangeSet
  /// The unsaved changes of the schema, whose records the changes have.
  let steps: [SchemaStep]
  /// The records that links name, as they were when the links were set.
  let linked: LinkedRecords
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
  /// - Throws: `PersistenceError` with code `.conflict` for a new link to a record that is gone or another one now, with
  ///   code `.deleteDenied` for a link that its rule does not just clear, or the error of the store.
  func lateLinks(_ reading: StagedReading) throws -> [Late] {
    try requireTargets(reading)
    let late = try incomingLinks(reading)
    if let link = late.first(where: \.isFirm) { throw denial(link, late) }
    return late
  }

  /// A new link.
  private struct NewLink {
    let target: PersistentIdentifier
    let slot: Int
    let record: DefaultSnapshot

    /// The error of a save that cannot set the link.
    func refusal(_ reason: String, candidate: PersistentIdentifier? = nil) -> PersistenceError {
      let identifier = record.persistentIdentifier
      return PersistenceError(
        .conflict,
        "\(identifier.entityName).\(record.layout.names[slot]): \(target.entityName) record \(target)\(reason) "
          + "(record \(identifier)); give the field another value\(candidate.map { ", perhaps \($0)" } ?? ""), "
          + "or undo the change",
        cause: ValuesWithoutPlace()
      )
    }
  }

  /// Checks that the records of new links exist, and are the ones that were meant.
  private func requireTargets(_ reading: StagedReading) throws {
    if isEnforced, linked.isEmpty { return }
    let links = try newLinks()
    if links.isEmpty { return }
    try requireSame(links, reading)
    if isEnforced { return }
    // A record that the save deletes is still there; that of a link to it is the caller's wish.
    let present = try reading.snapshots(Array(Set(links.map(\.target))), [])
    guard let lost = links.first(where: { present[$0.target] == nil }) else { return }
    throw lost.refusal(" no longer exists")
  }

  /// Checks that no other program has given the keys of linked records to other ones.
  private func requireSame(_ links: [NewLink], _ reading: StagedReading) throws {
    // One record can have been read for several links, with different values.
    var rest = links.filter { linked[$0.record.persistentIdentifier, $0.target] != nil }
    while !rest.isEmpty {
      var read: [PersistentIdentifier: DefaultSnapshot] = [:]
      var others: [NewLink] = []
      for link in rest {
        let record = linked[link.record.persistentIdentifier, link.target]
        if let known = read[link.target], known != record {
          others.append(link)
        } else {
          read[link.target] = record
        }
      }
      let doubts = try reading.doubts(Array(read.values))
      for link in rest {
        guard let doubt = doubts[link.target],
          read[link.target] == linked[link.record.persistentIdentifier, link.target]
        else { continue }
        throw link.refusal(": \(doubt.reason)", candidate: doubt.candidate)
      }
      rest = others
    }
  }

  /// The links to saved records that the changes set.
  private func newLinks() throws -> [NewLink] {
    let own = Set(changes.inserted.map(\.persistentIdentifier))
    var links: [NewLink] = []
    var meter = WorkMeter()
    func add(_ record: DefaultSnapshot, _ slot: Int, besides former: Value) {
      for link in record.orderedValues[slot].linkedIdentifiers
      where !link.isTemporary && !own.contains(link) && !former.linkedIdentifiers.contains(link) {
        links.append(NewLink(target: link, slot: slot, record: record))
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
    return links
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
