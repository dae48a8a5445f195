/// Unique values, for every store.
///
/// Policies are the business of the context, which looks before each save. Two contexts that save at the
/// same moment can both pass here; then the refusal of the store remains.
extension ModelContext {
  /// What becomes of new records with the unique values of others; nil when there are none.
  ///
  /// - Throws: `PersistenceError` with code `.notUnique` where the policy says so, or what a store says.
  func uniquenessPlan() throws -> UniquenessPlan? {
    guard container.isTyped, pending.counts.inserted + pending.counts.updated > 0,
      !uniquenessRules.all.isEmpty
    else { return nil }
    var planner = UniquenessPlanner(self, uniquenessRules.all)
    return try planner.plan()
  }

  /// Lets new records become part of others here as well, after the store has taken them.
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
    remapping.add(IdentifierMap([former: identifier]))
    if undoLog.isEnabled { valuesBeforeUpsert[former] = existing.orderedValues }
    reRegister(state, model, as: identifier)
    setUpdated(state, model, from: existing.orderedValues)
  }

  /// Lets the object of a record that became part of another one stand for that one.
  private func hand(_ old: ModelState, to state: ModelState) {
    let model = pending[old]?.model ?? old.model
    pending.remove(old)
    forget(old)
    old.replaceValues(state.orderedValues)
    model?.persistentState = state
  }

  /// What can be done only when the records have their permanent identifiers.
  func finish(_ plan: UniquenessPlan) {
    for merge in plan.merges {
      let identifier = merge.survivor.identifier
      var map = IdentifierMap()
      for state in merge.absorbed { map.append(state.identifier, identifier) }
      remapping.add(map)
      // By its state: several objects may stand for it now, and any of them may go.
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
