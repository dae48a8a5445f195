import OpenSwiftData

/// Records that another program has changed and that nobody has looked at yet.
struct UnseenChanges: Sendable {
  /// The maximum number of changed records that are marked.
  private static let mostRecords = 10_000

  /// By record, the positions of the values that are known to differ.
  private var records: [PersistentIdentifier: Set<Int>] = [:]
  /// The values on the screen before the changes are read.
  private var compared: [PersistentIdentifier: [Value]] = [:]
  /// The record under the cursor when the table was last updated.
  private var visited: PersistentIdentifier?

  /// True if everything was looked at.
  var isEmpty: Bool { records.isEmpty }

  /// The positions of the values of a record that are known to differ; nil for a record that was looked at.
  subscript(record: PersistentIdentifier) -> Set<Int>? { records[record] }

  /// Marks changed records, and remembers the values on the screen, with which the new ones are compared.
  mutating func note(_ changed: Set<PersistentIdentifier>, shown rows: [TableRow]) {
    for row in rows where !row.values.isEmpty { compared[row.identifier] = row.values }
    guard changed.count + records.count <= Self.mostRecords else { return }
    for record in changed where records[record] == nil { records[record] = [] }
  }

  /// Marks the values of a row that another program has changed.
  mutating func compare(_ row: TableRow) {
    guard let former = compared.removeValue(forKey: row.identifier),
      former.count == row.values.count
    else { return }
    let changed = former.indices.filter { former[$0] != row.values[$0] }
    if !changed.isEmpty { records[row.identifier, default: []].formUnion(changed) }
  }

  /// Unmarks the record that the cursor has left.
  mutating func visit(_ record: PersistentIdentifier?) {
    guard let record, record != visited else { return }
    if let visited { records[visited] = nil }
    visited = record
  }

  /// Unmarks all changes.
  mutating func forget() { (records, compared) = ([:], [:]) }
}
