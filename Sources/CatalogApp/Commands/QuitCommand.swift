extension Command {
  /// `quit`: ends the program.
  static let quit = Command(
    "quit",
    aliases: ["q", "exit", "quit!", "q!", "exit!"],
    summary: "quit the program",
    details: "quit! (or q!) discards unsaved changes without asking."
  ) { arguments, _ in
    try arguments.finish()
    return .quit(discarding: arguments.line.words.first?.text.hasSuffix("!") ?? false)
  }
}
