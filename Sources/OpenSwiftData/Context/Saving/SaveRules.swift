/// The checks before a save: values, relationships, delete rules and unique values.
struct SaveRules {
  let stores: ContextStores
  let pending: PendingChanges
  let tracker: ChangeTracker
  let fetching: Fetching
  let uniqueness: Uniqueness

  /// All errors that would make the next save fail, as `ModelContext.validationErrors()` returns them.
  func errors() throws -> [PersistenceError] {
    var errors = tracker.problem.map { [$0] } ?? []
    checkRules { errors.append($0) }
    do {
      _ = try uniqueness.plan()
    } catch let error as PersistenceError
      where [.notUnique, .invalidValue].contains(error.code)
    {
      errors.append(error)
    }
    return errors
  }

  /// Throws the first error; returns the plan for new records with the unique values of others.
  func check() throws -> UniquenessPlan? {
    try tracker.throwProblem()
    try checkRules { throw $0 }
    return try uniqueness.plan()
  }

  private func checkRules(_ report: (PersistenceError) throws -> Void) rethrows {
    guard stores.isTyped else { return }
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
        if let error = state.wrongCount(at: slot, state.links(slot).count) { try report(error) }
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
      _ = try fetching.connection(for: state.entity.name)
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

  private func fault(_ state: ModelState, _ slot: Int) -> PersistenceError? {
    let value = state.orderedValues[slot]
    if value.isNull {
      let field = state.entity.fields[slot]
      // The store makes the value of a new record.
      guard !field.isOptional, !(field.isReadOnly && state.pendingKind == .inserted) else {
        return nil
      }
      return state.wrong(slot, "a value is required")
    }
    return value.brokenRule.map { state.wrong(slot, "\($0), not \(Value.quoted(value.text))") }
  }

  private func denial(_ state: ModelState, _ slot: Int) -> PersistenceError? {
    guard state.entity.fields[slot].relationship?.deleteRule == .deny else { return nil }
    let alive = state.links(slot).compactMap { fetching.statePresent(for: $0) }.filter {
      !$0.isDeleted
    }
    guard let other = alive.first else { return nil }
    return PersistenceError(
      .deleteDenied,
      "cannot delete \(state.entity.name) \(state.identifier): \(state.entity.fields[slot].name) still contains \(other.entity.name) \(other.identifier)"
        + (alive.count > 1 ? " and \(alive.count - 1) more" : "")
    )
  }
}

extension ModelState {
  /// Checks the number of related models in the future values of a record.
  func checkCounts(_ values: [Value]) throws {
    for slot in description?.relationshipSlots ?? [] {
      guard case .links(let links) = values[slot] else { continue }
      if let error = wrongCount(at: slot, links.count) { throw error }
    }
  }

  fileprivate func wrongCount(at slot: Int, _ count: Int) -> PersistenceError? {
    guard let relationship = entity.fields[slot].relationship else { return nil }
    let least = relationship.minimumModelCount ?? 0
    let most = relationship.maximumModelCount ?? 0
    guard count < least || (most > 0 && count > most) else { return nil }
    return PersistenceError(
      .invalidValue,
      "\(entity.name).\(relationship.name): \(recordCount(count)); "
        + (count < least ? "at least \(least) required" : "at most \(most) allowed")
        + " (record \(identifier))"
    )
  }

  fileprivate func wrong(_ slot: Int, _ what: String) -> PersistenceError {
    PersistenceError(
      .invalidValue,
      "\(entity.name).\(entity.fields[slot].name): \(what) (record \(identifier))"
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
