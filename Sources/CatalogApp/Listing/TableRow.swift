package import OpenSwiftData

/// One record as the table shows it.
package struct TableRow: Hashable, Sendable {
  /// The identifier of the record.
  package let identifier: PersistentIdentifier
  /// The values in the order of the entity's attributes; empty if the record no longer exists.
  package let values: [Value]
  /// The effect of the next save on it.
  package let pending: ModelContext.PendingKind?
  /// The positions of the values that the next save changes.
  package var changed: Set<Int> = []
  /// The values at the paths that the table shows, by path; without those that are missing.
  package var paths: [String: Value] = [:]
  /// The titles of the records that it refers to, by record.
  package var titles: [PersistentIdentifier: String] = [:]

  /// The number of records whose titles are shown in one cell.
  static let linkLimit = 5
}
