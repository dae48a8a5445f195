/// A store of which the file is a text that other programs write, too: values have spellings, records may have no
/// identifiers, and the types of the fields may follow from the values.
package protocol TextBackedStore: StagingStore {
  /// How its file is read; nil for a file that can be read in one way only.
  var reading: FileReading? { get }

  /// The token of the last transaction from before the store was opened; 0 if there is none, nil without a history.
  ///
  /// Reads the history, which is not read before it is needed.
  var lastEarlierToken: Int64? { get }

  // MARK: Spelling

  /// True if the file has texts only, whose types follow from them: separated values.
  var hasOnlyTexts: Bool { get }

  /// Calls the body with the values of a field whose text in the file is another one than that of the value.
  ///
  /// Values of texts and links are left out, and so is everything if another program has changed the file.
  ///
  /// - Parameters:
  ///   - attribute: The saved name of the field.
  ///   - entityName: The entity.
  ///   - body: Receives a record, its value in the store, and the text in the file.
  /// - Throws: The error of a file that cannot be read, or what the body throws.
  /// - Complexity: O(size of the file).
  func forEachSpelling(
    of attribute: String,
    entityName: String,
    _ body: (PersistentIdentifier, Value, String) throws -> Void
  ) throws

  // MARK: Types that follow from values

  /// Lets fields have types that can hold values of others as well, as if the file had such values.
  ///
  /// - Parameter types: The types of these values, by entity and field.
  /// - Returns: True if fields have other types now; false in particular for a file with a schema.
  /// - Throws: The error of a file that cannot be read.
  /// - Complexity: O(size of the file).
  func widenTypes(toHold types: FieldTypes) throws -> Bool

  /// Lets all fields have the types of their values in the file again.
  ///
  /// - Returns: True if fields have other types now.
  /// - Throws: The error of a file that cannot be read.
  /// - Complexity: O(size of the file) once for each of its versions, else O(1).
  func dropWidenedTypes() throws -> Bool

  // MARK: Values without a field

  /// The number of records with values after the last column.
  var hiddenValuesCount: Int { get }

  /// True if the record has values after the last column.
  ///
  /// - Throws: The error of a file that cannot be read.
  func hasHiddenValues(_ record: PersistentIdentifier) throws -> Bool

  // MARK: Records without identifiers

  /// Why it is not certain what became of records that have been read; records without a doubt are left out.
  func doubts(about identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: RecordDoubt]

  /// The fields by which the records of an entity are known, unless commands have named them; empty if they are known
  /// as a whole or by a guess, nil if they have identifiers.
  ///
  /// - Complexity: O(n) in the number of values, once for each version of the file.
  func keyFields(of entityName: String) -> [String]?

  /// How many records are equal as a whole to each of these, with itself; only of those that have equal ones, and none in
  /// files with identifiers.
  ///
  /// - Complexity: O(n) in the number of records, once for all.
  func copies(of identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: Int]

  /// How the changes of other programs were merged last, in words such as `merged by name, size`; nil if a sure key
  /// decided.
  var mergingWords: String? { get }

  /// The checks of the records of an entity that are known by their positions; nil if they have identifiers.
  ///
  /// - Complexity: O(n) in the number of values.
  func checks(of entityName: String) -> RecordChecks?

  /// Says that the changes of a transaction and of all later ones are undone: what other programs have added since then is
  /// new, too.
  func goBack(before token: Int64)

  /// True if other programs have added records since the store was opened, or since the transactions that are undone.
  var hasNewcomers: Bool { get }

  /// The records that other programs have added since then, by those of the keys that they have.
  ///
  /// - Complexity: O(n) in the number of added records.
  func newcomers(of entityName: String, withKeys keys: Set<[String]>) -> [[String]:
    PersistentIdentifier]

  /// The records of another such file that are those of an entity here for certain; nil if that is not known.
  ///
  /// - Throws: The error of a store that cannot be read.
  func counterparts(of entityName: String, in other: any QueryableStore, _ otherName: String) throws
    -> RecordCounterparts?

  /// Lets fields alone decide which records these are, in place of what was said before.
  ///
  /// A record that was named by several sets of fields must be the same by all of them.
  func identify(_ named: [RecordFields])
}

extension TextBackedStore {
  /// The records with values after the last column, in a few words: `5 records have values after the last column`; nil
  /// if there are none.
  package var hiddenValues: String? {
    let count = hiddenValuesCount
    guard count > 0 else { return nil }
    return "\(count == 1 ? "1 record has" : "\(count) records have") values after the last column"
  }
}

/// The records that two files without identifiers have in common.
package struct RecordCounterparts: Sendable {
  /// By the record of the other file, the one here.
  package let records: [PersistentIdentifier: PersistentIdentifier]
  /// The fields by which they were found; empty if whole records were compared.
  package let keyFields: [String]
  /// The number of records here of which it is not certain which they are there.
  package let unsureCount: Int

  /// Creates the pairs.
  package init(
    _ records: [PersistentIdentifier: PersistentIdentifier],
    by keyFields: [String],
    unsureCount: Int
  ) {
    (self.records, self.keyFields, self.unsureCount) = (records, keyFields, unsureCount)
  }
}
