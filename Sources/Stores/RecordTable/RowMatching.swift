import OpenSwiftData

/// Matches the records of two versions of a file that has no identifiers.
///
/// An equal record is the same record, whatever its position. Between two such records, those that
/// agree in the most values, and in at least half, count as one changed record. What is left is matched by a column whose
/// values are all different in both versions, as those of a key are. All others are new or deleted.
struct RowMatching {
  /// For each new row the former row of the same record; nil for a new record.
  private(set) var former: [Int32?]

  private let old: EntityTable
  private let new: EntityTable
  private let oldRows: [Int32]
  private let newRows: [Int32]
  /// The columns of attributes in both tables, in pairs.
  private let columns: [(old: Column, new: Column)]

  /// Compares the rows of two tables of one entity, given in the order of their files.
  ///
  /// - Complexity: O(n) in the number of values, expected.
  init(_ old: EntityTable, _ oldRows: [Int32], _ new: EntityTable, _ newRows: [Int32]) {
    (self.old, self.new, self.oldRows, self.newRows) = (old, new, oldRows, newRows)
    let common = new.entity.fields.enumerated().compactMap { slot, field in
      old.entity.layout.slot(of: field.name).map { (old: $0, new: slot) }
    }
    // Values of a column whose type has changed differ in all rows, although the file may have the same text.
    let sameType = common.filter {
      old.entity.fields[$0.old].type == new.entity.fields[$0.new].type
    }
    columns = (sameType.isEmpty ? common : sameType).map {
      (old.columns[$0.old], new.columns[$0.new])
    }
    former = Array(repeating: nil, count: newRows.count)
    let head = zip(oldRows, newRows).prefix { isSame($0, $1) }.count
    let rest = min(oldRows.count, newRows.count) - head
    let tail = zip(oldRows.reversed(), newRows.reversed()).prefix(rest)
      .prefix { isSame($0, $1) }.count
    for place in 0..<head { former[place] = oldRows[place] }
    for place in 0..<tail {
      former[newRows.count - 1 - place] = oldRows[oldRows.count - 1 - place]
    }
    let middle = head..<(newRows.count - tail)
    let taken = matchEqual(head..<(oldRows.count - tail), middle)
    matchBetween(head..<(oldRows.count - tail), middle, taken)
    matchByKey()
  }

  private func isSame(_ oldRow: Int32, _ newRow: Int32) -> Bool {
    columns.allSatisfy { $0.old.equals(Int(oldRow), $0.new, Int(newRow)) }
  }

  /// The number of equal values; 0 if these are less than half of the non-null ones.
  private func likeness(_ oldRow: Int32, _ newRow: Int32) -> Int {
    // With only one value to compare, the position decides.
    if columns.count == 1 { return 1 }
    var same = 0
    var count = 0
    for pair in columns where !(pair.old.isNull(Int(oldRow)) && pair.new.isNull(Int(newRow))) {
      count += 1
      if pair.old.equals(Int(oldRow), pair.new, Int(newRow)) { same += 1 }
    }
    return 2 * same >= count ? same : 0
  }

  /// Matches equal records at other positions; returns the positions of the former ones.
  private mutating func matchEqual(_ olds: Range<Int>, _ news: Range<Int>) -> Set<Int> {
    guard !olds.isEmpty, !news.isEmpty else { return [] }
    var places: [UInt64: [Int]] = [:]
    let (oldColumns, newColumns) = (columns.map(\.old), columns.map(\.new))
    for place in olds.reversed() {
      places[hash(oldColumns, oldRows[place]), default: []].append(place)
    }
    var taken: Set<Int> = []
    for place in news {
      let key = hash(newColumns, newRows[place])
      guard let found = places[key]?.last, isSame(oldRows[found], newRows[place]) else { continue }
      places[key]?.removeLast()
      taken.insert(found)
      former[place] = oldRows[found]
    }
    return taken
  }

  private func hash(_ columns: [Column], _ row: Int32) -> UInt64 {
    columns.reduce(0x9E37_79B9_7F4A_7C15) { hash, column in
      let value = column.isNull(Int(row)) ? 1 : column.hash(at: Int(row))
      return (hash ^ value) &* 0x0000_0100_0000_01B3 ^ (hash >> 29)
    }
  }

  /// Matches the remaining records between two matched ones.
  private mutating func matchBetween(
    _ olds: Range<Int>,
    _ news: Range<Int>,
    _ taken: Set<Int>
  ) {
    // The positions of the matched former rows.
    var placeOfRow: [Int32: Int] = [:]
    for place in taken { placeOfRow[oldRows[place]] = place }
    var place = news.lowerBound
    var next = olds.lowerBound
    while place < news.upperBound {
      if let row = former[place] {
        next = (placeOfRow[row] ?? next) + 1
        place += 1
        continue
      }
      let end = news[place...].first { former[$0] != nil } ?? news.upperBound
      let oldEnd =
        (next..<max(next, olds.upperBound)).first { taken.contains($0) }
        ?? max(next, olds.upperBound)
      matchAlike(next..<oldEnd, place..<end)
      place = end
    }
  }

  /// Longer ranges are compared position by position.
  private static let alikeLimit = 64

  /// Matches each of the new records with the most similar former one.
  private mutating func matchAlike(_ olds: Range<Int>, _ news: Range<Int>) {
    guard max(olds.count, news.count) <= Self.alikeLimit else {
      guard olds.count == news.count else { return }
      for (old, new) in zip(olds, news) where likeness(oldRows[old], newRows[new]) > 0 {
        former[new] = oldRows[old]
      }
      return
    }
    var left = Array(olds)
    for new in news {
      let alike = left.map { likeness(oldRows[$0], newRows[new]) }
      // Of equally good matches the first, so that records keep their order.
      guard let best = alike.max(), best > 0, let place = alike.firstIndex(of: best) else {
        continue
      }
      former[new] = oldRows[left.remove(at: place)]
    }
  }

  /// Matches the records that are left by the first column that could be a key.
  private mutating func matchByKey() {
    let matched = former.reduce(0) { $1 == nil ? $0 : $0 + 1 }
    guard columns.count > 1, matched < oldRows.count, matched < newRows.count else { return }
    let known = Set(former.compactMap { $0 })
    let olds = oldRows.filter { !known.contains($0) }
    let news = newRows.indices.filter { former[$0] == nil }
    for pair in columns where !olds.isEmpty {
      var rows: [UInt64: Int32] = [:]
      for row in olds where !pair.old.isNull(Int(row)) { rows[pair.old.hash(at: Int(row))] = row }
      let found = news.compactMap { place -> (place: Int, row: Int32)? in
        let new = Int(newRows[place])
        guard !pair.new.isNull(new), let row = rows[pair.new.hash(at: new)],
          pair.old.equals(Int(row), pair.new, new)
        else { return nil }
        return (place, row)
      }
      guard !found.isEmpty, isKey(pair.old, oldRows), isKey(pair.new, newRows) else { continue }
      for match in found { former[match.place] = match.row }
      return
    }
  }

  /// True if the rows have different values in the column, and none is missing.
  private func isKey(_ column: Column, _ rows: [Int32]) -> Bool {
    var seen: Set<UInt64> = []
    return rows.allSatisfy {
      !column.isNull(Int($0)) && seen.insert(column.hash(at: Int($0))).inserted
    }
  }
}
