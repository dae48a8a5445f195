/// What can be read of the records of a store, or of a view of it.
package protocol RecordReading: Sendable {
  /// The records that match, in order.
  func snapshots(matching query: Query) throws -> [DefaultSnapshot]
  /// The identifiers of the records that match, in order.
  func identifiers(matching query: Query) throws -> [PersistentIdentifier]
  /// The number of records that match.
  func count(matching query: Query) throws -> Int
  /// The records with these identifiers, as far as they are there.
  func snapshots(for identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: DefaultSnapshot]
  /// At most so many records whose identifier's text begins so.
  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int)
    -> [PersistentIdentifier]
}

/// The records of a store as they would be after unsaved changes of the schema.
package struct StagedRecords: Sendable {
  /// The records at one moment.
  package let records: any RecordReading
  /// Tells whether the store has changed since; see `StagingStore`.
  package let stamp: [Int64]

  /// Creates a view.
  package init(records: any RecordReading, stamp: [Int64]) {
    self.records = records
    self.stamp = stamp
  }
}

/// A store that can show its records under another schema, and writes a change of the schema together
/// with changes of records, all or none.
package protocol StagingStore: QueryableStore {
  /// True when the store has a schema and no file yet: then a save without changes writes it.
  var isUnwritten: Bool { get }

  /// False when the store has a file that holds records only, in which a schema is gone when it is opened
  /// again.
  var keepsSchema: Bool { get }

  /// Checks that the store can keep what the steps make of its schema.
  ///
  /// - Throws: `PersistenceError` that says why not.
  func check(_ steps: [SchemaStep]) throws

  /// The records as they would be after the steps; what was shown last is answered again while the store
  /// has not changed.
  ///
  /// Steps that are not possible any more are left out.
  ///
  /// - Complexity: O(n) in the records of the entities concerned when something has changed.
  func staged(_ steps: [SchemaStep], known: StagedRecords?) throws -> StagedRecords

  /// Changes the schema and then the records, which have the layouts from after the steps, as one
  /// transaction.
  ///
  /// - Throws: `PersistenceError`; nothing is changed then. `.conflict` when a step is not possible any
  ///   more.
  func commit(_ changes: ChangeSet, after steps: [SchemaStep], author: String?) throws
    -> CommitResult
}

extension StagingStore {
  /// Every store that can do it in memory only has written all it has.
  package var isUnwritten: Bool { false }
  /// Nearly every store keeps its schema.
  package var keepsSchema: Bool { true }
}
