import OpenSwiftData

/// `show`: prints one record.
struct ShowRecord: Instruction {
  let identifier: PersistentIdentifier

  static let command = Command(
    "show",
    usage: "ID",
    summary: "print all values of a record",
    details: identifierDetails
  ) { arguments, session in
    let identifier = try session.liveIdentifier(arguments.require("record ID").text)
    try arguments.finish()
    return ShowRecord(identifier: identifier)
  }

  /// The syntax of an identifier, for the help of the commands that accept one.
  static let identifierDetails = """
    ID is an identifier, a unique prefix of one with at least four characters, or the temporary
    identifier that "insert" printed. Where records of several entities have the same identifier, write
    ENTITY/ID.
    """

  func perform(in session: Session) throws -> Outcome {
    let entity = try session.context.schema.entity(named: identifier.entityName)
    guard let snapshot = try session.context.snapshots(for: [identifier])[identifier] else {
      throw CommandError("record \(identifier) not found")
    }
    return .record(snapshot.arranged(as: entity.layout), entity)
  }
}
