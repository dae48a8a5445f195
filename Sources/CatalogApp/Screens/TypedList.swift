/// What an event means for a list whose entries are found by a text.
enum TypedListInput {
  /// The selected entry was chosen.
  case accepted
  /// The list was left without a choice.
  case left
  /// The selection may have moved.
  case handled
  /// The event belongs to the text.
  case text
}

extension ScrollList {
  /// Handles an event except what is typed into the text.
  mutating func handleTyped(_ event: InputEvent, in area: Rect, _ keys: KeyMap) -> TypedListInput {
    if case .interrupt = event { return .left }
    if case .mouse(let mouse) = event {
      handle(mouse, in: area)
      return mouse.kind == .double ? .accepted : .handled
    }
    if turnPage(event, rows: area.height) { return .handled }
    guard case .key(let key) = event, let action: PromptAction = keys.action(for: key) else {
      return .text
    }
    switch action {
    case .accept: return .accepted
    case .leave: return .left
    case .earlier: select(selected - 1)
    case .later, .complete: select(selected + 1)
    }
    return .handled
  }
}
