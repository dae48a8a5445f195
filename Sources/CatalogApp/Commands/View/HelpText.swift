/// Help, generated from the lists of commands and keys, so that it is never out of date.
package enum HelpText {
  /// What the mouse does.
  package static let mouse =
    ["The mouse"]
    + uses.map { "  " + DisplayText($0.mouse).padded(to: 14).plain + "  " + $0.summary }

  static let uses: [(mouse: String, summary: String)] = [
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
    "  Other text is plain words; each must occur in some field. \"Words in quotes\" count as one, and",
    "  between words, or and and connect them: apple or plum jam.",
    "  Terms such as year:1990-99, day:2024- (from 2024 on), price:1,000 (one number; price:100,200, is a list),",
    "  seen (a boolean field, true) and -seen (not true) need no operators; the predicate they mean is shown.",
    "  For the word seen, write \"seen\". A percentage is a number: share>50% means share > 0.5.",
    "  Accents are ignored: eric finds Éric. Letters that are not made with an accent, such as ł, ø and æ, are",
    "  found only as they are.",
    "  Case matters only where you type a capital; contains[c] always ignores it. In scripts it matters.",
    "  After = it always matters; title =[c] \"jaws\" ignores it.",
    "  A day compared with a date and time means the whole day, in UTC.",
    "  Tab completes fields, operators and values, in each term.",
    "  The cursor stays on its record if that matches, or goes to the next match after it, or to the first one;",
    "  letters typed in between do not move it. Esc puts back the former filter and the cursor.",
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
