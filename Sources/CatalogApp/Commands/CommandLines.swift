import OpenSwiftData

/// The commands in the argument of one `-e`, which may be several lines.
package enum CommandLines {
  /// Divides a text where a line end comes before the name of a command, unless a quote is open there.
  ///
  /// In quotes a line end belongs to the text; any other one stands for a space, also behind a backslash.
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
      guard isBlank || isCommand(first ?? ""), !former.hasSuffix("\\"), isComplete(former) else {
        current = joined(former, line)
        continue
      }
      if isBlank { continue }
      commands.append(former)
      current = String(line)
    }
    return commands + (current.map { [$0] } ?? [])
  }

  /// One command of two lines, without a comment at the end of the first.
  private static func joined(_ former: String, _ line: Substring) -> String {
    let isContinued = former.hasSuffix("\\")
    let text = isContinued ? String(former.dropLast()) : former
    guard let end = try? CommandText(text).words.last?.end else { return former + "\n" + line }
    return String(decoding: text.utf8.prefix(end), as: UTF8.self) + " " + line
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
