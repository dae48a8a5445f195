/// The identifiers that all saves of a context replaced.
///
/// The dictionary for lookups is updated by the first lookup after a save.
final class Remapping: IdentifierLookup {
  private var known: [PersistentIdentifier: PersistentIdentifier] = [:]
  private var waiting: [IdentifierMap] = []
  /// The number of saves that replaced identifiers.
  private(set) var version = 0

  var isEmpty: Bool { known.isEmpty && waiting.isEmpty }

  subscript(identifier: PersistentIdentifier) -> PersistentIdentifier? {
    if !waiting.isEmpty { takeWaiting() }
    return known[identifier]
  }

  func add(_ map: IdentifierMap) {
    if map.isEmpty { return }
    waiting.append(map)
    version += 1
  }

  private func takeWaiting() {
    for map in waiting {
      known.reserveCapacity(known.count + map.count)
      for (temporary, permanent) in map { known[temporary] = permanent }
    }
    waiting = []
  }
}
