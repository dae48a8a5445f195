import OpenSwiftData

extension Command {
  /// `field drop`: removes a field.
  static let fieldDrop = Command(
    "field drop",
    usage: "[ENTITY] NAME",
    summary: "remove a field and its values, at once and for good",
    details: "There must be no unsaved changes.",
    changesData: true
  ) { arguments, session in
    let entity = try session.takeEntity(&arguments, before: 1)
    let name = try arguments.require("the field").text
    try arguments.finish()
    try session.change(.dropAttribute(entity: entity.name, name: name))
    return .done("removed \(name) from \(entity.name)")
  }
}
