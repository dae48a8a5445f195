/// A store whose file can spell a value in several ways, such as `1.50` and `1.5`.
package protocol SpellingStore: QueryableStore {
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
}
