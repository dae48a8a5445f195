import OpenSwiftData

/// `undo`: reverses the last step.
struct Undo: Instruction {
  static let command = Command(
    "undo",
    aliases: ["u"],
    summary: "undo the last change",
    details: "Saved changes can be undone too; the result is an unsaved change.",
    changesData: true,
    canBeStopped: true
  ) { arguments, _ in
    try arguments.finish()
    return Undo()
  }

  var showsNewRecord: Bool { true }

  func perform(in session: Session) throws -> Outcome {
    guard let step = try session.context.undo() else { throw CommandError("nothing to undo") }
    return .done("undone: \(step.name)")
  }
}
