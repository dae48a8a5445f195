/// `e`: opens another store on the screen.
struct OpenStore: Instruction {
  let location: String

  static let command = Command(
    "e",
    aliases: ["edit", "open"],
    usage: "LOCATION",
    summary: "open another store",
    details: "LOCATION is a path or KIND:PATH, as on the command line. It may contain spaces.",
    takesFile: true,
    places: .screen,
    notation: .text
  ) { arguments, _ in
    let text = arguments.rest()
    guard !text.isEmpty else { throw CommandError("missing location: e LOCATION") }
    return OpenStore(location: unquoted(text))
  }

  /// The location without the quotes around it; an unclosed quote belongs to the name.
  private static func unquoted(_ text: String) -> String {
    // Text that cannot be split into words has an unclosed quote.
    guard text.hasPrefix("\"") || text.hasPrefix("'"), let words = try? CommandText(text).words,
      words.count == 1
    else { return text }
    return words[0].text
  }

  func perform(in session: Session) throws -> Outcome { .screen(.open(location: location)) }
}
