import OpenSwiftData

/// `field rename`: changes the name of a field.
struct RenameField: Instruction {
  let entityName: String
  let old, new: String

  static let command = Command(
    "field rename",
    usage: "[ENTITY] OLD NEW",
    summary: "rename a field; its values are kept",
    details: "\"save\" writes the change, \"undo\" reverses it.",
    changesData: true
  ) { arguments, session in
    let entity = try arguments.takeEntity(before: 2, in: session)
    let old = try arguments.require("field name").text
    let new = try arguments.require("new field name").text
    _ = try entity.attribute(named: old)
    guard old != new else { throw CommandError("field \(Value.quoted(old)) already has this name") }
    return RenameField(entityName: entity.name, old: old, new: new)
  }

  func perform(in session: Session) throws -> Outcome {
    let note = try session.change(.renameAttribute(entity: entityName, from: old, to: new))
    session.notes.stepName = "field rename \(old) \(new)"
    return .schema("renamed \(old) to \(new)", note)
  }
}
