import OpenSwiftData

extension Command {
  /// `undo`: takes back the last step.
  static let undo = Command(
    "undo",
    aliases: ["u"],
    summary: "take back the last change",
    details: "Saved changes can be taken back too; the result is unsaved, like any other change.",
    changesData: true
  ) { arguments, session in
    try arguments.finish()
    guard let step = try session.context.undo() else {
      throw CommandError("there is nothing to take back")
    }
    return .done("took back: \(step.name)")
  }
}
