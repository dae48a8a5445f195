/// A store whose file may have values that no field shows.
package protocol HiddenValuesStore: QueryableStore {
  /// The records with such values, in a few words: `5 records have values after the last column`; nil if there are
  /// none.
  var hiddenValues: String? { get }

  /// True if the file has such values for the record.
  ///
  /// - Throws: The error of a file that cannot be read.
  func hasHiddenValues(_ record: PersistentIdentifier) throws -> Bool
}
