import OpenSwiftData

/// The saved transactions of a record, with a line for each field that they changed.
///
/// A line of a field restores the value before the change; the line above it restores the record as after the save.
struct HistoryScreen: ListScreen {
  /// A transaction, or one of its changes.
  struct Line: Identifiable, Sendable {
    let entry: HistoryEntry
    var place: Int?

    var change: HistoryEntry.Line? { place.map { entry.lines[$0] } }
    var id: [Int64?] { [entry.token, place.map(Int64.init)] }
  }

  /// The cells before a line of a change.
  static let indent = 4

  private let identifier: PersistentIdentifier
  private var failure: String?
  var frame = ListFrame<Line>()
  private var isDeleted = false

  init(identifier: PersistentIdentifier) { self.identifier = identifier }

  var record: PersistentIdentifier? { identifier }
  var isOpaque: Bool { true }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let accepts = frame.selected != nil && reasonNotToRestore(host) == nil
    return accepts ? Self.listHints : Array(Self.listHints.dropFirst())
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    guard case .accept? = action as? ListAction, let line = frame.selected else { return nil }
    let save = line.entry.token.map { "save \($0)" } ?? "the save"
    guard let former = line.change?.former else { return "restore the record as after \(save)" }
    return "restore \(former.field) as before \(save)"
  }

  /// The reason why nothing can be restored; nil if something can.
  private func reasonNotToRestore(_ host: ScreenHost) -> String? {
    if let reason = host.readOnlyReason { return "cannot revert: \(reason)" }
    return frame.selected?.entry.token == nil
      ? "not saved yet; press u to undo or w to save" : nil
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .refreshed(_, _, _, let gone, _, _) = message {
      isDeleted = isDeleted || gone.contains(identifier)
      host.ask(ReadHistory(record: identifier))
    }
    guard let (question, found) = message.answer(to: ReadHistory.self),
      question.record == identifier
    else { return .stay }
    failure = found.failure
    frame.setLines(
      found.entries.flatMap { entry in
        [Line(entry: entry)] + entry.lines.indices.map { Line(entry: entry, place: $0) }
      },
      text: { $0.entry.title + " " + ($0.change?.text ?? "") },
      values: values
    )
    return .stay
  }

  func accept(_ line: Line, _ host: inout ScreenHost) -> Transition {
    if let reason = reasonNotToRestore(host) { host.warn(reason) }
    guard let token = line.entry.token, host.readOnlyReason == nil else { return .stay }
    if let former = line.change?.former {
      host.perform(
        RestoreField(
          identifier: identifier,
          field: former.field,
          value: former.value,
          token: token
        )
      )
    } else {
      host.perform(Revert(identifier: identifier, token: token))
    }
    return .close
  }

  var valueNames: [String] { ["time", "author", "changes", "save", "field", "before", "change"] }
  var sortCount: Int { 3 }

  func values(of line: Line) -> [Value] {
    let (entry, former) = (line.entry, line.change?.former)
    return [
      entry.time, entry.author, .integer(Int64(entry.lines.count)),
      entry.token.map { .integer($0) } ?? .null, former.map { .text($0.field) } ?? .null,
      former?.value ?? .null, .text(line.change?.text ?? entry.title),
    ]
  }

  /// The value that the line restores.
  func text(of line: Line) -> String {
    line.change.map { $0.former?.value.text ?? $0.text } ?? line.entry.title
  }

  func look(_ host: ScreenHost) -> ListLook {
    ListLook(
      page: host.layout,
      title: "history of \(identifier)\(isDeleted ? " (deleted by another program)" : ""),"
        + " newest first  \(frame.position)",
      emptyText: failure
        ?? (identifier.isTemporary
          ? "not saved yet; its history begins with the first save"
          : host.status.traits.keepsHistory
            ? "no saved changes of this record in the history yet"
            : "no history for this record; log stores keep history (see :help saveas)")
    )
  }

  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    [line.change.map { ListCell("  " + $0.text) } ?? ListCell(line.entry.title, .title)]
  }
}

/// The saved transactions of a record, newest first, after its unsaved changes.
struct ReadHistory: Question {
  struct Reply: Hashable, Sendable {
    let entries: [HistoryEntry]
    /// The reason why the transactions could not be read; nil if they were.
    let failure: String?
  }

  let record: PersistentIdentifier
  var work: String { "reading the history" }

  func answer(by reader: ListReader) -> Reply? {
    let session = reader.session
    let context = session.context
    let today = session.services.clock.today
    let width = reader.facts.width - HistoryScreen.indent
    var unsaved: [HistoryEntry] = []
    do {
      let own = HistoryEntry(
        token: nil,
        title: "not saved yet",
        try context.withFormerValues(context.pendingChanges),
        ConvertedValues(by: context.unsavedSchemaSteps, today: today),
        of: record,
        width: width
      )
      unsaved = own.map { [$0] } ?? []
      let saved = try context.transactions(touching: record).reversed().compactMap { own in
        let by = own.author.map { " by \($0)" } ?? ""
        let message = own.message.map { ": \($0)" } ?? ""
        return HistoryEntry(
          token: own.token,
          time: own.savedAt,
          author: own.author,
          title: "\(own.token)  \(session.services.clock.text(of: own.timestamp))\(by)\(message)",
          own.changesWithFormerValues,
          ConvertedValues(by: own.steps, today: today),
          of: record,
          width: width
        )
      }
      return Reply(entries: unsaved + saved, failure: nil)
    } catch {
      return Reply(entries: unsaved, failure: errorLine(error))
    }
  }
}
