import OpenSwiftData

/// `expect`: fails unless a number of records match.
struct Expect: Instruction {
  let expectation: Expectation
  let records: CountedRecords

  static let command = Command(
    "expect",
    usage: "[=|<|>|<=|>=]N [ENTITY] [where P] [join [all] FILE as NAME by KEY [= COLUMN],…]",
    summary: "fail unless N records match",
    details: """
      Prints nothing if the number is right. Otherwise the command fails, and the script ends there like
      after any other failure.
      """
  ) { arguments, session in
    let expectation = try arguments.requireExpectation()
    let entity = try session.takeEntity(&arguments)
    let records = try CountedRecords(reading: &arguments, of: entity, in: session)
    return Expect(expectation: expectation, records: records)
  }

  func perform(in session: Session) throws -> Outcome {
    let count = try records.count(in: session)
    try expectation.check(count)
    session.notes.count = count
    return .done("found \(counted(count))")
  }
}
