import OpenSwiftData

extension [DefaultSnapshot] {
  /// The records, each after those that it has links to; in circles, some come too early.
  ///
  /// - Complexity: O(n) in the number of values.
  var targetsFirst: [DefaultSnapshot] {
    let places = Dictionary(
      enumerated().map { ($0.element.persistentIdentifier, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    let needs = map { record in
      record.orderedValues.flatMap { $0.linkedIdentifiers.compactMap { places[$0] } }
    }
    if needs.allSatisfy(\.isEmpty) { return self }
    var isSeen = [Bool](repeating: false, count: count)
    var order: [DefaultSnapshot] = []
    order.reserveCapacity(count)
    // Not by recursion, because a chain can be as long as the save.
    var path: [(place: Int, next: Int)] = []
    for root in indices where !isSeen[root] {
      path.append((root, 0))
      isSeen[root] = true
      while let (place, next) = path.last {
        guard next < needs[place].count else {
          order.append(self[place])
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let need = needs[place][next]
        if isSeen[need] { continue }
        isSeen[need] = true
        path.append((need, 0))
      }
    }
    return order
  }
}
