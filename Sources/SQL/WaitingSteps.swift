/// Statements that take a unique value which another record gives up later in the same save.
///
/// `UpdateOrder` and `DeletionOrder` know the values of ordinary unique columns. Those of a partial index, of an index
/// of expressions, or of a computed column are known to the database only: a statement that it refuses waits until the
/// others have run. Where foreign keys are checked at once, so does one that refers to a row which comes later.
package struct WaitingSteps<Failure: Error> {
  /// The steps, and why the database has refused them.
  package private(set) var steps: [(step: CommitPlan.Step, failure: Failure)] = []

  /// Starts without steps.
  package init() {}

  /// A chain of values is often in the order of the steps, or the reverse; the rounds of one in any other order would be
  /// as many as its records.
  private static var mostRounds: Int { 8 }

  /// Adds a step that the database has refused.
  package mutating func add(_ step: CommitPlan.Step, _ failure: Failure) {
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
  package mutating func run(
    _ attempt: (CommitPlan.Step) throws -> Failure?,
    _ release: (CommitPlan.Step) throws -> Bool
  ) throws -> (step: CommitPlan.Step, failure: Failure)? {
    try runRounds(atMost: Self.mostRounds, attempt)
    if steps.isEmpty { return nil }
    for waiting in steps { _ = try release(waiting.step) }
    try runRounds(atMost: .max, attempt)
    return steps.last
  }

  /// Tries all steps, each time in the other direction, as long as one of them succeeds.
  private mutating func runRounds(
    atMost most: Int,
    _ attempt: (CommitPlan.Step) throws -> Failure?
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
