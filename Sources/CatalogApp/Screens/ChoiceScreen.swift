/// A question with a key for each answer; `Esc` leaves things as they are.
struct ChoiceScreen: Screen {
  /// One answer.
  struct Choice: Sendable {
    let key: Character
    /// What it does, in a word for the hint line.
    let word: String
    let text: String
    let perform: @Sendable (inout AppState) -> Void
  }

  let question: String
  let details: [String]
  let choices: [Choice]

  var place: KeyPlace { ChoiceAction.place }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    if case .interrupt = event { return .close }
    guard case .key(let key) = event else { return .stay }
    if let choice = choices.first(where: { $0.key == key.typed }) {
      choice.perform(&app)
      return .close
    }
    if let action: ChoiceAction = app.keys.action(for: key) {
      switch action {
      case .cancel: return .close
      }
    }
    let keys = choices.map { String($0.key) } + [isYesOrNo ? "n" : "Esc"]
    app.warn("press \(Self.list(keys))")
    return .stay
  }

  /// `s, d or Esc`.
  static func list(_ keys: [String]) -> String {
    keys.dropLast().joined(separator: ", ") + (keys.count > 1 ? " or " : "") + (keys.last ?? "")
  }

  /// True when the only answers are to do it or not.
  private var isYesOrNo: Bool { choices.count == 1 && choices[0].key == "y" }

  var answers: [Answer] {
    choices.map { Answer(keys: String($0.key), word: $0.word) }
      + [isYesOrNo ? Answer(keys: "n/Esc", word: "cancel") : .cancel]
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    PopupFrame.draw(
      on: &canvas,
      app,
      question: question,
      details: details,
      answers: choices.map { "\($0.key)  \($0.text)" }
        + [isYesOrNo ? "n  cancel" : "Esc  cancel"]
    )
  }

  /// What to do with unsaved changes before leaving.
  static func quit(_ status: StoreStatus) -> ChoiceScreen {
    if let count = status.recordsOnlyHere {
      return inMemory("leave?", count) { $0.request(.quit(0)) }
    }
    return unsaved(
      "leave with unsaved changes?",
      status,
      save: { $0.perform(Save(), then: .quit) },
      discard: { $0.request(.quit(0)) }
    )
  }

  /// What to do with unsaved changes before opening another store.
  static func open(_ location: String, _ status: StoreStatus) -> ChoiceScreen {
    if let count = status.recordsOnlyHere {
      return inMemory("open another store?", count) { $0.request(.open(location)) }
    }
    return unsaved(
      "open another store with unsaved changes?",
      status,
      save: { $0.perform(Save(), then: .open(location)) },
      discard: { $0.request(.open(location)) }
    )
  }

  /// What to do when the system did not say whether a save is on the disk.
  static func unknownOutcome(_ status: StoreStatus) -> ChoiceScreen {
    let reopening = status.location.map { location in
      Choice(
        key: "o",
        word: "open again",
        text: "open the store again; your edits are kept, and offered there"
      ) {
        $0.request(.open(location))
      }
    }
    let elsewhere = saveAs("save elsewhere", "save everything to another store")
    return ChoiceScreen(
      question: "is it saved? the disk failed, and nobody knows",
      details: [
        "The store takes no more saves until it is opened again. Your edits are still",
        "here. Opened again, it shows what is there: look whether the save arrived",
        "before you bring the edits back.",
      ],
      choices: [elsewhere] + (reopening.map { [$0] } ?? [])
    )
  }

  /// Whether to do what was asked for.
  static func confirm(_ question: String, _ details: [String], _ request: Request) -> ChoiceScreen {
    ChoiceScreen(
      question: question,
      details: details,
      choices: [
        Choice(key: "y", word: "yes", text: "yes; u undoes it") {
          $0.request(.perform(request.confirmed))
        }
      ]
    )
  }

  private static func saveAs(_ word: String, _ text: String) -> Choice {
    Choice(key: "s", word: word, text: text) {
      $0.screens.append(CommandPrompt($0, text: "saveas "))
    }
  }

  /// What to do with records that are nowhere else, before leaving.
  private static func inMemory(
    _ question: String,
    _ count: Int,
    discard: @escaping @Sendable (inout AppState) -> Void
  ) -> ChoiceScreen {
    ChoiceScreen(
      question: "\(question) the records are in memory only",
      details: ["\(Session.counted(count)) will be lost; saveas writes them to a file"],
      choices: [
        saveAs("save to a file", "save everything to a file"),
        Choice(key: "d", word: "discard", text: "discard the records and go", perform: discard),
      ]
    )
  }

  private static func unsaved(
    _ question: String,
    _ status: StoreStatus,
    save: @escaping @Sendable (inout AppState) -> Void,
    discard: @escaping @Sendable (inout AppState) -> Void
  ) -> ChoiceScreen {
    let isRecords = status.schemaChanges == 0
    let count = Session.counted(status.unsaved, isRecords ? "record" : "change")
    return ChoiceScreen(
      question: question,
      details: ["\(count) not saved: \(status.unsavedText)"],
      choices: [
        Choice(key: "s", word: "save", text: "save, then go", perform: save),
        Choice(key: "d", word: "discard", text: "discard the changes and go", perform: discard),
      ]
    )
  }
}

/// An answer to a question, for the hint line.
struct Answer: Hashable, Sendable {
  let keys: String
  let word: String

  /// Leaves everything as it is.
  static let cancel = Answer(keys: "Esc", word: "cancel")
}

/// What keys do at a question, beside its answers.
enum ChoiceAction: String, KeyAction {
  case cancel

  static let place = KeyPlace("choice")

  var binding: KeyBinding {
    switch self {
    case .cancel:
      KeyBinding("In a dialog", [.escape, .character("n"), .character("c")], "cancel")
    }
  }
}
