internal import Synchronization

/// Looks up the identifiers that replaced others.
///
/// `IdentifierMap` has those of one save, `Remapping` those of all saves of a context. A dictionary is the form
/// that SwiftData's signatures require.
package protocol IdentifierLookup {
  /// True when no identifier was replaced.
  var isEmpty: Bool { get }
  /// The identifier that replaced this one; nil if none did.
  subscript(identifier: PersistentIdentifier) -> PersistentIdentifier? { get }
}

extension [PersistentIdentifier: PersistentIdentifier]: IdentifierLookup {}

/// The permanent identifiers that replaced the temporary ones of new records in a save.
///
/// A collection of pairs in the order of the new records, which can also be asked for one record:
///
/// ```swift
/// let (_, remapped) = try context.saveReporting()
/// for (temporary, permanent) in remapped { print("\(temporary) -> \(permanent)") }
/// let identifier = remapped[draft] ?? draft
/// ```
///
/// The map passes from the store to the context and to everything that still uses temporary identifiers. It
/// consists of two lists, because building a large dictionary costs more than the save. The dictionary is
/// built by the first lookup, and all copies share it.
///
/// **Threads.** A map is a value and can be sent anywhere.
public struct IdentifierMap: IdentifierLookup, RandomAccessCollection, Sendable {
  /// An identifier before and after the save.
  public typealias Element = (temporary: PersistentIdentifier, permanent: PersistentIdentifier)

  /// The identifiers before the save.
  package let temporary: [PersistentIdentifier]
  /// The corresponding identifiers after the save.
  package let permanent: [PersistentIdentifier]
  private let lookups: LookupTable

  /// Creates a map from two lists of equal length.
  package init(
    temporary: [PersistentIdentifier] = [],
    permanent: [PersistentIdentifier] = []
  ) {
    assert(temporary.count == permanent.count, "each identifier has one that replaced it")
    self.temporary = temporary
    self.permanent = permanent
    lookups = temporary.isEmpty ? .empty : LookupTable()
  }

  /// Takes a dictionary, in no particular order.
  package init(_ dictionary: [PersistentIdentifier: PersistentIdentifier]) {
    temporary = Array(dictionary.keys)
    permanent = Array(dictionary.values)
    lookups = dictionary.isEmpty ? .empty : LookupTable(dictionary)
  }

  /// The maps of several stores as one.
  package init(joining maps: [IdentifierMap]) {
    if maps.count == 1 {
      self = maps[0]
    } else {
      self.init(temporary: maps.flatMap(\.temporary), permanent: maps.flatMap(\.permanent))
    }
  }

  /// The position of the first pair.
  public var startIndex: Int { 0 }
  /// The position after the last pair.
  public var endIndex: Int { temporary.count }

  /// The pair at a position.
  public subscript(position: Int) -> Element { (temporary[position], permanent[position]) }

  /// The permanent identifier of a record; nil if the save did not replace this one.
  ///
  /// - Complexity: O(1); O(n) for the first lookup.
  public subscript(temporary: PersistentIdentifier) -> PersistentIdentifier? {
    isEmpty ? nil : table[temporary]
  }

  /// The permanent identifiers by the temporary ones, as SwiftData's signatures require them.
  ///
  /// - Complexity: O(1); O(n) for the first lookup.
  package var dictionary: [PersistentIdentifier: PersistentIdentifier] { isEmpty ? [:] : table }

  private var table: [PersistentIdentifier: PersistentIdentifier] {
    lookups.entries {
      var all: [PersistentIdentifier: PersistentIdentifier] = [:]
      all.reserveCapacity(temporary.count)
      for (temporary, permanent) in zip(temporary, permanent) { all[temporary] = permanent }
      return all
    }
  }

  /// The dictionary of a map, once it is built.
  private final class LookupTable: Sendable {
    private final class Entries: Sendable {
      let all: [PersistentIdentifier: PersistentIdentifier]
      init(_ all: [PersistentIdentifier: PersistentIdentifier]) { self.all = all }
    }

    static let empty = LookupTable([:])
    private let built = AtomicLazyReference<Entries>()

    init() {}

    init(_ entries: [PersistentIdentifier: PersistentIdentifier]) {
      _ = built.storeIfNil(Entries(entries))
    }

    func entries(_ build: () -> [PersistentIdentifier: PersistentIdentifier])
      -> [PersistentIdentifier: PersistentIdentifier]
    {
      // Two threads may both build it; the first one's is kept.
      (built.load() ?? built.storeIfNil(Entries(build()))).all
    }
  }
}

extension IdentifierMap: Hashable {
  /// True when both replace the same identifiers by the same ones, in any order.
  public static func == (lhs: IdentifierMap, rhs: IdentifierMap) -> Bool {
    lhs.temporary == rhs.temporary && lhs.permanent == rhs.permanent
      || lhs.count == rhs.count && lhs.dictionary == rhs.dictionary
  }

  /// Hashes the number of identifiers.
  public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}
