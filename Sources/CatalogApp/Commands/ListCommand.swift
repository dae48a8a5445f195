import OpenSwiftData

extension Command {
  /// `list`: prints records.
  static let list = Command(
    "list",
    aliases: ["ls"],
    usage: "[ENTITY] [where P] [sort [-]FIELD,…] [limit N] [offset N] [fields A,B,…]",
    summary: "print the records that match",
    details: """
      A field with - before it sorts from great to small; records without a value come last.
      """
  ) { arguments, session in
    .records(try session.takeListing(&arguments))
  }
}

extension Session {
  /// Takes `[ENTITY]` and its clauses to the end of the line, and finds the records.
  func takeListing(_ arguments: inout Arguments) throws -> RecordListing {
    let entity = try takeEntity(&arguments)
    var query = Query(entity.name)
    try takeClauses(&arguments, of: entity, into: &query)
    try arguments.finish()
    let attributes = try query.attributes?.map { try entity.attribute(named: $0) }
    query.attributes = nil
    return RecordListing(
      entity: entity,
      attributes: attributes ?? entity.fields,
      identifiers: try context.fetchIdentifiers(matching: query)
    )
  }

  /// Reads the clauses `where`, `sort`, `limit`, `offset` and `fields` in any order.
  func takeClauses(
    _ arguments: inout Arguments,
    of entity: Schema.Entity,
    into query: inout Query
  ) throws {
    while !arguments.isEmpty {
      if arguments.take("where") {
        query.filter = query.filter.and(try arguments.requirePredicate(for: entity, in: self))
      } else if arguments.take("sort") {
        query.sort += try arguments.requireFields("the field after \"sort\"", of: entity)
          .map { SortKey($0.name, isDescending: $0.isDescending) }
      } else if arguments.take("limit") {
        query.limit = try arguments.requireCount("limit")
      } else if arguments.take("offset") {
        query.offset = try arguments.requireCount("offset")
      } else if arguments.take("fields") {
        query.attributes = try arguments.requireFields("the field after \"fields\"", of: entity)
          .map(\.name)
      } else {
        throw CommandError(
          "expected where, sort, limit, offset or fields instead of \(Value.quoted(arguments.peek?.text ?? ""))"
        )
      }
    }
  }
}
