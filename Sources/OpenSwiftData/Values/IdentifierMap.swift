/// The permanent identifiers that replaced temporary ones, in the order of the new records.
///
/// The map passes from the store to the context and to the undo steps that still use temporary identifiers.
/// It consists of two lists, because building a large dictionary costs more than the save; it is only built
/// when an identifier is looked up.
package struct IdentifierMap: Sendable {
  /// The identifiers before the save.
  package private(set) var temporary: [PersistentIdentifier] = []
  /// The corresponding identifiers after the save.
  package private(set) var permanent: [PersistentIdentifier] = []

  package init() {}

  /// Takes a dictionary, in no particular order.
  package init(_ dictionary: [PersistentIdentifier: PersistentIdentifier]) {
    temporary = Array(dictionary.keys)
    permanent = Array(dictionary.values)
  }

  package var isEmpty: Bool { temporary.isEmpty }
  package var count: Int { temporary.count }

  /// The pairs in order.
  package var pairs: Zip2Sequence<[PersistentIdentifier], [PersistentIdentifier]> {
    zip(temporary, permanent)
  }

  /// The permanent identifiers by the temporary ones.
  ///
  /// - Complexity: O(n).
  package var dictionary: [PersistentIdentifier: PersistentIdentifier] {
    var all: [PersistentIdentifier: PersistentIdentifier] = [:]
    all.reserveCapacity(count)
    for (temporary, permanent) in pairs { all[temporary] = permanent }
    return all
  }

  package mutating func reserveCapacity(_ count: Int) {
    temporary.reserveCapacity(count)
    permanent.reserveCapacity(count)
  }

  package mutating func append(
    _ temporary: PersistentIdentifier,
    _ permanent: PersistentIdentifier
  ) {
    self.temporary.append(temporary)
    self.permanent.append(permanent)
  }
}
