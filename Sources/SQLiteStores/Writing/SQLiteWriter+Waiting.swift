import OpenSwiftData
import SQL

extension SQLiteWriter {
  /// Runs a statement of a save.
  ///
  /// - Returns: The failure if a value is not unique in a table of another program; then nothing was changed.
  func attempt(_ step: CommitPlan.Step, _ changes: ChangeSet) throws -> SQLiteFailure? {
    try Interruption.check()
    do {
      try checkCount(try connection.run(step.statement), step)
      keys.noteNumber(of: step, tables, connection)
      return nil
    } catch let failure as SQLiteFailure {
      let isOwn = tables[step.identifier.entityName]?.key == .own
      if failure.isOfUniqueValue, !isOwn, connection.isInTransaction { return failure }
      throw try explained(failure, step, changes)
    }
  }

  /// Runs the statements that have waited for others.
  ///
  /// - Throws: The error of one whose values are not unique whatever the order is.
  func runWaiting(
    _ waiting: inout WaitingSteps<SQLiteFailure>,
    _ plan: CommitPlan,
    _ changes: ChangeSet,
    willRun: WillRun
  ) throws {
    lazy var numbers = plan.numbersOfUpdates
    let failed = try waiting.run { step in
      willRun(step.action, step.identifier)
      return try attempt(step, changes)
    } _: { step in
      guard let number = numbers[step.identifier],
        let release = try plan.release(step, number: number)
      else { return false }
      willRun(release.action, release.identifier)
      do {
        return try connection.run(release.statement) == 1
      } catch let failure as SQLiteFailure where failure.isOfConstraint {
        // A CHECK refuses the value; that of another record of the circle may do.
        return false
      }
    }
    if let failed { throw try explained(failed.failure, failed.step, changes) }
  }
}
