import OpenSwiftData

/// `e`: opens another store.
struct OpenStore: Instruction {
  let location: String

  static let command = Command(
    "e",
    aliases: ["edit", "open"],
    usage: "LOCATION",
    summary: "open another store",
    details: """
      LOCATION is a path or KIND:PATH, as on the command line. It may contain spaces. On the screen it asks first if
      there are unsaved changes; in scripts and with --plain they must be saved or discarded before.
      """,
    takesFile: true,
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

  func perform(in session: Session) throws -> Outcome {
    if session.origin.isOnScreen { return .screen(.open(location: location)) }
    guard session.settings.saving == .atOnce else {
      throw CommandError("e: cannot be combined with --atomic or --dry-run", code: .unsupported)
    }
    if let count = session.store.recordsOnlyHere {
      throw CommandError("e: \(CurrentStore.onlyHere(count)); run \"saveas FILE\" first")
    }
    guard !session.context.hasChanges || session.store.isSampleUntouched else {
      throw CommandError("e: unsaved changes; run \"save\" or \"rollback\" first")
    }
    try session.open(location)
    return .done("opened \(session.store.name)")
  }
}
