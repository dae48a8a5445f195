extension ModelContext {
  /// The committed transactions, oldest first; with an identifier, only those that touch that record.
  ///
  /// If a store keeps no history, those are the saves through its container since it was opened.
  ///
  /// - Throws: The error of a store that cannot read its history.
  public func transactions(
    after token: Int64? = nil,
    touching identifier: PersistentIdentifier? = nil
  ) throws -> [Transaction] {
    if let identifier {
      if identifier.isTemporary { return [] }
      return try fetching.connection(for: identifier.entityName)
        .transactions(after: token, touching: identifier)
    }
    let connections = try fetching.connections()
    if connections.isEmpty { return [] }
    return try connections.count == 1
      ? connections[0].transactions(after: token, touching: nil)
      : JoinedConnection(connections).transactions(after: token, touching: nil)
  }

  /// Restores the values that a record had after the transaction with the token, as an unsaved change.
  ///
  /// A record that was deleted since is restored with its identifier. Values that the store makes stay as they are.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord` when the record did not exist then or its values
  ///   are not known, with code `.unsupported` when a field cannot hold its earlier value any longer, or the error
  ///   of the store when it reads its history.
  public func revert(_ identifier: PersistentIdentifier, to token: Int64) throws {
    _ = try revertReporting(identifier, to: token)
  }

  /// A link that cannot be restored because its destination no longer exists.
  package struct LostLink: Hashable, Sendable {
    /// The field that is now empty or has one link less.
    package let field: String
    /// The record that no longer exists.
    package let destination: PersistentIdentifier
  }

  /// Reverts a record as `revert(_:to:)` does and returns the links that cannot be restored, in field order.
  ///
  /// - Parameters:
  ///   - identifier: The record.
  ///   - token: The number of the transaction.
  ///   - conversion: How a former value becomes one of the type of its field, which was another one then.
  /// - Returns: The links.
  /// - Throws: As `revert(_:to:)`.
  package func revertReporting(
    _ identifier: PersistentIdentifier,
    to token: Int64,
    converting conversion: ValueConversion = .exact
  ) throws -> [LostLink] {
    func read() throws -> FormerRecord? {
      let entity = try schema.entity(named: identifier.entityName)
      return try formerRecord(identifier, of: entity, to: token, conversion)
    }
    var former = try read()
    // Only then the fields follow from the values.
    let later = infersTypes ? try transactions(ofStoreOf: identifier, after: token) : []
    func lost() throws -> [Misfit] {
      try valuesWithoutField(before: later).filter { $0.record == identifier }
    }
    let misfits = former.map { self.misfits(of: $0, countsTexts: true) } ?? []
    if try widenTypes(toHold: misfits + lost(), after: later) {
      former = try read()
    }
    guard let former, former.wanted != nil else {
      throw PersistenceError(
        .unknownRecord,
        "record \(identifier) did not exist after transaction \(token)"
      )
    }
    if former.present != nil { try requireSame([identifier]) }
    if let misfit = try self.misfits(of: former).first ?? lost().first {
      throw misfit.error("cannot revert", then: "revert again")
    }
    stores.goBack(before: token + 1)
    let values = former.fittedValues
    let possible = try withoutLinksToNothing(values, of: identifier)
    try setValues(possible, of: identifier, in: former.entity)
    return zip(former.entity.layout.names, zip(values, possible)).flatMap { name, pair in
      Set(pair.0.linkedIdentifiers).subtracting(pair.1.linkedIdentifiers).sorted()
        .map { LostLink(field: name, destination: $0) }
    }
  }

  /// The committed transactions of the store that keeps a record: each store counts its own.
  private func transactions(ofStoreOf identifier: PersistentIdentifier, after token: Int64? = nil)
    throws -> [Transaction]
  {
    let connections = try fetching.connections()
    guard connections.count > 1, let place = stores.placement.knownPlace(of: identifier) else {
      return try transactions(after: token)
    }
    return try connections[place].transactions(after: token, touching: nil)
  }

  private func formerRecord(
    _ identifier: PersistentIdentifier,
    of entity: Schema.Entity,
    to token: Int64,
    _ conversion: ValueConversion
  ) throws -> FormerRecord? {
    let stored = try fetching.storedSnapshots(for: [identifier])[identifier]
    let record = FormerRecord(identifier, of: entity, present: stored?.orderedValues)
    let later = try transactions(ofStoreOf: identifier, after: token)
    if later.contains(where: \.isIncomplete) {
      let kept = try keptSnapshot(of: identifier, after: token, in: entity)
      guard let kept else {
        try Self.requireKnown(later)
        return nil
      }
      return record.wanting(kept.orderedValues)
    }
    // A field that was dropped meanwhile is known only from all transactions.
    let isComplete = later.contains(where: \.changesSchema)
    var known = try FormerRecords(
      [record],
      before: isComplete ? later : transactions(after: token, touching: identifier),
      in: schema,
      isComplete: isComplete,
      conversion
    )
    try known.takeReturnedValues {
      try transactions(ofStoreOf: identifier).filter { $0.token <= token }
    }
    try known.convert(by: conversion)
    return known.records.first
  }

  /// The values of a record after a transaction, if the history has them itself: no changes that it lacks are between
  /// them and that transaction.
  private func keptSnapshot(
    of identifier: PersistentIdentifier,
    after token: Int64,
    in entity: Schema.Entity
  ) throws -> DefaultSnapshot? {
    // Row numbers may be those of other records before the changes that are not known.
    guard container.stores.allSatisfy(\.isIdentifierKeeping) else { return nil }
    let all = try transactions(ofStoreOf: identifier)
    guard !all.contains(where: { $0.token > token && $0.changesSchema }) else { return nil }
    var kept: DefaultSnapshot?
    for transaction in all.prefix(while: { $0.token <= token }) {
      if transaction.isIncomplete { kept = nil }
      guard let part = transaction.restricted(to: identifier)?.changes else { continue }
      if let update = part.updated.first {
        // An update may have only the values that it changes.
        kept = kept.map { $0.updated(by: update.after) } ?? update.after
      } else {
        kept = part.inserted.first
      }
    }
    if kept == nil {
      let next = all.drop { $0.token <= token }.prefix { !$0.isIncomplete }.lazy
        .compactMap { $0.restricted(to: identifier) }.first
      kept = next.flatMap { next in
        next.isExternal ? nil : next.changes.updated.first?.before ?? next.changes.deleted.first
      }
    }
    guard let kept, kept.hasValues, kept.layout.names == entity.layout.names else { return nil }
    return kept
  }

  static func unknownValues(
    of identifier: PersistentIdentifier,
    before transaction: Transaction
  ) -> PersistenceError {
    PersistenceError(
      .unknownRecord,
      "record \(identifier): the values before transaction \(transaction.token), a change from outside, "
        + "are not known"
    )
  }

  /// The values of a record without links to records that no longer exist.
  private func withoutLinksToNothing(
    _ values: [Value],
    of identifier: PersistentIdentifier
  ) throws -> [Value] {
    let links = container.isTyped ? [] : values.flatMap(\.linkedIdentifiers)
    guard !links.isEmpty else { return values }
    var present = try existing(links).filter { pendingKind(of: $0) != .deleted }
    present.insert(identifier)
    return values.map { value -> Value in
      switch value {
      case .link(let link): return present.contains(link) ? value : .null
      case .links(let links): return .links(links.filter { present.contains($0) })
      default: return value
      }
    }
  }

  private func setValues(
    _ values: [Value],
    of identifier: PersistentIdentifier,
    in entity: Schema.Entity
  ) throws {
    let isStored = try !fetching.storedSnapshots(for: [identifier]).isEmpty
    guard isStored || pending[identifier] != nil, pending[identifier]?.kind != .deleted else {
      return tracker.insertAgain(identifier, values, in: entity)
    }
    let state = try fetching.states(for: [identifier])[identifier]
    for (slot, value) in values.enumerated() where !entity.fields[slot].isReadOnly {
      state?.set(value, at: slot)
    }
  }
}

extension DefaultSnapshot {
  /// The snapshot with the values of another one of the same record.
  fileprivate func updated(by later: DefaultSnapshot) -> DefaultSnapshot {
    var updated = self
    for (name, value) in zip(later.layout.names, later.orderedValues) {
      if let slot = layout.slot(of: name) { updated.orderedValues[slot] = value }
    }
    return updated
  }
}
