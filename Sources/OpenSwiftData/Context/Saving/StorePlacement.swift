/// Decides which store keeps each record, where several have its entity.
///
/// A saved record stays in the store that its identifier names. A new one goes to the store that was chosen for it, else
/// to that of a record that it is linked to, else to the first one; only stores that can be saved are chosen. Links
/// between the records of two stores cannot be saved.
struct StorePlacement {
  let connections: [any StoreConnection]
  /// True for each store that can be saved.
  let canSave: [Bool]
  /// The names of the configurations, for messages.
  let names: [String]
  /// The places that were chosen for new records.
  let chosen: [PersistentIdentifier: Int]

  /// True if some entity is in several stores.
  var isNeeded: Bool {
    guard connections.count > 1 else { return false }
    var seen: Set<String> = []
    return connections.contains { connection in
      connection.schema.entities.contains { !seen.insert($0.name).inserted }
    }
  }

  /// The places of the stores that have the entity.
  func places(of entityName: String) -> [Int] {
    connections.indices.filter { connections[$0].schema.entitiesByName[entityName] != nil }
  }

  /// The places of all stores, first of those that cannot be saved: these refuse before another one has changed.
  var cautiousOrder: [Int] {
    connections.indices.filter { !canSave[$0] } + connections.indices.filter { canSave[$0] }
  }

  /// The places of the stores that a change of the schema of an entity changes: all that have the entity, or for a new
  /// one the first that can be saved.
  func placesToChange(_ entityName: String) -> [Int] {
    let places = places(of: entityName)
    guard places.isEmpty else { return places }
    let first = connections.indices.first { canSave[$0] } ?? connections.indices.first
    return first.map { [$0] } ?? []
  }

  /// The place of the store that a permanent identifier names, or of the only one that has the entity; nil if that has
  /// to be decided.
  func knownPlace(of identifier: PersistentIdentifier) -> Int? {
    let places = places(of: identifier.entityName)
    if places.count <= 1 { return places.first }
    guard let store = identifier.storeIdentifier else { return chosen[identifier] }
    return places.first { connections[$0].identifier == store } ?? places.first
  }

  /// The places of new records.
  ///
  /// - Complexity: O(n) in the records and their links.
  func places(ofNew records: [DefaultSnapshot]) -> [PersistentIdentifier: Int] {
    var places: [PersistentIdentifier: Int] = [:]
    var neighbors: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    var waiting: [PersistentIdentifier] = []
    for record in records {
      let identifier = record.persistentIdentifier
      let links = record.orderedValues.flatMap(\.linkedIdentifiers)
      for link in links where link.isTemporary {
        neighbors[identifier, default: []].append(link)
        neighbors[link, default: []].append(identifier)
      }
      let place = knownPlace(of: identifier) ?? placeOfSaved(links, for: identifier)
      guard let place else { continue }
      places[identifier] = place
      waiting.append(identifier)
    }
    while let identifier = waiting.popLast() {
      guard let place = places[identifier] else { continue }
      for neighbor in neighbors[identifier] ?? []
      where places[neighbor] == nil && canKeep(neighbor, at: place) {
        places[neighbor] = place
        waiting.append(neighbor)
      }
    }
    for record in records where places[record.persistentIdentifier] == nil {
      let possible = self.places(of: record.persistentIdentifier.entityName)
      places[record.persistentIdentifier] = possible.first { canSave[$0] } ?? possible.first
    }
    return places
  }

  private func placeOfSaved(_ links: [PersistentIdentifier], for identifier: PersistentIdentifier)
    -> Int?
  {
    links.lazy.filter { !$0.isTemporary }.compactMap(knownPlace)
      .first { canKeep(identifier, at: $0) }
  }

  private func canKeep(_ identifier: PersistentIdentifier, at place: Int) -> Bool {
    canSave[place] && connections[place].schema.entitiesByName[identifier.entityName] != nil
  }

  // MARK: Saving

  /// The changes of each store.
  ///
  /// - Throws: `PersistenceError` with code `.invalidValue` for a new link to a record of another store.
  func divided(_ changes: ChangeSet) throws -> [ChangeSet] {
    let new = places(ofNew: changes.inserted)
    func place(_ identifier: PersistentIdentifier) -> Int? {
      new[identifier] ?? knownPlace(of: identifier)
    }
    if isNeeded { try checkLinks(of: changes, place) }
    return connections.indices.map { part in
      ChangeSet(
        inserted: changes.inserted.filter { place($0.persistentIdentifier) == part },
        updated: changes.updated.filter { place($0.persistentIdentifier) == part },
        deleted: changes.deleted.filter { place($0.persistentIdentifier) == part }
      )
    }
  }

  private func checkLinks(
    of changes: ChangeSet,
    _ place: (PersistentIdentifier) -> Int?
  ) throws {
    for record in changes.inserted {
      for slot in record.orderedValues.indices { try checkLink(of: record, slot, place) }
    }
    for update in changes.updated {
      for slot in update.changedSlots { try checkLink(of: update.after, slot, place) }
    }
  }

  private func checkLink(
    of record: DefaultSnapshot,
    _ slot: Int,
    _ place: (PersistentIdentifier) -> Int?
  ) throws {
    let identifier = record.persistentIdentifier
    for link in record.orderedValues[slot].linkedIdentifiers {
      // A store without the entity cannot mistake the link for one to a record of its own.
      guard let own = place(identifier), let other = place(link), own != other,
        connections[own].schema.entitiesByName[link.entityName] != nil
      else { continue }
      throw PersistenceError(
        .invalidValue,
        "\(identifier.entityName).\(record.layout.names[slot]): \(link.entityName) \(link) is in the store "
          + "\(Value.quoted(names[other])), the record itself in \(Value.quoted(names[own])) "
          + "(record \(identifier)); link records of one store"
      )
    }
  }
}

extension ModelContext {
  /// Chooses the store that the next save writes a new model to, and inserts the model.
  ///
  /// For entities that several stores of the container have. Without a choice a new model goes to the store of a model
  /// that it is related to, else to the first store that can be saved.
  ///
  /// ```swift
  /// try context.assign(trip, to: container.stores[1])
  /// ```
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` if the model is already saved, belongs to another context, or
  ///   its entity is not in the store, or `.readOnly` if the store cannot be saved.
  public func assign<T: PersistentModel>(_ model: T, to store: any DataStore) throws {
    if model.modelContext == nil { insert(model) }
    let state = model.persistentState
    let entityName = state.entity.name
    guard tracker.owns(state), state.pendingKindIfDirty == .inserted, state.identifier.isTemporary
    else {
      throw PersistenceError(
        .unsupported,
        "cannot assign \(entityName) \(state.identifier): not a new model of this context"
      )
    }
    let connections = try fetching.connections()
    guard let place = container.stores.firstIndex(where: { $0 === store }),
      connections[place].schema.entitiesByName[entityName] != nil
    else {
      throw PersistenceError(
        .unsupported,
        "cannot assign \(entityName) \(state.identifier): not an entity of the store \(store.identifier)"
      )
    }
    guard container.canSave(at: place) else {
      throw PersistenceError(
        .readOnly,
        "cannot assign \(entityName) \(state.identifier): the store \(store.identifier) cannot be saved"
      )
    }
    stores.choose(place, for: state.identifier)
  }
}
