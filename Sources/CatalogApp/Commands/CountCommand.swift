import OpenSwiftData

extension Command {
  /// `count`: prints a number.
  static let count = Command(
    "count",
    usage: "[ENTITY] [where P]",
    summary: "print how many records match"
  ) { arguments, session in
    let words = arguments.remaining.count
    let entity = try session.takeEntity(&arguments)
    if arguments.isEmpty, words == 0, let shown = try session.takeShown(of: entity),
      let summary = session.screen?.summary(shown.count)
    {
      return .done(summary)
    }
    var query = Query(entity.name)
    if arguments.take("where") {
      query.filter = try arguments.requirePredicate(for: entity, in: session)
    }
    try arguments.finish()
    return .lines([String(try session.context.fetchCount(matching: query))])
  }
}
