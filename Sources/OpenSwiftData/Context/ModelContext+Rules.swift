/// Delete rules, and what must hold before a save.
extension ModelContext {
  /// Deletes a model and does to those it refers to what the rules say.
  func deleteFollowingRules(_ first: ModelState) {
    var waiting = [first]
    while let state = waiting.popLast() {
      guard state.context === self, !state.isDeleted else { continue }
      // The rules look at the links as they are before the deletion.
      let cascade = followRules(of: state)
      delete(state)
      waiting += cascade
    }
  }

  /// Makes related models forget this one; returns those that shall be deleted with it.
  private func followRules(of state: ModelState) -> [ModelState] {
    guard let description = state.description else { return [] }
    var cascade: [ModelState] = []
    for slot in description.relationshipSlots {
      let identifiers = state.links(slot)
      guard !identifiers.isEmpty else { continue }
      switch description.entity.fields[slot].relationship?.deleteRule ?? .noAction {
      case .noAction, .deny: break
      case .cascade: cascade += identifiers.compactMap { statePresent(for: $0) }
      case .nullify:
        guard let inverse = description.inverseSlot(of: slot) else { continue }
        for identifier in identifiers {
          statePresent(for: identifier)?.unlink(state.identifier, at: inverse)
        }
      }
    }
    return cascade
  }

  /// Checks what the next save would refuse, without saving.
  ///
  /// - Throws: `PersistenceError` that names the record, the property and the rule.
  /// - Complexity: O(n) in the number of changed models with relationships.
  public func validate() throws {
    if let problem {
      self.problem = nil
      throw problem
    }
    guard container.isTyped else { return }
    for change in pending.all {
      let state = change.state
      if let problem = state.problem { throw problem }
      guard let description = state.description, !description.relationshipSlots.isEmpty else {
        continue
      }
      for slot in description.relationshipSlots {
        if change.kind == .deleted {
          try checkDenial(state, slot)
        } else {
          try checkCount(state, slot)
        }
      }
    }
  }

  private func checkDenial(_ state: ModelState, _ slot: Int) throws {
    guard state.entity.fields[slot].relationship?.deleteRule == .deny else { return }
    let alive = state.links(slot).compactMap { statePresent(for: $0) }.filter { !$0.isDeleted }
    guard let other = alive.first else { return }
    throw PersistenceError(
      .deleteDenied,
      "\(state.entity.name) \(state.identifier) cannot be deleted while its \(state.entity.fields[slot].name) has \(other.entity.name) \(other.identifier)"
        + (alive.count > 1 ? " and \(alive.count - 1) more" : "")
    )
  }

  private func checkCount(_ state: ModelState, _ slot: Int) throws {
    guard let relationship = state.entity.fields[slot].relationship else { return }
    let least = relationship.minimumModelCount ?? 0
    let most = relationship.maximumModelCount ?? 0
    guard least > 0 || most > 0 else { return }
    let count = state.links(slot).count
    if count < least || (most > 0 && count > most) {
      throw PersistenceError(
        .invalidValue,
        "\(state.entity.name) \(state.identifier) has \(count) in \(relationship.name); "
          + (count < least ? "at least \(least) are needed" : "at most \(most) are allowed")
      )
    }
  }
}

extension ModelState {
  /// True when a value is a link.
  var hasLinks: Bool {
    guard let description else { return orderedValues.contains(where: \.isLink) }
    return description.relationshipSlots.contains { orderedValues[$0].isLink }
  }

  /// Replaces identifiers that the values refer to.
  func remapLinks(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) {
    if let description {
      for slot in description.relationshipSlots {
        orderedValues[slot] = orderedValues[slot].remapped(identifiers)
      }
    } else {
      orderedValues = orderedValues.map { $0.remapped(identifiers) }
    }
  }
}
