extension ChoiceScreen {
  /// Offers to recover, view, discard or postpone the unsaved changes of a crashed run.
  static func recovery(_ offer: RecoveryOffer) -> ChoiceScreen {
    ChoiceScreen(
      question: offer.title + " found",
      details: offer.details,
      choices: [
        Choice(
          key: "r",
          word: "recover",
          text: "recover (as unsaved changes)",
          consequence: .request(.perform(Request(Recover())))
        ),
        Choice(
          key: "l",
          word: "list",
          text: "list them",
          consequence: .open(TextScreen(title: offer.title, lines: offer.edits))
        ),
        Choice(
          key: "d",
          word: "discard",
          text: "discard (a .discarded copy is kept)",
          consequence: .request(.perform(Request(Recover(isDiscarding: true))))
        ),
      ],
      postponing: (
        "later", "decide later", "unsaved changes kept; use :recover to restore them"
      )
    )
  }
}
