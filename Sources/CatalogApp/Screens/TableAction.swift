/// The actions of keys in the table.
package enum TableAction: String, KeyAction {
  case down, up, right, left, first, last
  case firstColumn = "first column"
  case lastColumn = "last column"
  case pageDown = "page down"
  case pageUp = "page up"
  case halfPageDown = "half page down"
  case halfPageUp = "half page up"
  case nextEntity = "next entity"
  case position

  case open, edit, change, add, duplicate, delete, undo, redo
  case repeatChange = "repeat"
  case record, play
  case save
  case editOutside = "edit outside"

  case mark
  case markRange = "mark range"
  case markAll = "mark all"

  case search
  case nextMatch = "next match"
  case previousMatch = "previous match"
  case filter
  case invertFilter = "invert filter"
  case sort
  case sortFurther = "sort further"
  case group
  case foldGroup = "fold group"
  case foldAllGroups = "fold all groups"
  case counts, details, follow, referrers, back, history, differences

  case columns
  case goToColumn = "go to column"
  case hideColumn = "hide column"
  case moveColumnLeft = "move column left"
  case moveColumnRight = "move column right"
  case narrowColumn = "narrow column"
  case widenColumn = "widen column"
  case fitColumn = "fit column"
  case freezeColumn = "freeze column"
  case expandColumn = "expand column"
  case collapseColumn = "collapse column"

  case command, palette, copy, help, clear, redraw, suspend, quit

  package static let place = KeyPlace("table")

  /// One switch over all actions, so that each has keys and a summary.
  package var binding: KeyBinding {
    switch self {
    case .down: .moving([.down, .character("j")], "go to the next record")
    case .up: .moving([.up, .character("k")], "go to the previous record")
    case .right: .moving([.right, .character("l")], "go to the next column")
    case .left: .moving([.left, .character("h")], "go to the previous column")
    case .first:
      .moving([.character("g"), .home], "go to the first record; after a number, to that record")
    case .last:
      .moving(
        [.character("G"), .end],
        "go to the last record; after a number, to that record (42G)"
      )
    case .firstColumn: .moving([.character("0")], "go to the first column")
    case .lastColumn: .moving([.character("$")], "go to the last column")
    case .pageDown: .moving([.pageDown, .control("f")], "go down a page")
    case .pageUp: .moving([.pageUp, .control("b")], "go up a page")
    case .halfPageDown: .moving([.control("d")], "go down half a page")
    case .halfPageUp: .moving([.control("u")], "go up half a page")
    case .nextEntity: .moving([.tab], "show the next entity", takesCount: false)
    case .position:
      .moving(
        [.control("g")],
        "tell the row, the column, the file and the whole filter",
        takesCount: false
      )
    case .open: .changing([.enter], "open the record in a form")
    case .edit:
      .changing(
        [.character("e"), .function(2), .character("i")],
        "edit the cell, or this column of the marked records"
      )
    case .change:
      .changing(
        [.character("c")],
        "clear the cell and edit it, or this column of the marked records"
      )
    case .add: .changing([.character("a"), .character("o")], "add a record in a form")
    case .duplicate:
      .changing(
        [.character("Y")],
        "duplicate the record or all marked records; after a number, that many",
        takesCount: true
      )
    case .delete:
      .changing(
        [.character("d"), .character("x"), .delete],
        "delete the record or all marked records (asks first if several); after a number, that many",
        takesCount: true
      )
    case .undo:
      .changing(
        [.character("u"), .character("U")],
        "undo the last change; after a number, that many of this run",
        takesCount: true
      )
    case .redo:
      .changing(
        [.control("r")],
        "redo the last undone change; after a number, that many",
        takesCount: true
      )
    case .repeatChange:
      .changing(
        [.character(".")],
        "repeat the last change on this record or the marked records; after a number, on that many",
        takesCount: true
      )
    case .record:
      .changing([.character("Q")], "record the keys that follow; press again to end")
    case .play:
      .changing(
        [.character("@")],
        "play the recorded keys; after a number, that many times",
        takesCount: true
      )
    case .save: .changing([.character("w"), .control("s")], "save the unsaved changes")
    case .editOutside:
      .changing(
        [.character("E")],
        "edit the cell, or this column of the marked records, in $VISUAL or $EDITOR"
      )
    case .mark:
      .marking([.space], "mark or unmark the record; after a number, that many", takesCount: true)
    case .markRange: .marking([.character("V")], "start a range; press again to mark it")
    case .markAll: .marking([.character("*")], "mark or unmark all shown records")
    case .search: .finding([.character("/")], "search in all fields as you type")
    case .nextMatch: .finding([.character("n")], "go to the next match")
    case .previousMatch: .finding([.character("N")], "go to the previous match")
    case .filter:
      .finding(
        [.character("f"), .character("&")],
        "filter as you type, by a predicate or plain words"
      )
    case .invertFilter:
      .finding([.character("!")], "show the records that the filter hides, and hide the others")
    case .sort: .finding([.character("s")], "sort by this column; press again to reverse")
    case .sortFurther: .finding([.character("S")], "add this column to the sort")
    case .group:
      .finding([.character("b")], "group the records by this column; press again to end the groups")
    case .foldGroup:
      .finding(
        [.character("z")],
        "fold the group of the record into its heading, or unfold it, as Enter and Space do there"
      )
    case .foldAllGroups: .finding([.character("Z")], "fold all groups, or unfold them")
    case .counts: .finding([.character("F")], "count the values of this column")
    case .details:
      .finding(
        [.character("v")],
        "show all values of the record next to the table; press again to move in them"
      )
    case .follow: .finding([.character("O")], "go to the record that the link refers to")
    case .referrers:
      .finding([.character("R")], "list the records that refer to the record")
    case .back:
      .finding([.backspace, .control("o")], "go back to the record before the link")
    case .history: .finding([.character("H")], "show the history of the record")
    case .differences:
      .finding([.character("D")], "show the unsaved changes, and the SQL of a save to a database")
    case .columns, .goToColumn, .hideColumn, .moveColumnLeft, .moveColumnRight, .narrowColumn,
      .widenColumn, .fitColumn, .freezeColumn, .expandColumn, .collapseColumn:
      columnBinding ?? .program([], "")
    case .command: .program([.character(":")], "type a command, with completion and history")
    case .palette: .program([.control("p")], "search all commands")
    case .copy:
      .program(
        [.character("y")],
        "copy the value of the cell, or the marked records as lines of TSV"
      )
    case .help: .program([.character("?"), .function(1)], "show the keys and commands")
    case .clear:
      .program(
        [.escape],
        "clear the marks, then the search, the filter, the sort, the groups and the signs of others' changes; with --pick, then cancel"
      )
    case .redraw: .program([.control("l")], "redraw the screen; apply filter and sort again")
    case .suspend: .program([.control("z")], "suspend the program (fg resumes it)")
    case .quit:
      .program([.character("q")], "quit; asks first if there are unsaved changes")
    }
  }
}

extension KeyBinding {
  /// The group of the keys that only move.
  static let movingGroup = "Moving"

  fileprivate static func moving(_ keys: [Key], _ summary: String, takesCount: Bool = true)
    -> KeyBinding
  {
    KeyBinding(movingGroup, keys, summary, takesCount: takesCount)
  }

  fileprivate static func changing(_ keys: [Key], _ summary: String, takesCount: Bool = false)
    -> KeyBinding
  {
    KeyBinding("Changing", keys, summary, takesCount: takesCount)
  }

  fileprivate static func marking(_ keys: [Key], _ summary: String, takesCount: Bool = false)
    -> KeyBinding
  {
    KeyBinding("Marking", keys, summary, takesCount: takesCount)
  }

  fileprivate static func finding(_ keys: [Key], _ summary: String) -> KeyBinding {
    KeyBinding("Finding", keys, summary)
  }

  fileprivate static func program(_ keys: [Key], _ summary: String) -> KeyBinding {
    KeyBinding("Program", keys, summary)
  }
}
