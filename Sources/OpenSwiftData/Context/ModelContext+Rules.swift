/// Delete rules and the checks before a save.
extension ModelContext {
  /// Deletes a model and applies the delete rules to the models that it refers to.
  func deleteFollowingRules(_ first: ModelState) {
    var waiting = [first]
    while let state = waiting.popLast() {
      guard state.owner === self, !state.isDeleted else { continue }
      // The rules use the links as they are before the deletion.
      let cascade = followRules(of: state)
      delete(state)
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

  /// Clears links to new models that were deleted before they were saved.
  func forgetLinksToNothing() {
    guard hasForgottenNewModels else { return }
    hasForgottenNewModels = false
    for change in pending.all where change.kind != .deleted {
      for slot in change.state.description?.loneSlots ?? [] {
        let links = change.state.links(slot)
        let kept = links.filter { !$0.isTemporary || pending[$0]?.kind == .inserted }
        if kept.count < links.count {
          change.state.setLinks(kept, at: slot, isNull: false)
        }
      }
    }
  }

  /// Checks whether the next save would be rejected, without saving.
  ///
  /// The checks cover missing and invalid values, too few or too many related models, denied deletions, and
  /// unique values that another record has if the policy is to reject them.
  ///
  /// - Throws: The first of `validationErrors()`.
  /// - Complexity: O(n) in the number of changed models.
  public func validate() throws { _ = try validated() }

  /// All errors that would make the next save fail; each names the record, the property and the value.
  ///
  /// Only the first collision of unique values is reported.
  ///
  /// - Throws: The error of a store that is asked for unique values.
  public func validationErrors() throws -> [PersistenceError] {
    var errors = problem.map { [$0] } ?? []
    checkRules { errors.append($0) }
    do {
      _ = try uniquenessPlan()
    } catch let error as PersistenceError
      where [.notUnique, .invalidValue].contains(error.code)
    {
      errors.append(error)
    }
    return errors
  }

  /// Checks as `validate()` does and returns the plan for new records with the unique values of others.
  func validated() throws -> UniquenessPlan? {
    if let problem {
      self.problem = nil
      throw problem
    }
    try checkRules { throw $0 }
    return try uniquenessPlan()
  }

  private func checkRules(_ report: (PersistenceError) throws -> Void) rethrows {
    guard container.isTyped else { return }
    var entity: Schema.Entity?
    try pending.forEach { state in
      if state.entity !== entity {
        entity = state.entity
        if let error = missingOwnerError(state) { try report(error) }
      }
      guard let description = state.description else { return }
      if state.pendingKind == .deleted {
        for slot in description.relationshipSlots {
          if let error = denial(state, slot) { try report(error) }
        }
        return
      }
      if state.hasProblems { try reportProblems(of: state, report) }
      for slot in description.checkedSlots {
        if let error = fault(state, slot) { try report(error) }
      }
      for slot in description.relationshipSlots {
        if let error = wrongCount(state, slot, state.links(slot).count) { try report(error) }
      }
    }
  }

  private func reportProblems(of state: ModelState, _ report: (PersistenceError) throws -> Void)
    rethrows
  {
    for (_, problem) in state.problems.sorted(by: { $0.key < $1.key }) {
      try report(
        PersistenceError(
          problem.code,
          "\(problem.message) (record \(state.identifier))",
          cause: problem.cause
        )
      )
    }
  }

  /// The error for a record whose entity is in no store.
  private func missingOwnerError(_ state: ModelState) -> PersistenceError? {
    do {
      _ = try connection(for: state.entity.name)
      return nil
    } catch let error as PersistenceError where error.code == .unknownEntity {
      return PersistenceError(
        .unknownEntity,
        "cannot save \(state.entity.name) \(state.identifier): \(error.message)"
      )
    } catch {
      // A store that cannot be read reports its error when it saves.
      return nil
    }
  }

  /// Makes the next save check a record whose property was set to a value that cannot be stored.
  func noteProblem(of state: ModelState) {
    guard !state.isDeleted, pending[state] == nil else { return }
    pending.set(
      .init(state: state, kind: .updated, original: state.orderedValues, model: state.model)
    )
  }

  private func fault(_ state: ModelState, _ slot: Int) -> PersistenceError? {
    let value = state.orderedValues[slot]
    if value.isNull {
      guard !state.entity.fields[slot].isOptional else { return nil }
      return wrong(state, slot, "a value is required")
    }
    return value.brokenRule.map { wrong(state, slot, "\($0), not \(Value.quoted(value.text))") }
  }

  private func wrong(_ state: ModelState, _ slot: Int, _ what: String) -> PersistenceError {
    PersistenceError(
      .invalidValue,
      "\(state.entity.name).\(state.entity.fields[slot].name): \(what) (record \(state.identifier))"
    )
  }

  private func denial(_ state: ModelState, _ slot: Int) -> PersistenceError? {
    guard state.entity.fields[slot].relationship?.deleteRule == .deny else { return nil }
    let alive = state.links(slot).compactMap { statePresent(for: $0) }.filter { !$0.isDeleted }
    guard let other = alive.first else { return nil }
    return PersistenceError(
      .deleteDenied,
      "cannot delete \(state.entity.name) \(state.identifier): \(state.entity.fields[slot].name) still contains \(other.entity.name) \(other.identifier)"
        + (alive.count > 1 ? " and \(alive.count - 1) more" : "")
    )
  }

  /// Checks the number of related models in the future values of a record.
  func checkCounts(_ state: ModelState, _ values: [Value]) throws {
    for slot in state.description?.relationshipSlots ?? [] {
      guard case .links(let links) = values[slot] else { continue }
      if let error = wrongCount(state, slot, links.count) { throw error }
    }
  }

  private func wrongCount(_ state: ModelState, _ slot: Int, _ count: Int) -> PersistenceError? {
    guard let relationship = state.entity.fields[slot].relationship else { return nil }
    let least = relationship.minimumModelCount ?? 0
    let most = relationship.maximumModelCount ?? 0
    guard count < least || (most > 0 && count > most) else { return nil }
    return PersistenceError(
      .invalidValue,
      "\(state.entity.name).\(relationship.name): \(recordCount(count)); "
        + (count < least ? "at least \(least) required" : "at most \(most) allowed")
        + " (record \(state.identifier))"
    )
  }
}

extension ModelState {
  /// True when a value is a link.
  var hasLinks: Bool {
    guard let description else { return orderedValues.contains(where: \.isLink) }
    return description.relationshipSlots.contains { orderedValues[$0].isLink }
  }

  /// Replaces the identifiers in links.
  func remapLinks(_ identifiers: IdentifierMap) {
    if let description {
      for slot in description.relationshipSlots {
        orderedValues[slot] = orderedValues[slot].remapped(identifiers)
      }
    } else {
      orderedValues = orderedValues.map { $0.remapped(identifiers) }
    }
  }
}
