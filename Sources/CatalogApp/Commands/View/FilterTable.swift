import OpenSwiftData

/// `filter`: restricts the table to the records that match.
struct FilterTable: Instruction {
  let input: FilterInput

  static let command = Command(
    "filter",
    usage: "P",
    summary: "show only matching records; empty shows all",
    details: """
      P is a predicate, plain words, or terms such as year:1990-99 boxOffice>5m released<"last may" kuro -seen.
      """,
    notation: .text
  ) { arguments, session in
    let text = arguments.rest()
    let entity = try session.entity()
    let paths =
      FieldPath.paths(in: text, of: entity, session.context.schema)
      + session.computedPaths(of: entity).map(\.unevaluated)
    let today = session.services.clock.today
    let input = FilterInput(text, for: entity, paths: paths, today: today)
    if let problem = input.problem {
      let line = arguments.line
      let start = line.column(of: line.text.utf8.count - text.utf8.count)
      throw CommandError(problem.message, column: start + problem.column - 1)
    }
    return FilterTable(input: input)
  }

  func perform(in session: Session) throws -> Outcome { try session.show(.filter(input)) }
}
