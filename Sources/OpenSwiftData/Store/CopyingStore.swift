/// A store that can copy the records of another store without a snapshot for each.
package protocol CopyingStore: IdentifierKeepingStore {
  /// Copies all records of another store into this one, which has no records, in one transaction.
  ///
  /// Records keep their keys if both stores keep identifiers, and otherwise get new identifiers, in the order of
  /// the source; links refer to the copies of their records, and links to records that do not exist are dropped.
  ///
  /// - Returns: What was copied; nil if nothing was copied because the stores or their contents do not
  ///   allow it; then the caller inserts the records one by one.
  /// - Throws: `PersistenceError` if the records could not be saved.
  func copyRecords(of source: any QueryableStore, author: String?) throws -> CopiedRecords?
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
