/// Uniqueness rules, for every store: plans before a save what becomes of new records with the unique values
/// of others, and merges them after it.
///
/// The context applies the policies and checks unique values before each save. Two contexts that save at the
/// same moment can both pass this check; then the store rejects the second save.
///
/// Invariant, which `checkInvariants()` checks: the former values are those of records that were new.
final class Uniqueness {
  private let stores: ContextStores
  private let pending: PendingChanges
  private let registry: ModelRegistry
  private let undoLog: UndoLog
  private let remapping: Remapping
  private let fetching: Fetching
  private lazy var rules = UniquenessRules(stores.schema)
  /// The values of records before a new record was merged into them, by its temporary identifier.
  ///
  /// Used only for undo.
  private(set) var formerValues: [PersistentIdentifier: [Value]] = [:]

  init(_ fetching: Fetching, _ undoLog: UndoLog, _ remapping: Remapping) {
    stores = fetching.stores
    pending = fetching.pending
    registry = fetching.registry
    self.undoLog = undoLog
    self.remapping = remapping
    self.fetching = fetching
  }

  /// Forgets the values that only undo needs.
  func forgetFormerValues() { formerValues = [:] }

  // MARK: Before a save

  /// The plan for new records with the unique values of others; nil if there are none.
  ///
  /// - Throws: `PersistenceError` with code `.notUnique` if the policy is to reject, or the error of a store.
  func plan() throws -> UniquenessPlan? {
    guard stores.isTyped, pending.counts.inserted + pending.counts.updated > 0,
      !rules.all.isEmpty
    else { return nil }
    var planner = UniquenessPlanner(rules.all, pending, fetching)
    return try planner.plan()
  }

  // MARK: After a save

  /// Merges new records into others in this context, after the store has accepted them.
  func carryOut(_ plan: UniquenessPlan) {
    for rewrite in plan.rewrites.values { carryOut(rewrite) }
    for merge in plan.merges { carryOut(merge) }
    let replaced = plan.merges.filter { $0.existing != nil }
    remapping.add(
      IdentifierMap(temporary: replaced.map(\.former), permanent: replaced.map(\.target))
    )
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
    if let old = registry[identifier] { hand(old, to: state) }
    if undoLog.isEnabled { formerValues[former] = existing.orderedValues }
    registry.register(state, model, as: identifier)
    setUpdated(state, model, from: existing.orderedValues)
  }

  /// Makes the object of a merged record represent the record that it was merged into.
  private func hand(_ old: ModelState, to state: ModelState) {
    let model = pending[old]?.model ?? old.model
    pending.remove(old)
    registry.forget(old)
    old.replaceValues(state.orderedValues)
    model?.persistentState = state
  }

  /// Completes the merges; needs the permanent identifiers of the records.
  func finish(_ plan: UniquenessPlan) {
    for merge in plan.merges {
      let identifier = merge.survivor.identifier
      if !merge.absorbed.isEmpty {
        let absorbed = merge.absorbed.map(\.identifier)
        remapping.add(
          IdentifierMap(
            temporary: absorbed,
            permanent: Array(repeating: identifier, count: absorbed.count)
          )
        )
      }
      // Registered by its state: several objects may represent the record now, and any of them may be
      // deallocated.
      registry.register(merge.survivor, nil, as: identifier)
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
