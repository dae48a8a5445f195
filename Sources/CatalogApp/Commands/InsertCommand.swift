import OpenSwiftData

extension Command {
  /// `insert`: adds a record.
  static let insert = Command(
    "insert",
    usage: "[ENTITY] FIELD=VALUE …",
    summary: "add a record and print its temporary identifier",
    details: "Fields you leave out get their default.",
    changesData: true
  ) { arguments, session in
    let entity = try session.takeEntity(&arguments)
    let assignments = try session.takeAssignments(&arguments, for: entity)
    try arguments.finish()
    let record = Record(entity: entity)
    for (attribute, value) in assignments { try record.set(value, for: attribute.name) }
    session.context.insert(record)
    session.noteInserted(record.persistentModelID)
    session.nameStep("insert", [record.persistentModelID], record.snapshot)
    return .lines([record.persistentModelID.description])
  }
}
