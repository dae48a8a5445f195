/// Offers to recover, view, discard or postpone the unsaved changes of a crashed run.
struct RecoveryScreen: Screen {
  private let offer: RecoveryOffer

  init(_ offer: RecoveryOffer) { self.offer = offer }

  var place: KeyPlace { ChoiceAction.place }

  var answers: [Answer] {
    [
      Answer(keys: "r", word: "recover"), Answer(keys: "l", word: "list"),
      Answer(keys: "d", word: "discard"), Answer(keys: "Esc", word: "later"),
    ]
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return later(&host) }
    guard case .key(let key) = event else { return .stay }
    switch key.typed {
    case "r":
      host.perform(Recover())
      return .close
    case "d":
      host.perform(Recover(isDiscarding: true))
      return .close
    case "l": return .open(TextScreen(title: offer.title, lines: offer.edits))
    default: break
    }
    if let action: ChoiceAction = host.keys.action(for: key) {
      switch action {
      case .cancel: return later(&host)
      }
    }
    host.warn("press r, l, d or Esc")
    return .stay
  }

  private func later(_ host: inout ScreenHost) -> Transition {
    host.say("unsaved changes kept; use :recover to restore them")
    return .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    PopupFrame.draw(
      on: &canvas,
      host.layout,
      question: offer.title + " found",
      details: offer.details,
      answers: [
        "r  recover (as unsaved changes)", "l  list them",
        "d  discard (a .discarded copy is kept)", "Esc  decide later",
      ]
    )
  }
}
