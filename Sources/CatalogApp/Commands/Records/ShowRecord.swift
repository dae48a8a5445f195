import OpenSwiftData

/// `show`: prints one record.
struct ShowRecord: Instruction {
  let identifiers: [PersistentIdentifier]
  /// True if the records are printed as a list, even a single one.
  let isList: Bool

  static let command = Command(
    "show",
    usage: "ID|-",
    summary: "print all values of a record",
    details: identifierDetails + "\nFor -, prints a list of the records that standard input names."
  ) { arguments, session in
    if let records = try session.takeInputTarget(&arguments) {
      return ShowRecord(identifiers: records, isList: true)
    }
    let word = try arguments.require("record ID")
    let name = try session.script.recordName(word, in: session.context.schema)
    return ShowRecord(identifiers: [try session.liveIdentifier(name)], isList: false)
  }

  /// The syntax of an identifier, for the help of the commands that accept one.
  static let identifierDetails = """
    ID is an identifier, a unique prefix with at least four characters of one that the store made, or the
    temporary identifier that "insert" printed; numbers and the keys of other programs are not shortened. Where records of several entities have the same identifier, write
    ENTITY/ID. A - instead of ID reads identifiers from standard input, one a line.
    """

  func perform(in session: Session) throws -> Outcome {
    guard let identifier = identifiers.first else {
      return .table(OutputTable(columns: ["id"], rows: []))
    }
    let entity = try session.context.schema.entity(named: identifier.entityName)
    if isList {
      let names = [entity.identifierKey] + entity.fields.map(\.name)
      return .records(
        RecordListing(
          entity: entity,
          columns: try names.map { try RecordListing.Column($0, of: entity) },
          identifiers: identifiers
        )
      )
    }
    guard let snapshot = try session.context.snapshots(for: [identifier])[identifier] else {
      throw CommandError("record \(identifier) not found", code: .unknownRecord)
    }
    return .record(snapshot.arranged(as: entity.layout), entity)
  }
}
