import Testing

/// What people type in another program, and what they type here: a row of a page for those who come from there.
struct OtherProgramRow: Sendable, CustomTestStringConvertible {
  /// What the row runs.
  enum Run: Sendable {
    /// Commands of a script.
    case script([String])
    /// Arguments after the file.
    case arguments([String])
    /// Keys on the screen, as in a key file.
    case keys(String)
  }

  /// What they type there.
  let theirs: String
  /// What they type here.
  let here: String
  let run: Run
  /// What the output or the screen shows then.
  let shows: [String]

  var testDescription: String { theirs }

  /// The row of a table, in Markdown.
  var markdown: String { "| \(cell(theirs)) | \(cell(here)) |\n" }

  private func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
}

extension OtherProgramRow {
  /// A statement or a command, and the command that does the same.
  static func command(_ theirs: String, _ commands: String..., shows: String...) -> Self {
    let here = commands.map { "`\($0)`" }.joined(separator: ", ")
    return Self(theirs: "`\(theirs)`", here: here, run: .script(commands), shows: shows)
  }

  /// A command line, and the one that does the same for the file.
  static func line(_ theirs: String, _ file: String, _ arguments: String..., shows: String...)
    -> Self
  {
    let words = (["catalog", file] + arguments).map { word in
      word.contains { " *();".contains($0) } ? "'\(word)'" : word
    }
    let here = "`\(words.joined(separator: " "))`"
    return Self(theirs: "`\(theirs)`", here: here, run: .arguments(arguments), shows: shows)
  }

  /// Keys there, as the page writes them, and keys here.
  static func keys(_ theirs: String, _ here: String, _ keys: String, shows: String...) -> Self {
    Self(theirs: theirs, here: here, run: .keys(keys), shows: shows)
  }
}
