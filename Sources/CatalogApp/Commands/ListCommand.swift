import OpenSwiftData

extension Command {
  /// `list`: prints records.
  static let list = Command(
    "list",
    aliases: ["ls"],
    usage: "[ENTITY] [where P] [sort [-]FIELD,…] [limit N] [offset N] [fields A,B,…]",
    summary: "print the records that match",
    details: """
      A - before a field sorts in descending order; records without a value come last.
      """
  ) { arguments, session in
    .records(try session.takeListing(&arguments))
  }
}

extension Session {
  /// Takes `[ENTITY]` and its clauses to the end of the line, and finds the records.
  func takeListing(_ arguments: inout Arguments) throws -> RecordListing {
    let count = arguments.remaining.count
    let entity = try takeEntity(&arguments)
    let namesEntity = arguments.remaining.count < count
    var query = Query(entity.name)
    let hasFilter = try takeClauses(&arguments, of: entity, into: &query)
    try arguments.finish()
    let attributes = try query.attributes?.map { try entity.attribute(named: $0) }
    query.attributes = nil
    let shown = namesEntity || hasFilter ? nil : try takeShown(of: entity)
    return RecordListing(
      entity: entity,
      attributes: attributes ?? entity.fields,
      identifiers: try shown.map { try select(from: $0, query) }
        ?? context.fetchIdentifiers(matching: query)
    )
  }

  /// The part of the records on the screen that the clauses leave, and says which.
  private func select(from shown: [PersistentIdentifier], _ query: Query) throws
    -> [PersistentIdentifier]
  {
    var identifiers = shown
    if !query.sort.isEmpty {
      let wanted = Set(shown)
      identifiers = try context.fetchIdentifiers(
        matching: Query(query.entityName, sort: query.sort)
      ).filter(wanted.contains)
    }
    identifiers = Array(identifiers.dropFirst(query.offset).prefix(query.limit ?? .max))
    scope = screen?.summary(identifiers.count)
    return identifiers
  }

  /// Reads the clauses `where`, `sort`, `limit`, `offset` and `fields` in any order.
  ///
  /// - Returns: True when `where` is among them.
  func takeClauses(
    _ arguments: inout Arguments,
    of entity: Schema.Entity,
    into query: inout Query
  ) throws -> Bool {
    var hasFilter = false
    var given: Set<String> = []
    while !arguments.isEmpty {
      if arguments.take("where") {
        hasFilter = true
        query.filter = query.filter.and(try arguments.requirePredicate(for: entity, in: self))
      } else if arguments.take("sort") {
        query.sort += try arguments.requireFields("field after \"sort\"", of: entity)
          .map { SortKey($0.name, isDescending: $0.isDescending) }
      } else if try arguments.takeOnce("limit", &given) {
        query.limit = try arguments.requireCount("limit")
      } else if try arguments.takeOnce("offset", &given) {
        query.offset = try arguments.requireCount("offset")
      } else if try arguments.takeOnce("fields", &given) {
        query.attributes = try arguments.requireFields(
          "field after \"fields\"",
          of: entity,
          isUnique: true
        ).map(\.name)
      } else {
        throw CommandError(
          "expected where, sort, limit, offset or fields, found \(Value.quoted(arguments.peek?.text ?? ""))"
        )
      }
    }
    return hasFilter
  }
}
