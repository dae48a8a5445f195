/// The actions of keys in a list.
enum ListAction: String, KeyAction {
  case accept
  case leave
  case down, up
  case pageDown = "page down"
  case pageUp = "page up"
  case first, last
  case filter
  case sort
  case turn = "turn around"
  case mark
  case markAll = "mark all"
  case show
  case copy
  case copyAll = "copy all"
  case export
  case help

  static let place = KeyPlace("list", "In a list")

  var binding: KeyBinding {
    switch self {
    case .accept: KeyBinding([.enter], "choose this line")
    case .leave: KeyBinding([.escape, "q"], "close the list", hint: "close")
    case .down: KeyBinding([.down, "j"], "go to the next line")
    case .up: KeyBinding([.up, "k"], "go to the previous line")
    case .pageDown: KeyBinding([.pageDown, .control("f"), .control("d")], "go down a page")
    case .pageUp: KeyBinding([.pageUp, .control("b"), .control("u")], "go up a page")
    case .first: KeyBinding([.home, "g"], "go to the first line")
    case .last: KeyBinding([.end, "G"], "go to the last line")
    case .filter: KeyBinding(["/"], "show only lines that contain what you type")
    case .sort: KeyBinding(["s"], "sort by the next of its columns, then as at first")
    case .turn: KeyBinding(["S"], "turn the order around")
    case .mark: KeyBinding([.space], "mark or unmark the line")
    case .markAll: KeyBinding(["*"], "mark or unmark all lines that are shown")
    case .show: KeyBinding(["v"], "show the line in full")
    case .copy:
      KeyBinding(
        ["y"],
        "copy the marked lines as TSV, or the line; of the history, the value that it restores"
      )
    case .copyAll: KeyBinding(["Y"], "copy all lines that are shown, as TSV")
    case .export:
      KeyBinding(["e"], "write the marked lines, or all that are shown, to a file such as list.csv")
    case .help: KeyBinding([.function(1), "?"], "show the keys")
    }
  }
}
