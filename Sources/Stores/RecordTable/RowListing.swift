import OpenSwiftData
import Synchronization

/// Identifies how the rows of a table are numbered, and leads to the numbers after the table was compacted.
final class RowNumbering: Sendable {
  private struct Successor {
    let numbering: RowNumbering
    /// The new number of each row; -1 for rows that are gone.
    let numbers: [Int32]
  }

  private let successor = Mutex<Successor?>(nil)

  /// Notes new numbers, which another numbering identifies.
  func end(with numbers: [Int32]) -> RowNumbering {
    let new = RowNumbering()
    successor.withLock { $0 = Successor(numbering: new, numbers: numbers) }
    return new
  }

  /// The numbers of rows under another numbering; nil if this one does not lead there.
  func translated(_ rows: [Int32], to other: RowNumbering) -> [Int32]? {
    var rows = rows
    var current = self
    while current !== other {
      guard let next = current.successor.withLock({ $0 }) else { return nil }
      rows = rows.map { $0 < 0 ? -1 : next.numbers[Int($0)] }
      current = next.numbering
    }
    return rows
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

  /// Lists the rows of a table that match.
  ///
  /// - Throws: As `RecordTable.snapshots(matching:)`.
  init(_ query: Query, in table: EntityTable) throws {
    numbering = table.numbering
    if query.sort.isEmpty, table.order == nil {
      let selected = query.filter == .all ? table.live : try table.select(query.filter)
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
    var low = 0
    var high = before.count
    while low < high {
      let middle = (low + high) / 2
      if before[middle] <= Int32(position) { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
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

  /// The nearest position from `start` on, or back, whose row is in a set.
  ///
  /// - Complexity: O(n) in the positions up to the result, 64 at a time in natural order.
  func position(in matches: Bitmap, from start: Int, isForward: Bool) -> Int? {
    guard start >= 0, start < count else { return nil }
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
    let all = rows(in: 0..<count)
    guard let translated = numbering.translated(all, to: table.numbering) else { return false }
    rows = .sorted(translated)
    positions = []
    numbering = table.numbering
    return true
  }
}
