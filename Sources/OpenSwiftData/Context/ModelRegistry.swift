import CRuntime

/// The states of the records of a context by identifier, as long as somebody holds them or their models.
final class ModelRegistry {
  /// A box would cost an allocation a record: these are loose references, counted here by hand.
  @exclusivity(unchecked) private var entries: [PersistentIdentifier: UnsafeMutableRawPointer] = [:]
  private var sweepCount = 1024

  deinit {
    for entry in entries.values { swift_unownedRelease(entry) }
  }

  /// True when no record is registered, be it one that nobody holds any more.
  var isEmpty: Bool { entries.isEmpty }

  subscript(identifier: PersistentIdentifier) -> ModelState? {
    entries[identifier].flatMap(Self.state)
  }

  private static func state(_ entry: UnsafeMutableRawPointer) -> ModelState? {
    guard swift_tryRetain(entry) != nil else { return nil }
    return Unmanaged<ModelState>.fromOpaque(entry).takeRetainedValue()
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

/// Which permanent identifiers took the place of which temporary ones; put in order when first asked.
final class Remapping {
  private var known: [PersistentIdentifier: PersistentIdentifier] = [:]
  private var waiting: [(temporary: [PersistentIdentifier], permanent: [PersistentIdentifier])] = []

  var all: [PersistentIdentifier: PersistentIdentifier] {
    for (temporary, permanent) in waiting {
      known.reserveCapacity(known.count + temporary.count)
      for (temporary, permanent) in zip(temporary, permanent) { known[temporary] = permanent }
    }
    waiting = []
    return known
  }

  subscript(temporary: PersistentIdentifier) -> PersistentIdentifier? {
    temporary.isTemporary ? all[temporary] : nil
  }

  func add(_ temporary: [PersistentIdentifier], _ permanent: [PersistentIdentifier]) {
    if !temporary.isEmpty { waiting.append((temporary, permanent)) }
  }
}
