import CRuntime

/// The states of a context's records by identifier, while they or their models are referenced.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. A state is registered under its identifier and no other.
/// 2. A state that is not deleted has an owner.
final class ModelRegistry {
  /// Unowned references with manual reference counting: a weak box would cost one allocation per record.
  @exclusivity(unchecked) private var entries: [PersistentIdentifier: UnsafeMutableRawPointer] = [:]
  private var sweepCount = 1024
  /// True when new records that were deleted again have been registered, which few contexts do.
  private var hasTemporaryEntries = false
  private let pending: PendingChanges
  /// The context that the states belong to.
  ///
  /// Unowned because the context owns the registry; each state keeps the context alive.
  unowned var owner: (any ModelOwner)?

  init(_ pending: PendingChanges) {
    self.pending = pending
    pending.registered = { [unowned self] identifier in entries[identifier].flatMap(Self.state) }
    pending.register = { [unowned self] state in add(state) }
    pending.forget = { [unowned self] state in remove(state.identifier) }
    pending.adopt = { [unowned self] state in state.owner = owner }
  }

  deinit {
    for entry in entries.values { swift_unownedRelease(entry) }
  }

  /// The number of entries, including those no longer referenced.
  var count: Int { entries.count }

  /// The state of a record that the context knows; new records are found among the changes.
  subscript(identifier: PersistentIdentifier) -> ModelState? {
    if identifier.isTemporary, let change = pending[identifier] { return change.state }
    return entries[identifier].flatMap(Self.state) ?? pending.unpack(identifier)
  }

  /// True when the context knows no record and lookups can be skipped.
  var isWithoutModels: Bool { entries.isEmpty && pending.isEmpty }

  private static func state(_ entry: UnsafeMutableRawPointer) -> ModelState? {
    guard swift_tryRetain(entry) != nil else { return nil }
    return Unmanaged<ModelState>.fromOpaque(entry).takeRetainedValue()
  }

  /// The states by the identifiers under which they are registered.
  ///
  /// - Complexity: O(n), as for `states`.
  var statesByIdentifier: [PersistentIdentifier: ModelState] {
    entries.compactMapValues(Self.state)
  }

  /// The identifiers of all saved records whose state or model is still referenced.
  var permanentIdentifiers: [PersistentIdentifier] {
    states.map(\.identifier).filter { !$0.isTemporary }
  }

  /// All states.
  ///
  /// - Complexity: O(n) in the number of entries, including those no longer referenced.
  var states: [ModelState] { entries.values.compactMap(Self.state) }

  /// Prepares for more states; does nothing for a few.
  func reserve(_ count: Int) {
    guard count > 64 else { return }
    entries.reserveCapacity(entries.count + count)
    sweepCount = max(sweepCount, entries.count + count)
  }

  /// Registers a state and replaces the one with the same identifier.
  func register(_ state: ModelState) {
    let pointer = Unmanaged.passUnretained(state).toOpaque()
    swift_unownedRetain(pointer)
    if let former = entries.updateValue(pointer, forKey: state.identifier) {
      swift_unownedRelease(former)
    }
    if state.identifier.isTemporary { hasTemporaryEntries = true }
    if entries.count > sweepCount { sweep() }
  }

  /// Registers a state under its permanent identifier instead of its temporary one.
  func register(_ state: ModelState, as permanent: PersistentIdentifier) {
    if hasTemporaryEntries { remove(state.identifier) }
    state.become(permanent)
    register(state)
  }

  /// Removes the entries that are no longer referenced.
  private func sweep() {
    // Evaluated once, because another thread may release more states in between.
    let gone = entries.filter { Self.state($0.value) == nil }
    entries = entries.filter { gone[$0.key] == nil }
    for entry in gone.values { swift_unownedRelease(entry) }
    sweepCount = max(1024, entries.count * 2)
  }

  /// Releases a state from the context; one that has replaced it under its identifier stays.
  func forget(_ state: ModelState) {
    if entries[state.identifier] == Unmanaged.passUnretained(state).toOpaque() {
      remove(state.identifier)
    }
    state.owner = nil
  }

  /// True if one of the states belongs to a model class.
  func hasModels(_ states: ArraySlice<ModelState?>) -> Bool {
    states.contains { $0?.description != nil }
  }

  private func remove(_ identifier: PersistentIdentifier) {
    if identifier.isTemporary, !hasTemporaryEntries { return }
    if let former = entries.removeValue(forKey: identifier) { swift_unownedRelease(former) }
  }
}
