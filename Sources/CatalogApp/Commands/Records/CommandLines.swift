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
    for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map(
      Substring.init
    ) {
      guard let all = current else {
        current = String(line)
        continue
      }
      let former = withoutReturn(all)
      let first = line.split(whereSeparator: \.isWhitespace).first
      let isBlank = first.map { $0.first == "#" } ?? true
      guard isBlank || isCommand(first ?? ""), !former.hasSuffix("\\"), isComplete(former) else {
        current = joined(all, line)
        continue
      }
      if isBlank { continue }
      commands.append(former)
      current = String(line)
    }
    return commands + (current.map { [withoutReturn($0)] } ?? [])
  }

  /// The line without the first half of a line end of Windows, which in quotes belongs to the text.
  private static func withoutReturn(_ line: String) -> String {
    line.utf8.last == 0x0D && isComplete(line) ? String(line.dropLast()) : line
  }

  /// One command of two lines, without a comment at the end of the first.
  private static func joined(_ former: String, _ line: Substring) -> String {
    var text = withoutReturn(former)
    if text.hasSuffix("\\") { text.removeLast() }
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
