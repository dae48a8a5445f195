import OpenSwiftData

/// `filter`: restricts the table to the records that match.
struct FilterTable: Instruction {
  let input: FilterInput

  static let command = Command(
    "filter",
    usage: "P",
    summary: "show only matching records; empty shows all",
    details: "P is a predicate or plain words.",
    places: .screen,
    notation: .text
  ) { arguments, session in
    let input = FilterInput(arguments.rest(), for: try session.entity())
    if let problem = input.problem { throw CommandError(problem.sentence) }
    return FilterTable(input: input)
  }

  func perform(in session: Session) throws -> Outcome { .screen(.filter(input)) }
}
