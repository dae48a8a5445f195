/// Taking in what other contexts of the container saved.
///
/// Models without unsaved changes get the new values; models with unsaved changes get those that were not
/// changed here, and lists of links get what was added and removed elsewhere; deleted records become
/// deleted models. What was changed on both sides stays as it is here, and the save finds the conflict.
extension ModelContext {
  /// Takes in what others saved, if anything.
  func mergePendingExternalChanges() {
    let surroundings = surroundings
    guard
      surroundings.mailbox.hasMail || !merging.isSettled
    else { return }
    // Whoever is at work has looked at values already; they must not be changed under it.
    guard confinement.isAtRest, !merging.isHeld else { return }
    merging.isHeld = true
    defer { merging.isHeld = false }
    takeMail()
  }

  private func takeMail() {
    let mail = surroundings.mailbox.take()
    if mail.isOverfull {
      merging.stale.formUnion(registeredIdentifiers.filter { !$0.isTemporary })
    }
    for saved in mail.changes {
      for update in saved.updated { merge(update) }
      merging.stale.formUnion(saved.changed)
      for identifier in saved.deleted { mergeDeletion(of: identifier) }
    }
    let settled = merging.conflicting.filter { pending[$0] == nil }
    merging.conflicting.subtract(settled)
    merging.stale.formUnion(settled)
    readStale()
    if mail.isNews { surroundings.tellObservers() }
  }

  /// Reads again what could not be merged from what was told.
  private func readStale() {
    let wanted = merging.stale.filter { registeredState($0) != nil }
    guard !wanted.isEmpty else {
      merging.stale = []
      return
    }
    // What cannot be read now stays stale: whoever fetches next hears from the store why.
    guard let found = try? storedSnapshots(for: Array(wanted)) else { return }
    merging.stale = []
    for identifier in wanted {
      guard let state = registeredState(identifier) else { continue }
      if let snapshot = found[identifier] {
        _ = rebase(state, on: state.entity.arranged(snapshot).orderedValues)
      } else {
        mergeDeletion(of: identifier)
      }
    }
  }

  private func merge(_ update: RecordUpdate) {
    let identifier = update.persistentIdentifier
    guard let state = registeredState(identifier) else { return }
    let change = pending[state]
    // A deletion that meets a change elsewhere is a conflict, which the save finds.
    guard change.map({ $0.kind == .updated }) ?? true else {
      merging.conflicting.insert(identifier)
      return
    }
    let before = state.entity.arranged(update.before).orderedValues
    let after = state.entity.arranged(update.after).orderedValues
    var theirs = change?.original ?? state.orderedValues
    for slot in theirs.indices where before[slot] != after[slot] {
      // Neither what it was nor what it became: reports came out of order.
      guard theirs[slot] == before[slot] || theirs[slot] == after[slot] else {
        merging.stale.insert(identifier)
        return
      }
      theirs[slot] = after[slot]
    }
    _ = rebase(state, on: theirs)
  }

  private func mergeDeletion(of identifier: PersistentIdentifier) {
    guard let state = registeredState(identifier) else { return }
    switch pending[state]?.kind {
    case .inserted: return
    case .updated:
      merging.conflicting.insert(identifier)
      return
    case .deleted: pending.remove(state)
    case nil: break
    }
    state.isDeleted = true
    forget(state)
  }

  /// Puts the unsaved changes of a record on top of the values that the store has now.
  ///
  /// - Returns: False when a value was changed here and differently there.
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

  /// Makes a record that came back here, and that others have brought back as well, one that was changed.
  ///
  /// What was in common before is not known: where both have a value, and not the same, is a conflict.
  ///
  /// - Returns: The number of such records.
  /// - Throws: What the store says when it cannot be read.
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

  /// Brings the unsaved changes in line with the store, after it found a conflict.
  ///
  /// - Returns: True when nothing stands against saving again.
  func rebasePendingChanges() -> Bool {
    // The conflict is thrown when the store cannot be read, which says more than that.
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

/// Three-way merging of the values of one record.
struct Rebase {
  /// The values that the store has, except where there is a conflict.
  private(set) var base: [Value]
  /// The values with the changes made here.
  private(set) var values: [Value]
  /// Where values were changed on both sides to different ones.
  private(set) var conflictingSlots: [Int] = []
  /// True when there are such places.
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

  /// Their list without what was taken out here, and with what was added here at the end.
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
