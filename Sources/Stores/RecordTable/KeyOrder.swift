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
    let first = rows.indices.partitioningIndex {
      !keys[Int(rows[$0])].description.utf8.lexicographicallyPrecedes(text.utf8)
    }
    for row in rows[first...] {
      guard keys[Int(row)].description.utf8.starts(with: text.utf8), body(Int(row)) else { return }
    }
  }
}
