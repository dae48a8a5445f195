/// Queries and their results as plain values; see `ModelContext+Queries.swift` for the contracts.
extension Fetching {
  func fetchIdentifiers(matching query: Query) throws -> [PersistentIdentifier] {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.mayContain(entity: query.entityName) else {
      return try connection.identifiers(matching: query)
    }
    let merged = try PendingMerge(query, pending, merging, connection).identifiers()
    return query.isUnlimited
      ? merged : Array(merged[query.window(of: merged.count)])
  }

  func listing(matching query: Query, _ remapping: Remapping, keepsDeleted: Bool = false) throws
    -> any Listing
  {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.mayContain(entity: query.entityName) else {
      let base = try connection.listing(matching: query)
      return ContextListing(base, nil, of: query.entityName, self, remapping)
    }
    if query.isUnlimited {
      let base = try connection.listing(matching: query)
      // New records come last, and others are placed by looking at the middle.
      try base.countAll()
      let merge = try PendingMerge(query, pending, merging, connection, keepsDeleted: keepsDeleted)
      if let overlay = try merge.overlay(of: base) {
        return ContextListing(base, overlay, of: query.entityName, self, remapping)
      }
    }
    // All of them as added records, so that the new ones among them are found after a save.
    let added = try fetchIdentifiers(matching: query).map {
      ListingOverlay.Added(identifier: $0, place: 0)
    }
    let nothing = IdentifierListing([]) { _, _ in [:] }
    let overlay = ListingOverlay(removed: [], added: added)
    return ContextListing(nothing, overlay, of: query.entityName, self, remapping)
  }

  /// The connection of a query for the values of an attribute, which both exist.
  private func connection(for attribute: String, of query: Query) throws -> any StoreConnection {
    let connection = try connection(for: query.entityName)
    let entity = try connection.schema.entity(named: query.entityName)
    try query.validate(for: entity)
    _ = try entity.attribute(named: attribute)
    return connection
  }

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    let connection = try connection(for: attribute, of: query)
    guard pending.mayContain(entity: query.entityName) else {
      return try connection.valueCounts(of: attribute, matching: query)
    }
    return try fetchSnapshots(matching: query.countingValues(of: attribute)).firstValueCounts
  }

  func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    let connection = try connection(for: attribute, of: query)
    guard pending.mayContain(entity: query.entityName) else {
      return try connection.summary(of: attribute, matching: query)
    }
    var summary = ValueSummary()
    let query = Query(query.entityName, filter: query.filter, attributes: [attribute])
    try forEachPage(matching: query) { try summary.add($0, attribute) }
    return summary
  }

  func fetchCount(matching query: Query) throws -> Int {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.mayContain(entity: query.entityName) else {
      return try connection.count(matching: query)
    }
    let base = try connection.listing(matching: Query(query.entityName, filter: query.filter))
    try base.countAll()
    let merge = try PendingMerge(query, pending, merging, connection)
    return try query.window(of: merge.count(base)).count
  }

  func fetchSnapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.mayContain(entity: query.entityName) else {
      return try connection.snapshots(matching: query)
    }
    let identifiers = try fetchIdentifiers(matching: query)
    let snapshots = try snapshots(for: identifiers, attributes: query.attributes)
    return identifiers.compactMap { snapshots[$0] }
  }

  func forEachPage(matching query: Query, _ body: (any RecordPage) throws -> Void) throws {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.mayContain(entity: query.entityName) else {
      return try connection.forEachPage(matching: query, body)
    }
    let merge = try PendingMerge(query, pending, merging, connection)
    if query.isUnlimited, try merge.forEachPage(body) { return }
    let identifiers = try fetchIdentifiers(matching: query)
    for start in stride(from: 0, to: identifiers.count, by: SnapshotPage.sizeLimit) {
      let end = min(start + SnapshotPage.sizeLimit, identifiers.count)
      try body(page(for: Array(identifiers[start..<end]), attributes: nil))
    }
  }

  /// The records whose value in a field equals another, if they are few, the store finds them directly, and no unsaved
  /// change affects which records they are; nil for a query.
  func fewRecords(of entity: Schema.Entity, where attribute: String, equals value: Value) throws
    -> [DefaultSnapshot]?
  {
    let connection = try connection(for: entity.name)
    guard let slot = entity.layout.slot(of: attribute), merging.conflicting.isEmpty,
      merging.gone.isEmpty, try !pending.mayAffectQueries(of: entity.name, by: slot),
      let stored = try connection.fewSnapshots(of: entity.name, where: attribute, equals: value)
    else { return nil }
    return stored.map { pending.snapshot(of: $0.persistentIdentifier) ?? $0 }
  }

  /// The existing ones of these records of one entity, in order.
  func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
  {
    guard let first = identifiers.first else { return SnapshotPage([], layout: SnapshotLayout([])) }
    let connection = try connection(for: first.entityName)
    guard pending.mayContain(entity: first.entityName) else {
      return try connection.page(
        for: identifiers.filter { !$0.isTemporary },
        attributes: attributes
      )
    }
    let layout = try connection.schema.entity(named: first.entityName).layout
    let saved = identifiers.filter { !$0.isTemporary && pending.kind(of: $0) == nil }
    let stored =
      saved.isEmpty
      ? SnapshotPage([], layout: layout) : try connection.page(for: saved, attributes: nil)
    var merged = ChangedPage(stored.count > 0 ? stored : SnapshotPage([], layout: layout))
    var next = 0
    for identifier in identifiers {
      if let changed = pending.snapshot(of: identifier) {
        merged.append(changed)
      } else if next < stored.count, stored.identifier(at: next) == identifier {
        merged.append(stored: next)
        next += 1
      }
    }
    return merged
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]? = nil) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    if let found = try heldSnapshots(for: identifiers) {
      guard attributes != nil else { return found }
      let layout = try stores.schema.layout(of: attributes, for: identifiers)
      return found.mapValues { $0.projected(on: layout) }
    }
    if pending.isEmpty { return try storedSnapshots(for: identifiers, attributes) }
    let layout = try stores.schema.layout(of: attributes, for: identifiers)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    var stored: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let changed = pending.snapshot(of: identifier) {
        found[identifier] = changed.projected(on: layout)
      } else {
        stored.append(identifier)
      }
    }
    if !stored.isEmpty {
      found.merge(try storedSnapshots(for: stored, attributes)) { first, _ in first }
    }
    return found
  }

  /// The identifiers of records that exist; can be stopped.
  func existing(_ identifiers: [PersistentIdentifier]) throws -> Set<PersistentIdentifier> {
    if let found = try heldSnapshots(for: identifiers) { return Set(found.keys) }
    var existing: Set<PersistentIdentifier> = []
    try identifiers.forEachBatch { batch in
      existing.formUnion(try snapshots(for: Array(batch), attributes: []).keys)
    }
    return existing
  }

  /// True if a record exists; while a command runs, the record is held.
  func exists(_ identifier: PersistentIdentifier) throws -> Bool {
    held == nil
      ? try !snapshots(for: [identifier], attributes: []).isEmpty
      : try snapshot(of: identifier) != nil
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int)
    throws
    -> [PersistentIdentifier]
  {
    var found = unsavedIdentifiers(withPrefix: prefix, entityName: entityName, limit: limit)
    for connection in try connections() where found.count < limit {
      found += try connection.identifiers(
        withPrefix: prefix,
        entityName: entityName,
        limit: limit - found.count
      )
    }
    return found
  }

  /// The new records whose identifier begins with the text.
  ///
  /// Identifiers of new records begin with `t`, except those of restored records, which keep their own.
  private func unsavedIdentifiers(withPrefix prefix: String, entityName: String?, limit: Int)
    -> [PersistentIdentifier]
  {
    guard pending.counts.inserted > 0 else { return [] }
    let mayBeTemporary = prefix.isEmpty || prefix.hasPrefix("t")
    var found: [PersistentIdentifier] = []
    pending.forEachEntry { state in
      guard state.pendingKind == .inserted, found.count < limit,
        mayBeTemporary || !state.identifier.isTemporary,
        entityName == nil || state.identifier.entityName == entityName,
        state.identifier.hasPrefix(prefix)
      else { return }
      found.append(state.identifier)
    }
    return found
  }

  func identifiers(exactly text: String, of entityName: String?) throws -> [PersistentIdentifier] {
    let serial =
      text.utf8.first == UInt8(ascii: "t") && text.utf8.count < 20 ? UInt64(text.dropFirst()) : nil
    var possible: [PersistentIdentifier] = []
    for connection in try connections() {
      for entity in connection.schema.entities
      where entityName == nil
        ? !stores.computesRecords(of: entity.name) : entity.name == entityName
      {
        possible.append(
          stores.identifier(parsing: text, of: entity.name, in: connection.identifier)
        )
        guard let serial, pending.counts.inserted > 0 else { continue }
        let unsaved = IdentifierScope(store: nil, entity: entity.name)
        possible.append(unsaved.temporaryIdentifier(serial, context: tracker.contextNumber))
      }
    }
    possible.removeAll { !$0.hasText(text) }
    if possible.count == 1 { return try exists(possible[0]) ? possible : [] }
    return try existing(possible).sorted()
  }
}
