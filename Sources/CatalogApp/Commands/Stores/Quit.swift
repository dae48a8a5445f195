/// `quit`: ends the program or the script.
struct Quit: Instruction {
  let isDiscarding: Bool

  static let command = Command(
    "quit",
    aliases: ["q", "exit", "quit!", "q!", "exit!"],
    summary: "quit the program",
    details: """
      On the screen it asks first if there are unsaved changes. quit! (or q!) discards them without asking.
      """
  ) { arguments, _ in
    Quit(isDiscarding: arguments.line.words.first?.text.hasSuffix("!") ?? false)
  }

  func perform(in session: Session) throws -> Outcome { .quit(discarding: isDiscarding) }
}
