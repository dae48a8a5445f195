import OpenSwiftData

/// The records that the table lists, in order, updated as commands change them.
///
/// A deleted record stays until the deletion is saved, and a changed record keeps its position until
/// the next query.
///
/// Invariants:
/// 1. Each record is listed once, and all are of the entity of the list.
/// 2. There are no more records in the list than in the entity.
struct RecordList {
  private(set) var spec: QuerySpec?
  private(set) var identifiers: [PersistentIdentifier] = []
  private(set) var total = 0
  private var unsavedInserts: Set<PersistentIdentifier> = []
  private var unsavedDeletes: Set<PersistentIdentifier> = []

  /// Checks the invariants, in debug builds, as long as that takes no time.
  private func checkInvariants() {
    guard identifiers.count <= 1000 else { return }
    assert(Set(identifiers).count == identifiers.count, "1: each record is listed once")
    assert(
      identifiers.allSatisfy { $0.entityName == spec?.entityName },
      "1: all are of one entity"
    )
    assert(identifiers.count <= total, "2: the list is a part of the entity")
  }

  var extent: ListExtent { ListExtent(count: identifiers.count, total: total) }

  /// The effect of a command on the list.
  struct Changes {
    /// The row of the first added record.
    var appearedAt: Int?
    /// Records that are now deleted, or no longer inserted.
    var deleted: Set<PersistentIdentifier> = []
    /// Records that are new or restored.
    var restored: Set<PersistentIdentifier> = []
    /// The restored records that the list does not show.
    var hidden: Set<PersistentIdentifier> = []
    /// True if rows were removed, so that later rows moved up.
    var hasLostRows = false
  }

  /// Runs a query and replaces the list.
  ///
  /// - Complexity: The cost of the query in the store.
  mutating func query(_ spec: QuerySpec, _ context: ModelContext) throws {
    var found = try context.fetchIdentifiers(matching: spec.query)
    let changes = context.hasChanges ? context.pendingChanges : ChangeSet()
    note(changes, entityName: spec.entityName)
    total =
      spec.filter == .all
      ? found.count : try context.fetchCount(matching: Query(spec.entityName))
    total += unsavedDeletes.count
    found += try deleted(changes, spec, context)
    self.spec = spec
    identifiers = found
    checkInvariants()
  }

  /// The deleted records that match, which the context itself omits.
  private func deleted(_ changes: ChangeSet, _ spec: QuerySpec, _ context: ModelContext) throws
    -> [PersistentIdentifier]
  {
    guard !unsavedDeletes.isEmpty else { return [] }
    let entity = try context.schema.entity(named: spec.entityName)
    let filter = try BoundFilter(spec.filter, layout: entity.layout)
    return changes.deleted.filter {
      $0.persistentIdentifier.entityName == spec.entityName && filter.matches($0)
    }.map(\.persistentIdentifier)
  }

  /// Updates the list with the changes of a command.
  ///
  /// - Complexity: O(changes); O(n) if records were removed or got permanent identifiers.
  mutating func follow(
    _ changes: ChangeSet,
    saved remapped: IdentifierMap?
  ) -> Changes {
    guard let spec else { return Changes() }
    defer { checkInvariants() }
    let insertsBefore = unsavedInserts
    let deletesBefore = unsavedDeletes
    note(changes, entityName: spec.entityName)
    var gone = insertsBefore.subtracting(unsavedInserts)
    var followed = Changes()
    if let remapped {
      replace(remapped)
      gone = deletesBefore.subtracting(unsavedDeletes)
    } else {
      followed.deleted = unsavedDeletes.subtracting(deletesBefore).union(gone)
      followed.restored = deletesBefore.subtracting(unsavedDeletes)
      followed.hidden = unlisted(followed.restored)
    }
    if !gone.isEmpty {
      identifiers.removeAll { gone.contains($0) }
      total -= gone.count
      followed.hasLostRows = true
    }
    let new = unsavedInserts.subtracting(insertsBefore)
    followed.restored.formUnion(new)
    followed.appearedAt = append(new, in: changes)
    return followed
  }

  /// Those of the records that are not listed.
  ///
  /// - Complexity: O(n) in the records listed, unless there are no records.
  private func unlisted(_ records: Set<PersistentIdentifier>) -> Set<PersistentIdentifier> {
    if records.isEmpty { return [] }
    var rest = records
    for identifier in identifiers { rest.remove(identifier) }
    return rest
  }

  private mutating func append(
    _ new: Set<PersistentIdentifier>,
    in changes: ChangeSet
  ) -> Int? {
    guard !new.isEmpty else { return nil }
    // A record that is restored under its own identifier may still be listed.
    let restored = new.filter { !$0.isTemporary }
    let listed = restored.isEmpty ? [] : Set(identifiers).intersection(restored)
    let first = identifiers.count
    for snapshot in changes.inserted where new.contains(snapshot.persistentIdentifier) {
      let identifier = snapshot.persistentIdentifier
      if !listed.contains(identifier) { identifiers.append(identifier) }
    }
    total += identifiers.count - first
    return identifiers.count > first ? first : nil
  }

  private mutating func replace(_ remapped: IdentifierMap) {
    guard !remapped.isEmpty else { return }
    for place in identifiers.indices where identifiers[place].isTemporary {
      if let permanent = remapped[identifiers[place]] { identifiers[place] = permanent }
    }
  }

  private mutating func note(_ changes: ChangeSet, entityName: String) {
    unsavedInserts = Set(
      changes.inserted.lazy.map(\.persistentIdentifier).filter { $0.entityName == entityName }
    )
    unsavedDeletes = Set(
      changes.deleted.lazy.map(\.persistentIdentifier).filter { $0.entityName == entityName }
    )
  }
}
