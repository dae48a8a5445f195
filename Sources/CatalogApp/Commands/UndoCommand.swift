import OpenSwiftData

extension Command {
  /// `undo`: takes back the last step.
  static let undo = Command(
    "undo",
    aliases: ["u"],
    summary: "undo the last change",
    details: "Saved changes can be undone too; the result is an unsaved change.",
    changesData: true
  ) { arguments, session in
    try arguments.finish()
    guard let step = try session.context.undo() else {
      throw CommandError("nothing to undo")
    }
    return .done("undone: \(step.name)")
  }
}
