/// A trusted store that finds a few records in less time than a query or a dictionary of records takes.
package protocol DirectReading: Sendable {
  /// The record with an identifier, with all values; nil if it does not exist.
  ///
  /// - Throws: As `snapshots(for:attributes:)` of `QueryableStore`.
  func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot?

  /// The records for which a comparison with `=` holds, with all values and in order, if there are only a few and the
  /// store finds them without looking at the others; nil for a query.
  ///
  /// - Throws: As `snapshots(matching:)` of `QueryableStore`.
  func fewSnapshots(of entityName: String, where attribute: String, equals value: Value) throws
    -> [DefaultSnapshot]?
}
