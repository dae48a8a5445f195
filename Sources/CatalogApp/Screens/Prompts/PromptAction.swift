/// The actions of keys in the prompt at the bottom.
enum PromptAction: String, KeyAction {
  case accept, leave, complete, earlier, later

  static let place = KeyPlace("prompt", "In a prompt")

  var binding: KeyBinding {
    switch self {
    case .accept: KeyBinding([.enter], "run the command or keep the filter")
    case .leave: KeyBinding([.escape], "cancel", hint: "cancel")
    case .complete:
      KeyBinding(
        [.tab],
        "complete the word; in a search, search in this column only; of columns, the next match"
      )
    case .earlier: KeyBinding([.up, .control("p")], "previous line in the history")
    case .later: KeyBinding([.down, .control("n")], "next line in the history")
    }
  }
}
