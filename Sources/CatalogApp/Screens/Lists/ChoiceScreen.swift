import OpenSwiftData

/// A question with a key for each answer; `Esc` changes nothing.
struct ChoiceScreen: Screen {
  /// One answer.
  struct Choice: Sendable {
    let key: Character
    /// A word for the hint line that describes the answer.
    let word: String
    let text: String
    let consequence: Consequence
  }

  /// What an answer does.
  enum Consequence: Sendable {
    /// Requests an effect.
    case request(Effect)
    /// Performs an action on records; the repeat key does the same again.
    case change(RecordAction, on: [PersistentIdentifier])
    /// Passes a text to the screen below.
    case answer(String)
    /// Opens the command prompt with the beginning of a line.
    case prompt(String)
    /// Shows something above the question, which stays.
    case open(any Screen)
  }

  let question: String
  /// A text, or the first records that the question is about.
  let details: [String]
  /// The number of these records; nil if the details are a text.
  var recordCount: Int?
  let choices: [Choice]
  /// What Esc does instead of canceling: postpone the answer, with a message.
  var postponing: (word: String, text: String, message: String)?

  var place: KeyPlace { ChoiceAction.place }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return cancel(&host) }
    guard case .key(let key) = event else { return .stay }
    if let choice = choices.first(where: { $0.key == key.typed }) {
      return perform(choice.consequence, &host)
    }
    if let action: ChoiceAction = host.keys.action(for: key) {
      switch action {
      case .cancel: return cancel(&host)
      }
    }
    let keys = choices.map { String($0.key) } + [isYesOrNo ? "n" : "Esc"]
    host.warn("press \(Self.list(keys))")
    return .stay
  }

  private func cancel(_ host: inout ScreenHost) -> Transition {
    if let postponing { host.say(postponing.message) }
    return .close
  }

  private func perform(_ consequence: Consequence, _ host: inout ScreenHost) -> Transition {
    switch consequence {
    case .request(let effect): host.request(effect)
    case .change(let action, let identifiers): host.perform(action, on: identifiers)
    case .answer(let text): return .answer(text)
    case .prompt(let text): return .replace(CommandPrompt(host, text: text))
    case .open(let screen): return .open(screen)
    }
    return .close
  }

  /// `s, d or Esc`.
  static func list(_ keys: [String]) -> String {
    keys.dropLast().joined(separator: ", ") + (keys.count > 1 ? " or " : "") + (keys.last ?? "")
  }

  /// True for a question with only yes and no as answers.
  private var isYesOrNo: Bool { choices.count == 1 && choices[0].key == "y" }

  var answers: [Answer] {
    let cancel = isYesOrNo ? Answer(keys: "n/Esc", word: "cancel") : .cancel
    return choices.map { Answer(keys: String($0.key), word: $0.word) }
      + [postponing.map { Answer(keys: "Esc", word: $0.word) } ?? cancel]
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    Sheet.draw(
      on: &canvas,
      host.layout,
      question: question,
      details: details,
      recordCount: recordCount,
      answers: choices.map { "\($0.key)  \($0.text)" }
        + [isYesOrNo ? "n  cancel" : "Esc  \(postponing?.text ?? "cancel")"]
    )
  }

  /// Asks what to do with unsaved changes before quitting.
  static func quit(_ status: StoreStatus) -> ChoiceScreen {
    if let count = status.losses.recordsOnlyHere {
      return inMemory("quit?", count, discard: .quit(0), then: "quit")
    }
    return unsaved(
      "quit with unsaved changes?",
      status,
      save: .quit,
      discard: .quit(0),
      then: "quit"
    )
  }

  /// Asks what to do with unsaved changes before leaving without picking records.
  static func cancelPicking(_ status: StoreStatus) -> ChoiceScreen {
    let discard = Effect.quit(ScreenHost.nothingPicked)
    if let count = status.losses.recordsOnlyHere {
      return inMemory("cancel?", count, discard: discard, then: "cancel")
    }
    return unsaved(
      "cancel with unsaved changes?",
      status,
      save: .cancelPicking,
      discard: discard,
      then: "cancel"
    )
  }

  /// Asks what to do with unsaved changes before opening another store.
  static func open(_ location: String, _ status: StoreStatus) -> ChoiceScreen {
    if let count = status.losses.recordsOnlyHere {
      return inMemory("open another store?", count, discard: .open(location), then: "open it")
    }
    return unsaved(
      "open another store? there are unsaved changes",
      status,
      save: .open(location),
      discard: .open(location),
      then: "open it"
    )
  }

  /// Asks what to do when the outcome of a save is unknown.
  static func unknownOutcome(_ status: StoreStatus) -> ChoiceScreen {
    let reopening = status.location.map { location in
      Choice(
        key: "o",
        word: "reopen",
        text: "reopen the store (your changes can be recovered there)",
        consequence: .request(.open(location))
      )
    }
    let elsewhere = saveAs("save elsewhere", "save everything to another store")
    return ChoiceScreen(
      question: "save outcome unknown: the system reported an error while saving",
      details: [
        "This store cannot be saved again until you reopen it. Your changes are still",
        "here. Reopen it, check whether the save went through, and only then recover",
        "your changes.",
      ],
      choices: [elsewhere] + (reopening.map { [$0] } ?? [])
    )
  }

  /// Asks whether to perform a request.
  static func confirm(_ question: String, _ details: [String], _ request: Request) -> ChoiceScreen {
    ChoiceScreen(
      question: question,
      details: details,
      choices: [
        Choice(
          key: "y",
          word: "yes",
          text: request.instruction.command.changesData ? "yes; press u to undo" : "yes",
          consequence: .request(.perform(request.confirmed))
        )
      ]
    )
  }

  private static func saveAs(_ word: String, _ text: String) -> Choice {
    Choice(key: "s", word: word, text: text, consequence: .prompt("saveas "))
  }

  /// Asks what to do with records that are only in memory, before quitting.
  private static func inMemory(
    _ question: String,
    _ count: Int,
    discard: Effect,
    then next: String
  ) -> ChoiceScreen {
    ChoiceScreen(
      question: "\(question) the records are in memory only",
      details: ["\(counted(count)) will be lost unless you save them to a file"],
      choices: [
        saveAs("save to a file", "save everything to a file"),
        Choice(
          key: "d",
          word: "discard",
          text: "discard the records and \(next)",
          consequence: .request(discard)
        ),
      ]
    )
  }

  private static func unsaved(
    _ question: String,
    _ status: StoreStatus,
    save after: AfterRun,
    discard: Effect,
    then next: String
  ) -> ChoiceScreen {
    let isRecords = status.changes.schemaChanges == 0
    let count = counted(status.unsaved, isRecords ? "record" : "change")
    let save =
      status.traits.isPipe
      ? saveAs("save to a file", "save everything to a file")
      : Choice(
        key: "s",
        word: "save",
        text: "save and \(next)",
        consequence: .request(.perform(Request(Save(), then: after)))
      )
    return ChoiceScreen(
      question: question,
      details: [
        "\(count) \(isRecords ? "changed but not saved" : "not saved"): \(status.changes.text)"
      ],
      choices: [
        save,
        Choice(
          key: "d",
          word: "discard",
          text: "discard the changes and \(next)",
          consequence: .request(discard)
        ),
      ]
    )
  }
}

extension ChoiceScreen {
  /// Asks what a typed text means; nil if it means one thing.
  static func meaning(of field: FieldEditor) -> ChoiceScreen? {
    let meanings = field.meanings
    guard !meanings.isEmpty else { return nil }
    return ChoiceScreen(
      question: "\(field.attribute.name): which one is \(Value.quoted(field.editor.text))?",
      details: [],
      choices: meanings.enumerated().map { place, meaning in
        let note = EntryPreview.note(on: meaning.value).map { ", \($0)" } ?? ""
        return Choice(
          key: Character("\(place + 1)"),
          word: meaning.value.text,
          text: "\(meaning.value.text) (\(meaning.reading)\(note))",
          consequence: .answer(meaning.value.text)
        )
      }
    )
  }

  /// Asks whether to perform an action on several records.
  static func records(
    _ action: RecordAction,
    _ identifiers: [PersistentIdentifier],
    subject: String,
    labels: [String]
  ) -> ChoiceScreen {
    let word = action.verb.prefix { $0 != " " }
    return ChoiceScreen(
      question: "\(action.verb) \(subject)?",
      details: labels,
      recordCount: identifiers.count,
      choices: [
        Choice(
          key: "y",
          word: String(word),
          text: "\(word) \(identifiers.count == 1 ? "it" : "them"); press u to undo",
          consequence: .change(action, on: identifiers)
        )
      ]
    )
  }
}

/// An answer to a question, for the hint line.
struct Answer: Hashable, Sendable {
  let keys: String
  let word: String

  /// Changes nothing.
  static let cancel = Answer(keys: "Esc", word: "cancel")
}

/// The actions of keys at a question, in addition to its answers.
enum ChoiceAction: String, KeyAction {
  case cancel

  static let place = KeyPlace("choice", "In a dialog")

  var binding: KeyBinding {
    switch self {
    case .cancel: KeyBinding([.escape, "n", "c"], "cancel")
    }
  }
}
