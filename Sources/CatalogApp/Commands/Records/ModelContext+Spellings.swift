import OpenSwiftData

extension ModelContext {
  /// The values of records, with their texts in the file.
  typealias Spellings = [PersistentIdentifier: (value: Value, text: String)]

  /// True for a file of separated values.
  var hasOnlyTexts: Bool {
    container.stores.contains { ($0 as? any TextBackedStore)?.hasOnlyTexts ?? false }
  }

  /// The saved values of a field whose text in the file is another one than that of the value.
  ///
  /// - Throws: The error of a file that cannot be read.
  /// - Complexity: O(size of the file).
  func spellings(of field: String, in entityName: String) throws -> Spellings {
    var name: String? = field
    for step in unsavedSchemaSteps.reversed() {
      switch step {
      case .renameAttribute(entityName, let from, let to) where to == name: name = from
      default: if step.entityName == entityName, step.addedField == name { name = nil }
      }
    }
    guard let name else { return [:] }
    var spellings: Spellings = [:]
    for store in container.stores {
      try (store as? any TextBackedStore)?.forEachSpelling(of: name, entityName: entityName) {
        spellings[$0] = ($1, $2)
      }
    }
    return spellings
  }
}
