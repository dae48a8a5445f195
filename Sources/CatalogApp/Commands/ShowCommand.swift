import OpenSwiftData

extension Command {
  /// `show`: prints one record.
  static let show = Command(
    "show",
    usage: "ID",
    summary: "print all values of a record",
    details: Command.identifierDetails
  ) { arguments, session in
    let identifier = try session.liveIdentifier(arguments.require("the record's identifier").text)
    try arguments.finish()
    let entity = try session.context.schema.entity(named: identifier.entityName)
    guard let snapshot = try session.context.snapshots(for: [identifier])[identifier] else {
      throw CommandError("there is no record \(identifier)")
    }
    return .record(snapshot.arranged(as: entity.layout), entity)
  }

  /// What an identifier may be, for the help of the commands that take one.
  static let identifierDetails = """
    ID is the identifier, a beginning of it that is unique and has at least four characters, or the
    temporary identifier that "insert" printed.
    """
}
