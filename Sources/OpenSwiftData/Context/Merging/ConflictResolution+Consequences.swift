extension ConflictResolution {
  /// Drops what a deletion that is no longer wanted has done to other records.
  ///
  /// - Parameters:
  ///   - deleted: The record.
  ///   - stored: The stored versions of the records that were deleted with it; one without a version stays deleted.
  func dropConsequences(
    of deleted: PersistentIdentifier,
    _ stored: [PersistentIdentifier: DefaultSnapshot]
  ) {
    var waiting = [deleted]
    while let dropped = waiting.popLast() {
      for source in pending.consequences.records(deletedWith: dropped)
      where pending[source]?.kind == .deleted && !isDeletedOtherwise(source) {
        guard let theirs = stored[source] else { continue }
        restore(source, theirs)
        waiting.append(source)
      }
      for link in pending.consequences.clearedLinks(to: dropped) { restore(link, to: dropped) }
    }
  }

  /// True if a record was also deleted with one whose deletion stays.
  private func isDeletedOtherwise(_ source: PersistentIdentifier) -> Bool {
    pending.consequences.causes(of: source).contains { pending[$0]?.kind == .deleted }
  }

  /// Restores a record that was deleted with another one, with its unsaved values.
  private func restore(_ source: PersistentIdentifier, _ theirs: DefaultSnapshot) {
    guard let state = pending[source]?.state else { return }
    tracker.insertAgain(source, state.orderedValues, in: state.entity)
    guard pending[state] == nil else { return }
    state.replaceValues(state.entity.arranged(theirs).orderedValues)
    merging.noteResolved(source)
  }

  /// Restores a link that was cleared, unless its field has got another value since.
  private func restore(
    _ link: DeletionConsequences.ClearedLink,
    to target: PersistentIdentifier
  ) {
    guard let state = pending[link.source]?.state, !state.isDeleted,
      let slot = state.entity.layout.slot(of: link.field)
    else { return }
    let present = state.orderedValues[slot].linkedIdentifiers
    guard !present.contains(target) else { return }
    if case .link = state.entity.fields[slot].type {
      if present.isEmpty { tracker.setValue(.link(target), at: slot, of: state) }
      return
    }
    let added = present.filter { !link.former.contains($0) }
    let kept = link.former.filter { $0 == target || present.contains($0) }
    tracker.setValue(.links(kept + added), at: slot, of: state)
  }
}
