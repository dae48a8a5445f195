import OpenSwiftData

extension AppState {
  /// Updates the marks after the list was queried.
  mutating func take(_ standing: MarkStatus) {
    table.anchor = nil
    table.marks.take(standing)
    guard !standing.gone.isEmpty else { return }
    let text = "\(Session.counted(standing.gone.count, "marked record")) no longer exists"
    let plural = standing.gone.count == 1 ? text : text.replacing("exists", with: "exist")
    if let notice {
      self.notice = Notice(kind: notice.kind, text: "\(notice.text); \(plural)")
    } else {
      say(plural)
    }
  }

  /// Performs an action on the marked records, or on the one under the cursor, or on the given number
  /// from there on.
  mutating func act(_ action: RecordAction, count: Int? = nil) {
    guard let count else { return request(.choose(action, rows: nil)) }
    var action = action
    action.isCounted = true
    request(.choose(action, rows: table.row..<table.row + count))
  }

  /// Performs an action on the records found for it, or asks first.
  mutating func take(
    _ action: RecordAction,
    _ identifiers: [PersistentIdentifier],
    _ labels: [String]
  ) {
    guard !identifiers.isEmpty else {
      let isDeleted = table.currentRow?.pending == .deleted && !action.isCounted
      return warn(
        isDeleted ? "deleted record; press u to undo" : "no record to \(action.verb)"
      )
    }
    let hidden = action.isCounted ? 0 : table.marks.hidden.intersection(identifiers).count
    let isElsewhere = identifiers != table.currentRow.map { [$0.identifier] }
    if hidden > 0 || action.asksAboveOne && isElsewhere {
      let subject =
        action.isCounted || table.marks.isEmpty
        ? Session.counted(identifiers.count) : table.marks.recordsText
      screens.append(.records(action, identifiers, subject: subject, labels: labels))
    } else {
      perform(action, on: identifiers)
    }
  }

  /// Performs an action on records; the repeat key does the same again.
  mutating func perform(_ action: RecordAction, on identifiers: [PersistentIdentifier]) {
    lastChange = action
    lastChange?.isCounted = false
    request(.perform(action.request(on: identifiers)))
  }
}

extension Screen where Self == ChoiceScreen {
  /// Asks whether to perform an action on several records.
  static func records(
    _ action: RecordAction,
    _ identifiers: [PersistentIdentifier],
    subject: String,
    labels: [String]
  ) -> ChoiceScreen {
    let rest = identifiers.count - labels.count
    let word = action.verb.prefix { $0 != " " }
    return ChoiceScreen(
      question: "\(action.verb) \(subject)?",
      details: labels + (rest > 0 ? ["… and \(rest) more"] : []),
      choices: [
        ChoiceScreen.Choice(key: "y", word: String(word), text: "\(word) them; press u to undo") {
          $0.perform(action, on: identifiers)
        }
      ]
    )
  }
}
