import OpenSwiftData

/// `wq`: saves and quits.
struct SaveAndQuit: Instruction {
  static let command = Command(
    "wq",
    aliases: ["x"],
    summary: "save and quit"
  ) { _, _ in SaveAndQuit() }

  func perform(in session: Session) throws -> Outcome {
    if session.origin.isOnScreen { return .screen(.saveAndQuit) }
    guard !session.settings.answersPrograms else {
      throw CommandError("wq: cannot be combined with --answers; use save", code: .unsupported)
    }
    return .commands(session.context.hasChanges ? ["save", "quit"] : ["quit"])
  }
}
