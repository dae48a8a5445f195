/// Checks before a save.
extension ModelContext {
  /// Checks whether the next save would be rejected, without saving.
  ///
  /// The checks cover missing and invalid values, too few or too many related models, denied deletions, and
  /// unique values that another record has if the policy is to reject them.
  ///
  /// - Throws: The first of `validationErrors()`.
  /// - Complexity: O(n) in the number of changed models.
  public func validate() throws { _ = try saveRules.check() }

  /// All errors that would make the next save fail; each names the record, the property and the value.
  ///
  /// Only the first collision of unique values is reported.
  ///
  /// - Throws: The error of a store that is asked for unique values.
  public func validationErrors() throws -> [PersistenceError] { try saveRules.errors() }
}
