/// The actions of keys in a list.
enum ListAction: String, KeyAction {
  case accept
  case leave
  case down, up
  case pageDown = "page down"
  case pageUp = "page up"
  case first, last
  case filter
  case help

  static let place = KeyPlace("list", "In a list")

  var binding: KeyBinding {
    switch self {
    case .accept: KeyBinding([.enter], "choose this line")
    case .leave: KeyBinding([.escape, "q"], "close the list", hint: "close")
    case .down: KeyBinding([.down, "j"], "go to the next line")
    case .up: KeyBinding([.up, "k"], "go to the previous line")
    case .pageDown: KeyBinding([.pageDown, .control("f")], "go down a page")
    case .pageUp: KeyBinding([.pageUp, .control("b")], "go up a page")
    case .first: KeyBinding([.home, "g"], "go to the first line")
    case .last: KeyBinding([.end, "G"], "go to the last line")
    case .filter: KeyBinding(["/"], "show only lines that contain what you type")
    case .help: KeyBinding([.function(1), "?"], "show the keys")
    }
  }
}
