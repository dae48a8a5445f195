import CXXHash
import OpenSwiftData

/// Tells whether a row is still the one that a list has shown.
///
/// Four characters stand for 20 bits of a hash of the values of the key, or of all values without one. So a change of
/// another value of a record with a key leaves its check alone.
struct RowCheck: Sendable {
  private let table: EntityTable
  private let slots: [Int]

  /// Prepares for the rows of a table.
  ///
  /// - Complexity: O(n) in the number of values, to find the key.
  init(_ table: EntityTable) {
    self.table = table
    let known = KeyFields(of: table).sure.compactMap { table.entity.layout.slot(of: $0) }
    slots = known.isEmpty ? Array(table.columns.indices) : known
  }

  /// The check of a row.
  func text(ofRow row: Int) -> String {
    var bytes = Array(table.entity.name.utf8)
    for slot in slots {
      let text = table.columns[slot].value(at: row).spelledAlike
      if text.isEmpty { continue }
      bytes.append(0)
      bytes += table.entity.fields[slot].name.utf8
      bytes.append(1)
      bytes += text.utf8
    }
    let hash = bytes.withUnsafeBytes { catalog_xxh3($0.baseAddress, $0.count, 0) }
    return String((0..<4).map { Self.letters[Int(hash >> (5 * UInt64($0)) & 31)] })
  }

  private static let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
}
