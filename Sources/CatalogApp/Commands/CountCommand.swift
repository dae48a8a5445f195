import OpenSwiftData

extension Command {
  /// `count`: prints a number.
  static let count = Command(
    "count",
    usage: "[ENTITY] [where P]",
    summary: "print how many records match"
  ) { arguments, session in
    let entity = try session.takeEntity(&arguments)
    var query = Query(entity.name)
    if arguments.take("where") {
      query.filter = try arguments.requirePredicate(for: entity, in: session)
    }
    try arguments.finish()
    return .lines([String(try session.context.fetchCount(matching: query))])
  }
}
