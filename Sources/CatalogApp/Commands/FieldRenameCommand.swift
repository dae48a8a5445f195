import OpenSwiftData

extension Command {
  /// `field rename`: gives a field another name.
  static let fieldRename = Command(
    "field rename",
    usage: "[ENTITY] OLD NEW",
    summary: "rename a field; its values are kept",
    details: "\"save\" writes the change, \"undo\" reverts it.",
    changesData: true
  ) { arguments, session in
    let entity = try session.takeEntity(&arguments, before: 2)
    let old = try arguments.require("field name").text
    let new = try arguments.require("new field name").text
    try arguments.finish()
    _ = try entity.attribute(named: old)
    guard old != new else {
      throw CommandError("field \(Value.quoted(old)) already has this name")
    }
    let note = try session.change(.renameAttribute(entity: entity.name, from: old, to: new))
    return .schema("renamed \(old) to \(new)", note)
  }
}
