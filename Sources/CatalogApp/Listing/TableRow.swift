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
  /// The values at the paths and in the computed columns that the table shows, by name; without those that are missing.
  package var paths: [String: Value] = [:]
  /// Why computed columns have no value, by name.
  package var failures: [String: String] = [:]
  /// The titles of the records that it refers to, by record.
  package var titles: [PersistentIdentifier: String] = [:]

  /// The value of a field; nil if the record no longer exists, and for what is not a field.
  func value(at slot: Int) -> Value? { values.indices.contains(slot) ? values[slot] : nil }

  /// The number of records whose titles are shown in one cell.
  static let linkLimit = 5
}
