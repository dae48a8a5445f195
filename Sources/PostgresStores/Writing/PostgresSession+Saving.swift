import OpenSwiftData
import SQL
import Stores

extension PostgresSession {
  /// How often a save is tried that the server undoes because of the saves of others.
  private static let attemptLimit = 5

  /// Saves all changes or none.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - author: Who makes them.
  ///   - note: Called with what other programs have saved, or if the tables are described in another way.
  /// - Returns: The result.
  /// - Throws: `PersistenceError`, with code `.outcomeUnknown` if it is not known whether it was saved;
  ///   `Interruption.Stopped`.
  func commit(_ changes: ChangeSet, author: String?, note: (StoreChange) -> Void) throws
    -> CommitResult
  {
    if isInDoubt { throw doubtError(nil) }
    var attempts = 0
    while true {
      attempts += 1
      let connection = try connected()
      var save = PostgresSave(PostgresReader(connection: connection, tables: tables), configuration)
      do {
        try save.prepare(changes)
        if let others = save.others { note(others) }
        SaveWitness.note(save.saved.traceOfRecords)
        try connection.commit()
        return finish(save, author)
      } catch let doubt as UncertainCommit {
        self.connection = nil
        if try isSaved(save, doubt.failure) { return finish(save, author) }
        throw PersistenceError(
          .inaccessible,
          "\(configuration.shown): the connection was lost before the save was made (\(doubt.failure)); nothing was saved; try again",
          cause: doubt.failure
        )
      } catch {
        connection.rollBack()
        if let others = save.others { note(others) }
        try prepareToRepeat(after: error, attempts, note)
      }
    }
  }

  /// Takes note of a failure after which the save may succeed.
  ///
  /// - Throws: The error of a save that is not tried again.
  private func prepareToRepeat(
    after error: any Error,
    _ attempts: Int,
    _ note: (StoreChange) -> Void
  ) throws {
    if let misfit = error as? MisfitColumn {
      try adapt(to: misfit, note)
      throw changedTables
    }
    guard let failure = error as? PostgresFailure else { throw error }
    if failure.isOfConnection {
      connection = nil
      // It may have been lost long ago; nothing has asked for the end of the transaction.
      if attempts == 1 { return }
    }
    if failure.isOfTurn, attempts < Self.attemptLimit { return try Interruption.check() }
    if failure.isOfSchema, try describeAgain(note) { throw changedTables }
    throw failure.error(configuration.shown, isSaving: true)
  }

  /// Finds out whether a save was made.
  ///
  /// - Throws: `PersistenceError` with code `.outcomeUnknown`; the store saves nothing more then.
  private func isSaved(_ save: PostgresSave, _ failure: PostgresFailure) throws -> Bool {
    if let isSaved = PostgresOutcome(save, configuration).isSaved() { return isSaved }
    isInDoubt = true
    throw doubtError(failure)
  }

  private func finish(_ save: PostgresSave, _ author: String?) -> CommitResult {
    var result = save.result
    result.token = history.append(
      save.saved,
      author: author,
      isIncomplete: result.sideEffects.isIncomplete
    )
    return result
  }

  private func doubtError(_ failure: PostgresFailure?) -> PersistenceError {
    let cause = failure.map { " (\($0))" } ?? ""
    return PersistenceError(
      .outcomeUnknown,
      "\(configuration.shown): the connection was lost during a save\(cause), and it is not known whether it was made; "
        + "open the database again, and compare",
      cause: failure
    )
  }
}
