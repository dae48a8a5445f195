/// Help, generated from the lists of commands, so that it is never out of date.
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
      lines.append(line(of: command, keys))
    }
    return lines
  }

  private static func line(of command: KeyCommand, _ keys: KeyMap) -> String {
    let names = keys.keys(for: command).map(\.description)
    let column = DisplayText(names.joined(separator: " ")).padded(to: 14).plain
    return "  \(column)  \(command.summary)"
  }

  /// The keys with commands of the user, with a heading; empty without any.
  package static func boundLines(_ lines: BoundLines) -> [String] {
    guard !lines.isEmpty else { return [] }
    return ["", "Your keys"]
      + lines.keys.map { key in
        let column = DisplayText(key.description).padded(to: 14).plain
        return "  \(column)  \((lines[key] ?? []).joined(separator: "; "))"
      }
  }

  /// The names of the commands of keys, by the lines that explain them, for a search.
  package static func names(_ keys: KeyMap) -> [String: String] {
    let keyed = KeyCommand.all.map { (line(of: $0, keys), $0.name) }
    return Dictionary(keyed + mouse.map { ($0, "mouse") }) { "\($0) \($1)" }
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
    page += "\n## \(mouse[0])\n\n| mouse | what it does |\n|---|---|\n"
    for use in uses { page += "| \(use.mouse) | \(use.summary) |\n" }
    page += "\n## \(filters[0])\n\n"
    page += filters.dropFirst().map { $0.dropFirst(2) + "\n" }.joined()
    return page
  }

  /// What the mouse does.
  package static let mouse =
    ["The mouse"]
    + uses.map { "  " + DisplayText($0.mouse).padded(to: 14).plain + "  " + $0.summary }

  private static let uses: [(mouse: String, summary: String)] = [
    ("click", "put the cursor on a cell, or choose a line"),
    ("double click", "open the record, or accept the line"),
    ("click header", "sort by the column; another click reverses the order"),
    ("drag border", "resize the column to the left of a border in the header"),
    ("double border", "two clicks on a border fit the column to its values"),
    ("wheel", "scroll three lines"),
    ("on details", "a click goes to a line of the details pane, the wheel scrolls it"),
    ("right click", "open the menu of the column"),
    ("mouse off", "a line of the configuration that leaves the mouse to the terminal"),
  ]

  /// How the filter interprets its text.
  package static let filters = [
    "What you can type in the filter",
    "  A predicate, as in scripts: year > 2000 and title contains \"up\". Text that starts with a",
    "  field and an operator is a predicate, and so is any other text that can be read as one.",
    "  While it is incomplete, the list stays as it is and the line above shows what is missing.",
    "  Other text is plain words; each must occur in some field. \"Words in quotes\" count as one.",
    "  Case matters only where you type a capital; contains[c] always ignores it. In scripts it matters.",
    "  After = it always matters; title =[c] \"jaws\" ignores it.",
    "  A day compared with a date and time means the whole day; in scripts it means its beginning.",
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
