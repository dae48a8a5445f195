/// The actions of keys in the prompt at the bottom.
enum PromptAction: String, KeyAction {
  case accept, leave, complete, earlier, later

  static let place = KeyPlace("prompt")

  var binding: KeyBinding {
    func binding(_ keys: [Key], _ summary: String, hint: String? = nil) -> KeyBinding {
      KeyBinding("In a prompt", keys, summary, hint: hint)
    }
    return switch self {
    case .accept: binding([.enter], "run the command or keep the filter")
    case .leave: binding([.escape], "cancel", hint: "cancel")
    case .complete:
      binding(
        [.tab],
        "complete the word; in a search, search in this column only; of columns, the next match"
      )
    case .earlier: binding([.up, .control("p")], "previous line in the history")
    case .later: binding([.down, .control("n")], "next line in the history")
    }
  }
}
