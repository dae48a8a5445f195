public import Foundation

extension ModelContext {
  /// Marks all matching models for deletion by the next save.
  ///
  /// Has the same effect as fetching the models and deleting each: unsaved new models are included, delete
  /// rules apply, and the deletion can be undone.
  ///
  /// - Parameters:
  ///   - model: The class whose models are deleted.
  ///   - predicate: Selects the models; nil for all.
  ///   - includeSubclasses: False to exclude objects of subclasses.
  /// - Throws: The errors of a fetch; nothing is deleted then.
  /// - Complexity: O(n) in the models that are deleted, which are read.
  public func delete<T: PersistentModel>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) throws {
    // A statement would not do: undo, the history and the search for conflicts need the values of each deleted record.
    for found in try fetch(FetchDescriptor<T>(predicate: predicate))
    where includeSubclasses || ObjectIdentifier(type(of: found)) == ObjectIdentifier(T.self) {
      delete(found)
    }
  }

  /// Deletes records and applies the delete rules of the fields that refer to them.
  ///
  /// A rule clears the link, deletes the referring record as well, or denies the deletion.
  ///
  /// - Returns: The further effects of the deletion.
  /// - Throws: `PersistenceError` with code `.deleteDenied` when a rule denies the deletion or a required
  ///   link would be cleared, or the error of the store. Nothing is changed then.
  /// - Complexity: O(n) in the records of entities with links to the entities of the deleted records.
  @discardableResult
  public func delete(_ identifiers: [PersistentIdentifier]) throws -> LinkedDeletion {
    try linkRules.delete(identifiers)
  }

  /// Does the same, and checks the records as they were read to be deleted.
  ///
  /// - Throws: As above, and what the check throws. Some records may be deleted then: abandon the undo step.
  package func delete(
    _ identifiers: [PersistentIdentifier],
    checking check: ([ModelState]) throws -> Void
  ) throws -> LinkedDeletion {
    try linkRules.delete(identifiers, checking: check)
  }
}
