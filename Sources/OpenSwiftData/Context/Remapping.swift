/// The identifier maps of all saves of a context.
///
/// The dictionary for lookups by identifier is built on first use.
final class Remapping {
  private var known: [PersistentIdentifier: PersistentIdentifier] = [:]
  private var waiting: [IdentifierMap] = []

  /// The permanent identifiers by the temporary ones.
  var all: [PersistentIdentifier: PersistentIdentifier] {
    for map in waiting {
      known.reserveCapacity(known.count + map.count)
      for (temporary, permanent) in map.pairs { known[temporary] = permanent }
    }
    waiting = []
    return known
  }

  subscript(temporary: PersistentIdentifier) -> PersistentIdentifier? {
    temporary.isTemporary ? all[temporary] : nil
  }

  func add(_ map: IdentifierMap) {
    if !map.isEmpty { waiting.append(map) }
  }
}
