extension Command {
  /// `quit`: ends the program.
  static let quit = Command(
    "quit",
    aliases: ["q", "exit", "quit!", "q!", "exit!"],
    summary: "end the program",
    details: "With an exclamation mark (quit!, q!) unsaved changes are left behind without a word."
  ) { arguments, _ in
    try arguments.finish()
    return .quit(discarding: arguments.line.words.first?.text.hasSuffix("!") ?? false)
  }
}
