import OpenSwiftData

/// Finds changed records without a key between the same neighbors.
///
/// Likeness counts only where it cannot be mistaken: the row stands alone, more than half of its values and at least three
/// agree, and what agrees occurs once in both versions.
struct LikeRows {
  private let versions: MatchedVersions
  /// The values of the key; nil without a key.
  private let keys: ValueCodes?
  /// Gaps with more pairs are not compared.
  private static let pairLimit = 64
  /// The most sets of agreeing columns that are examined.
  private static let setLimit = 16
  private static let leastEqual = 3

  init(_ versions: MatchedVersions, _ keys: ValueCodes?) {
    (self.versions, self.keys) = (versions, keys)
  }

  /// The open rows between two known ones.
  private struct Gap {
    let neighbors: RowNeighbors.Pair
    var former: [Int] = []
    var present: [Int] = []
  }

  /// The places of the values in some columns.
  private typealias Places = (
    codes: ValueCodes, once: (former: SinglePlaces, present: SinglePlaces)
  )

  /// Finds the records among those that are open.
  ///
  /// - Complexity: O(n) in the number of values.
  func match(_ found: inout OpenFates) {
    var known: [[Int]: Places] = [:]
    for gap in gaps(found) where !gap.present.isEmpty {
      if gap.former.count * gap.present.count > Self.pairLimit {
        for row in gap.former { found.fates[row] = .unsure(.replaced, nil) }
      } else {
        match(gap, &known, &found)
      }
    }
  }

  private func gaps(_ found: OpenFates) -> [Gap] {
    guard found.fates.contains(where: { $0 == nil }) else { return [] }
    let known = found.known
    let (former, present) = (RowNeighbors(known.former), RowNeighbors(known.present))
    var gaps: [Gap] = []
    var places: [RowNeighbors.Pair: Int] = [:]
    for row in found.fates.indices where found.fates[row] == nil {
      let neighbors = former.pairs[row]
      if places[neighbors] == nil {
        places[neighbors] = gaps.count
        gaps.append(Gap(neighbors: neighbors))
      }
      gaps[places[neighbors] ?? 0].former.append(row)
    }
    for (place, row) in known.present.enumerated() where row == nil {
      if let gap = places[present.pairs[place]] { gaps[gap].present.append(place) }
    }
    return gaps
  }

  private func match(_ gap: Gap, _ known: inout [[Int]: Places], _ found: inout OpenFates) {
    let all = Array(versions.columns.indices)
    var alike: [(row: Int, place: Int, equal: [Int])] = []
    for row in gap.former {
      for place in gap.present where mayBeSame(row, place) {
        let (shared, equal) = versions.compare(row, place, in: all)
        if 2 * equal.count > shared { alike.append((row, place, equal)) }
      }
    }
    // One row has no neighbors to stand between.
    let isAnchored = !gap.neighbors.isWholeFile || versions.rowCounts.former == 1
    for row in gap.former {
      let mine = alike.filter { $0.row == row }
      guard let first = mine.first else { continue }
      let isAlone = mine.count == 1 && alike.count { $0.place == first.place } == 1 && isAnchored
      let isSame =
        isAlone && first.equal.count >= Self.leastEqual
        && occursOnce(first.equal, row, first.place, &known)
      found.fates[row] = isSame ? .same(first.place) : .unsure(.alike, first.place)
    }
  }

  /// False for two rows with different keys.
  private func mayBeSame(_ row: Int, _ place: Int) -> Bool {
    guard let keys else { return true }
    let (one, other) = (keys.former[row], keys.present[place])
    return one == 0 || other == 0 || one == other
  }

  /// True if the values in these columns occur once in both versions.
  private func occursOnce(
    _ columns: [Int],
    _ row: Int,
    _ place: Int,
    _ known: inout [[Int]: Places]
  ) -> Bool {
    if known[columns] == nil {
      if known.count >= Self.setLimit { return false }
      let codes = versions.codes(of: columns)
      known[columns] = (codes, codes.once)
    }
    guard let places = known[columns] else { return false }
    return places.once.former[places.codes.former[row]] == row
      && places.once.present[places.codes.present[place]] == place
  }
}
