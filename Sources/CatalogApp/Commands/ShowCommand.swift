import OpenSwiftData

extension Command {
  /// `show`: prints one record.
  static let show = Command(
    "show",
    usage: "ID",
    summary: "print all values of a record",
    details: Command.identifierDetails
  ) { arguments, session in
    let identifier = try session.liveIdentifier(arguments.require("record ID").text)
    try arguments.finish()
    let entity = try session.context.schema.entity(named: identifier.entityName)
    guard let snapshot = try session.context.snapshots(for: [identifier])[identifier] else {
      throw CommandError("record \(identifier) not found")
    }
    return .record(snapshot.arranged(as: entity.layout), entity)
  }

  /// What an identifier may be, for the help of the commands that take one.
  static let identifierDetails = """
    ID is an identifier, a unique prefix of one with at least four characters, or a temporary
    identifier that "insert" printed.
    """
}
