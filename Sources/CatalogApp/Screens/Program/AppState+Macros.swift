import OpenSwiftData

/// Recording keys, and playing them.
extension AppState {
  /// Records an event for a screen.
  ///
  /// - Returns: False if the event is only for the recording and must not be handled.
  mutating func record(_ event: InputEvent) -> Bool {
    guard shared.macros.isRecording else { return true }
    let inTable = screens.isEmpty
    switch event {
    case .mouse:
      host.warn("the mouse is not recorded; use keys, or press \(recordKey) to end the recording")
      return false
    case .interrupt where inTable:
      host.macros.cancelRecording()
      host.say("recording canceled")
      return false
    case .key(let key) where inTable:
      let action: TableAction? = shared.keys.action(for: key)
      // Neither key is one of the recorded ones.
      if action == .record || action == .play { return host.macros.markEnd() }
    default: break
    }
    guard !host.macros.record(event, inTable: inTable) else { return true }
    host.warn("recording canceled: more than \(Macros.limit) keys")
    return false
  }

  private var recordKey: String { shared.name(of: .record) }

  // MARK: Playing

  /// True while recorded keys or the commands of a key are played.
  package var isPlaying: Bool { shared.macros.isPlaying }

  /// Plays the next step; everything before it has been answered.
  mutating func playNext() {
    guard let playing = shared.macros.playing else { return }
    if let row = playing.rowBeforeMove, row == shared.table.row {
      return stopPlaying("no further record")
    }
    guard let step = host.macros.takeStep() else { return finishPlaying(playing) }
    host.messages.notice = nil
    switch step {
    case .event(let event):
      host.macros.noteMove(from: movesCursor(event) ? shared.table.row : nil)
      dispatch(event)
    case .line(let line):
      host.macros.noteMove(from: nil)
      guard screens.isEmpty else { return stopPlaying("not run: \(line)") }
      host.request(.read(line: line, lostRecord: nil))
    }
  }

  /// True for a key of the table that goes to the next or the previous record.
  private func movesCursor(_ event: InputEvent) -> Bool {
    guard screens.isEmpty, case .key(let key) = event,
      let action: TableAction = shared.keys.action(for: key)
    else { return false }
    return action == .down || action == .up
  }

  /// Stops playing after a message that reports a failure, or a key that could not do anything.
  mutating func stopPlaying(after message: AppMessage) {
    guard isPlaying, let notice = shared.messages.notice else { return }
    switch (notice.kind, message) {
    case (.error, _), (.warning, .playNext), (.warning, .refused): stopPlaying(nil)
    case (.warning, .answer(let answer)) where Self.endsPlaying(answer): stopPlaying(nil)
    default: break
    }
  }

  /// True for an answer whose warning says that a key could not do what it is for.
  private static func endsPlaying(_ answer: AnyAnswer) -> Bool {
    if case .stopped? = answer.to(QueryList.self)?.answer { return true }
    return answer.to(SearchRows.self) != nil || answer.to(CheckPaths.self) != nil
  }

  /// Stops playing, and says why; without a reason, the message line tells it already.
  mutating func stopPlaying(_ reason: String?) {
    guard let playing = shared.macros.playing else { return }
    host.macros.endPlaying()
    let told = reason ?? shared.messages.notice?.text ?? ""
    guard playing.isMacro || reason != nil else { return }
    let text = "stopped\(round(playing)): \(told)" + changes(since: playing)
    if reason == nil, shared.messages.notice?.kind == .error {
      host.screen.refuse(text)
    } else {
      host.warn(text)
    }
  }

  private mutating func finishPlaying(_ playing: Macros.Playing) {
    host.macros.endPlaying()
    guard playing.isMacro else { return }
    let times = playing.rounds > 1 ? " \(playing.rounds) times" : ""
    host.say(
      "played \(counted(playing.steps.count, "key"))\(times)" + changes(since: playing)
    )
  }

  private func round(_ playing: Macros.Playing) -> String {
    playing.rounds > 1 ? " in round \(playing.round) of \(playing.rounds)" : ""
  }

  /// `; 3 changes, 3u undoes them`.
  private func changes(since playing: Macros.Playing) -> String {
    let count = status.undoableSteps - playing.undoableSteps
    guard playing.isMacro, count > 0 else { return "" }
    let undo = (count > 1 ? "\(count)" : "") + shared.name(of: .undo)
    return "; \(counted(count, "change")), \(undo) undoes \(count > 1 ? "them" : "it")"
  }
}
