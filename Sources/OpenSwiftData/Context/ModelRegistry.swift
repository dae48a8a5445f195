import CRuntime

/// The states of the records of a context by identifier, as long as somebody holds them or their models.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. A state stands under the identifier that it has; under a temporary one it may still stand when it has
///    a permanent one.
/// 2. A state of a saved record that is there has an owner.
final class ModelRegistry {
  /// A box would cost an allocation a record: these are loose references, counted here by hand.
  @exclusivity(unchecked) private var entries: [PersistentIdentifier: UnsafeMutableRawPointer] = [:]
  private var sweepCount = 1024

  deinit {
    for entry in entries.values { swift_unownedRelease(entry) }
  }

  /// The number of entries, those that nobody holds any more included.
  var count: Int { entries.count }

  /// True when no record is registered, be it one that nobody holds any more.
  var isEmpty: Bool { entries.isEmpty }

  subscript(identifier: PersistentIdentifier) -> ModelState? {
    entries[identifier].flatMap(Self.state)
  }

  private static func state(_ entry: UnsafeMutableRawPointer) -> ModelState? {
    guard swift_tryRetain(entry) != nil else { return nil }
    return Unmanaged<ModelState>.fromOpaque(entry).takeRetainedValue()
  }

  /// The states by the identifiers under which they stand.
  ///
  /// - Complexity: O(n), as that of `states`.
  var statesByIdentifier: [PersistentIdentifier: ModelState] {
    entries.compactMapValues(Self.state)
  }

  /// All states.
  ///
  /// - Complexity: O(n) in the records that were ever registered and not swept since.
  var states: [ModelState] { entries.values.compactMap(Self.state) }

  func reserve(_ count: Int) {
    guard count > 64 else { return }
    entries.reserveCapacity(entries.count + count)
    sweepCount = max(sweepCount, entries.count + count)
  }

  /// Registers a state in place of the one with its identifier.
  func register(_ state: ModelState) {
    let pointer = Unmanaged.passUnretained(state).toOpaque()
    swift_unownedRetain(pointer)
    if let former = entries.updateValue(pointer, forKey: state.identifier) {
      swift_unownedRelease(former)
    }
    if entries.count > sweepCount { sweep() }
  }

  /// Forgets those that nobody holds any more.
  private func sweep() {
    // Looked at once: another thread may let go of more meanwhile.
    let gone = entries.filter { Self.state($0.value) == nil }
    entries = entries.filter { gone[$0.key] == nil }
    for entry in gone.values { swift_unownedRelease(entry) }
    sweepCount = max(1024, entries.count * 2)
  }

  func remove(_ identifier: PersistentIdentifier) {
    if let former = entries.removeValue(forKey: identifier) { swift_unownedRelease(former) }
  }
}
