/// The delete rules of the relationships of models.
struct DeleteRules {
  let tracker: ChangeTracker
  let fetching: Fetching

  /// Deletes a model and applies the delete rules to the models that it refers to.
  func delete(_ first: ModelState) {
    var waiting = [first]
    while let state = waiting.popLast() {
      guard tracker.owns(state), !state.isDeleted else { continue }
      tracker.pending.consequences.begin(state.identifier)
      // The rules use the links as they are before the deletion.
      let cascade = followRules(of: state)
      tracker.delete(state)
      waiting += cascade
    }
  }

  /// Clears the links of related models to this one; returns the models to delete with it.
  private func followRules(of state: ModelState) -> [ModelState] {
    guard let description = state.description else { return [] }
    var cascade: [ModelState] = []
    for slot in description.relationshipSlots {
      let identifiers = state.links(slot)
      guard !identifiers.isEmpty else { continue }
      switch description.entity.fields[slot].relationship?.deleteRule ?? .noAction {
      case .noAction, .deny: break
      case .cascade:
        let others = identifiers.compactMap { fetching.statePresent(for: $0) }
        for other in others where !other.isDeleted {
          tracker.pending.consequences.note(other.identifier, deletedWith: state.identifier)
        }
        cascade += others
      case .nullify:
        guard let inverse = description.inverseSlot(of: slot) else { continue }
        for identifier in identifiers {
          fetching.statePresent(for: identifier).map { unlink(state.identifier, $0, at: inverse) }
        }
      }
    }
    return cascade
  }

  /// Clears the link of a related model to one that is deleted.
  private func unlink(_ deleted: PersistentIdentifier, _ other: ModelState, at slot: Int) {
    let former = other.links(slot)
    guard former.contains(deleted) else { return }
    other.unlink(deleted, at: slot)
    let name = other.entity.layout.names[slot]
    tracker.pending.consequences.note(
      .init(source: other.identifier, field: name, former: former),
      to: deleted
    )
  }
}
