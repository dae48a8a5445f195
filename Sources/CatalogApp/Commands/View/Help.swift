/// `help`: explains the commands.
struct Help: Instruction {
  /// The command or the word to explain, or `keys`; empty for the list.
  let topic: String

  static let command = Command(
    "help",
    aliases: ["?", "h"],
    usage: "[COMMAND|WORD]",
    summary: "list the commands, or explain one or a word of the language",
    details:
      """
      "help keys" lists the keys of the screen, "help predicates" explains conditions and values, "help functions"
      what can be computed, and "help fill" prints what they say about one word.
      """,
    usesRecords: false
  ) { arguments, _ in
    Help(topic: arguments.takeWords().joined(separator: " ").lowercased())
  }

  func perform(in session: Session) throws -> Outcome {
    if topic.isEmpty {
      return session.origin.isOnScreen ? .screen(.help) : .lines(Command.overview)
    }
    if topic == "keys" {
      return session.origin.isOnScreen ? .screen(.help) : .lines(session.services.keyHelp)
    }
    if ["predicates", "predicate", "where", "language"].contains(topic) {
      return .lines(HelpText.predicates)
    }
    if ["functions", "function", "expressions"].contains(topic) {
      return .lines(HelpText.functions)
    }
    let named = Command.all.filter { $0.names.contains(topic) }
    let found = named.isEmpty ? Command.all.filter { $0.name.hasPrefix(topic + " ") } : named
    guard found.isEmpty else {
      return .lines(
        Array(
          found.map { $0.explanation(isWrapped: session.origin.isOnScreen) }.joined(separator: [""])
        )
      )
    }
    let lines = HelpText.lines(about: topic)
    if !lines.isEmpty { return .lines(lines) }
    let words = topic.split(separator: " ").map(String.init)
    guard let (command, _) = try Command.find(words, in: [.scripts, .screen]) else {
      return .lines(Command.overview)
    }
    return .lines(command.explanation(isWrapped: session.origin.isOnScreen))
  }
}

extension Command {
  /// A line for each command.
  package static var overview: [String] {
    let all = all(in: .scripts)
    let width = all.map(\.name.count).max() ?? 0
    return all.map { command in
      let name = command.name + String(repeating: " ", count: width - command.name.count)
      return "\(name)  \(command.summary)"
    } + [
      "", "Run \"help COMMAND\" for details, and \"help predicates\" for conditions and values.",
    ]
  }

  /// The full description of the command, line by line.
  ///
  /// With `isWrapped` the details are one line, for a view that wraps them itself.
  package func explanation(isWrapped: Bool = false) -> [String] {
    var lines = [synopsis, "  \(summary)"]
    if !aliases.isEmpty { lines.append("  also: \(aliases.joined(separator: ", "))") }
    for (place, paragraph) in paragraphs.enumerated() {
      if place > 0 { lines.append("") }
      let isJoined = isWrapped && !paragraph.isTable
      lines +=
        isJoined
        ? ["  " + paragraph.lines.joined(separator: " ")] : paragraph.lines.map { "  \($0)" }
    }
    return lines
  }

  /// Lines of the details up to an empty one.
  struct Paragraph {
    let lines: [String]
    /// True for indented lines, such as a table or examples, which are not joined to one text.
    var isTable: Bool { lines.first?.hasPrefix(" ") == true }
  }

  var paragraphs: [Paragraph] {
    details.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "").map {
      Paragraph(lines: $0.map(String.init))
    }
  }
}
