import OpenSwiftData

/// `count`: prints a number.
struct CountRecords: Instruction {
  let records: CountedRecords
  /// True if the line has no arguments: on the screen, the records shown are counted.
  let usesShownRecords: Bool

  static let command = Command(
    "count",
    usage: "[ENTITY] [where P] [join [all] FILE as NAME by KEY [= COLUMN],…]",
    summary: "print how many records match",
    details: """
      "join" and the condition are those of list: "count where c.id is null join FILE as c by KEY = id" counts the
      records without a row in the file. With "join all", a record counts once for each of its rows.
      """
  ) { arguments, session in
    let words = arguments.remaining.count
    let entity = try session.takeEntity(&arguments)
    let usesShownRecords = arguments.isEmpty && words == 0
    var records = try CountedRecords(reading: &arguments, of: entity, in: session)
    if usesShownRecords { try session.follow(&records.query, of: entity) }
    return CountRecords(records: records, usesShownRecords: usesShownRecords)
  }

  func perform(in session: Session) throws -> Outcome {
    let entity = try session.context.schema.entity(named: records.query.entityName)
    if usesShownRecords,
      let shown = try session.origin.takeShown(of: entity, in: session.context),
      let summary = session.origin.screen?.summary(shown.count)
    {
      return .done(summary)
    }
    let count = String(try records.count(in: session))
    return .facts(Facts([count], [("count", count)]))
  }
}
