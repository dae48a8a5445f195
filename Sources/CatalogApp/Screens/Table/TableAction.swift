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
  case entities
  case position

  case open, edit, change, add, duplicate, delete, undo, redo
  case repeatChange = "repeat"
  case record, play
  case save
  case editOutside = "edit outside"

  case mark
  case markRange = "mark range"
  case markAll = "mark all"
  case compare

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
  case compute = "compute column"
  case hideColumn = "hide column"
  case identifiers
  case moveColumnLeft = "move column left"
  case moveColumnRight = "move column right"
  case narrowColumn = "narrow column"
  case widenColumn = "widen column"
  case fitColumn = "fit column"
  case freezeColumn = "freeze column"
  case expandColumn = "expand column"
  case collapseColumn = "collapse column"

  case command, palette, copy, help, clear, redraw, suspend, quit

  package static let place = KeyPlace("table", KeyBinding.movingGroup)

  /// One switch over all actions, so that each has keys and a summary.
  package var binding: KeyBinding {
    switch self {
    case .down: .moving([.down, "j"], "go to the next record")
    case .up: .moving([.up, "k"], "go to the previous record")
    case .right: .moving([.right, "l"], "go to the next column")
    case .left: .moving([.left, "h"], "go to the previous column")
    case .first: .moving(["g", .home], "go to the first record; after a number, to that record")
    case .last: .moving(["G", .end], "go to the last record; after a number, to that record (42G)")
    case .firstColumn: .moving(["0"], "go to the first column")
    case .lastColumn: .moving(["$"], "go to the last column")
    case .pageDown: .moving([.pageDown, .control("f")], "go down a page")
    case .pageUp: .moving([.pageUp, .control("b")], "go up a page")
    case .halfPageDown: .moving([.control("d")], "go down half a page")
    case .halfPageUp: .moving([.control("u")], "go up half a page")
    case .nextEntity: .moving([.tab], "show the next entity", takesCount: false)
    case .entities:
      .moving(["T"], "list the entities with their numbers of records", takesCount: false)
    case .position:
      .moving(
        [.control("g")],
        "tell the row, the column, the file and the whole filter",
        takesCount: false
      )
    case .open: .changing([.enter], "open the record in a form")
    case .edit:
      .changing(["e", .function(2), "i"], "edit the cell, or this column of the marked records")
    case .change:
      .changing(["c"], "clear the cell and edit it, or this column of the marked records")
    case .add: .changing(["a", "o"], "add a record in a form")
    case .duplicate:
      .changing(
        ["Y"],
        "duplicate the record or all marked records; after a number, that many",
        takesCount: true
      )
    case .delete:
      .changing(
        ["d", "x", .delete],
        "delete the record or all marked records (asks first if several); after a number, that many",
        takesCount: true
      )
    case .undo:
      .changing(
        ["u", "U"],
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
        ["."],
        "repeat the last change on this record or the marked records; after a number, on that many",
        takesCount: true
      )
    case .record: .changing(["Q"], "record the keys that follow; press again to end")
    case .play:
      .changing(["@"], "play the recorded keys; after a number, that many times", takesCount: true)
    case .save: .changing(["w", .control("s")], "save the unsaved changes")
    case .editOutside:
      .changing(["E"], "edit the cell, or this column of the marked records, in $VISUAL or $EDITOR")
    case .mark:
      .marking([.space], "mark or unmark the record; after a number, that many", takesCount: true)
    case .markRange: .marking(["V"], "start a range; press again to mark it")
    case .markAll: .marking(["*"], "mark or unmark all shown records")
    case .compare: .marking(["M"], "compare the marked records field by field, and merge them")
    case .search: .finding(["/"], "search in all fields as you type, for a text or a /regex/")
    case .nextMatch: .finding(["n"], "go to the next match")
    case .previousMatch: .finding(["N"], "go to the previous match")
    case .filter: .finding(["f", "&"], "filter as you type, by a predicate or plain words")
    case .invertFilter:
      .finding(["!"], "show the records that the filter hides, and hide the others")
    case .sort: .finding(["s"], "sort by this column; press again to reverse")
    case .sortFurther: .finding(["S"], "add this column to the sort")
    case .group: .finding(["b"], "group the records by this column; press again to end the groups")
    case .foldGroup:
      .finding(
        ["z"],
        "fold the group of the record into its heading, or unfold it, as Enter and Space do there"
      )
    case .foldAllGroups: .finding(["Z"], "fold all groups, or unfold them")
    case .counts: .finding(["F"], "count the values of this column")
    case .details:
      .finding(
        ["v"],
        "show all values of the record next to the table; press again to move in them"
      )
    case .follow: .finding(["O"], "go to the record that the link refers to")
    case .referrers: .finding(["R"], "list the records that refer to the record")
    case .back: .finding([.backspace, .control("o")], "go back to the record before the link")
    case .history: .finding(["H"], "show the history of the record")
    case .differences:
      .finding(["D"], "show the unsaved changes, and the SQL of a save to a database")
    case .columns: .arranging("C", "list all columns, to show, hide and arrange them")
    case .goToColumn: .arranging("'", "go to a column by typing its name")
    case .compute:
      .arranging("=", "compute a column from others, or change the computed one under the cursor")
    case .hideColumn: .arranging("-", "hide this column; C lists it")
    case .identifiers: .arranging("#", "show or hide the identifiers of the records")
    case .moveColumnLeft: .arranging("<", "move this column to the left", takesCount: true)
    case .moveColumnRight: .arranging(">", "move this column to the right", takesCount: true)
    case .narrowColumn: .arranging("[", "make this column narrower", takesCount: true)
    case .widenColumn: .arranging("]", "make this column wider", takesCount: true)
    case .fitColumn:
      .arranging("_", "fit this column to its widest value; again for the automatic width")
    case .freezeColumn:
      .arranging("|", "keep this column at the left while others scroll, or let it scroll")
    case .expandColumn:
      .arranging("(", "show the members of objects, or the fields of linked records, as columns")
    case .collapseColumn: .arranging(")", "remove the columns that were added for this field")
    case .command: .program([":"], "type a command, with completion and history")
    case .palette: .program([.control("p")], "search all commands")
    case .copy: .program(["y"], "copy the value of the cell, or the marked records as lines of TSV")
    case .help: .program(["?", .function(1)], "show the keys and commands")
    case .clear:
      .program(
        [.escape],
        "clear the marks, then the search, the filter, the sort, the groups and the signs of others' changes; with --pick, then cancel"
      )
    case .redraw: .program([.control("l")], "redraw the screen; apply filter and sort again")
    case .suspend: .program([.control("z")], "suspend the program (fg resumes it)")
    case .quit: .program(["q"], "quit; asks first if there are unsaved changes")
    }
  }
}

extension KeyBinding {
  /// The group of the keys that only move.
  static let movingGroup = "Moving"

  fileprivate static func moving(_ keys: [Key], _ summary: String, takesCount: Bool = true) -> Self
  {
    Self(keys, summary, takesCount: takesCount, group: movingGroup)
  }

  fileprivate static func changing(_ keys: [Key], _ summary: String, takesCount: Bool = false)
    -> Self
  {
    Self(keys, summary, takesCount: takesCount, group: "Changing")
  }

  fileprivate static func marking(_ keys: [Key], _ summary: String, takesCount: Bool = false)
    -> Self
  {
    Self(keys, summary, takesCount: takesCount, group: "Marking")
  }

  fileprivate static func finding(_ keys: [Key], _ summary: String) -> Self {
    Self(keys, summary, group: "Finding")
  }

  fileprivate static func arranging(_ key: Key, _ summary: String, takesCount: Bool = false) -> Self
  {
    Self([key], summary, takesCount: takesCount, group: "Columns")
  }

  fileprivate static func program(_ keys: [Key], _ summary: String) -> Self {
    Self(keys, summary, group: "Program")
  }
}
