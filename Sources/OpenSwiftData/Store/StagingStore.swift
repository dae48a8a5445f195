/// Read access to the records of a store or of a view of it.
package protocol RecordReading: PageReading {
  /// The records that match, in order.
  func snapshots(matching query: Query) throws -> [DefaultSnapshot]
  /// The identifiers of the records that match, in order.
  func identifiers(matching query: Query) throws -> [PersistentIdentifier]
  /// The number of records that match.
  func count(matching query: Query) throws -> Int
  /// The records that match, by position; nil if a list of their identifiers is as good.
  func listing(matching query: Query) throws -> (any Listing)?
  /// The existing records with these identifiers.
  func snapshots(for identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: DefaultSnapshot]
  /// The existing records with these identifiers, as in `QueryableStore`.
  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  /// The records whose identifier begins with the text, up to the limit.
  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int)
    -> [PersistentIdentifier]
}

extension RecordReading {
  /// Nil: the identifiers of records in memory are at hand.
  package func listing(matching query: Query) throws -> (any Listing)? { nil }
}

/// The records of a store as they would be after unsaved changes of the schema.
package struct StagedRecords: Sendable {
  /// The records at one moment.
  package let records: any RecordReading
  /// Identifies the state of the store, to detect changes; see `StagingStore`.
  package let stamp: [Int64]

  /// Creates a view.
  package init(records: any RecordReading, stamp: [Int64]) {
    self.records = records
    self.stamp = stamp
  }
}

/// Reads the records as they would be after steps, while no other program can save.
package struct StagedReading {
  /// Calls a body with the records that match, page by page, as they would be after the steps.
  package typealias Pages = (Query, [SchemaStep], (any RecordPage) throws -> Void) throws -> Void

  /// Reads records by their identifiers.
  package typealias Snapshots = ([PersistentIdentifier], [String]) throws
    -> [PersistentIdentifier: DefaultSnapshot]

  /// Compares records with the stored ones.
  package typealias Doubts = ([DefaultSnapshot]) throws -> [PersistentIdentifier: RecordDoubt]

  /// Identifies the state of the store, as in `StagedRecords`.
  package let stamp: [Int64]
  /// Identifies the content, as `StagingStore.contentStamp` does.
  package let contentStamp: [Int64]
  package let forEachPage: Pages
  /// The existing ones of these records with values of these fields, without the steps.
  package let snapshots: Snapshots
  /// Why records, given as they were read, may be other ones now, as in `KeyCheckingStore`.
  package let doubts: Doubts

  /// Creates a way to read.
  package init(
    stamp: [Int64],
    contentStamp: [Int64],
    forEachPage: @escaping Pages,
    snapshots: @escaping Snapshots,
    doubts: @escaping Doubts = { _ in [:] }
  ) {
    (self.stamp, self.contentStamp) = (stamp, contentStamp)
    (self.forEachPage, self.snapshots, self.doubts) = (forEachPage, snapshots, doubts)
  }
}

/// A store that can show its records under another schema and save schema and record changes atomically.
package protocol StagingStore: QueryableStore, PageReading {
  /// True when the store has a schema but no file yet, so even a save without changes writes it.
  var isUnwritten: Bool { get }

  /// False when the file holds records only, so the schema is lost when the store is closed.
  var keepsSchema: Bool { get }

  /// False when the tables belong to another program, so no change of the schema can be saved.
  var allowsSchemaChanges: Bool { get }

  /// True when the store itself keeps links valid, as the tables of another program do with foreign keys.
  var enforcesLinks: Bool { get }

  /// False when the stamps of views do not tell whether records have changed.
  var stampsTellContents: Bool { get }

  /// Identifies the content as this process has read it; another one after a save that it has not read yet.
  var contentStamp: [Int64] { get }

  /// Checks that the store can save the schema that results from the steps.
  ///
  /// - Throws: `PersistenceError` with the reason if it cannot.
  func check(_ steps: [SchemaStep]) throws

  /// The records as they would be after the steps; returns `known` again if the store has not changed.
  ///
  /// Steps that no longer apply are skipped.
  ///
  /// - Complexity: O(n) in the records of the affected entities if something has changed.
  func staged(_ steps: [SchemaStep], known: StagedRecords?) throws -> StagedRecords

  /// True if the store takes over new records in columns.
  var takesColumns: Bool { get }

  /// True if the store can rehearse a save.
  var canRehearse: Bool { get }

  /// Changes the schema and then the records in one transaction, or rehearses that.
  ///
  /// - Returns: The result of the save; of a rehearsal the result that the save would have, whose identifiers no record
  ///   gets. Nil, with nothing saved, if columns have to be saved as changes: they may break a rule, which that save then
  ///   reports.
  /// - Throws: `PersistenceError`, with code `.conflict` when a step no longer applies, or the error of the check;
  ///   nothing is changed then.
  /// - Precondition: The store takes columns, or can rehearse, if it is asked to.
  func commit(_ request: CommitRequest) throws -> CommitResult?
}

extension StagingStore {
  /// False: a store without a file has nothing to write.
  package var isUnwritten: Bool { false }
  /// True: nearly every store saves its schema.
  package var keepsSchema: Bool { true }
  /// True: the stores in memory count their changes.
  package var stampsTellContents: Bool { true }
  /// False: contexts keep the links of nearly every store valid.
  package var enforcesLinks: Bool { false }
  /// True: nearly every store has a schema of its own.
  package var allowsSchemaChanges: Bool { true }

  /// False: most stores get changes of records.
  package var takesColumns: Bool { false }
  /// False: most stores cannot undo what they have written.
  package var canRehearse: Bool { false }

  /// Saves changes of the schema and of records.
  ///
  /// - Throws: As `commit(_:)`.
  package func commit(
    _ changes: ChangeSet,
    after steps: [SchemaStep],
    author: String?,
    message: String? = nil
  ) throws -> CommitResult {
    try commit(CommitRequest(.changes(changes), after: steps, author: author, message: message))
      ?? CommitResult()
  }
}
