/// Merges the changes that other contexts of the container saved.
///
/// Models without unsaved changes get the new values. Models with unsaved changes get the new values of
/// attributes that were not changed here, and lists of links get the links that were added and removed
/// elsewhere. Models of deleted records become deleted models. A value that was changed on both sides keeps
/// its unsaved value here, and the next save finds the conflict.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. All identifiers are permanent: other contexts know no record by a temporary one.
/// 2. A version that was seen is stored under the identifier of its record.
/// 3. A changed record that is gone from the store is in conflict.
final class Merging {
  private let pending: PendingChanges
  private let registry: ModelRegistry
  private let stores: ContextStores
  private let surroundings: ContextSurroundings
  private let confinement: ContextConfinement
  private let related: RelatedRecords
  /// True while a merge is in progress or links are being read, when nothing may be merged.
  private var isHeld = false
  /// Records that must be reloaded before they are used.
  private(set) var stale: Set<PersistentIdentifier> = []
  /// Records that were changed both here and elsewhere; reloaded when the changes here are undone.
  private(set) var conflicting: Set<PersistentIdentifier> = []
  /// Records with unsaved changes that others have deleted; queries do not return them, as the store does not.
  private(set) var gone: Set<PersistentIdentifier> = []
  /// Records whose unsaved deletions others have saved first: undoing such a deletion is a conflict.
  private var deletedByOthers: Set<PersistentIdentifier> = []
  /// Records with the key of one that was added elsewhere, with that record, which the user keeps beside it.
  private(set) var kept: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// The conflicting versions that the user has seen and may resolve.
  private(set) var seen: [PersistentIdentifier: RecordConflict] = [:]

  init(
    _ stores: ContextStores,
    _ pending: PendingChanges,
    _ registry: ModelRegistry,
    _ surroundings: ContextSurroundings,
    _ confinement: ContextConfinement,
    _ related: RelatedRecords
  ) {
    self.related = related
    self.stores = stores
    self.pending = pending
    self.registry = registry
    self.surroundings = surroundings
    self.confinement = confinement
  }

  // MARK: When to merge

  /// Merges the changes of other contexts if the current thread may use the context.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`.
  func enter() throws {
    try confinement.check()
    mergeChanges()
  }

  /// Merges the changes that other contexts saved, if there are any.
  func mergeChanges() {
    guard surroundings.inbox.hasChanges || !stale.isEmpty || !conflicting.isEmpty else { return }
    // Work in progress has already read values, which must not change during it.
    guard confinement.isAtRest, !isHeld else { return }
    withoutMerging { mergeInbox() }
  }

  /// Runs the body, in which nothing is merged.
  func withoutMerging<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasHeld = isHeld
    isHeld = true
    defer { isHeld = wasHeld }
    return try body()
  }

  /// Makes the next merge reload all saved records.
  func reloadAll() {
    pending.unpackAll()
    stale.formUnion(registry.permanentIdentifiers)
  }

  /// Makes the next merge reload those of the records that were changed elsewhere as well.
  ///
  /// Their restored values may now be equal to those of the store.
  func reloadConflicting(among identifiers: @autoclosure () -> Set<PersistentIdentifier>) {
    if !conflicting.isEmpty { stale.formUnion(conflicting.intersection(identifiers())) }
  }

  // MARK: Conflicts

  /// Records the versions that may be resolved from now on.
  func noteSeen(_ conflicts: [RecordConflict]) {
    seen = Dictionary(
      conflicts.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Records that a record has values here that others have changed.
  func noteConflict(of identifier: PersistentIdentifier) { conflicting.insert(identifier) }

  /// True if another program has saved the deletion of a record that was unsaved here; the record is in conflict then.
  func takeDeletionByOthers(of identifier: PersistentIdentifier) -> Bool {
    guard deletedByOthers.remove(identifier) != nil else { return false }
    conflicting.insert(identifier)
    gone.insert(identifier)
    return true
  }

  /// Records that a restored record in conflict is deleted again: the deletion is that of others.
  func noteDeletedByOthers(_ identifier: PersistentIdentifier) {
    noteResolved(identifier)
    deletedByOthers.insert(identifier)
  }

  /// Records that the deletion of a record was saved here.
  func noteDeleted(_ identifier: PersistentIdentifier) { deletedByOthers.remove(identifier) }

  /// Records that the user keeps a record beside one with the same key.
  func keep(_ identifier: PersistentIdentifier, beside other: PersistentIdentifier) {
    kept[identifier] = other
  }

  /// Forgets such records, because no unsaved change is left.
  func forgetKept() { kept = [:] }

  /// Records that a conflict was resolved.
  func noteResolved(_ identifier: PersistentIdentifier) {
    conflicting.remove(identifier)
    gone.remove(identifier)
  }

  /// Restores conflicts that were resolved.
  func restore(_ former: FormerConflicts) {
    conflicting.formUnion(former.conflicting.union(former.conflicts))
    gone.formUnion(former.gone)
    (seen, kept) = (former.seen, former.kept)
  }

  /// The stored records with these identifiers.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`, or the error of the store.
  func storedSnapshots(
    for identifiers: [PersistentIdentifier],
    _ attributes: [String]? = nil
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try enter()
    return try stores.snapshots(for: identifiers, attributes)
  }

  // MARK: Merging

  private func mergeInbox() {
    let received = surroundings.inbox.take()
    related.clear()
    if received.isOverfull {
      reloadAll()
    }
    for saved in received.changes {
      for update in saved.updated { merge(update) }
      stale.formUnion(saved.changed)
      for identifier in saved.deleted {
        mergeDeletion(of: identifier, isDoubtful: !stores.doubts(about: [identifier]).isEmpty)
      }
    }
    let resolved = conflicting.filter { pending[$0] == nil }
    conflicting.subtract(resolved)
    gone.subtract(resolved)
    stale.formUnion(resolved)
    readStale()
    guard !received.isEmpty else { return }
    surroundings.storeFailure = received.failure
    surroundings.tellObservers()
  }

  /// Reloads the records that could not be merged from the reported changes.
  private func readStale() {
    let wanted = stale.filter { registry[$0] != nil }
    guard !wanted.isEmpty else {
      stale = []
      return
    }
    // Records that cannot be read now stay stale; the next fetch reports the store's error.
    guard let found = try? storedSnapshots(for: Array(wanted)) else { return }
    let changes = wanted.compactMap { pending[$0] }
    guard let doubts = try? stores.doubts(about: changes, found),
      let targets = try? stores.doubtfulTargets(of: changes, found)
    else { return }
    stale = []
    for identifier in wanted {
      guard let state = registry[identifier] else { continue }
      let isDoubtful = doubts[identifier] != nil
      if let snapshot = found[identifier] {
        let theirs = state.entity.arranged(snapshot).orderedValues
        rebase(state, on: theirs, isOther: isDoubtful, doubting: targets)
      } else {
        mergeDeletion(of: identifier, isDoubtful: isDoubtful)
      }
    }
  }

  private func merge(_ update: RecordUpdate) {
    let identifier = update.persistentIdentifier
    guard let state = registry[identifier] else { return }
    let change = pending[state]
    // A deletion of a record that was changed elsewhere is a conflict, which the save finds.
    guard change.map({ $0.kind == .updated }) ?? true else {
      conflicting.insert(identifier)
      return
    }
    let before = state.entity.arranged(update.before).orderedValues
    let after = state.entity.arranged(update.after).orderedValues
    var theirs = change?.original ?? state.orderedValues
    for slot in theirs.indices where before[slot] != after[slot] {
      // The value is neither the old nor the new one: the reports arrived out of order.
      guard theirs[slot] == before[slot] || theirs[slot] == after[slot] else {
        stale.insert(identifier)
        return
      }
      theirs[slot] = after[slot]
    }
    // The records that such links name are read for all changes together.
    if let change, stores.sharesLink(change, theirs: theirs) {
      stale.insert(identifier)
    } else {
      rebase(state, on: theirs)
    }
  }

  private func mergeDeletion(
    of identifier: PersistentIdentifier,
    isDoubtful: @autoclosure () -> Bool
  ) {
    guard let state = registry[identifier] else { return }
    switch pending[state]?.kind {
    case .inserted: return
    case .updated:
      conflicting.insert(identifier)
      gone.insert(identifier)
      return
    case .deleted:
      // Another record may be meant now, which must not be deleted, or this one, which must not stay.
      guard !isDoubtful() else {
        conflicting.insert(identifier)
        gone.insert(identifier)
        return
      }
      pending.remove(state)
      deletedByOthers.insert(identifier)
    case nil: break
    }
    state.isDeleted = true
    registry.forget(state)
  }

  /// Rebases the unsaved changes of a record on the current values of the store.
  ///
  /// - Returns: False when a value was changed differently here and in the store.
  @discardableResult
  private func rebase(
    _ state: ModelState,
    on theirs: [Value],
    isOther: Bool = false,
    doubting targets: Set<PersistentIdentifier> = []
  ) -> Bool {
    // Somebody has restored the record.
    gone.remove(state.identifier)
    deletedByOthers.remove(state.identifier)
    guard let change = pending[state] else {
      if theirs != state.orderedValues { state.replaceValues(theirs) }
      state.isDeleted = false
      return true
    }
    guard change.kind == .updated else {
      return change.original == theirs && change.undecided.isEmpty
    }
    let undecided = state.undecidedSlots
    let result = Rebase(
      base: change.original,
      mine: state.orderedValues,
      theirs: theirs,
      undecided: undecided,
      read: stores.readSlots(of: change, theirs: theirs, doubting: targets),
      isOther: isOther
    )
    state.undecided = state.names(of: undecided.intersection(result.conflictingSlots))
    if result.values != state.orderedValues { state.replaceValues(result.values) }
    pending.rebase(state, on: result.base)
    if result.hasConflict { conflicting.insert(state.identifier) }
    return !result.hasConflict
  }

  /// Turns restored records that another context has restored as well into updated ones.
  ///
  /// The common ancestor is not known, so two different values are a conflict.
  ///
  /// - Returns: The number of such records.
  /// - Throws: The store's error if it cannot be read.
  func meetReturnedRecords() throws -> Int { try meet(pending.all(.inserted)) }

  /// Does the same for some new records.
  @discardableResult
  func meet(_ changes: [PendingChange]) throws -> Int {
    let returned = changes.filter { $0.kind == .inserted && !$0.state.identifier.isTemporary }
    guard !returned.isEmpty else { return 0 }
    let stored = try storedSnapshots(for: returned.map(\.state.identifier))
    var count = 0
    for change in returned {
      let state = change.state
      guard let snapshot = stored[state.identifier] else { continue }
      count += 1
      let theirs = state.entity.arranged(snapshot).orderedValues
      let result = Rebase(mine: state.orderedValues, theirs: theirs)
      pending.set(
        .init(
          state: state,
          kind: .updated,
          original: theirs,
          model: change.model,
          undecided: state.names(of: result.conflictingSlots)
        )
      )
      if result.values != state.orderedValues { state.replaceValues(result.values) }
      pending.rebase(state, on: theirs)
      if result.hasConflict { conflicting.insert(state.identifier) }
    }
    return count
  }

  /// True if records were restored here and elsewhere with different values, which are in conflict until it is resolved.
  ///
  /// No store finds these conflicts.
  var hasUndecidedRecords: Bool {
    conflicting.contains { pending[$0].map { !$0.undecided.isEmpty } ?? false }
  }

  /// Takes the version of the others of a record that was restored here and elsewhere, whose restoration is undone.
  ///
  /// - Returns: False for any other record, with nothing done.
  func takeTheirs(of state: ModelState) -> Bool {
    guard let change = pending[state], change.kind == .updated, !change.undecided.isEmpty else {
      return false
    }
    pending.remove(state)
    state.replaceValues(change.original)
    return true
  }

  /// Rebases the unsaved changes on the store after it reported a conflict.
  ///
  /// - Returns: True when the save can be attempted again.
  func rebasePendingChanges() -> Bool {
    // If the store cannot be read, the conflict is thrown instead, because it is the more useful error.
    guard pending.count <= ContextInbox.limit, let metCount = try? meetReturnedRecords() else {
      return false
    }
    let changes = pending.all.filter { $0.kind != .inserted }
    guard !changes.isEmpty,
      let found = try? storedSnapshots(for: changes.map(\.state.identifier)),
      let doubts = try? stores.doubts(about: changes, found),
      let targets = try? stores.doubtfulTargets(of: changes, found)
    else { return metCount > 0 }
    var isClean = true
    var isChanged = metCount > 0
    for change in changes {
      let isDoubtful = doubts[change.state.identifier] != nil
      guard let snapshot = found[change.state.identifier] else {
        mergeDeletion(of: change.state.identifier, isDoubtful: isDoubtful)
        if pending[change.state] == nil { isChanged = true } else { isClean = false }
        continue
      }
      let theirs = change.state.entity.arranged(snapshot).orderedValues
      isChanged = isChanged || theirs != change.original
      if !rebase(change.state, on: theirs, isOther: isDoubtful, doubting: targets) {
        isClean = false
      }
    }
    return isClean && isChanged
  }
}
