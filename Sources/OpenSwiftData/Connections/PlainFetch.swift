import Foundation

/// A record as the store returned it, and in the form of the rest of the library.
struct PlainRecord<Snapshot: DataStoreSnapshot> {
  let original: Snapshot
  let snapshot: DefaultSnapshot
}

/// Fetches from a store that implements only `DataStore`, and completes the result in memory.
///
/// Filter and order are always applied again, which changes nothing if the store has applied them. Limit and
/// offset are passed to the store. If the result shows that they were not applied, or applied to the wrong
/// records, everything is fetched.
struct PlainFetch<S: DataStore> {
  typealias Found = PlainRecord<S.Snapshot>

  let store: S
  let state: EditingState
  /// The schema for looking up model classes that the store's own schema does not contain.
  let models: Schema?
  private let features: ObservedFeatures
  /// Takes the related records that the store returns with the fetched ones; nil to ignore them.
  var related: RelatedSnapshots?
  /// Keeps the records that the store returns; nil to keep none.
  var originals: PlainOriginals<S.Snapshot>?

  init(
    _ store: S,
    state: EditingState,
    models: Schema? = nil,
    features: ObservedFeatures = ObservedFeatures()
  ) {
    self.features = features
    self.store = store
    self.state = state
    self.models = models
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let entity = try store.schema.entity(named: query.entityName)
    return project(try records(of: entity, matching: query), query)
  }

  /// Fetches as `snapshots(matching:)` does, for a known model class.
  func snapshots<T: PersistentModel>(of type: T.Type, matching query: Query) throws
    -> [DefaultSnapshot]
  {
    project(try answer(type, query, nil), query)
  }

  /// Fetches as `snapshots(matching:)` does; the store receives the original predicate and order.
  func snapshots<T: PersistentModel>(matching query: Query, of descriptor: FetchDescriptor<T>)
    throws -> [DefaultSnapshot]
  {
    project(try answer(T.self, query, descriptor), query)
  }

  func records(of entity: Schema.Entity, matching query: Query) throws -> [Found] {
    func open<T: PersistentModel>(_ type: T.Type) throws -> [Found] {
      try answer(type, query, nil)
    }
    return try open(modelType(of: entity))
  }

  func all(of entity: Schema.Entity, keepingTemporaryLinks: Bool = false) throws -> [Found] {
    func open<T: PersistentModel>(_ type: T.Type) throws -> [Found] {
      let query = Query(entity.name)
      let found = try fetch(type, query, nil)
      return try PlainAnswer(store, entity, models: models).records(found, keepingTemporaryLinks)
        .own
    }
    return try open(modelType(of: entity))
  }

  func count(matching query: Query) throws -> Int {
    let entity = try store.schema.entity(named: query.entityName)
    var unlimited = query
    unlimited.limit = nil
    unlimited.offset = 0
    unlimited.sort = []
    func open<T: PersistentModel>(_ type: T.Type) throws -> Int {
      try store.fetchCount(request(type, unlimited, nil))
    }
    do {
      let all = try open(modelType(of: entity))
      guard all >= 0 else {
        throw PersistenceError(
          .storeViolation,
          "store \(store.identifier): invalid count \(all) for \(entity.name)"
        )
      }
      return query.window(of: all).count
    } catch let error as DataStoreError where error != .invalidPredicate {
      return try records(of: entity, matching: query).count
    }
  }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    let entity = try store.schema.entity(named: query.entityName)
    var request = PlainRequest(query, features)
    // Identifiers alone do not show whether the store applied the offset.
    if features.appliesOffset == nil { request.dropOffset() }
    if !query.sort.isEmpty, features.limitsAfterSorting == nil { request.dropLimit() }
    let asked = request.asked
    func open<T: PersistentModel>(_ type: T.Type) throws -> [PersistentIdentifier] {
      try store.fetchIdentifiers(self.request(type, asked, nil))
    }
    do {
      let found = try PlainAnswer(store, entity, models: models).identifiers(
        open(modelType(of: entity))
      )
      if found.own.count + found.foreignCount > asked.limit ?? .max {
        features.appliesLimit = false
      }
      if !request.isCut || found.foreignCount == 0 && found.own.count <= asked.limit ?? .max {
        return Array(found.own[request.remaining(of: query).window(of: found.own.count)])
      }
    } catch let error as DataStoreError where error != .invalidPredicate {}
    return try records(of: entity, matching: query).map(\.snapshot.persistentIdentifier)
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let layout = try store.schema.layout(of: attributes, for: identifiers)
    return try snapshots(for: identifiers).mapValues { $0.projected(on: layout) }
  }

  private func snapshots(for identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    var found = try cached(identifiers)
    var missing: [String: Set<PersistentIdentifier>] = [:]
    for identifier in identifiers where !identifier.isTemporary && found[identifier] == nil {
      missing[identifier.entityName, default: []].insert(identifier)
    }
    for (name, wanted) in missing {
      guard let entity = store.schema.entitiesByName[name] else { continue }
      let records = try all(of: entity).filter {
        wanted.contains($0.snapshot.persistentIdentifier)
      }
      originals?.note(records)
      for record in records { found[record.snapshot.persistentIdentifier] = record.snapshot }
    }
    return found
  }

  private func cached(_ identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]
  {
    let offered: [PersistentIdentifier: S.Snapshot]
    do {
      offered = try store.cachedSnapshots(for: identifiers, editingState: state)
    } catch is DataStoreError {
      return [:]
    }
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for identifier in identifiers where found[identifier] == nil {
      guard let snapshot = offered[identifier],
        let entity = store.schema.entitiesByName[identifier.entityName]
      else { continue }
      let records = try PlainAnswer(store, entity, models: models).records([snapshot], false).own
      guard let record = records.first, record.snapshot.persistentIdentifier == identifier else {
        throw PersistenceError(
          .storeViolation,
          "store \(store.identifier): cached \(snapshot.persistentIdentifier) under \(identifier)"
        )
      }
      found[identifier] = record.snapshot
      originals?.note(records)
    }
    return found
  }

  // MARK: Asking

  func modelType(of entity: Schema.Entity) -> any PersistentModel.Type {
    entity.modelType ?? models?.entitiesByName[entity.name]?.modelType ?? Record.self
  }

  private func answer<T: PersistentModel>(
    _ type: T.Type,
    _ query: Query,
    _ descriptor: FetchDescriptor<T>?
  ) throws -> [Found] {
    let entity = try store.schema.entity(named: query.entityName)
    let filter = query.filter == .all ? nil : try BoundFilter(query.filter, layout: entity.layout)
    let order = try SnapshotOrder(query.sort, layout: entity.layout)
    var request = PlainRequest(query, features)
    while true {
      do {
        let found = try fetch(type, request.asked, descriptor)
        var (records, foreignCount) = try PlainAnswer(store, entity, models: models).records(
          found,
          false
        )
        let count = records.count
        if let filter { records = records.filter { filter.matches($0.snapshot) } }
        if request.isCut {
          if found.count > request.asked.limit ?? .max { features.appliesLimit = false }
          // If the store did not filter, its limit may have removed the wrong records.
          let isWhole = foreignCount == 0 && records.count == count
          guard isWhole, count <= request.asked.limit ?? .max,
            try limitsAfterSorting(type, request.asked, records, order)
          else {
            request.dropLimit()
            continue
          }
          guard try appliesOffset(type, request.asked, records) else {
            request.dropOffset()
            continue
          }
        }
        originals?.note(records)
        order.sort(&records)
        return Array(records[request.remaining(of: query).window(of: records.count)])
      } catch let error as DataStoreError {
        guard request.relax(after: error) else { throw error }
      }
    }
  }

  /// True when the store sorts before it applies the limit.
  ///
  /// This is tested by fetching the first record in both directions: a store that limits before it sorts
  /// returns the same record.
  private func limitsAfterSorting<T: PersistentModel>(
    _ type: T.Type,
    _ asked: Query,
    _ found: [Found],
    _ order: SnapshotOrder
  ) throws -> Bool {
    if asked.sort.isEmpty { return true }
    guard order.isSorted(found) else {
      features.limitsAfterSorting = false
      return false
    }
    if let known = features.limitsAfterSorting { return known }
    var beginning = asked
    (beginning.limit, beginning.offset) = (1, 0)
    var opposite = beginning
    opposite.sort = asked.sort.map {
      SortKey($0.attribute, isDescending: !$0.isDescending, nullsFirst: !$0.nullsFirst)
    }
    guard let first = try record(type, beginning)?.snapshot,
      let last = try record(type, opposite)?.snapshot
    else { return found.isEmpty }
    // The same record at both ends may be the only one, which proves nothing.
    guard first.persistentIdentifier != last.persistentIdentifier,
      order.compare(first, last) != .orderedDescending
    else { return false }
    features.limitsAfterSorting = true
    return true
  }

  /// True when the store applies the offset: then its first record is not the first of all.
  private func appliesOffset<T: PersistentModel>(
    _ type: T.Type,
    _ asked: Query,
    _ found: [Found]
  ) throws -> Bool {
    if asked.offset == 0 { return true }
    if let known = features.appliesOffset { return known }
    var beginning = asked
    (beginning.limit, beginning.offset) = (1, 0)
    guard let first = try record(type, beginning) else { return found.isEmpty }
    let identifier = first.snapshot.persistentIdentifier
    let knows = !found.contains { $0.snapshot.persistentIdentifier == identifier }
    features.appliesOffset = knows
    return knows
  }

  /// The first record that the store returns.
  private func record<T: PersistentModel>(_ type: T.Type, _ asked: Query) throws -> Found? {
    let entity = try store.schema.entity(named: asked.entityName)
    return try PlainAnswer(store, entity, models: models).records(fetch(type, asked, nil), false).0
      .first
  }

  private func fetch<T: PersistentModel>(
    _ type: T.Type,
    _ asked: Query,
    _ descriptor: FetchDescriptor<T>?
  ) throws -> [S.Snapshot] {
    let result = try store.fetch(request(type, asked, descriptor))
    if let related, !result.relatedSnapshots.isEmpty {
      related.snapshots = try checked(Array(result.relatedSnapshots.values))
    }
    return result.fetchedSnapshots
  }

  /// Related records of any entities, in the layouts of their entities.
  private func checked(_ snapshots: [S.Snapshot]) throws -> [DefaultSnapshot] {
    let byEntity = Dictionary(grouping: snapshots, by: \.persistentIdentifier.entityName)
    return try byEntity.flatMap { name, snapshots in
      let entity = try store.schema.entity(named: name)
      let records = try PlainAnswer(store, entity, models: models).records(snapshots, false).own
      originals?.note(records)
      return records.map(\.snapshot)
    }
  }

  private func request<T: PersistentModel>(
    _ type: T.Type,
    _ asked: Query,
    _ original: FetchDescriptor<T>?
  ) -> DataStoreFetchRequest<T> {
    var descriptor = original ?? FetchDescriptor<T>(asked)
    if asked.filter == .all { descriptor.predicate = nil }
    if asked.sort.isEmpty { descriptor.sortBy = [] }
    descriptor.fetchLimit = asked.limit
    descriptor.fetchOffset = asked.offset == 0 ? nil : asked.offset
    return DataStoreFetchRequest(descriptor: descriptor, editingState: state, walked: asked)
  }

  private func project(_ records: [Found], _ query: Query) -> [DefaultSnapshot] {
    guard let attributes = query.attributes else { return records.map(\.snapshot) }
    let layout = SnapshotLayout(attributes)
    return records.map { $0.snapshot.arranged(as: layout) }
  }
}

/// The related records that a store returned during a fetch.
final class RelatedSnapshots {
  var snapshots: [DefaultSnapshot] = []
}

extension SnapshotOrder {
  fileprivate func isSorted<Snapshot>(_ records: [PlainRecord<Snapshot>]) -> Bool {
    zip(records, records.dropFirst()).allSatisfy {
      compare($0.snapshot, $1.snapshot) != .orderedDescending
    }
  }

  /// Sorts stably; does nothing if the records are already in order.
  fileprivate func sort<Snapshot>(_ records: inout [PlainRecord<Snapshot>]) {
    if isSorted(records) { return }
    records = records.enumerated()
      .sorted { left, right in
        let order = compare(left.element.snapshot, right.element.snapshot)
        return order == .orderedSame ? left.offset < right.offset : order == .orderedAscending
      }
      .map(\.element)
  }
}
