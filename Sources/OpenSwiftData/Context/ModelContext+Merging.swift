/// Merging the changes that other contexts of the container saved.
///
/// Models without unsaved changes get the new values. Models with unsaved changes get the new values of
/// attributes that were not changed here, and lists of links get the links that were added and removed
/// elsewhere. Models of deleted records become deleted models. A value that was changed on both sides keeps
/// its unsaved value here, and the next save finds the conflict.
extension ModelContext {
  /// Merges the changes that other contexts saved, if there are any.
  func mergePendingExternalChanges() {
    let surroundings = surroundings
    guard
      surroundings.inbox.hasChanges || !merging.isSettled
    else { return }
    // Work in progress has already read values, which must not change during it.
    guard confinement.isAtRest, !merging.isHeld else { return }
    merging.isHeld = true
    defer { merging.isHeld = false }
    mergeInbox()
  }

  private func mergeInbox() {
    let received = surroundings.inbox.take()
    if received.isOverfull {
      merging.stale.formUnion(registry.permanentIdentifiers)
    }
    for saved in received.changes {
      for update in saved.updated { merge(update) }
      merging.stale.formUnion(saved.changed)
      for identifier in saved.deleted { mergeDeletion(of: identifier) }
    }
    let settled = merging.conflicting.filter { pending[$0] == nil }
    merging.conflicting.subtract(settled)
    merging.stale.formUnion(settled)
    readStale()
    if !received.isEmpty { surroundings.tellObservers() }
  }

  /// Reloads the records that could not be merged from the reported changes.
  private func readStale() {
    let wanted = merging.stale.filter { registry[$0] != nil }
    guard !wanted.isEmpty else {
      merging.stale = []
      return
    }
    // Records that cannot be read now stay stale; the next fetch reports the store's error.
    guard let found = try? storedSnapshots(for: Array(wanted)) else { return }
    merging.stale = []
    for identifier in wanted {
      guard let state = registry[identifier] else { continue }
      if let snapshot = found[identifier] {
        _ = rebase(state, on: state.entity.arranged(snapshot).orderedValues)
      } else {
        mergeDeletion(of: identifier)
      }
    }
  }

  private func merge(_ update: RecordUpdate) {
    let identifier = update.persistentIdentifier
    guard let state = registry[identifier] else { return }
    let change = pending[state]
    // A deletion of a record that was changed elsewhere is a conflict, which the save finds.
    guard change.map({ $0.kind == .updated }) ?? true else {
      merging.conflicting.insert(identifier)
      return
    }
    let before = state.entity.arranged(update.before).orderedValues
    let after = state.entity.arranged(update.after).orderedValues
    var theirs = change?.original ?? state.orderedValues
    for slot in theirs.indices where before[slot] != after[slot] {
      // The value is neither the old nor the new one: the reports arrived out of order.
      guard theirs[slot] == before[slot] || theirs[slot] == after[slot] else {
        merging.stale.insert(identifier)
        return
      }
      theirs[slot] = after[slot]
    }
    _ = rebase(state, on: theirs)
  }

  private func mergeDeletion(of identifier: PersistentIdentifier) {
    guard let state = registry[identifier] else { return }
    switch pending[state]?.kind {
    case .inserted: return
    case .updated:
      merging.conflicting.insert(identifier)
      return
    case .deleted: pending.remove(state)
    case nil: break
    }
    state.isDeleted = true
    registry.forget(state)
  }

  /// Rebases the unsaved changes of a record on the current values of the store.
  ///
  /// - Returns: False when a value was changed differently here and in the store.
  private func rebase(_ state: ModelState, on theirs: [Value]) -> Bool {
    guard let change = pending[state] else {
      if theirs != state.orderedValues { state.replaceValues(theirs) }
      state.isDeleted = false
      return true
    }
    guard change.kind == .updated else { return change.original == theirs }
    let result = Rebase(base: change.original, mine: state.orderedValues, theirs: theirs)
    if result.values != state.orderedValues { state.replaceValues(result.values) }
    pending.rebase(state, on: result.base)
    if result.hasConflict { merging.conflicting.insert(state.identifier) }
    return !result.hasConflict
  }

  /// Turns restored records that another context has restored as well into updated ones.
  ///
  /// The common ancestor is not known, so two different values are a conflict.
  ///
  /// - Returns: The number of such records.
  /// - Throws: The store's error if it cannot be read.
  func meetReturnedRecords() throws -> Int {
    let returned = pending.all(.inserted).filter { !$0.state.identifier.isTemporary }
    guard !returned.isEmpty else { return 0 }
    let stored = try storedSnapshots(for: returned.map(\.state.identifier))
    var count = 0
    for change in returned {
      let state = change.state
      guard let snapshot = stored[state.identifier] else { continue }
      count += 1
      let theirs = state.entity.arranged(snapshot).orderedValues
      let common = zip(state.orderedValues, theirs).map { $0 == $1 ? $1 : .null }
      pending.set(.init(state: state, kind: .updated, original: common, model: change.model))
      _ = rebase(state, on: theirs)
    }
    return count
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
      let found = try? storedSnapshots(for: changes.map(\.state.identifier))
    else { return metCount > 0 }
    var isClean = true
    var isChanged = metCount > 0
    for change in changes {
      guard let snapshot = found[change.state.identifier] else {
        mergeDeletion(of: change.state.identifier)
        if change.kind == .deleted { isChanged = true } else { isClean = false }
        continue
      }
      let theirs = change.state.entity.arranged(snapshot).orderedValues
      isChanged = isChanged || theirs != change.original
      if !rebase(change.state, on: theirs) { isClean = false }
    }
    return isClean && isChanged
  }
}

/// A three-way merge of the values of one record.
struct Rebase {
  /// The values of the store, except those in conflict.
  private(set) var base: [Value]
  /// The values with the changes made here.
  private(set) var values: [Value]
  /// The slots whose values were changed differently on both sides.
  private(set) var conflictingSlots: [Int] = []
  /// True when there are such slots.
  var hasConflict: Bool { !conflictingSlots.isEmpty }

  init(base: [Value], mine: [Value], theirs: [Value]) {
    self.base = theirs
    values = mine
    for slot in theirs.indices where theirs[slot] != base[slot] {
      if mine[slot] == base[slot] {
        values[slot] = theirs[slot]
      } else if case .links(let own) = mine[slot], case .links(let others) = theirs[slot] {
        values[slot] = .links(Self.merged(base[slot], own, others))
      } else if mine[slot] != theirs[slot] {
        self.base[slot] = base[slot]
        conflictingSlots.append(slot)
      }
    }
  }

  /// Their list without the links removed here, followed by the links added here.
  private static func merged(
    _ base: Value,
    _ mine: [PersistentIdentifier],
    _ theirs: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    let former: Set<PersistentIdentifier> =
      if case .links(let links) = base { Set(links) } else { [] }
    let kept = Set(mine)
    let result = theirs.filter { kept.contains($0) || !former.contains($0) }
    let present = Set(result)
    return result + mine.filter { !former.contains($0) && !present.contains($0) }
  }
}
