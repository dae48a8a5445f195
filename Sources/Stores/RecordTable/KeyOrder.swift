import OpenSwiftData

/// The rows of an entity in the order of their keys' text, for finding keys by prefix.
struct KeyOrder: Sendable {
  private var rows: [Int32]

  /// Orders all rows, dead ones included.
  ///
  /// - Complexity: O(n log n).
  init(_ keys: KeyColumn) {
    let texts = (0..<keys.count).map { (text: keys[$0].description, row: Int32($0)) }
    rows = texts.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }.map(\.row)
  }

  /// Calls the body with the rows whose key starts with the text, until it returns false.
  ///
  /// - Complexity: O(log n), and O(1) for each row.
  func forEachRow(beginningWith text: String, in keys: KeyColumn, _ body: (Int) -> Bool) {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      let other = keys[Int(rows[middle])].description
      if other.utf8.lexicographicallyPrecedes(text.utf8) { low = middle + 1 } else { high = middle }
    }
    while low < rows.count, keys[Int(rows[low])].description.utf8.starts(with: text.utf8) {
      guard body(Int(rows[low])) else { return }
      low += 1
    }
  }
}
