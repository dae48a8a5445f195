/// The models of a context by identifier, as long as somebody holds them.
///
/// Weak references cost more than all the rest of a registration, so an object that is there stands for
/// its state; a state without an object stands for itself.
final class ModelRegistry {
  private struct Entry {
    weak var state: ModelState?
    weak var model: (any PersistentModel)?

    var present: ModelState? { model?.persistentState ?? state }
  }

  @exclusivity(unchecked) private var entries: [PersistentIdentifier: Entry] = [:]
  private var sweepCount = 1024

  subscript(identifier: PersistentIdentifier) -> ModelState? { entries[identifier]?.present }

  var states: [ModelState] { entries.values.compactMap(\.present) }

  func reserve(_ count: Int) {
    guard count > 64 else { return }
    entries.reserveCapacity(entries.count + count)
    sweepCount = max(sweepCount, entries.count + count)
  }

  /// Registers a state, and with it the object that it may get later.
  func register(_ state: ModelState) {
    add(Entry(state: state, model: state.model), state.identifier)
  }

  /// Registers an object of a model class.
  func register(_ state: ModelState, _ model: any PersistentModel) {
    add(Entry(model: model), state.identifier)
  }

  private func add(_ entry: Entry, _ identifier: PersistentIdentifier) {
    entries[identifier] = entry
    guard entries.count > sweepCount else { return }
    entries = entries.filter { $0.value.state != nil || $0.value.model != nil }
    sweepCount = max(1024, entries.count * 2)
  }

  func remove(_ identifier: PersistentIdentifier) {
    entries[identifier] = nil
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
