import OpenSwiftData

/// The unsaved changes at a save of a rehearsal, which stay unsaved, so that the next save counts only its own.
struct RehearsedChanges {
  /// The numbers of records.
  struct Counts {
    var inserted = 0
    var updated = 0
    var deleted = 0

    fileprivate mutating func add(_ kind: PendingKind) {
      switch kind {
      case .inserted: inserted += 1
      case .updated: updated += 1
      case .deleted: deleted += 1
      }
    }
  }

  /// What the save would change after the one before.
  private(set) var counts = Counts()
  /// The changes of the schema that it would make after the one before.
  let newSteps: [SchemaStep]
  private let steps: [SchemaStep]
  private let removedCount: Int
  private var kinds: [PersistentIdentifier: PendingKind] = [:]
  /// The hashes of the values of new and changed records: there may be many records.
  private var hashes: [PersistentIdentifier: Int] = [:]
  /// The fields of each entity, in the order in which they are hashed.
  private var fields: [String: [String]] = [:]

  /// Takes the unsaved changes of a context, and compares them with those at the save before.
  init(_ context: ModelContext, since earlier: RehearsedChanges?) {
    steps = context.unsavedSchemaSteps
    let former = earlier?.steps ?? []
    newSteps = steps.starts(with: former) ? Array(steps.dropFirst(former.count)) : steps
    removedCount = context.recordsOfRemovedEntities.count
    counts.deleted = max(0, removedCount - (earlier?.removedCount ?? 0))
    for entity in context.schema.entities { fields[entity.name] = entity.fields.map(\.name) }
    let pending = context.pendingChanges
    for record in pending.inserted { add(.inserted, record, since: earlier) }
    for update in pending.updated { add(.updated, update.after, since: earlier) }
    for record in pending.deleted { add(.deleted, record, since: earlier) }
    guard let earlier else { return }
    for (identifier, kind) in earlier.kinds where kinds[identifier] == nil {
      counts.add(kind.inverse)
    }
  }

  private mutating func add(
    _ kind: PendingKind,
    _ record: DefaultSnapshot,
    since earlier: RehearsedChanges?
  ) {
    let identifier = record.persistentIdentifier
    kinds[identifier] = kind
    if kind != .deleted { hashes[identifier] = hash(record) }
    guard let earlier, let former = earlier.kinds[identifier] else { return counts.add(kind) }
    switch (former, kind) {
    case (.deleted, .deleted): break
    case (.deleted, _): counts.add(.inserted)
    case (_, .deleted): counts.add(.deleted)
    default:
      // Fields that were added or dropped since then do not change a record.
      let isSame = earlier.hash(record).map { $0 == earlier.hashes[identifier] } ?? true
      if !isSame { counts.add(.updated) }
    }
  }

  /// The hash of the values of a record; nil if it no longer has all the fields.
  private func hash(_ record: DefaultSnapshot) -> Int? {
    var hasher = Hasher()
    for name in fields[record.persistentIdentifier.entityName] ?? [] {
      guard let slot = record.layout.slot(of: name) else { return nil }
      hasher.combine(record.orderedValues[slot])
    }
    return hasher.finalize()
  }
}

extension PendingKind {
  /// What undoing it is.
  fileprivate var inverse: PendingKind {
    switch self {
    case .inserted: .deleted
    case .updated: .updated
    case .deleted: .inserted
    }
  }
}
