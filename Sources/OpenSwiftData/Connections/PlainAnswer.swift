/// Checks the result of a fetch of one entity and converts it to the layout of the entity.
struct PlainAnswer<S: DataStore> {
  private let store: S
  private let entity: Schema.Entity
  private let schema: Schema
  /// The schema of the model classes, if there are any.
  private let models: Schema?

  init(_ store: S, _ entity: Schema.Entity, models: Schema?) {
    self.store = store
    self.entity = entity
    self.models = models
    schema = store.schema
  }

  /// The records of the entity in the order of the result, and the number of other records.
  ///
  /// Links with temporary identifiers refer to no record and are removed, unless `keepsTemporaryLinks` is
  /// true.
  func records(_ snapshots: [S.Snapshot], _ keepsTemporaryLinks: Bool) throws
    -> (own: [PlainRecord<S.Snapshot>], foreignCount: Int)
  {
    var arrangement = SnapshotArrangement(
      entity,
      storeName: store.identifier,
      keepsTemporaryLinks: keepsTemporaryLinks,
      models: models
    )
    var seen: Set<PersistentIdentifier> = []
    seen.reserveCapacity(snapshots.count)
    var own: [PlainRecord<S.Snapshot>] = []
    own.reserveCapacity(snapshots.count)
    for snapshot in snapshots where try isOwn(snapshot.persistentIdentifier, &seen) {
      let plain = try DefaultSnapshot(flattening: snapshot)
      own.append(PlainRecord(original: snapshot, snapshot: try arrangement.arrange(plain)))
    }
    return (own, snapshots.count - own.count)
  }

  /// The identifiers of the entity in the order of the result, and the number of other identifiers.
  func identifiers(_ found: [PersistentIdentifier]) throws
    -> (own: [PersistentIdentifier], foreignCount: Int)
  {
    var seen: Set<PersistentIdentifier> = []
    let own = try found.filter { try isOwn($0, &seen) }
    return (own, found.count - own.count)
  }

  private func isOwn(_ identifier: PersistentIdentifier, _ seen: inout Set<PersistentIdentifier>)
    throws -> Bool
  {
    let name = identifier.entityName
    guard !identifier.isTemporary else {
      throw violation(
        "returned the temporary identifier \(identifier) of \(name); "
          + "a store assigns permanent identifiers when it saves"
      )
    }
    guard name == entity.name || schema.entitiesByName[name] != nil else {
      throw violation(
        "returned record \(identifier) of unknown entity \"\(name)\""
      )
    }
    guard seen.insert(identifier).inserted else {
      throw violation("returned duplicate \(name) record \(identifier)")
    }
    return name == entity.name
  }

  private func violation(_ what: String) -> PersistenceError {
    PersistenceError(.storeViolation, "store \(store.identifier): \(what)")
  }
}
