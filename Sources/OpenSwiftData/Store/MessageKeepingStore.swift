/// A store that keeps the message of a save in its history.
package protocol MessageKeepingStore: HistoryKeepingStore {
  /// Commits all changes or none, with a message.
  ///
  /// - Throws: As `commit(_:author:)`.
  func commit(_ changes: ChangeSet, author: String?, message: String?) throws -> CommitResult
}
