/// A store whose file has no identifiers, so that records are found again in another program's version of it.
package protocol RecordMatchingStore: QueryableStore {
  /// Why it is not certain what became of records that have been read; records without a doubt are left out.
  func doubts(about identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: RecordDoubt]

  /// The fields by which the records of an entity are known; empty if they are known as a whole or by a guess.
  func keyFields(of entityName: String) -> [String]

  /// Short texts that tell whether records known by their position are still the same; nothing for other records.
  ///
  /// - Complexity: O(n) in the number of values of their entities.
  func checks(of identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: String]

  /// True if other programs have added records since the store was opened.
  var hasNewcomers: Bool { get }

  /// The records that other programs have added since the store was opened, by those of the keys that they have.
  ///
  /// - Complexity: O(n) in the number of added records.
  func newcomers(of entityName: String, withKeys keys: Set<[String]>) -> [[String]:
    PersistentIdentifier]

  /// The records of another such file that are those of an entity here for certain; nil if that is not known.
  ///
  /// - Throws: The error of a store that cannot be read.
  func counterparts(of entityName: String, in other: any QueryableStore, _ otherName: String) throws
    -> RecordCounterparts?

  /// Lets these fields alone decide which record is which, until other ones are named.
  ///
  /// With several keys, all of them must lead to the same record.
  func identify(_ entityName: String, by keys: [[String]])
}

/// The records that two files without identifiers have in common.
package struct RecordCounterparts: Sendable {
  /// By the record of the other file, the one here.
  package let records: [PersistentIdentifier: PersistentIdentifier]
  /// The number of records here of which it is not certain which they are there.
  package let unsureCount: Int

  /// Creates the pairs.
  package init(_ records: [PersistentIdentifier: PersistentIdentifier], unsureCount: Int) {
    (self.records, self.unsureCount) = (records, unsureCount)
  }
}
