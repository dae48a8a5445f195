/// `wq`: saves and quits.
struct SaveAndQuit: Instruction {
  static let command = Command(
    "wq",
    aliases: ["x"],
    summary: "save and quit",
    places: .screen
  ) { arguments, _ in
    try arguments.finish()
    return SaveAndQuit()
  }

  func perform(in session: Session) throws -> Outcome { .screen(.saveAndQuit) }
}
