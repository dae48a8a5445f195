package import OpenSwiftData
import SQL

/// Saves that are undone, to find out whether the database accepts them: its constraints, foreign keys and triggers.
extension SQLiteSession {
  /// Runs a body that saves, in a transaction that is undone; a file that does not exist is not created.
  ///
  /// - Throws: What the body throws.
  func rehearsing<Result>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
    if isInDoubt { throw doubtError() }
    try checkIsIntact()
    if !isUnwritten { try checkFile(isSaving: true) }
    let former = (generator, firstNewKey, usedNumbers)
    isRehearsal = true
    defer {
      isRehearsal = false
      (generator, firstNewKey, usedNumbers) = former
    }
    // What another program has left in the log stays there when the database is closed.
    if Self.logSize(path) ?? 0 > 0 { connection.keepLogWhenClosed() }
    return try body(self)
  }
}

extension SQLiteStore: RehearsingStore {
  package func rehearse(
    _ changes: ChangeSet,
    after steps: [SchemaStep],
    author: String?,
    message: String?,
    checking check: (StagedReading) throws -> Void
  ) throws -> CommitResult {
    try using(isSaving: true) { session in
      guard configuration.allowsSave else { throw readOnlyError }
      return try session.rehearsing {
        try $0.commit(changes, after: steps, author: author, message: message, checking: check)
      }
    }
  }
}
