/// A store of this package whose records are not checked when a context reads them.
///
/// Its records always have the layouts of their entities and values of the kinds of their fields, because it
/// holds them in columns of these kinds, or, during a migration, because other code checks them.
package protocol TrustedStore: QueryableStore {
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

extension TrustedStore {
  /// Looks the record up as others are.
  package func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try snapshots(for: [identifier], attributes: nil)[identifier]
  }

  /// Nil: such a store is asked with a query.
  package func fewSnapshots(of entityName: String, where attribute: String, equals value: Value)
    throws -> [DefaultSnapshot]?
  { nil }
}
