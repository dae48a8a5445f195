import OpenSwiftData

/// The unsaved changes at a save of a rehearsal, which stay unsaved, so that the next save counts only its own.
struct RehearsedChanges {
  private enum Kind {
    case inserted, updated, deleted

    /// What undoing it is.
    var inverse: Kind {
      switch self {
      case .inserted: .deleted
      case .updated: .updated
      case .deleted: .inserted
      }
    }
  }

  private struct Change {
    let kind: Kind
    /// The record after it; nil for a deletion.
    let record: DefaultSnapshot?
  }

  private var changes: [PersistentIdentifier: Change] = [:]
  private let removedCount: Int
  private let steps: [SchemaStep]

  init(_ context: ModelContext) {
    let pending = context.pendingChanges
    removedCount = context.recordsOfRemovedEntities.count
    steps = context.unsavedSchemaSteps
    for record in pending.inserted {
      changes[record.persistentIdentifier] = Change(kind: .inserted, record: record)
    }
    for update in pending.updated {
      changes[update.persistentIdentifier] = Change(kind: .updated, record: update.after)
    }
    for record in pending.deleted {
      changes[record.persistentIdentifier] = Change(kind: .deleted, record: nil)
    }
  }

  /// The numbers of records that a save changes if the one before has saved the earlier changes.
  func counts(since earlier: RehearsedChanges?) -> (inserted: Int, updated: Int, deleted: Int) {
    var counts = (
      inserted: 0, updated: 0, deleted: max(0, removedCount - (earlier?.removedCount ?? 0))
    )
    func count(_ kind: Kind?) {
      switch kind {
      case .inserted: counts.inserted += 1
      case .updated: counts.updated += 1
      case .deleted: counts.deleted += 1
      case nil: break
      }
    }
    for (identifier, change) in changes {
      guard let former = earlier?.changes[identifier] else {
        count(change.kind)
        continue
      }
      switch (former.record, change.record) {
      case (nil, nil): break
      case (nil, _): count(.inserted)
      case (_, nil): count(.deleted)
      case (let before?, let after?): count(before.hasSameFields(as: after) ? nil : .updated)
      }
    }
    for (identifier, former) in earlier?.changes ?? [:] where changes[identifier] == nil {
      count(former.kind.inverse)
    }
    return counts
  }

  /// The changes of the schema that a save makes after the one before.
  func steps(since earlier: RehearsedChanges?) -> [SchemaStep] {
    let count = earlier?.steps.count ?? 0
    return steps.prefix(count) == earlier?.steps[...] ? Array(steps.dropFirst(count)) : steps
  }
}

extension DefaultSnapshot {
  /// True if the fields that both have are equal: a new field does not change a record.
  fileprivate func hasSameFields(as other: DefaultSnapshot) -> Bool {
    zip(layout.names, orderedValues).allSatisfy { name, value in
      other.layout.slot(of: name).map { other.orderedValues[$0] == value } ?? true
    }
  }
}
