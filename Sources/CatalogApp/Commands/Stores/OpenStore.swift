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
      there are unsaved changes, or if the file does not exist; in scripts and with --plain they must be saved or discarded before.
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
    if session.origin.asksFirst, let question = question(session.services) { return question }
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

  /// Asks whether a file that does not exist is meant as a new store: a mistyped name looks the same.
  private func question(_ services: any Services) -> Outcome? {
    let scheme = LocationText.scheme(of: location)
    let path = scheme.map { String(location.dropFirst($0.count + 1)) } ?? location
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    // Without the folder it cannot be opened at all, and the error says so.
    guard services.isMissing(location), folder.isEmpty || services.isFolder(String(folder)) else {
      return nil
    }
    let near = Suggestion.nearest(to: path, among: services.paths(beginning: String(folder)))
    return .question(
      "open \(path) as a new store?",
      details: [near.map { "It does not exist; did you mean \($0)?" } ?? "It does not exist."]
        + ["Nothing is written until you save."]
    )
  }
}
