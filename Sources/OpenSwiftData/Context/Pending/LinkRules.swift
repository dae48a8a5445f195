/// Delete rules of records without a Swift type.
///
/// Such records have links in one direction only. The rule of a field therefore determines what happens to
/// the record that contains the link.
struct LinkRules {
  let stores: ContextStores
  let tracker: ChangeTracker
  let fetching: Fetching

  /// Deletes records as `ModelContext.delete(_:)` does.
  @discardableResult
  func delete(
    _ identifiers: [PersistentIdentifier],
    checking check: ([ModelState]) throws -> Void = { _ in }
  ) throws -> LinkedDeletion {
    var order = identifiers
    var doomed = try identifiers.checkedSet()
    var found: [IncomingLink] = []
    var wave = doomed
    // Built when a deletion cascades further than one step; a long chain then needs only one pass.
    var index: [PersistentIdentifier: [IncomingLink]]?
    while !wave.isEmpty {
      let incoming: [IncomingLink]
      if found.isEmpty, index == nil {
        incoming = try incomingLinks(to: wave)
      } else {
        let all = try index ?? indexOfLinks()
        index = all
        incoming = wave.flatMap { all[$0] ?? [] }
      }
      found += incoming
      wave = []
      for link in incoming where link.field.deleteRule == .cascade {
        guard doomed.insert(link.source).inserted else { continue }
        order.append(link.source)
        wave.insert(link.source)
      }
    }
    let staying = found.filter {
      !doomed.contains($0.source) && $0.field.deleteRule != .noAction
    }
    if let link = staying.first(where: \.isFirm) { throw denial(link, staying) }
    for identifier in order { tracker.pending.consequences.begin(identifier) }
    let cleared = try clear(staying, doomed)
    noteCascades(found, doomed, named: Set(identifiers))
    let counter = WorkCounter(of: order.count)
    for start in stride(from: 0, to: order.count, by: 4096) {
      let batch = Array(order[start..<min(start + 4096, order.count)])
      try tracker.packing {
        let states = try fetching.states(for: batch)
        let named = batch.prefix(max(0, identifiers.count - start))
        try check(named.compactMap { states[$0] })
        for identifier in batch {
          if let state = states[identifier] { tracker.delete(state) }
          try counter.add()
        }
      }
    }
    return LinkedDeletion(cascadedCount: order.count - identifiers.count, clearedCount: cleared)
  }

  /// Deletes one record; an error is reported by the next save.
  func delete(_ state: ModelState) {
    do {
      try delete([state.identifier])
    } catch {
      tracker.report(
        error as? PersistenceError
          ?? PersistenceError(
            .inaccessible,
            "cannot delete \(state.entity.name) \(state.identifier): \(error)",
            cause: error
          )
      )
    }
  }

  /// Clears the links in the remaining records.
  private func clear(_ links: [IncomingLink], _ doomed: Set<PersistentIdentifier>) throws -> Int {
    var count = 0
    let bySource = Dictionary(grouping: links, by: \.source)
    let sources = bySource.keys.sorted()
    for start in stride(from: 0, to: sources.count, by: 1000) {
      let batch = Array(sources[start..<min(start + 1000, sources.count)])
      let states = try fetching.states(for: batch)
      for source in batch {
        guard let state = states[source] else { continue }
        for name in Set((bySource[source] ?? []).map(\.field.name)).sorted() {
          guard let slot = state.entity.layout.slot(of: name) else { continue }
          let value = state.orderedValues[slot]
          let kept = value.linkedIdentifiers.filter { !doomed.contains($0) }
          for target in value.linkedIdentifiers where doomed.contains(target) {
            tracker.pending.consequences.note(
              .init(source: source, field: name, former: value.linkedIdentifiers),
              to: target
            )
            count += 1
          }
          // A field without links has no value, as if the user had cleared it.
          tracker.setValue(kept.isEmpty ? .null : .links(kept), at: slot, of: state)
        }
      }
    }
    return count
  }

  /// Notes which records are deleted only because they refer to others.
  private func noteCascades(
    _ links: [IncomingLink],
    _ doomed: Set<PersistentIdentifier>,
    named: Set<PersistentIdentifier>
  ) {
    for link in links where link.field.deleteRule == .cascade && doomed.contains(link.target) {
      guard !named.contains(link.source) else { continue }
      tracker.pending.consequences.note(link.source, deletedWith: link.target)
    }
  }

  private func denial(_ link: IncomingLink, _ all: [IncomingLink]) -> PersistenceError {
    let sources = Set(all.filter(\.isFirm).map(\.source))
    let rest = sources.count - 1
    return PersistenceError(
      .deleteDenied,
      "cannot delete \(link.target.entityName) \(link.target): "
        + "\(link.source.entityName) \(link.source) links to it in \(link.field.name)"
        + (link.field.deleteRule == .deny ? "" : ", where a value is required")
        + (rest > 0 ? " (and \(rest) more \(rest == 1 ? "record" : "records"))" : "")
        + "; delete or change that record first"
    )
  }

  // MARK: Finding links

  /// Every link to one of the records.
  private func incomingLinks(to targets: Set<PersistentIdentifier>) throws -> [IncomingLink] {
    let names = Set(targets.map(\.entityName))
    let values = targets.count <= 16 ? targets.sorted().map { Value.link($0) } : nil
    var found: [IncomingLink] = []
    try forEachLink(to: names, values) { link in
      if targets.contains(link.target) { found.append(link) }
    }
    return found
  }

  private func indexOfLinks() throws -> [PersistentIdentifier: [IncomingLink]] {
    var index: [PersistentIdentifier: [IncomingLink]] = [:]
    try forEachLink(to: Set(stores.schema.entities.map(\.name)), nil) {
      index[$0.target, default: []].append($0)
    }
    return index
  }

  /// Calls the body with the links of all fields that may refer to the entities.
  ///
  /// If values are given, the store searches the fields with single links for them.
  private func forEachLink(
    to names: Set<String>,
    _ values: [Value]?,
    _ body: (IncomingLink) -> Void
  ) throws {
    let schema = stores.schema
    for entity in schema.entities {
      for field in entity.fields {
        guard let destination = field.type.destination,
          names.contains(where: { schema.accepts($0, for: destination) })
        else { continue }
        var filter = Filter.not(.isNull(field.name))
        if case .link = field.type, let values { filter = .isIn(field.name, values) }
        let query = Query(entity.name, filter: filter, attributes: [field.name])
        for snapshot in try fetching.fetchSnapshots(matching: query) {
          for target in snapshot.orderedValues[0].linkedIdentifiers {
            body(
              IncomingLink(source: snapshot.persistentIdentifier, field: field, target: target)
            )
          }
        }
      }
    }
  }
}

extension [PersistentIdentifier] {
  /// The different ones; can be stopped.
  fileprivate func checkedSet() throws -> Set<PersistentIdentifier> {
    var set: Set<PersistentIdentifier> = []
    set.reserveCapacity(count)
    var meter = WorkMeter()
    for identifier in self {
      try meter.count()
      set.insert(identifier)
    }
    return set
  }
}

/// An incoming link, from the point of view of its destination.
private struct IncomingLink {
  let source: PersistentIdentifier
  let field: Schema.Attribute
  let target: PersistentIdentifier

  /// True when the target cannot be deleted while the link exists.
  var isFirm: Bool {
    if field.deleteRule == .deny { return true }
    if case .link = field.type { return !field.isOptional && field.deleteRule != .noAction }
    return false
  }
}
