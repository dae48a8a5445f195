extension ScreenCommand {
  private static func keys(
    _ place: Place,
    _ group: String,
    _ name: String,
    _ keys: [Key],
    _ summary: String
  ) -> ScreenCommand {
    let leaving = [.list, .text, .conflict].contains(place) ? "close" : "cancel"
    return ScreenCommand(
      name,
      at: place,
      keys: keys,
      hint: name == "leave" ? leaving : name,
      group: group,
      summary: summary
    ) { _, _ in .stay }
  }

  /// The keys of a form.
  static let formKeys: [ScreenCommand] = [
    keys(.form, "In a form", "accept", [.enter, .control("s")], "accept all fields"),
    keys(.form, "In a form", "leave", [.escape], "cancel, keep the old values"),
    keys(.form, "In a form", "next", [.tab, .down], "go to the next field"),
    keys(.form, "In a form", "previous", [.backTab, .up], "go to the previous field"),
    keys(.form, "In a form", "null", [.control("n")], "set the field to null"),
    keys(.form, "In a form", "help", [.function(1)], "show the keys"),
  ]

  /// The keys of a cell that is edited.
  static let cellKeys: [ScreenCommand] = [
    keys(.cell, "In a cell", "accept", [.enter], "accept the value"),
    keys(.cell, "In a cell", "leave", [.escape], "cancel, keep the old value"),
    keys(.cell, "In a cell", "next", [.tab], "accept and edit the next column"),
    keys(
      .cell,
      "In a cell",
      "previous",
      [.backTab],
      "accept and edit the previous column"
    ),
    keys(.cell, "In a cell", "null", [.control("n")], "set the cell to null"),
    keys(.cell, "In a cell", "help", [.function(1)], "show the keys"),
  ]

  /// The keys of the line at the bottom.
  static let promptKeys: [ScreenCommand] = [
    keys(.prompt, "In a prompt", "accept", [.enter], "run the command or keep the filter"),
    keys(.prompt, "In a prompt", "leave", [.escape], "cancel"),
    keys(.prompt, "In a prompt", "complete", [.tab], "complete the word"),
    keys(.prompt, "In a prompt", "earlier", [.up, .control("p")], "previous line in the history"),
    keys(.prompt, "In a prompt", "later", [.down, .control("n")], "next line in the history"),
  ]

  /// The keys of a list that lies on the table.
  static let listKeys: [ScreenCommand] = [
    keys(.list, "In a list", "accept", [.enter], "choose this line"),
    keys(.list, "In a list", "leave", [.escape, .character("q")], "close the list"),
    keys(.list, "In a list", "down", [.down, .character("j")], "go to the next line"),
    keys(.list, "In a list", "up", [.up, .character("k")], "go to the previous line"),
    keys(.list, "In a list", "page down", [.pageDown, .control("f")], "go down a page"),
    keys(.list, "In a list", "page up", [.pageUp, .control("b")], "go up a page"),
    keys(.list, "In a list", "first", [.home, .character("g")], "go to the first line"),
    keys(.list, "In a list", "last", [.end, .character("G")], "go to the last line"),
    keys(.list, "In a list", "help", [.function(1), .character("?")], "show the keys"),
  ]

  /// The keys where conflicts are settled; those of a list move there, too.
  static let conflictKeys: [ScreenCommand] = [
    conflict("keep mine", [.character("m")], "keep my version of this value"),
    conflict("take theirs", [.character("t")], "take their version of this value"),
    conflict("keep all mine", [.character("M")], "keep my version of all values"),
    conflict("take all theirs", [.character("T")], "take their version of all values"),
    conflict(
      "leave",
      [.escape, .character("q")],
      "close; remaining conflicts stay unresolved and nothing is saved"
    ),
    conflict("help", [.function(1), .character("?")], "show the keys"),
  ]

  private static func conflict(_ name: String, _ newKeys: [Key], _ summary: String)
    -> ScreenCommand
  {
    keys(.conflict, "In the conflict view", name, newKeys, summary)
  }

  /// The keys of a text.
  static let textKeys: [ScreenCommand] = [
    keys(
      .text,
      "In a text view",
      "leave",
      [.escape, .character("q"), .enter, .character("?"), .function(1)],
      "close"
    ),
    keys(.text, "In a text view", "down", [.down, .character("j")], "go down a line"),
    keys(.text, "In a text view", "up", [.up, .character("k")], "go up a line"),
    keys(
      .text,
      "In a text view",
      "page down",
      [.pageDown, .space, .control("f"), .control("d")],
      "go down a page"
    ),
    keys(
      .text,
      "In a text view",
      "page up",
      [.pageUp, .control("b"), .control("u")],
      "go up a page"
    ),
    keys(.text, "In a text view", "first", [.home, .character("g")], "go to the first line"),
    keys(.text, "In a text view", "last", [.end, .character("G")], "go to the last line"),
  ]

  /// The keys of a question.
  static let choiceKeys: [ScreenCommand] = [
    keys(
      .choice,
      "In a dialog",
      "cancel",
      [.escape, .character("n"), .character("c")],
      "cancel"
    )
  ]
}
