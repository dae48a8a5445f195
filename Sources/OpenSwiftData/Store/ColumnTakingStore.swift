/// A store that takes over new records in columns.
package protocol ColumnTakingStore: StagingStore {
  /// Changes the schema and then saves new records in one transaction, as `commit(_:after:author:message:checking:)`
  /// does with a change set.
  ///
  /// - Returns: Nil, with nothing saved, if the records have to be saved as a change set: they may break a rule, which
  ///   that save then reports.
  func commit(
    _ records: NewRecords,
    after steps: [SchemaStep],
    author: String?,
    message: String?,
    checking check: (StagedReading) throws -> Void
  ) throws -> CommitResult?
}
