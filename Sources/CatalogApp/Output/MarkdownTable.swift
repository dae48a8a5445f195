/// Tables in the Markdown of GitHub.
enum MarkdownTable {
  /// The names of the columns, and the line below them that aligns numbers to the right.
  static func heading(_ columns: [String], numeric: [Bool]) -> String {
    let rules = columns.indices.map { numeric.indices.contains($0) && numeric[$0] ? "---:" : "---" }
    return line(columns.map(escaped)) + line(rules)
  }

  /// One row of cells that are escaped already.
  static func line(_ cells: [String]) -> String {
    "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined() + "\n"
  }

  /// Text that is shown as it is: what Markdown would interpret has a backslash, and a line break is `<br>`.
  static func escaped(_ text: String) -> String {
    var result = ""
    let characters = Array(text)
    for (place, character) in characters.enumerated() {
      if character.isNewline {
        result += "<br>"
      } else {
        let next = place + 1 < characters.count ? characters[place + 1] : " "
        let former = place > 0 ? characters[place - 1] : " "
        if isMarkup(character, after: former, before: next) { result += "\\" }
        result.append(character)
      }
    }
    return result
  }

  private static func isMarkup(
    _ character: Character,
    after former: Character,
    before next: Character
  )
    -> Bool
  {
    switch character {
    case "\\", "|", "`", "*", "<", "[", "~": true
    // Inside a word it is a letter like any other.
    case "_": !(isWord(former) && isWord(next))
    case "&": next.isLetter || next == "#"
    default: false
    }
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }
}
