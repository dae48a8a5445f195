import OpenSwiftData

/// The commands in the argument of one `-e`, which may be several lines.
package enum CommandLines {
  /// Divides a text where a line end comes before the name of a command, unless a quote is open there.
  ///
  /// Other line ends belong to a command: to a text in quotes, or to a JSON object.
  package static func split(_ text: String) -> [String] {
    guard text.utf8.contains(0x0A) else { return [text] }
    var commands: [String] = []
    var current: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let former = current else {
        current = String(line)
        continue
      }
      let first = line.split(whereSeparator: \.isWhitespace).first
      let isBlank = first.map { $0.first == "#" } ?? true
      guard isBlank || isCommand(first ?? ""), isComplete(former) else {
        current = former + "\n" + line
        continue
      }
      if isBlank { continue }
      commands.append(former)
      current = String(line)
    }
    return commands + (current.map { [$0] } ?? [])
  }

  private static func isComplete(_ text: String) -> Bool {
    do {
      _ = try CommandText(text)
      return true
    } catch {
      return error.code != .unclosedQuote
    }
  }

  static func isCommand(_ word: Substring) -> Bool {
    Command.all.contains { command in
      command.places.contains(.scripts)
        && command.names.contains { $0.prefix { $0 != " " } == word.lowercased() }
    }
  }
}
