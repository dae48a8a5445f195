import OpenSwiftData

/// Finds records that are equal as a whole, wherever they moved; copies are told apart by their neighbors.
struct EqualRows {
  /// The values of all columns together.
  private let codes: ValueCodes

  /// Prepares for two versions, of which the values of all columns together may be known.
  init(_ versions: MatchedVersions, _ codes: ValueCodes?) {
    self.codes = codes ?? versions.codes(of: Array(versions.columns.indices))
  }

  /// The open rows of both versions with the same values.
  private struct Copies {
    var former: [Int] = []
    var present: [Int] = []
  }

  /// Finds the records among those that are open.
  ///
  /// - Complexity: O(n) in the number of rows, expected.
  func match(_ found: inout OpenFates) {
    let taken = found.known.present
    var places: [Int32: Int] = [:]
    var groups: [Copies] = []
    for (row, code) in codes.former.enumerated() where found.fates[row] == nil {
      if places[code] == nil {
        places[code] = groups.count
        groups.append(Copies())
      }
      groups[places[code] ?? 0].former.append(row)
    }
    for (place, code) in codes.present.enumerated() where taken[place] == nil {
      if let group = places[code] { groups[group].present.append(place) }
    }
    for group in groups where group.former.count == 1 && group.present.count == 1 {
      found.fates[group.former[0]] = .same(group.present[0])
    }
    let copies = groups.filter {
      !$0.present.isEmpty && !($0.former.count == 1 && $0.present.count == 1)
    }
    if copies.isEmpty { return }
    let known = found.known
    let (former, present) = (RowNeighbors(known.former), RowNeighbors(known.present))
    for group in copies { match(group, former, present, &found) }
  }

  private func match(
    _ copies: Copies,
    _ former: RowNeighbors,
    _ present: RowNeighbors,
    _ found: inout OpenFates
  ) {
    var divided: [RowNeighbors.Pair: Copies] = [:]
    for row in copies.former { divided[former.pairs[row], default: Copies()].former.append(row) }
    for place in copies.present {
      divided[present.pairs[place], default: Copies()].present.append(place)
    }
    var used: Set<Int> = []
    for group in divided.values where group.former.count == group.present.count {
      for (row, place) in zip(group.former, group.present) { found.fates[row] = .same(place) }
      used.formUnion(group.present)
    }
    let left = copies.former.filter { found.fates[$0] == nil }
    let free = copies.present.filter { !used.contains($0) }
    if free.count >= left.count {
      for (row, place) in zip(left, free) { found.fates[row] = .same(place) }
    } else {
      for row in left { found.fates[row] = .unsure(.fewerCopies, free.first ?? copies.present[0]) }
    }
  }
}
