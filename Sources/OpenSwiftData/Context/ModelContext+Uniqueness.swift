/// Uniqueness rules, for every store.
///
/// The context applies the policies and checks unique values before each save. Two contexts that save at the
/// same moment can both pass this check; then the store rejects the second save.
extension ModelContext {
  /// The plan for new records with the unique values of others; nil if there are none.
  ///
  /// - Throws: `PersistenceError` with code `.notUnique` if the policy is to reject, or the error of a store.
  func uniquenessPlan() throws -> UniquenessPlan? {
    guard container.isTyped, pending.counts.inserted + pending.counts.updated > 0,
      !uniquenessRules.all.isEmpty
    else { return nil }
    var planner = UniquenessPlanner(self, uniquenessRules.all)
    return try planner.plan()
  }

  /// Merges new records into others in this context, after the store has accepted them.
  func carryOut(_ plan: UniquenessPlan) {
    for rewrite in plan.rewrites.values { carryOut(rewrite) }
    for merge in plan.merges { carryOut(merge) }
  }

  private func carryOut(_ rewrite: UniquenessPlan.Rewrite) {
    let state = rewrite.state
    let change = pending[state]
    let original = change?.original ?? state.orderedValues
    state.replaceValues(rewrite.values)
    if change?.kind != .inserted { setUpdated(state, change?.model, from: original) }
  }

  private func carryOut(_ merge: UniquenessPlan.Merge) {
    let state = merge.survivor
    let model = pending[state]?.model ?? state.model
    state.replaceValues(merge.values)
    for other in merge.absorbed { hand(other, to: state) }
    guard let existing = merge.existing else { return }
    let identifier = existing.persistentIdentifier
    let former = state.identifier
    pending.remove(state)
    if let old = registeredState(identifier) { hand(old, to: state) }
    remapping.add(IdentifierMap(temporary: [former], permanent: [identifier]))
    if undoLog.isEnabled { valuesBeforeUpsert[former] = existing.orderedValues }
    reRegister(state, model, as: identifier)
    setUpdated(state, model, from: existing.orderedValues)
  }

  /// Makes the object of a merged record represent the record that it was merged into.
  private func hand(_ old: ModelState, to state: ModelState) {
    let model = pending[old]?.model ?? old.model
    pending.remove(old)
    forget(old)
    old.replaceValues(state.orderedValues)
    model?.persistentState = state
  }

  /// Completes the merges; needs the permanent identifiers of the records.
  func finish(_ plan: UniquenessPlan) {
    for merge in plan.merges {
      let identifier = merge.survivor.identifier
      let absorbed = merge.absorbed.map(\.identifier)
      remapping.add(
        IdentifierMap(
          temporary: absorbed,
          permanent: Array(repeating: identifier, count: absorbed.count)
        )
      )
      // Registered by its state: several objects may represent the record now, and any of them may be
      // deallocated.
      reRegister(merge.survivor, nil, as: identifier)
    }
  }

  private func setUpdated(
    _ state: ModelState,
    _ model: (any PersistentModel)?,
    from original: [Value]
  ) {
    pending.remove(state)
    guard state.orderedValues != original else { return }
    pending.set(.init(state: state, kind: .updated, original: original, model: model))
  }
}
