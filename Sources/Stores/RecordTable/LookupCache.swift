import OpenSwiftData
import Synchronization

/// Indexes of values and keys that an entity's repeated queries have built.
///
/// It belongs to one state of the rows. A table that changes drops it and starts with a new one;
/// unchanged copies of the table may share it.
final class LookupCache: Sendable {
  private struct State {
    /// How often the values of each column were scanned.
    var scans: [Int: Int] = [:]
    var values: [Int: ValueIndex] = [:]
    var keyScans = 0
    var keys: KeyOrder?
    var ranks: [Int32]?
    /// The results of the last filters of texts, the newest last.
    var selections: [Selection] = []
    /// The number of rows scanned, for answers or indexes, since this state began.
    var work = 0
  }

  /// The rows that a filter found.
  struct Selection {
    let filter: Filter
    let rows: Bitmap
  }

  /// The number of results that are kept: about those of a word while it is typed.
  private static let selectionLimit = 8
  /// The number of full scans before an index is worthwhile.
  private static let patience = 4
  /// The maximum number of columns that are indexed at a time.
  private static let columnLimit = 8

  private let state = Mutex(State())

  /// The number of rows scanned since the rows last changed; for tests.
  var work: Int { state.withLock { $0.work } }

  /// The index of a column; nil if it is not worthwhile yet, so that the caller scans the rows.
  func values(of slot: Int, in column: Column, _ present: () -> Bitmap) -> ValueIndex? {
    state.withLock { state in
      if let index = state.values[slot] { return index }
      state.work += column.count
      state.scans[slot, default: 0] += 1
      guard state.scans[slot, default: 0] > Self.patience, state.values.count < Self.columnLimit
      else { return nil }
      let index = ValueIndex(column, present())
      state.values[slot] = index
      return index
    }
  }

  /// The index of a column, if earlier queries have built it.
  func knownValues(of slot: Int) -> ValueIndex? { state.withLock { $0.values[slot] } }

  /// The order of the keys; nil if it is not worthwhile yet.
  func order(of keys: KeyColumn) -> KeyOrder? {
    state.withLock { state in
      if let order = state.keys { return order }
      state.work += keys.count
      state.keyScans += 1
      guard state.keyScans > Self.patience else { return nil }
      let order = KeyOrder(keys)
      state.keys = order
      return order
    }
  }

  /// The newest result of a filter that the given one narrows, or of the same one; nil if there is none.
  func selection(for filter: Filter) -> Selection? {
    let known = state.withLock { $0.selections }
    return known.last { $0.filter == filter } ?? known.last { filter.implies($0.filter) }
  }

  /// Keeps the result of a filter.
  func note(_ selection: Selection) {
    state.withLock { state in
      if state.selections.count == Self.selectionLimit { state.selections.removeFirst() }
      state.selections.append(selection)
    }
  }

  /// The position of each row in the order.
  func ranks(in order: [Int32]) -> [Int32] {
    state.withLock { state in
      if let ranks = state.ranks { return ranks }
      var ranks = [Int32](repeating: 0, count: order.count)
      for (place, row) in order.enumerated() { ranks[Int(row)] = Int32(place) }
      state.work += order.count
      state.ranks = ranks
      return ranks
    }
  }
}
