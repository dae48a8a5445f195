/// The connection to a store with the entities and layouts of the model classes.
///
/// The file of a store may contain more fields, or in another order; this connection converts by name.
final class ModelConnection: ForwardingConnection {
  var base: any StoreConnection
  private let models: Schema
  private var seen: (store: Schema, view: Schema, isSame: Bool)?

  init(_ base: any StoreConnection, models: Schema) {
    self.base = base
    self.models = models
  }

  var schema: Schema { current.view }

  /// The schema of the store with the entities of the classes, updated when the store's schema changes.
  private var current: (store: Schema, view: Schema, isSame: Bool) {
    let store = base.schema
    if let seen, seen.store === store { return seen }
    var isSame = true
    let entities = store.entities.map { entity -> Schema.Entity in
      guard let model = models.entitiesByName[entity.name] else { return entity }
      if model.layout != entity.layout { isSame = false }
      return model.detached()
    }
    let new = (store: store, view: Schema(entities, version: models.version), isSame: isSame)
    seen = new
    return new
  }

  /// True if records of the store have the layout of the classes, or only the requested attributes.
  private func needsNoConversion(_ attributes: [String]?) -> Bool {
    current.isSame || attributes != nil
  }

  private func view(_ snapshot: DefaultSnapshot) -> DefaultSnapshot {
    guard let entity = schema.entitiesByName[snapshot.persistentIdentifier.entityName] else {
      return snapshot
    }
    return entity.arranged(snapshot)
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let snapshots = try base.snapshots(matching: query)
    return needsNoConversion(query.attributes) ? snapshots : snapshots.map(view)
  }

  func snapshots<T: PersistentModel>(
    matching query: Query,
    of descriptor: FetchDescriptor<T>,
    related: inout [DefaultSnapshot]
  ) throws -> [DefaultSnapshot] {
    let snapshots = try base.snapshots(matching: query, of: descriptor, related: &related)
    if !current.isSame { related = related.map(view) }
    return needsNoConversion(query.attributes) ? snapshots : snapshots.map(view)
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let snapshots = try base.snapshots(for: identifiers, attributes: attributes)
    return needsNoConversion(attributes) ? snapshots : snapshots.mapValues(view)
  }

  func forEachPage(matching query: Query, _ body: (any RecordPage) throws -> Void) throws {
    try base.forEachPage(matching: query) { page in
      try body(needsNoConversion(query.attributes) ? page : view(page))
    }
  }

  func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
  {
    let page = try base.page(for: identifiers, attributes: attributes)
    return needsNoConversion(attributes) ? page : view(page)
  }

  private func view(_ page: any RecordPage) -> any RecordPage {
    let records = page.snapshots.map(view)
    return SnapshotPage(records, layout: records.first?.layout ?? page.layout)
  }

  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult {
    if current.isSame { return try base.commit(changes, state: state) }
    var result = try base.commit(stored(changes), state: state)
    result.reregistered = result.reregistered.map(view)
    result.sideEffects = result.sideEffects.mapped(Set(schema.entities.map(\.name)), view)
    return result
  }

  // MARK: Towards the store

  /// The changes in the layouts of the store.
  ///
  /// Fields without a property in the class get their defaults in new records and stay unchanged in others.
  private func stored(_ changes: ChangeSet) throws -> ChangeSet {
    let old = try base.snapshots(for: changes.deleted.map(\.persistentIdentifier))
    return ChangeSet(
      inserted: try changes.inserted.map { try entity(of: $0).arranged($0) },
      updated: try changes.updated.map { update in
        let entity = try entity(of: update.after)
        return RecordUpdate(
          before: entity.arranged(update.before),
          after: entity.arranged(update.after)
        )
      },
      deleted: try changes.deleted.map { snapshot in
        let entity = try entity(of: snapshot)
        guard let present = old[snapshot.persistentIdentifier] else {
          return entity.arranged(snapshot)
        }
        return snapshot.arranged(as: entity.layout) { present.orderedValues[$0] }
      }
    )
  }

  private func entity(of snapshot: DefaultSnapshot) throws -> Schema.Entity {
    try base.schema.entity(named: snapshot.persistentIdentifier.entityName)
  }
}

extension Schema.Entity {
  /// A copy of the entity for use in another schema.
  func detached() -> Schema.Entity {
    Schema.Entity(
      name: name,
      fields: fields,
      relationships: orderedRelationships,
      uniquenessConstraints: zip(declaredConstraints, constraintPolicies).map {
        (names: $0.0, policy: $0.1)
      },
      indices: indices,
      modelClass: modelClass,
      superentityName: superentityName,
      layout: layout
    )
  }
}
