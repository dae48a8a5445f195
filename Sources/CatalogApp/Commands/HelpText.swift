/// Help, made from the lists of commands, so that it is never stale.
package enum HelpText {
  /// The keys of a place under their headings.
  package static func keys(_ keys: KeyMap, at place: KeyPlace) -> [String] {
    var lines: [String] = []
    var group = ""
    for command in KeyCommand.all(at: place) {
      if command.group != group {
        if !group.isEmpty { lines.append("") }
        group = command.group
        lines.append(group)
      }
      let names = keys.keys(for: command).map(\.description)
      let column = DisplayText(names.joined(separator: " ")).padded(to: 14).plain
      lines.append("  \(column)  \(command.summary)")
    }
    return lines
  }

  /// The keys of every place, one after the other.
  package static func allKeys(_ keys: KeyMap) -> [String] {
    Array(KeyCommand.allPlaces.map { self.keys(keys, at: $0) }.joined(separator: [""]))
  }

  /// The keys as a page of Markdown: a table for each group.
  package static func markdown(_ keys: KeyMap) -> String {
    var page = """
      # Keys on the screen

      The default keys. Press `?` for your current bindings. A test keeps this page in step with the
      program.

      """
    var group = ""
    for place in KeyCommand.allPlaces {
      for command in KeyCommand.all(at: place) {
        if command.group != group {
          group = command.group
          page += "\n## \(group)\n\n| keys | name | what they do |\n|---|---|---|\n"
        }
        let names = keys.keys(for: command).map { key in
          "`" + (key == .character("|") ? "&#124;" : key.description) + "`"
        }
        page += "| \(names.joined(separator: " ")) | \(command.name) | \(command.summary) |\n"
      }
    }
    page += "\n## \(filters[0])\n\n"
    page += filters.dropFirst().map { $0.dropFirst(2) + "\n" }.joined()
    return page
  }

  /// How the filter understands what is typed.
  package static let filters = [
    "What the filter takes",
    "  A predicate, as in scripts: year > 2000 and title contains \"up\". A text that begins with a",
    "  field and an operator is one, and so is every other text that can be read as one.",
    "  While it is not whole, the records shown stay, and the line above says what is missing.",
    "  All other texts are plain words, each of which some field holds; \"words in quotes\" are one.",
    "  Case counts only where you type a capital; contains[c] ignores it always. In scripts it counts.",
    "  After = it always counts: title =[c] \"jaws\" ignores it.",
    "  Tab completes fields, operators and values.",
  ]

  /// The commands that can be typed after the colon.
  package static func commands() -> [String] {
    var lines = ["Commands (type : first)"]
    for command in Command.all(in: .screen) {
      lines.append("  \(command.synopsis)")
      let others =
        command.aliases.isEmpty ? "" : " (also \(command.aliases.joined(separator: ", ")))"
      lines.append("      \(command.summary)\(others)")
    }
    return lines
  }
}
