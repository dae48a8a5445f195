/// Changes laid over a listing: positions that are removed, and records inserted between others or after the last.
///
/// It takes space for the changes only. Positions of the listing are called base positions.
///
/// Invariants:
/// 1. The removed positions ascend.
/// 2. The added records are in order, each before the base position that it names, or at the end.
package struct ListingOverlay {
  /// A record that the base does not list at its place.
  struct Added {
    let identifier: PersistentIdentifier
    /// The base position that it precedes.
    let place: Int
  }

  /// The removed base positions.
  package private(set) var removed: [Int] = []
  private var added: [Added] = []
  /// The positions of the added records in the result.
  private var addedPositions: [Int] = []

  /// Creates an overlay that changes nothing.
  package init() {}

  init(removed: [Int], added: [Added]) {
    (self.removed, self.added) = (removed, added)
    arrange()
  }

  private mutating func arrange() {
    assert(zip(removed, removed.dropFirst()).allSatisfy { $0 < $1 }, "1: positions ascend")
    assert(zip(added, added.dropFirst()).allSatisfy { $0.place <= $1.place }, "2: in order")
    var passed = 0
    addedPositions = added.enumerated().map { number, added in
      while passed < removed.count, removed[passed] < added.place { passed += 1 }
      return added.place - passed + number
    }
  }

  /// Removes these base positions, which ascend, and no others.
  package mutating func remove(_ positions: [Int]) {
    removed = positions
    arrange()
  }

  /// Adds records after the last one of the base, which has so many.
  package mutating func append(_ identifiers: [PersistentIdentifier], after baseCount: Int) {
    assert(added.last.map { $0.place <= baseCount } ?? true, "2: in order")
    for identifier in identifiers {
      addedPositions.append(baseCount + growth)
      added.append(Added(identifier: identifier, place: baseCount))
    }
  }

  /// Adds no records any more.
  package mutating func removeAdded() { (added, addedPositions) = ([], []) }

  // MARK: Positions

  /// The number of records that it adds, less those that it removes.
  package var growth: Int { added.count - removed.count }

  /// The added records, in order.
  package var addedIdentifiers: [PersistentIdentifier] { added.map(\.identifier) }

  /// The added records in a range of the result.
  package func addedIdentifiers(in range: Range<Int>) -> [PersistentIdentifier] {
    added[numberOfAdded(from: range.lowerBound)..<numberOfAdded(from: range.upperBound)]
      .map(\.identifier)
  }

  /// The number of the first added record at a position or after it.
  private func numberOfAdded(from position: Int) -> Int {
    addedPositions.indices.partitioningIndex { addedPositions[$0] >= position }
  }

  /// One position of the result.
  package enum Source {
    case base(Int)
    /// The number of an added record.
    case added(Int)
  }

  /// Where the record of a position comes from.
  ///
  /// - Complexity: O(log k) in the number of changes.
  package func source(at position: Int) -> Source {
    let number = numberOfAdded(from: position)
    if number < added.count, addedPositions[number] == position { return .added(number) }
    let kept = position - number
    // The removed positions before it: the first number of them that leaves `kept` records before it.
    return .base(kept + removed.indices.partitioningIndex { removed[$0] - $0 > kept })
  }

  /// The number of removed positions before a base position.
  package func removedCount(before base: Int) -> Int {
    removed.indices.partitioningIndex { removed[$0] >= base }
  }

  /// The position of a base position in the result; nil if it was removed.
  package func position(ofBase base: Int) -> Int? {
    let passed = removedCount(before: base)
    if passed < removed.count, removed[passed] == base { return nil }
    return base - passed + added.indices.partitioningIndex { added[$0].place > base }
  }

  /// The position of an added record.
  package func position(ofAdded number: Int) -> Int { addedPositions[number] }

  /// The first base position at or after a position of the result, or the last one at or before it.
  func base(near position: Int, isForward: Bool, count: Int) -> Int? {
    var position = position
    while position >= 0, position < count {
      if case .base(let base) = source(at: position) { return base }
      position += isForward ? 1 : -1
    }
    return nil
  }

  /// The largest number of removed positions that are read with those around them.
  private static let smallGap = 64

  /// The elements of a range of the result: those of the base in whole ranges, which `base` reads, and the added ones.
  package func merged<Element>(
    _ range: Range<Int>,
    base: (Range<Int>) throws -> [Element],
    added: (PersistentIdentifier) throws -> Element
  ) rethrows -> [Element] {
    if self.added.isEmpty, removed.isEmpty { return try base(range) }
    let sources = range.map { source(at: $0) }
    let places = sources.compactMap { if case .base(let place) = $0 { place } else { nil } }
    var kept: [Element?] = []
    for end in stride(from: 1, through: places.count, by: 1)
    where end == places.count || places[end] - places[end - 1] > Self.smallGap {
      let start = places[kept.count]
      let page = try base(start..<(places[end - 1] + 1))
      kept += places[kept.count..<end].map { $0 - start < page.count ? page[$0 - start] : nil }
    }
    var rest = kept[...]
    return try sources.compactMap { source in
      if case .added(let number) = source { return try added(self.added[number].identifier) }
      return rest.popFirst() ?? nil
    }
  }
}
