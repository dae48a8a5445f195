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
        let word = try arguments.require("the field after \"sort\"")
        query.sort += try Self.names(in: word, of: arguments) {
          let descends = $0.hasPrefix("-")
          let name = descends || $0.hasPrefix("+") ? String($0.dropFirst()) : $0
          return SortKey(try entity.attribute(named: name).name, isDescending: descends)
        }
      } else if arguments.take("limit") {
        query.limit = try arguments.requireCount("limit")
      } else if arguments.take("offset") {
        query.offset = try arguments.requireCount("offset")
      } else if arguments.take("fields") {
        let word = try arguments.require("the field after \"fields\"")
        query.attributes = try Self.names(in: word, of: arguments) {
          try entity.attribute(named: $0).name
        }
      } else {
        throw CommandError(
          "expected where, sort, limit, offset or fields instead of \(Value.quoted(arguments.peek?.text ?? ""))"
        )
      }
    }
  }

  /// Reads the names between the commas of a word, each of which is wrong where it stands.
  private static func names<T>(
    in word: CommandLine.Word,
    of arguments: Arguments,
    _ read: (String) throws -> T
  ) throws -> [T] {
    var offset = 0
    return try arguments.locating(word) { try names(word.text) }.map { name in
      // In quotes the places of the word are not those of the line.
      let place = word.isQuoted ? word.start : word.start + offset
      offset += name.utf8.count + 1
      return try arguments.locating(word, at: place) { try read(name) }
    }
  }

  /// The names between commas.
  static func names(_ text: String) throws -> [String] {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard !names.contains("") else {
      throw CommandError("\(Value.quoted(text)) is no list of fields; write it as A,B,C")
    }
    return names
  }
}
