import OpenSwiftData

/// The unsaved change of a record, as this run's recovery file has it.
///
/// Of the values it has only hashes, since there may be a million records, and these are only compared.
struct OwnEdits: Equatable {
  let kind: ModelContext.PendingKind
  let before: Int
  let after: Int

  init(_ kind: ModelContext.PendingKind, before: [Value] = [], after: [Value] = []) {
    self.kind = kind
    self.before = before.hashValue
    self.after = after.hashValue
  }

  /// The changes of the set by record.
  static func separate(_ changes: ChangeSet) -> [PersistentIdentifier: OwnEdits] {
    var kept: [PersistentIdentifier: OwnEdits] = [:]
    kept.reserveCapacity(changes.count)
    for snapshot in changes.inserted {
      kept[snapshot.persistentIdentifier] =
        OwnEdits(.inserted, after: snapshot.orderedValues)
    }
    for update in changes.updated {
      kept[update.persistentIdentifier] =
        OwnEdits(
          .updated,
          before: update.before.orderedValues,
          after: update.after.orderedValues
        )
    }
    for snapshot in changes.deleted {
      kept[snapshot.persistentIdentifier] =
        OwnEdits(.deleted, before: snapshot.orderedValues)
    }
    return kept
  }

  /// All unsaved changes of a context by record.
  static func all(_ context: ModelContext) -> [PersistentIdentifier: OwnEdits] {
    var kept = separate(context.separateChanges)
    for bulk in context.bulkChanges {
      for index in bulk.indices {
        let before = bulk.original(at: index)
        kept[bulk.identifier(at: index)] =
          bulk.isDeletion
          ? OwnEdits(.deleted, before: before)
          : OwnEdits(.updated, before: before, after: bulk.current(at: index))
      }
    }
    return kept
  }
}
