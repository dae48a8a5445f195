import OpenSwiftData

extension Command {
  /// Every command in the order of the help.
  package static let all: [Command] = [
    .list, .count, .show, .insert, .set, .duplicate, .delete, .save, .rollback, .undo, .redo,
    .conflicts,
    .resolve, .recover, .status,
    .history, .revert, .stats, .freq, .importFile, .export, .saveAs, .entities, .schema,
    .entityCreate, .fieldAdd,
    .fieldRename, .fieldDrop, .compact, .check, .help, .quit,
  ]

  /// Finds the command that a line names, by its first word or its first two.
  ///
  /// - Returns: The command and the number of words of its name; nil for an empty line.
  /// - Throws: `CommandError` that names the nearest command.
  package static func find(_ line: CommandLine) throws -> (command: Command, words: Int)? {
    guard let first = line.words.first else { return nil }
    let names = line.words.prefix(2).map { $0.text.lowercased() }
    let pair = names.joined(separator: " ")
    for command in all where names.count == 2 && ([command.name] + command.aliases).contains(pair) {
      return (command, 2)
    }
    for command in all where ([command.name] + command.aliases).contains(names[0]) {
      return (command, 1)
    }
    let words = Set(all.flatMap { [$0.name] + $0.aliases })
    let following = words.filter { $0.hasPrefix(names[0] + " ") }.sorted()
    if !following.isEmpty {
      throw CommandError(
        "\(first.text): expected \(following.map { $0.dropFirst(names[0].count + 1) }.joined(separator: " or "))"
      )
    }
    throw CommandError(
      "unknown command \(Value.quoted(first.text)); "
        + (Suggestion.nearest(to: first.text, among: words.sorted()).map {
          "did you mean \"\($0)\"?"
        }
          ?? "run \"help\" for a list")
    )
  }
}
