/// Resolving conflicts between unsaved changes and changes saved elsewhere.
///
/// A save that finds such a record throws `.conflict`, lists all conflicts in the error and writes nothing.
/// The unsaved changes stay as they are until each conflict is resolved; then the save succeeds.
/// `saveWithoutConflicts()` saves the other records before that.
extension ModelContext {
  /// The records whose conflicts prevent the next save, in the order in which they were changed here.
  ///
  /// Changes saved elsewhere to other attributes are merged and cause no conflict. The context marks the
  /// returned versions as seen: `resolveConflict` resolves against these versions, not later ones.
  ///
  /// - Throws: The store's error if it cannot be read.
  /// - Complexity: O(n) in the number of changed records, which are read from the store.
  public func conflicts() throws -> [RecordConflict] {
    let found = try openConflicts()
    merging.noteSeen(found)
    return found
  }

  /// The current conflicts, without marking them as seen.
  ///
  /// - Throws: As `conflicts()`.
  /// - Complexity: As `conflicts()`.
  package func openConflicts() throws -> [RecordConflict] {
    try conflictResolution.conflicts()
  }

  /// The records that undoing their unsaved deletions has restored and that another program has deleted, too.
  ///
  /// They are in conflict, although none of their values differs.
  package var restoredRecordsDeletedElsewhere: Set<PersistentIdentifier> {
    conflictResolution.restored
  }

  /// Resolves the conflict of a record; a record without a conflict stays as it is.
  ///
  /// Only versions that were seen can be resolved: those that the last `conflicts()` returned or that made
  /// the last save fail. If the store has a newer version, the conflict stays and no unseen value is
  /// overwritten; `conflicts()` then returns the newer version.
  ///
  /// The result is an unsaved change like any other: with `mine`, the next save overwrites their version;
  /// with `theirs`, the context takes their version. A deletion that is dropped in this way is dropped with all that
  /// it has done to other records: links that it has cleared, and records that were deleted with it. A record that one
  /// side deleted is kept or deleted as a whole, whichever attributes are named.
  ///
  /// - Parameters:
  ///   - identifier: The record.
  ///   - side: The version that wins.
  ///   - names: The attributes to resolve; nil for all.
  /// - Returns: True when the conflict is resolved; false when the store has a newer version than the one
  ///   that was seen.
  /// - Throws: `PersistenceError` with code `.unknownAttribute`, or with code `.conflict` for `mine` if it is not certain
  ///   which record was deleted here, or the store's error if it cannot be read. Nothing has changed then.
  @discardableResult
  public func resolveConflict(
    of identifier: PersistentIdentifier,
    keeping side: RecordConflict.Side,
    attributes names: Set<String>? = nil
  ) throws -> Bool {
    try resolveConflicts(of: [identifier], keeping: side, attributes: names) == 0
  }

  /// Resolves the conflicts of many records, as `resolveConflict(of:keeping:attributes:)` does for one.
  ///
  /// Can be stopped while it reads the records; nothing has changed then.
  ///
  /// - Returns: The number of conflicts that are not resolved, because the store has newer versions.
  /// - Throws: As `resolveConflict(of:keeping:attributes:)`, and `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records.
  package func resolveConflicts(
    of identifiers: [PersistentIdentifier],
    keeping side: RecordConflict.Side,
    attributes names: Set<String>? = nil
  ) throws -> Int {
    try conflictResolution.resolve(identifiers.map(resolve), keeping: side, attributes: names)
  }

  /// Records the values that the user saw before changing them, where the context now has different ones.
  ///
  /// A change that was saved in between then becomes a conflict like any other.
  package func note(seen values: [Int: Value], of state: ModelState) {
    conflictResolution.note(seen: values, of: state)
  }
}

extension ModelContext {
  /// Runs a body that resolves all conflicts and saves; if it fails, the changes and their conflicts are as before.
  ///
  /// - Parameter body: The work; its argument resolves the present conflicts, keeping one side.
  /// - Returns: The result of the body.
  /// - Throws: The errors of the body.
  /// - Precondition: No undo step is open.
  package func restoringConflicts<Result>(
    _ body: (_ resolveAll: (RecordConflict.Side) throws -> Void) throws -> Result
  ) throws -> Result {
    precondition(!undoLog.isRecording, "what is resolved is the only step to abandon")
    var former = FormerConflicts(merging, undoLog)
    do {
      return try body { side in
        let conflicts = try conflicts()
        // Deletions in doubt are refused below.
        if side == .mine,
          let other = conflicts.first(where: { $0.kind == .changed && $0.doubt != nil })
        {
          throw PersistenceError(
            .conflict,
            "\(other.persistentIdentifier.entityName) record \(other.persistentIdentifier): "
              + "\(other.doubt?.reason ?? ""); decide about this record first"
          )
        }
        let identifiers = conflicts.map(\.persistentIdentifier)
        for change in identifiers.compactMap({ pending[$0] }) {
          former.add(change, isConflict: true)
        }
        let further = pending.consequences.records(concernedBy: identifiers)
        for change in further.compactMap({ pending[$0] }) { former.add(change, isConflict: false) }
        _ = try resolveConflicts(of: identifiers, keeping: side)
      }
    } catch {
      conflictResolution.restore(former)
      throw error
    }
  }
}

extension ModelContext {
  /// The error of the next save because unsaved values have no place since another program changed the schema; nil if
  /// all have one.
  package var valuesWithoutPlace: PersistenceError? { stores.loss }
}
