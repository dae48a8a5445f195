import OpenSwiftData

/// `count`: prints a number.
struct CountRecords: Instruction {
  let query: Query
  /// True if the line has no arguments: on the screen, the records shown are counted.
  let usesShownRecords: Bool

  static let command = Command(
    "count",
    usage: "[ENTITY] [where P]",
    summary: "print how many records match"
  ) { arguments, session in
    let words = arguments.remaining.count
    let entity = try session.takeEntity(&arguments)
    let usesShownRecords = arguments.isEmpty && words == 0
    var query = Query(entity.name)
    if arguments.take("where") {
      query.filter = try arguments.requirePredicate(for: entity, in: session)
    }
    try arguments.finish()
    if usesShownRecords { try session.follow(&query, of: entity) }
    return CountRecords(query: query, usesShownRecords: usesShownRecords)
  }

  func perform(in session: Session) throws -> Outcome {
    let entity = try session.context.schema.entity(named: query.entityName)
    if usesShownRecords, let shown = try session.takeShown(of: entity),
      let summary = session.origin.screen?.summary(shown.count)
    {
      return .done(summary)
    }
    let count = String(try session.context.fetchCount(query))
    return .facts(Facts([count], [("count", count)]))
  }
}
