/// A store whose fields have the types of some of their values, until a value of another type is read.
package protocol TypeSettlingStore: Sendable {
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

extension Schema.Entity {
  /// The error of reading records in parts, of which some had other fields or types.
  package var changedError: PersistenceError {
    PersistenceError(
      .conflict,
      "another program changed \(name) while its records were read; try again"
    )
  }
}
