/// A store to and from which records are copied.
///
/// Records that are copied from one store that keeps identifiers to another keep their keys: such a store holds records
/// under the identifiers with which they are inserted, whatever kind of key these have.
package protocol CopyingStore: QueryableStore {
  /// True if the records keep their identifiers, including in the file.
  var keepsIdentifiers: Bool { get }

  /// True if the records of an entity are identified only by their places, which say nothing elsewhere.
  func identifiesByPlace(_ entityName: String) -> Bool

  /// True if the records of an entity are the rows of a query, such as a view, which may take any time or fail.
  ///
  /// Only what names the entity reads them: they are not counted with those of others, and an identifier without its
  /// entity is none of theirs.
  func computesRecords(of entityName: String) -> Bool

  /// The identifier of an entity with this text: that of a record, if one has it.
  func identifier(parsing text: String, of entityName: String) -> PersistentIdentifier

  /// What the file has besides the fields of an entity, or of all entities and their records, one line each:
  /// `1 Film record has members outside the schema: extra, x`.
  ///
  /// - Complexity: O(size of the file) if there is something.
  func hiddenMembers(of entityName: String?) -> [String]

  /// What the store has besides records that a copy of the records lacks, such as `triggers (1: noted)`.
  var partsBesidesRecords: [String] { get }

  /// Copies all records of another store into this one, which has no records, in one transaction.
  ///
  /// Records keep their keys if both stores keep identifiers, and otherwise get new identifiers, in the order of
  /// the source; links refer to the copies of their records, and links to records that do not exist are dropped.
  ///
  /// - Returns: What was copied; nil if nothing was copied because the stores or their contents do not
  ///   allow it; then the caller inserts the records one by one.
  /// - Throws: `PersistenceError` if the records could not be saved.
  func copyRecords(of source: any QueryableStore, author: String?) throws -> CopiedRecords?

  // MARK: Later runs

  /// True if the save was made that left a trace, false if it was not; nil if that is not certain.
  ///
  /// A store whose file outlives the program calls `SaveWitness.note(_:)` in each save.
  ///
  /// - Throws: The error of a store that cannot be read.
  func holdsSave(_ trace: SaveTrace) throws -> Bool?

  // MARK: Types that follow from values

  /// Looks for values of other types in the records of a query; their fields then have a type for all values.
  ///
  /// Called before many records are read in parts, which would have values of different types otherwise.
  ///
  /// - Complexity: O(n) in the records of the query; once for each state of the store.
  func settleTypes(for query: Query) throws

  /// Chooses the types of the fields of an entity, if they wait for its first use because its values are computed.
  ///
  /// - Returns: True if fields have other types now.
  func readTypes(of entityName: String) throws -> Bool
}

extension CopyingStore {
  /// False: what is kept in memory ends with the program.
  package func holdsSave(_ trace: SaveTrace) throws -> Bool? { false }

  /// Does nothing: the types are those of the schema.
  package func settleTypes(for query: Query) throws {}

  /// False: the types are those of the schema.
  package func readTypes(of entityName: String) throws -> Bool { false }

  /// Nothing: most files have records only.
  package func hiddenMembers(of entityName: String?) -> [String] { [] }

  /// Nothing: most files have records only.
  package var partsBesidesRecords: [String] { [] }

  /// Nil: the caller inserts the records.
  package func copyRecords(of source: any QueryableStore, author: String?) throws -> CopiedRecords?
  { nil }

  /// Returns false.
  package func identifiesByPlace(_ entityName: String) -> Bool { false }

  /// Returns false.
  package func computesRecords(of entityName: String) -> Bool { false }

  /// Returns that of a number, a record key or a UUID if the text looks like one, else of the text itself.
  package func identifier(parsing text: String, of entityName: String) -> PersistentIdentifier {
    IdentifierScope(store: identifier, entity: entityName).identifier(parsing: text)
  }
}

extension DataStore {
  /// True if the store declares that its records keep their identifiers.
  package var isIdentifierKeeping: Bool {
    (self as? any CopyingStore)?.keepsIdentifiers ?? false
  }

  /// The identifier of an entity with this text: that of a record, if one has it.
  package func recordIdentifier(_ text: String, of entityName: String) -> PersistentIdentifier {
    (self as? any CopyingStore)?.identifier(parsing: text, of: entityName)
      ?? IdentifierScope(store: identifier, entity: entityName).identifier(parsing: text)
  }

  /// True if the store declares that the identifiers of an entity are only the places of the records.
  package func isIdentifyingByPlace(_ entityName: String) -> Bool {
    (self as? any CopyingStore)?.identifiesByPlace(entityName) ?? false
  }

  /// True if the store declares that the records of an entity are the rows of a query.
  package func isComputingRecords(of entityName: String) -> Bool {
    (self as? any CopyingStore)?.computesRecords(of: entityName) ?? false
  }
}

/// The result of copying a store.
package struct CopiedRecords: Hashable, Sendable {
  /// The number of records.
  package let count: Int
  /// The number of links to records that do not exist, which were dropped.
  package let lostLinks: Int

  /// Creates a result.
  package init(count: Int, lostLinks: Int) {
    self.count = count
    self.lostLinks = lostLinks
  }
}
