import Foundation

extension HelpText {
  /// The commands as a part of the manual page, in mdoc: a list under each heading.
  package static func manual() -> String {
    var page = ""
    for (heading, commands) in Command.groups {
      page += ".Ss \(heading)\n.Bl -tag -width Ds\n"
      for command in commands { page += manual(command) }
      page += ".El\n"
    }
    return page
  }

  /// A page of help as a part of a manual page: paragraphs, lists of words with their meaning, and examples.
  package static func manual(of lines: [String]) -> String {
    var page = ""
    var isInList = false
    for line in lines {
      let parts = line.split(separator: #/ {2,}/#, maxSplits: 1)
      let isItem = line.hasPrefix("  ") && parts.count == 2
      if isItem != isInList { page += isItem ? ".Bl -tag -width Ds\n" : ".El\n" }
      isInList = isItem
      if isItem {
        page += ".It \(protected(String(parts[0])))\n\(roff(String(parts[1])))\n"
      } else if line.hasPrefix("  ") {
        page += ".Dl \(protected(line.trimmingCharacters(in: .whitespaces)))\n"
      } else {
        page += line.isEmpty ? ".Pp\n" : roff(line) + "\n"
      }
    }
    return page + (isInList ? ".El\n" : "")
  }

  /// Text after a macro, with its words protected from being macros themselves.
  private static func protected(_ text: String) -> String {
    roff(text).split(separator: " ").map { word in
      // Punctuation alone, and what looks like a macro, would mean something.
      word.count <= 2 ? "\\&" + word : String(word)
    }.joined(separator: " ")
  }

  private static func manual(_ command: Command) -> String {
    var text = command.usage.split(separator: "|").isEmpty ? item(command.name) : ""
    for usage in usages(command) { text += item(usage) }
    text += roff(sentence(command.summary)) + "\n"
    if !command.aliases.isEmpty {
      text += "Also:\n.Ic " + command.aliases.map(roff).joined(separator: " , ") + " .\n"
    }
    for (place, paragraph) in command.paragraphs.enumerated() {
      let lines = paragraph.lines.map { roff($0) + "\n" }.joined()
      if paragraph.isTable {
        text += ".Bd -literal\n\(lines).Ed\n"
      } else {
        text += (place > 0 ? ".Pp\n" : "") + lines
      }
    }
    return text
  }

  /// The spellings of a command, each with its name.
  private static func usages(_ command: Command) -> [String] {
    guard !command.usage.isEmpty else { return [] }
    return command.synopsis.components(separatedBy: "  |  ")
  }

  private static func item(_ synopsis: String) -> String {
    let words = synopsis.split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? " No " + roff(String(words[1])) : ""
    return ".It Ic \(roff(String(words[0])))\(rest)\n"
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  /// Text with all characters escaped that are special in roff.
  private static func roff(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("\"", with: "\\(dq")
      .replacing("…", with: "...").replacing("→", with: "\\(->")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
