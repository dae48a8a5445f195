import OpenSwiftData

/// A table in the Markdown of GitHub.
struct MarkdownTable: TableDocument {
  /// The names of the columns, and the line below them that aligns numbers to the right.
  let heading: String
  let ending = ""

  init(_ columns: [String], numeric: [Bool], hasHeading: Bool) {
    let rules = columns.indices.map { numeric.indices.contains($0) && numeric[$0] ? "---:" : "---" }
    heading = hasHeading ? Self.line(columns.map(Self.escaped)) + Self.line(rules) : ""
  }

  func line(_ values: [Value], _ text: (Value, Int) -> String) -> String {
    Self.line(values.enumerated().map { Self.escaped(text($1, $0)) })
  }

  /// One row of cells that are escaped already.
  private static func line(_ cells: [String]) -> String {
    "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined() + "\n"
  }

  /// Text that is shown as it is: what Markdown would interpret has a backslash, and a line break is `<br>`.
  private static func escaped(_ text: String) -> String {
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
