/// One save: what a store is to write, all of it or nothing.
package struct CommitRequest {
  /// The records that a save is about.
  package enum Content {
    /// Changes of records, in the layouts after the steps.
    case changes(ChangeSet)
    /// New records in columns, for stores that take them over.
    case columns(NewRecords)
  }

  /// The records.
  package var content: Content
  /// The changes of the schema, which come first.
  package var steps: [SchemaStep]
  /// The author of the save, for the history.
  package var author: String?
  /// A message for the history.
  package var message: String?
  /// True if the store does all of it and undoes it before anyone can see it, to find out whether it would accept the save;
  /// the files stay as they are, including their dates.
  package var isRehearsal = false
  /// Called under the locks of the save, before anything is written; an error that it throws ends the save.
  ///
  /// A save that begins again, because another program was faster, calls it again.
  package var check: (StagedReading) throws -> Void

  /// Creates a request.
  package init(
    _ content: Content,
    after steps: [SchemaStep] = [],
    author: String? = nil,
    message: String? = nil,
    checking check: @escaping (StagedReading) throws -> Void = { _ in }
  ) {
    (self.content, self.steps, self.check) = (content, steps, check)
    (self.author, self.message) = (author, message)
  }
}
