extension Command {
  /// `help`: prints the list of commands, or what one of them does.
  static let help = Command(
    "help",
    aliases: ["?"],
    usage: "[COMMAND]",
    summary: "list the commands, or explain one",
    details: "\"help keys\" lists the keys of the screen."
  ) { arguments, _ in
    guard !arguments.isEmpty else { return .lines(Command.overview) }
    let wanted = arguments.remaining.map { $0.text.lowercased() }.joined(separator: " ")
    if wanted == "keys" { return .lines(HelpText.allKeys(.standard)) }
    let named = Command.all.filter { ([$0.name] + $0.aliases).contains(wanted) }
    let found = named.isEmpty ? Command.all.filter { $0.name.hasPrefix(wanted + " ") } : named
    if !found.isEmpty {
      return .lines(Array(found.map(\.explanation).joined(separator: [""])))
    }
    let words = try CommandLine(wanted)
    guard let (command, _) = try Command.find(words) else { return .lines(Command.overview) }
    return .lines(command.explanation)
  }

  /// A line for each command.
  package static var overview: [String] {
    let width = all.map(\.name.count).max() ?? 0
    return all.map { command in
      let name = command.name + String(repeating: " ", count: width - command.name.count)
      return "\(name)  \(command.summary)"
    } + ["", "Run \"help COMMAND\" for details."]
  }

  /// All there is to know about the command, line by line.
  package var explanation: [String] {
    var lines = [synopsis, "  \(summary)"]
    if !aliases.isEmpty { lines.append("  also: \(aliases.joined(separator: ", "))") }
    lines += details.split(separator: "\n").map { "  \($0)" }
    return lines
  }
}
