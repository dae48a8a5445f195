import OpenSwiftData
import SQL

/// Runs the statements of a save, many in a round trip.
struct PostgresWriter {
  private let save: PostgresSave
  private var connection: PostgresConnection { save.connection }

  /// The length of the text of statements that are sent together.
  private static let batchBytes = 1 << 20

  init(_ save: PostgresSave) { self.save = save }

  /// Runs the statements of a plan; each must change the rows of its records.
  ///
  /// A statement that the server refuses because of a value that another record still has, or of a row that is not there
  /// yet, runs again after the others.
  ///
  /// - Parameters:
  ///   - plan: The statements.
  ///   - changes: What they write.
  ///   - ending: What follows them.
  /// - Returns: The answers to what follows.
  /// - Throws: `PersistenceError` that names the record, `PostgresFailure`, `Interruption.Stopped`.
  func run(_ plan: CommitPlan, _ changes: ChangeSet, ending: [String]) throws -> [PostgresResult] {
    var steps: [CommitPlan.Step] = []
    try plan.forEachStep { steps.append($0) }
    var rest = steps[...]
    var waiting = WaitingSteps<PostgresFailure>()
    while !rest.isEmpty {
      let batch = Self.batch(rest)
      let isLast = batch.count == rest.count && waiting.steps.isEmpty
      let texts =
        ["SAVEPOINT catalog_save"] + batch.map(\.statement.serverText)
        + (isLast ? ending : [])
      let answers = try connection.answers(texts.joined(separator: "; "))
      guard let failure = answers.last?.failure else {
        try checkCounts(answers.dropFirst(), batch)
        if isLast { return Array(answers.dropFirst(1 + batch.count)) }
        rest = rest.dropFirst(batch.count)
        continue
      }
      let number = answers.count - 2
      guard number >= 0, number < batch.count else { throw explained(failure, nil, changes) }
      let refused = batch[batch.startIndex + number]
      guard failure.mayPass else { throw explained(failure, refused, changes) }
      try runAgain(batch.prefix(number), changes)
      waiting.add(refused, failure)
      rest = rest.dropFirst(number + 1)
    }
    try run(&waiting, plan, changes)
    let answers = try connection.answers(ending.joined(separator: "; "))
    if let failure = answers.last?.failure { throw explained(failure, nil, changes) }
    return answers
  }

  /// The first steps, whose texts are not too long together.
  private static func batch(_ steps: ArraySlice<CommitPlan.Step>) -> ArraySlice<CommitPlan.Step> {
    var size = 0
    var end = steps.startIndex
    while end < steps.endIndex, size < batchBytes {
      size += steps[end].statement.serverText.utf8.count
      end += 1
    }
    return steps[..<end]
  }

  /// Runs the steps before one that the server has refused, which it has undone.
  private func runAgain(_ steps: ArraySlice<CommitPlan.Step>, _ changes: ChangeSet) throws {
    let texts = ["ROLLBACK TO SAVEPOINT catalog_save"] + steps.map(\.statement.serverText)
    let answers = try connection.answers(texts.joined(separator: "; "))
    if let failure = answers.last?.failure {
      let number = steps.startIndex + answers.count - 2
      throw explained(failure, steps.indices.contains(number) ? steps[number] : nil, changes)
    }
    try checkCounts(answers.dropFirst(), steps)
  }

  // MARK: Statements that wait for others

  private func run(
    _ waiting: inout WaitingSteps<PostgresFailure>,
    _ plan: CommitPlan,
    _ changes: ChangeSet
  ) throws {
    if waiting.steps.isEmpty { return }
    let numbers = plan.numbersOfUpdates
    let failed = try waiting.run { step in
      guard let failure = try attempt(step) else { return nil }
      guard failure.mayPass else { throw explained(failure, step, changes) }
      return failure
    } _: { step in
      guard let number = numbers[step.identifier],
        let release = try plan.release(step, number: number)
      else { return false }
      // A check of the database may refuse the value; that of another record of the circle may do.
      return try attempt(release) == nil
    }
    if let failed { throw explained(failed.failure, failed.step, changes) }
  }

  /// Runs a step; the failure, after which nothing is changed, if the server refuses it.
  private func attempt(_ step: CommitPlan.Step) throws -> PostgresFailure? {
    let answers = try connection.answers(
      "SAVEPOINT catalog_step; \(step.statement.serverText); RELEASE SAVEPOINT catalog_step"
    )
    guard let failure = answers.last?.failure else {
      try checkCounts(answers.dropFirst(), [step])
      return nil
    }
    if let second = try connection.answers("ROLLBACK TO SAVEPOINT catalog_step").last?.failure {
      throw second
    }
    return failure
  }

  // MARK: Refusals

  private func checkCounts(
    _ answers: ArraySlice<PostgresResult>,
    _ steps: ArraySlice<CommitPlan.Step>
  ) throws {
    for (answer, step) in zip(answers, steps) where answer.changedCount != step.count {
      // Foreign keys may have deleted it with another one; what is read back tells.
      if step.action == .delete, answer.changedCount == 0 { continue }
      throw step.error(
        ofCount: answer.changedCount,
        save.known(step.identifier),
        perhaps: "by a trigger or a policy"
      )
    }
  }

  /// The error of a statement in the terms of the record that it was for.
  private func explained(
    _ failure: PostgresFailure,
    _ step: CommitPlan.Step?,
    _ changes: ChangeSet
  ) -> any Error {
    guard failure.isOfValue || failure.code == .readOnly else { return failure }
    guard let step else {
      return PersistenceError(
        failure.code,
        "\(save.configuration.shown): the database refused the save: \(failure); nothing was saved",
        cause: failure
      )
    }
    let name = step.identifier.entityName
    let field = field(of: failure, step, changes).map { ".\($0)" } ?? ""
    return PersistenceError(
      failure.code,
      "\(name)\(field) \(save.known(step.identifier)): the database refused the record: \(failure); nothing was saved",
      cause: failure
    )
  }

  /// The field that a failure is about; nil if that is not certain.
  private func field(
    of failure: PostgresFailure,
    _ step: CommitPlan.Step,
    _ changes: ChangeSet
  ) -> String? {
    guard let table = save.tables[step.identifier.entityName] else { return nil }
    if let column = failure.column {
      return table.columns.first { $0.name == column }?.field.name
    }
    let update = changes.updated.first { $0.persistentIdentifier == step.identifier }
    guard step.action == .update, let slots = update?.changedSlots, slots.count == 1 else {
      return nil
    }
    return table.columns[slots[0]].field.name
  }
}
