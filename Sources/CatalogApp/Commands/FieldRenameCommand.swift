import OpenSwiftData

extension Command {
  /// `field rename`: gives a field another name.
  static let fieldRename = Command(
    "field rename",
    usage: "[ENTITY] OLD NEW",
    summary: "rename a field; values stay",
    details: "\"save\" writes the change, \"undo\" takes it back.",
    changesData: true
  ) { arguments, session in
    let entity = try session.takeEntity(&arguments, before: 2)
    let old = try arguments.require("the field").text
    let new = try arguments.require("the new name").text
    try arguments.finish()
    _ = try entity.attribute(named: old)
    guard old != new else {
      throw CommandError("\(Value.quoted(old)) already has this name")
    }
    let note = try session.change(.renameAttribute(entity: entity.name, from: old, to: new))
    return .schema("renamed \(old) to \(new)", note)
  }
}
