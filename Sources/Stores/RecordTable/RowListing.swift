import OpenSwiftData
import Synchronization

/// Identifies how the rows of a table are numbered, and leads to the numbers after the table was compacted or read
/// again.
///
/// What follows is held by what it replaces, so that it takes no space unless a listing still uses the former numbers.
final class RowNumbering: Sendable {
  private struct Successor {
    let numbering: RowNumbering
    /// The new number of each row, -1 for rows that are gone; nil if only the keys lead to the new rows.
    let numbers: [Int32]?
    /// The keys of the former rows.
    let keys: KeyColumn
  }

  private let successor = Mutex<Successor?>(nil)

  /// Notes new numbers, which another numbering identifies.
  func end(with numbers: [Int32], keys: KeyColumn) -> RowNumbering {
    let new = RowNumbering()
    successor.withLock { $0 = Successor(numbering: new, numbers: numbers, keys: keys) }
    return new
  }

  /// Notes that another table with the records of the same store took the place of the one with these keys.
  func end(with other: RowNumbering, keys: KeyColumn) {
    successor.withLock { $0 = Successor(numbering: other, numbers: nil, keys: keys) }
  }

  /// Rows, and the identifiers of the records that have none, by their places among the rows.
  struct Followed {
    /// The number of each row; -1 for records without a row.
    var rows: [Int32]
    var gone: [Int: PersistentIdentifier]
  }

  /// Follows rows to the numbers that a table has now; nil if this numbering does not lead there.
  ///
  /// - Complexity: O(n), and O(n log n) if the table was read again.
  func follow(_ former: Followed, to table: EntityTable) -> Followed? {
    var followed = former
    var current = self
    while current !== table.numbering {
      guard let next = current.successor.withLock({ $0 }) else { return nil }
      let isLast = next.numbering === table.numbering
      for (place, row) in followed.rows.enumerated() where row >= 0 {
        let key = { next.keys[Int(row)] }
        var number = next.numbers?[Int(row)] ?? -1
        if number < 0, isLast, next.numbers == nil {
          number = table.anyRow(of: key()).map(Int32.init) ?? -1
        }
        if number < 0 { followed.gone[place] = key() }
        followed.rows[place] = number
      }
      current = next.numbering
    }
    for (place, identifier) in followed.gone {
      guard let row = table.anyRow(of: identifier) else { continue }
      followed.rows[place] = Int32(row)
      followed.gone[place] = nil
    }
    return followed
  }
}

/// The rows of a table that matched a query, in order.
///
/// Rows in natural order are a bit each, sorted ones four bytes.
struct RowListing: Sendable {
  private enum Rows: Sendable {
    /// The selected rows in the order of their numbers, with the number of rows before each word.
    case selected(Bitmap, before: [Int32])
    case sorted([Int32])
  }

  private var rows: Rows
  /// The position of each row, for sorted rows; made when it is needed.
  private var positions: [Int32] = []
  private(set) var numbering: RowNumbering
  let count: Int
  /// The records whose rows are gone since the table was compacted or read again, by their positions.
  private var gone: [Int: PersistentIdentifier] = [:]
  private var gonePositions: [PersistentIdentifier: Int] = [:]

  /// Lists the rows of a table that match.
  ///
  /// - Throws: As `RecordTable.snapshots(matching:)`.
  init(_ query: Query, in table: EntityTable) throws {
    numbering = table.numbering
    if query.sort.isEmpty, table.order == nil {
      let selected = try table.selection(query.filter)
      var before: [Int32] = []
      before.reserveCapacity(selected.words.count)
      var passed: Int32 = 0
      for word in selected.words {
        before.append(passed)
        passed += Int32(word.nonzeroBitCount)
      }
      rows = .selected(selected, before: before)
      count = Int(passed)
    } else {
      let sorted = try table.rows(matching: query)
      rows = .sorted(sorted)
      count = sorted.count
    }
  }

  /// The identifiers of a range of positions, each with the row of the record; -1 if it was deleted.
  func page(_ range: Range<Int>, in table: EntityTable) -> [(
    identifier: PersistentIdentifier, row: Int32
  )] {
    let start = range.clamped(to: 0..<count).lowerBound
    return rows(in: range).enumerated().map { place, row in
      if row >= 0 {
        return (table.keys[Int(row)], table.live[Int(row)] ? row : -1)
      }
      guard let identifier = gone[start + place] else {
        preconditionFailure("a record without a row is named")
      }
      return (identifier, table.row(of: identifier).map(Int32.init) ?? -1)
    }
  }

  /// The rows of a range of positions; -1 for those that are gone since the table was compacted.
  func rows(in range: Range<Int>) -> [Int32] {
    let range = range.clamped(to: 0..<count)
    switch rows {
    case .sorted(let sorted): return Array(sorted[range])
    case .selected(let selected, let before):
      guard !range.isEmpty else { return [] }
      var found: [Int32] = []
      found.reserveCapacity(range.count)
      var place = Self.word(of: range.lowerBound, before)
      while found.count < range.count, place < selected.words.count {
        var rest = selected.words[place]
        var passed = Int(before[place])
        while rest != 0, passed < range.upperBound {
          if passed >= range.lowerBound {
            found.append(Int32(place << 6 | rest.trailingZeroBitCount))
          }
          rest &= rest &- 1
          passed += 1
        }
        place += 1
      }
      return found
    }
  }

  /// The word with the row of a position.
  private static func word(of position: Int, _ before: [Int32]) -> Int {
    max(0, before.indices.partitioningIndex { before[$0] > Int32(position) } - 1)
  }

  /// The position of a record; nil if it is not listed.
  ///
  /// - Complexity: O(log n); O(n) for the first call with sorted rows.
  mutating func position(of identifier: PersistentIdentifier, in table: EntityTable) -> Int? {
    table.anyRow(of: identifier).flatMap { position(of: $0) } ?? gonePositions[identifier]
  }

  /// The position of a row; nil if it is not listed.
  ///
  /// - Complexity: O(1); O(n) for the first call with sorted rows.
  mutating func position(of row: Int) -> Int? {
    switch rows {
    case .selected(let selected, let before):
      guard row < selected.count, selected[row] else { return nil }
      let earlier = selected.words[row >> 6] & ((1 << UInt64(row & 63)) - 1)
      return Int(before[row >> 6]) + earlier.nonzeroBitCount
    case .sorted(let sorted):
      if positions.isEmpty, let last = sorted.max() {
        positions = Array(repeating: -1, count: Int(last) + 1)
        for (place, row) in sorted.enumerated() where row >= 0 {
          positions[Int(row)] = Int32(place)
        }
      }
      guard row < positions.count, positions[row] >= 0 else { return nil }
      return Int(positions[row])
    }
  }

  /// The nearest position from `start` on, or back, whose record is in a set of rows.
  ///
  /// - Complexity: O(n) in the positions up to the result, 64 at a time in natural order.
  func position(in matches: Bitmap, of table: EntityTable, from start: Int, isForward: Bool) -> Int?
  {
    let found = position(in: matches, from: start, isForward: isForward)
    if gone.isEmpty { return found }
    // Records that were deleted, and inserted again after their rows were gone.
    let others = gone.compactMap { position, identifier in
      let isAhead = isForward ? position >= start : position <= start
      return isAhead && table.row(of: identifier).map { matches[$0] } ?? false ? position : nil
    }
    let all = others + (found.map { [$0] } ?? [])
    return isForward ? all.min() : all.max()
  }

  /// The nearest position from `start` on, or back, whose row is in a set.
  ///
  /// - Complexity: O(n) in the positions up to the result, 64 at a time in natural order.
  func position(in matches: Bitmap, from start: Int, isForward: Bool) -> Int? {
    guard isForward ? start < count : start >= 0, count > 0 else { return nil }
    let start = max(0, min(start, count - 1))
    switch rows {
    case .sorted(let sorted):
      let places = isForward ? Array(start..<count) : (0...start).reversed()
      return places.first {
        let row = Int(sorted[$0])
        return row >= 0 && row < matches.count && matches[row]
      }
    case .selected(let selected, let before):
      guard let first = rows(in: start..<(start + 1)).first else { return nil }
      var place = Int(first) >> 6
      let offset = UInt64(first & 63)
      var mask: UInt64 = isForward ? .max << offset : .max >> (63 - offset)
      while selected.words.indices.contains(place), matches.words.indices.contains(place) {
        let word = selected.words[place]
        let found = word & matches.words[place] & mask
        if found != 0 {
          let bit = isForward ? found.trailingZeroBitCount : 63 - found.leadingZeroBitCount
          return Int(before[place]) + (word & ((1 << UInt64(bit)) - 1)).nonzeroBitCount
        }
        mask = .max
        place += isForward ? 1 : -1
      }
      return nil
    }
  }

  /// Follows the table to new row numbers; false if that is impossible.
  mutating func follow(_ table: EntityTable) -> Bool {
    guard table.numbering !== numbering else { return true }
    let former = RowNumbering.Followed(rows: rows(in: 0..<count), gone: gone)
    guard let followed = numbering.follow(former, to: table) else { return false }
    rows = .sorted(followed.rows)
    gone = followed.gone
    gonePositions = Dictionary(
      gone.map { ($0.value, $0.key) },
      uniquingKeysWith: { first, _ in first }
    )
    positions = []
    numbering = table.numbering
    return true
  }
}
