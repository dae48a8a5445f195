/// A store whose file may have values that no field shows.
package protocol HiddenValuesStore: QueryableStore {
  /// The number of records with such values.
  var hiddenValuesCount: Int { get }

  /// True if the file has such values for the record.
  ///
  /// - Throws: The error of a file that cannot be read.
  func hasHiddenValues(_ record: PersistentIdentifier) throws -> Bool

  /// What the file has besides the fields of an entity, or of all entities and their records, one line each:
  /// `1 Film record has members outside the schema: extra, x`.
  ///
  /// - Complexity: O(size of the file) if there is something.
  func hiddenMembers(of entityName: String?) -> [String]

  /// What a store has besides records that a copy of the records lacks, such as `triggers (1: noted)`.
  var partsBesidesRecords: [String] { get }
}

extension HiddenValuesStore {
  /// Nothing: most files have records only.
  package var partsBesidesRecords: [String] { [] }

  /// The records with such values, in a few words: `5 records have values after the last column`; nil if there are
  /// none.
  package var hiddenValues: String? {
    let count = hiddenValuesCount
    guard count > 0 else { return nil }
    return "\(count == 1 ? "1 record has" : "\(count) records have") values after the last column"
  }
}
