/// Queries and their results as plain values, unsaved changes included.
extension ModelContext {
  /// The identifiers of the records that match, in order, unsaved changes included.
  ///
  /// Without sort keys, changed records keep their place and new ones come last.
  ///
  /// - Complexity: the cost of the store, plus O(n) when there are unsaved changes of the entity.
  public func fetchIdentifiers(matching query: Query) throws -> [PersistentIdentifier] {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.contains(entity: query.entityName) else {
      return try connection.identifiers(matching: query)
    }
    let merged = try PendingMerge(query, pending: pending, connection: connection).identifiers()
    return query.limit == nil && query.offset == 0
      ? merged : Array(merged[query.window(of: merged.count)])
  }

  /// The number of records that match, unsaved changes included.
  public func fetchCount(matching query: Query) throws -> Int {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.contains(entity: query.entityName) else {
      return try connection.count(matching: query)
    }
    return try fetchIdentifiers(matching: query).count
  }

  /// The records that match, in order, unsaved changes included, without creating models.
  public func fetchSnapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.contains(entity: query.entityName) else {
      return try connection.snapshots(matching: query)
    }
    let identifiers = try fetchIdentifiers(matching: query)
    let snapshots = try self.snapshots(for: identifiers, attributes: query.attributes)
    return identifiers.compactMap { snapshots[$0] }
  }

  /// The records with these identifiers as they are in this context, including unsaved deletions.
  ///
  /// With attributes, the records have only these values, in this order, and the store reads nothing else.
  ///
  /// - Throws: The error of a store; `PersistenceError` with code `.unknownAttribute` for a name that the entity of
  ///   an identifier does not have.
  public func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]? = nil) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    if pending.isEmpty { return try storedSnapshots(for: identifiers, attributes) }
    let layout = try schema.layout(of: attributes, for: identifiers)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    var stored: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let change = pending[identifier] {
        found[identifier] = change.state.snapshot.projected(on: layout)
      } else {
        stored.append(identifier)
      }
    }
    if !stored.isEmpty {
      found.merge(try storedSnapshots(for: stored, attributes)) { first, _ in first }
    }
    return found
  }

  /// Those of the records that exist in this context, including unsaved deletions; reads no values.
  package func existing(_ identifiers: [PersistentIdentifier]) throws -> Set<PersistentIdentifier> {
    Set(try snapshots(for: identifiers, attributes: []).keys)
  }

  func storedSnapshots(
    for identifiers: [PersistentIdentifier],
    _ attributes: [String]? = nil
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let permanent = identifiers.filter { !$0.isTemporary }
    let connections = try self.connections()
    if connections.count == 1 {
      return try connections[0].snapshots(for: permanent, attributes: attributes)
    }
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for connection in connections {
      let own = permanent.filter { connection.schema.entitiesByName[$0.entityName] != nil }
      if own.isEmpty { continue }
      found.merge(try connection.snapshots(for: own, attributes: attributes)) { first, _ in first }
    }
    return found
  }

  /// The effect of the next save on a record; nil for none.
  public func pendingKind(of identifier: PersistentIdentifier) -> PendingKind? {
    switch pending[identifier]?.kind {
    case .inserted: .inserted
    case .updated: .updated
    case .deleted: .deleted
    case nil: nil
    }
  }

  /// The effect of a save on a record.
  public enum PendingKind: Hashable, Sendable {
    /// The record is new.
    case inserted
    /// The record's values change.
    case updated
    /// The record is deleted.
    case deleted
  }

  /// The records whose identifier begins with the text, up to the limit, unsaved ones included.
  public func identifiers(withPrefix prefix: String, entityName: String? = nil, limit: Int = 2)
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
    pending.forEach { state in
      guard state.pendingKind == .inserted, found.count < limit,
        mayBeTemporary || !state.identifier.isTemporary,
        entityName == nil || state.identifier.entityName == entityName,
        state.identifier.hasPrefix(prefix)
      else { return }
      found.append(state.identifier)
    }
    return found
  }

  /// The records with exactly this identifier, at most one per entity, unsaved ones included.
  ///
  /// - Complexity: O(log n) for each entity.
  package func identifiers(exactly text: String) throws -> [PersistentIdentifier] {
    let serial =
      text.utf8.first == UInt8(ascii: "t") && text.utf8.count < 20 ? UInt64(text.dropFirst()) : nil
    var possible: [PersistentIdentifier] = []
    for connection in try connections() {
      for entity in connection.schema.entities {
        let scope = IdentifierScope(store: connection.identifier, entity: entity.name)
        possible.append(scope.identifier(parsing: text))
        guard let serial, pending.counts.inserted > 0 else { continue }
        let unsaved = IdentifierScope(store: nil, entity: entity.name)
        possible.append(unsaved.temporaryIdentifier(serial, context: number))
      }
    }
    return try existing(possible).filter { $0.description == text }.sorted()
  }
}
