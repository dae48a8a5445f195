import OpenSwiftData

/// The records that were deleted because their entity was dropped.
///
/// Stores note only the change of the schema. The records are those that the transactions before it had inserted and
/// not deleted.
struct DroppedRecords {
  /// The names of all entities that some transaction drops.
  private let names: Set<String>
  /// The records of these entities, in the order of their insertion.
  private var live: [String: [PersistentIdentifier]] = [:]
  private var values: [PersistentIdentifier: DefaultSnapshot] = [:]

  /// Adds the deletions to the transactions that drop entities.
  ///
  /// - Parameter transactions: All of the history, oldest first.
  /// - Returns: The transactions, complete.
  /// - Complexity: O(n) in the changes of these entities.
  static func added(to transactions: [Transaction]) -> [Transaction] {
    let names = Set(transactions.flatMap(\.droppedEntities))
    guard !names.isEmpty else { return transactions }
    var records = DroppedRecords(names: names)
    return transactions.map { records.completed($0) }
  }

  private init(names: Set<String>) { self.names = names }

  private mutating func completed(_ transaction: Transaction) -> Transaction {
    var completed = transaction
    let noted = Set(transaction.changes.deleted.map(\.persistentIdentifier))
    for name in transaction.droppedEntities {
      let records = (live.removeValue(forKey: name) ?? []).compactMap {
        values.removeValue(forKey: $0)
      }
      completed.changes.deleted += records.filter { !noted.contains($0.persistentIdentifier) }
    }
    note(transaction)
    return completed
  }

  private mutating func note(_ transaction: Transaction) {
    forgetValues(changedBy: transaction)
    let changes = transaction.changes
    for snapshot in changes.inserted where isWanted(snapshot) {
      let identifier = snapshot.persistentIdentifier
      if values.updateValue(snapshot, forKey: identifier) == nil {
        live[identifier.entityName, default: []].append(identifier)
      }
    }
    for update in changes.updated where isWanted(update.after) {
      values[update.persistentIdentifier]?.take(update.after)
    }
    for snapshot in changes.deleted where isWanted(snapshot) {
      values[snapshot.persistentIdentifier] = nil
    }
  }

  private func isWanted(_ snapshot: DefaultSnapshot) -> Bool {
    names.contains(snapshot.persistentIdentifier.entityName)
  }

  /// Forgets the values of records whose fields change; which values they get is not in the history.
  private mutating func forgetValues(changedBy transaction: Transaction) {
    guard transaction.changesSchema else { return }
    for (name, identifiers) in live where transaction.changesFields(of: name) {
      for identifier in identifiers where values[identifier] != nil {
        values[identifier] = DefaultSnapshot(
          persistentIdentifier: identifier,
          layout: SnapshotLayout([]),
          orderedValues: []
        )
      }
    }
  }
}

extension DefaultSnapshot {
  /// Takes the values of a later state, which may be some of them.
  fileprivate mutating func take(_ later: DefaultSnapshot) {
    for (name, value) in zip(later.layout.names, later.orderedValues) {
      if let slot = layout.slot(of: name) { orderedValues[slot] = value }
    }
  }
}

extension Transaction {
  /// The entities that the transaction drops, in the order of the schema.
  var droppedEntities: [String] {
    guard case .replaceSchema(let replacement) = schemaChange, let formerSchema else { return [] }
    return formerSchema.entities.map(\.name).filter { replacement.origins[$0] == nil }
  }

  /// True if records of the entity may have other fields afterwards.
  fileprivate func changesFields(of name: String) -> Bool {
    if case .replaceSchema(let replacement) = schemaChange {
      return formerSchema?.entitiesByName[name]?.fields
        != replacement.schema.entitiesByName[name]?.fields
    }
    return ([schemaChange].compactMap { $0 } + schemaSteps).contains { change in
      if case .createEntity = change { false } else { change.entityName == name }
    }
  }

  /// True if the transaction concerns records of the entity or its fields.
  func concerns(_ name: String) -> Bool {
    let changes = changes
    return droppedEntities.contains(name) || schemaSteps.contains { $0.entityName == name }
      || schemaChange?.entityName == name
      || changes.inserted.contains { $0.persistentIdentifier.entityName == name }
      || changes.updated.contains { $0.persistentIdentifier.entityName == name }
      || changes.deleted.contains { $0.persistentIdentifier.entityName == name }
  }
}

extension ModelContext {
  /// The transactions after a token, or all, with the records that were deleted with their entities.
  ///
  /// - Throws: The error of the store, with the code `history-expired` if it no longer has them.
  /// - Complexity: As reading the transactions; as reading all of them if one drops an entity.
  func transactionsWithDroppedRecords(after token: Int64?) throws -> [Transaction] {
    let found = try transactions(after: token)
    guard found.contains(where: { !$0.droppedEntities.isEmpty }) else { return found }
    guard let token else { return DroppedRecords.added(to: found) }
    return DroppedRecords.added(to: try transactions()).filter { $0.token > token }
  }
}
