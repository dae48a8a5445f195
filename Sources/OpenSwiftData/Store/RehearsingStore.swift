/// A store that can find out whether it would accept a save.
package protocol RehearsingStore: StagingStore {
  /// Does what `commit(_:after:author:message:checking:)` does, and undoes it before anyone can see it.
  ///
  /// The files stay as they are, including their dates.
  ///
  /// - Returns: The result that the save would have; no record gets these identifiers.
  /// - Throws: As `commit(_:after:author:message:checking:)`.
  func rehearse(
    _ changes: ChangeSet,
    after steps: [SchemaStep],
    author: String?,
    message: String?,
    checking check: (StagedReading) throws -> Void
  ) throws -> CommitResult
}
