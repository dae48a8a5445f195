/// Unsaved changes laid over a listing of the store: positions that are removed, and records inserted
/// between others.
///
/// It takes space for the changes only. Positions of the store's listing are called base positions.
///
/// Invariants:
/// 1. The removed positions ascend, and are positions of the base.
/// 2. The added records are in order, each before the base position that it names, or at the end.
struct ListingOverlay {
  /// A record that the base does not list at its place.
  struct Added {
    let identifier: PersistentIdentifier
    /// The base position that it precedes.
    let place: Int
  }

  private let baseCount: Int
  private let removed: [Int]
  private let added: [Added]
  /// The positions of the added records in the result.
  private let addedPositions: [Int]

  /// Lays changes over a base with the given number of records.
  init(baseCount: Int, removed: [Int], added: [Added]) {
    assert(zip(removed, removed.dropFirst()).allSatisfy { $0 < $1 }, "1: positions ascend")
    assert(removed.allSatisfy { (0..<baseCount).contains($0) }, "1: they are in the base")
    assert(zip(added, added.dropFirst()).allSatisfy { $0.place <= $1.place }, "2: in order")
    assert(added.last.map { $0.place <= baseCount } ?? true, "2: at the end or before a record")
    self.baseCount = baseCount
    self.removed = removed
    self.added = added
    var passed = 0
    addedPositions = added.enumerated().map { number, added in
      while passed < removed.count, removed[passed] < added.place { passed += 1 }
      return added.place - passed + number
    }
  }

  /// The number of records of the result.
  var count: Int { baseCount - removed.count + added.count }

  /// The added records, in order.
  var addedIdentifiers: [PersistentIdentifier] { added.map(\.identifier) }

  /// One position of the result.
  enum Source {
    case base(Int)
    /// The number of an added record.
    case added(Int)
  }

  /// Where the record of a position comes from.
  ///
  /// - Complexity: O(log k) in the number of changes.
  func source(at position: Int) -> Source {
    let number = addedPositions.indices.partitioningIndex { addedPositions[$0] >= position }
    if number < addedPositions.count, addedPositions[number] == position { return .added(number) }
    let kept = position - number
    // The removed positions before it: the first number of them that leaves `kept` records before it.
    return .base(kept + removed.indices.partitioningIndex { removed[$0] - $0 > kept })
  }

  /// The position of a base position in the result; nil if it was removed.
  func position(ofBase base: Int) -> Int? {
    let passed = removed.indices.partitioningIndex { removed[$0] >= base }
    if passed < removed.count, removed[passed] == base { return nil }
    return base - passed + added.indices.partitioningIndex { added[$0].place > base }
  }

  /// The position of an added record.
  func position(ofAdded number: Int) -> Int { addedPositions[number] }

  /// The first base position at or after a position of the result, or the last one at or before it.
  func base(near position: Int, isForward: Bool) -> Int? {
    var position = position
    while position >= 0, position < count {
      if case .base(let base) = source(at: position) { return base }
      position += isForward ? 1 : -1
    }
    return nil
  }

  /// The identifiers of a range, those of the base from a function.
  func identifiers(
    in range: Range<Int>,
    base: (Range<Int>) throws -> [PersistentIdentifier]
  ) throws -> [PersistentIdentifier] {
    try merged(range, base: base) { added[$0].identifier }
  }

  /// The elements of a range: those of the base in whole ranges, which `base` reads, and the added ones.
  func merged<Element>(
    _ range: Range<Int>,
    base: (Range<Int>) throws -> [Element],
    added: (Int) throws -> Element
  ) rethrows -> [Element] {
    let range = range.clamped(to: 0..<count)
    let sources = range.map { source(at: $0) }
    let places = sources.compactMap { if case .base(let place) = $0 { place } else { nil } }
    guard let first = places.first, let last = places.last else {
      return try sources.compactMap {
        if case .added(let number) = $0 { try added(number) } else { nil }
      }
    }
    let elements = try base(first..<(last + 1))
    return try sources.compactMap { source in
      switch source {
      case .added(let number): try added(number)
      case .base(let place):
        elements.indices.contains(place - first) ? elements[place - first] : nil
      }
    }
  }
}
