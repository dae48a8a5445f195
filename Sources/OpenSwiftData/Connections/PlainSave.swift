/// Saves one change set to a store that implements only `DataStore`, and checks the result.
struct PlainSave<S: DataStore> {
  private let fetch: PlainFetch<S>
  private let changes: ChangeSet
  private let notes = AssignmentNotes()

  init(_ fetch: PlainFetch<S>, _ changes: ChangeSet) {
    self.fetch = fetch
    self.changes = changes
  }

  private var store: S { fetch.store }

  /// Saves the changes.
  ///
  /// Records that the store kept under temporary identifiers are deleted again, so the same changes can be
  /// saved once more.
  ///
  /// - Throws: The error of the store, or `PersistenceError` with code `.storeViolation`.
  func run() throws -> CommitResult {
    let request = try makeRequest()
    let result = try store.save(request)
    let remapped = IdentifierMap(result.remappedIdentifiers)
    do {
      try RemappingCheck(
        storeName: store.identifier,
        advice: "call assignPermanentIdentifiers(for:) of the request"
      ).check(remapped, for: changes)
      let reregistered = try reregistered(result)
      try repairLinks(remapped)
      keepOriginals(request, remapped, reregistered)
      return CommitResult(remapped, reregistered: reregistered.map(\.snapshot))
    } catch let error as PersistenceError {
      throw takeOut(request, remapped, after: error)
    }
  }

  // MARK: Snapshots

  private func makeRequest() throws -> DataStoreSaveChangesRequest<S.Snapshot> {
    for name in Set(changes.inserted.map(\.persistentIdentifier.entityName)).sorted() {
      _ = try store.schema.entity(named: name)
    }
    var converter = SnapshotConverter<S.Snapshot>(
      related: changes.inserted + changes.updated.map(\.after),
      entityAndType: entityAndType
    )
    let originals = try originals()
    func convert(_ snapshot: DefaultSnapshot) throws -> S.Snapshot {
      let converted = try converter.convert(snapshot)
      guard let original = originals[snapshot.persistentIdentifier] else { return converted }
      let entity = try store.schema.entity(named: snapshot.persistentIdentifier.entityName)
      return converted.withOwnFields(of: original, modelNames: entity.encodedNames)
    }
    return DataStoreSaveChangesRequest(
      inserted: try changes.inserted.map { try converter.convert($0) },
      updated: try changes.updated.map { try convert($0.after) },
      deleted: try changes.deleted.map { try convert($0) },
      editingState: fetch.state,
      notes: notes
    )
  }

  private func entityAndType(_ name: String) throws -> (Schema.Entity, any PersistentModel.Type) {
    let entity = try store.schema.entity(named: name)
    return (entity, fetch.modelType(of: entity))
  }

  /// The records whose values the store changed while saving.
  private func reregistered(_ result: DataStoreSaveChangesResult<S.Snapshot>) throws
    -> [PlainRecord<S.Snapshot>]
  {
    try result.snapshotsToReregister.sorted { $0.key < $1.key }.map { identifier, snapshot in
      let (entity, _) = try entityAndType(identifier.entityName)
      let copy = snapshot.copy(
        persistentIdentifier: result.remappedIdentifiers[identifier] ?? identifier,
        remappedIdentifiers: result.remappedIdentifiers
      )
      let records = try PlainAnswer(store, entity, models: fetch.models).records([copy], false).own
      guard let record = records.first else {
        throw PersistenceError(
          .storeViolation,
          "store \(store.identifier): changed a \(copy.persistentIdentifier.entityName) record to \(identifier.entityName) \(identifier)"
        )
      }
      return record
    }
  }

  // MARK: Fields that the model lacks

  /// The snapshots on which the changes of existing records are based, if they are of the store's own type.
  ///
  /// If the context does not know what the store holds, because the store did not return it from the last save or
  /// because another context saved the record, it is read now. Read values that differ from those before the
  /// change belong to the change of another program; the store then gets the older snapshot, and can detect the
  /// conflict.
  private func originals() throws -> [PersistentIdentifier: S.Snapshot] {
    guard S.Snapshot.self != DefaultSnapshot.self else { return [:] }
    var originals: [PersistentIdentifier: S.Snapshot] = [:]
    var unknown: [String: [PersistentIdentifier: DefaultSnapshot]] = [:]
    for before in changes.updated.map(\.before) + changes.deleted {
      let identifier = before.persistentIdentifier
      if let original = fetch.originals?.original(of: before) {
        originals[identifier] = original
      } else {
        originals[identifier] = fetch.originals?.oldest(identifier)
        unknown[identifier.entityName, default: [:]][identifier] = before
      }
    }
    for (name, values) in unknown {
      for record in try fetch.all(of: store.schema.entity(named: name)) {
        let identifier = record.snapshot.persistentIdentifier
        guard values[identifier]?.agrees(with: record.snapshot) == true else { continue }
        originals[identifier] = record.original
      }
    }
    return originals
  }

  /// Keeps the snapshots of a save for the next one.
  private func keepOriginals(
    _ request: DataStoreSaveChangesRequest<S.Snapshot>,
    _ remapped: IdentifierMap,
    _ reregistered: [PlainRecord<S.Snapshot>]
  ) {
    guard let originals = fetch.originals else { return }
    let committed = changes.remapped(remapped)
    let dictionary = remapped.dictionary
    let sent = zip(
      request.inserted + request.updated,
      committed.inserted + committed.updated.map(\.after)
    ).map { original, snapshot in
      PlainRecord(
        original: original.copy(
          persistentIdentifier: snapshot.persistentIdentifier,
          remappedIdentifiers: dictionary
        ),
        snapshot: snapshot
      )
    }
    for snapshot in changes.deleted { originals.remove(snapshot.persistentIdentifier) }
    originals.noteSaved(sent, returned: reregistered)
  }

  // MARK: Links

  /// Makes links to records of the same save permanent in a store that kept them temporary.
  ///
  /// Stores that copy snapshots without the identifier map keep temporary links. The records are read again,
  /// and saved again where necessary. This happens only if the save had such links and they were not replaced
  /// by `assignPermanentIdentifiers`.
  private func repairLinks(_ remapped: IdentifierMap) throws {
    if remapped.isEmpty || notes.assigned == remapped { return }
    var concerned: [String: Set<PersistentIdentifier>] = [:]
    for snapshot in changes.inserted + changes.updated.map(\.after)
    where snapshot.refers(toAnyOf: remapped) {
      let identifier = snapshot.persistentIdentifier
      concerned[identifier.entityName, default: []].insert(remapped[identifier] ?? identifier)
    }
    var repaired: [S.Snapshot] = []
    for (name, identifiers) in concerned.sorted(by: { $0.key < $1.key }) {
      let (entity, type) = try entityAndType(name)
      for record in try fetch.all(of: entity, keepingTemporaryLinks: true)
      where identifiers.contains(record.snapshot.persistentIdentifier)
        && record.snapshot.refers(toAnyOf: remapped)
      {
        repaired.append(try repair(record, remapped, entity, type))
      }
    }
    guard !repaired.isEmpty else { return }
    _ = try store.save(
      DataStoreSaveChangesRequest(updated: repaired, editingState: fetch.state)
    )
  }

  private func repair(
    _ record: PlainRecord<S.Snapshot>,
    _ remapped: IdentifierMap,
    _ entity: Schema.Entity,
    _ type: any PersistentModel.Type
  ) throws -> S.Snapshot {
    let identifier = record.snapshot.persistentIdentifier
    let copy = record.original.copy(
      persistentIdentifier: identifier,
      remappedIdentifiers: remapped.dictionary
    )
    if try !DefaultSnapshot(flattening: copy).refers(toAnyOf: remapped) { return copy }
    // The store's own `copy` does not replace links, so a new snapshot is created.
    let snapshot = record.snapshot.remapped(remapped)
    var related: [PersistentIdentifier: any BackingData] = [:]
    return S.Snapshot(
      from: snapshot.backingData(of: entity, modelType: type),
      relatedBackingDatas: &related
    )
  }

  // MARK: Taking back

  /// Deletes records that the store kept under temporary identifiers.
  ///
  /// Deletes nothing else: a permanent identifier reported by mistake may belong to another record.
  private func takeOut(
    _ request: DataStoreSaveChangesRequest<S.Snapshot>,
    _ remapped: IdentifierMap,
    after error: PersistenceError
  ) -> PersistenceError {
    let inserted = request.inserted.filter {
      $0.persistentIdentifier.isTemporary && remapped[$0.persistentIdentifier] == nil
    }
    guard !inserted.isEmpty else { return error }
    do {
      _ = try store.save(
        DataStoreSaveChangesRequest(deleted: inserted, editingState: fetch.state)
      )
      return error
    } catch let second {
      return PersistenceError(
        error.code,
        "\(error.message); its partial changes could not be removed: \(second)",
        cause: error
      )
    }
  }
}

extension Schema.Entity {
  /// The keys under which a snapshot encodes what it has in common with the model.
  fileprivate var encodedNames: Set<String> {
    Set(fields.flatMap { [$0.name, $0.originalName] } + ["persistentIdentifier"])
  }
}

extension DefaultSnapshot {
  /// True when a value is a link to one of the records.
  fileprivate func refers(toAnyOf map: IdentifierMap) -> Bool {
    orderedValues.contains { value in
      switch value {
      case .link(let link): map[link] != nil
      case .links(let links): links.contains { map[$0] != nil }
      default: false
      }
    }
  }
}

/// Creates snapshots of a store's own type.
private struct SnapshotConverter<S: DataStoreSnapshot> {
  private let entityAndType: (String) throws -> (Schema.Entity, any PersistentModel.Type)
  private let relatedSnapshots: [DefaultSnapshot]
  private var related: [PersistentIdentifier: any BackingData]?

  init(
    related: [DefaultSnapshot],
    entityAndType: @escaping (String) throws -> (Schema.Entity, any PersistentModel.Type)
  ) {
    relatedSnapshots = related
    self.entityAndType = entityAndType
  }

  mutating func convert(_ snapshot: DefaultSnapshot) throws -> S {
    if let same = snapshot as? S { return same }
    if related == nil {
      var all: [PersistentIdentifier: any BackingData] = [:]
      for other in relatedSnapshots {
        all[other.persistentIdentifier] = try backingData(of: other)
      }
      related = all
    }
    // Each snapshot gets its own copy, so additions of one do not affect the next.
    var related = related ?? [:]
    return S(from: try backingData(of: snapshot), relatedBackingDatas: &related)
  }

  private func backingData(of snapshot: DefaultSnapshot) throws -> any BackingData {
    let (entity, type) = try entityAndType(snapshot.persistentIdentifier.entityName)
    return snapshot.backingData(of: entity, modelType: type)
  }
}
