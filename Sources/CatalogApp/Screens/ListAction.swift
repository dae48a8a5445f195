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

  static let place = KeyPlace("list")

  var binding: KeyBinding {
    func binding(_ keys: [Key], _ summary: String, hint: String? = nil) -> KeyBinding {
      KeyBinding("In a list", keys, summary, hint: hint)
    }
    return switch self {
    case .accept: binding([.enter], "choose this line")
    case .leave: binding([.escape, .character("q")], "close the list", hint: "close")
    case .down: binding([.down, .character("j")], "go to the next line")
    case .up: binding([.up, .character("k")], "go to the previous line")
    case .pageDown: binding([.pageDown, .control("f")], "go down a page")
    case .pageUp: binding([.pageUp, .control("b")], "go up a page")
    case .first: binding([.home, .character("g")], "go to the first line")
    case .last: binding([.end, .character("G")], "go to the last line")
    case .filter: binding([.character("/")], "show only lines that contain what you type")
    case .help: binding([.function(1), .character("?")], "show the keys")
    }
  }
}
