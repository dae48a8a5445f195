import OpenSwiftData

/// `expect`: fails unless a number of records match.
struct Expect: Instruction {
  let expectation: Expectation
  let query: Query

  static let command = Command(
    "expect",
    usage: "[=|<|>|<=|>=]N [ENTITY] [where P]",
    summary: "fail unless N records match",
    details: """
      Prints nothing if the number is right. Otherwise the command fails, and the script ends there like
      after any other failure.
      """
  ) { arguments, session in
    let expectation = try arguments.requireExpectation()
    let entity = try session.takeEntity(&arguments)
    var query = Query(entity.name)
    if arguments.take("where") {
      query.filter = try arguments.requirePredicate(for: entity, in: session)
    }
    try arguments.finish()
    return Expect(expectation: expectation, query: query)
  }

  func perform(in session: Session) throws -> Outcome {
    let count = try session.context.fetchCount(query)
    try expectation.check(count)
    session.notes.count = count
    return .done("found \(counted(count))")
  }
}
