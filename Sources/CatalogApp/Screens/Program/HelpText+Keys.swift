/// Help for the keys of the screen.
extension HelpText {
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
    return lines + KeyCommand.shared(with: place).map { line(of: $0, keys) }
  }

  /// Some keys with a heading, and a blank line after them; empty without any.
  static func first(_ actions: [any KeyAction], _ keys: KeyMap) -> [String] {
    guard !actions.isEmpty else { return [] }
    return ["Here"] + actions.map { line(of: KeyCommand($0), keys) } + [""]
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
        page += row(of: command, keys)
      }
      page += KeyCommand.shared(with: place).map { row(of: $0, keys) }.joined()
    }
    page += "\n## \(mouse[0])\n\n| mouse | what it does |\n|---|---|\n"
    for use in uses { page += "| \(use.mouse) | \(use.summary) |\n" }
    page += "\n## \(filters[0])\n\n"
    page += filters.dropFirst().map { $0.dropFirst(2) + "\n" }.joined()
    return page
  }

  private static func row(of command: KeyCommand, _ keys: KeyMap) -> String {
    let names = keys.keys(for: command).map { key in
      "`" + (key == .character("|") ? "&#124;" : key.description) + "`"
    }
    return "| \(names.joined(separator: " ")) | \(command.name) | \(command.summary) |\n"
  }
}
