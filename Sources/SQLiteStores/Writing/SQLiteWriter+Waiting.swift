import OpenSwiftData
import SQL

/// Statements that take a unique value which another record gives up later in the same save.
///
/// `UpdateOrder` and `DeletionOrder` know the values of ordinary unique columns. Those of a partial index, of an index
/// of expressions, or of a computed column are known to the database only: a statement that it refuses waits until the
/// others have run.
struct WaitingSteps {
  private(set) var steps: [(step: CommitPlan.Step, failure: SQLiteFailure)] = []

  /// A chain of values is often in the order of the steps, or the reverse; the rounds of one in any other order would be
  /// as many as its records.
  private static let mostRounds = 8

  mutating func add(_ step: CommitPlan.Step, _ failure: SQLiteFailure) {
    steps.append((step, failure))
  }

  /// Runs the steps, those that free a value before those that take it.
  ///
  /// If that ends nowhere, because records exchange values in a circle, or not soon, all of them give up their values
  /// first.
  ///
  /// - Parameters:
  ///   - attempt: Runs a step, and returns the failure if its values are not free yet.
  ///   - release: Gives a record values that no other one has until its step runs; false if it cannot.
  /// - Returns: The step that no order of the steps lets run, and its failure; nil if all have run.
  /// - Throws: What the closures throw.
  /// - Complexity: O(n) attempts, unless records cannot give up their values.
  mutating func run(
    _ attempt: (CommitPlan.Step) throws -> SQLiteFailure?,
    _ release: (CommitPlan.Step) throws -> Bool
  ) throws -> (step: CommitPlan.Step, failure: SQLiteFailure)? {
    try runRounds(atMost: Self.mostRounds, attempt)
    if steps.isEmpty { return nil }
    for waiting in steps { _ = try release(waiting.step) }
    try runRounds(atMost: .max, attempt)
    return steps.last
  }

  /// Tries all steps, each time in the other direction, as long as one of them succeeds.
  private mutating func runRounds(
    atMost most: Int,
    _ attempt: (CommitPlan.Step) throws -> SQLiteFailure?
  ) throws {
    var rounds = 0
    var isProgress = true
    while isProgress, !steps.isEmpty, rounds < most {
      let count = steps.count
      steps = try steps.reversed().filter { try attempt($0.step) != nil }
      isProgress = steps.count < count
      rounds += 1
    }
  }
}

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
    _ waiting: inout WaitingSteps,
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
