import OpenSwiftData

/// Runs the program without a terminal: feeds events to the state, and performs all effects of an
/// event before it returns.
///
/// Confined to the thread of its session. `LiveRunner` is its counterpart for a terminal.
package final class AppRunner {
  private var core: AppCore
  private let performer: EffectPerformer
  /// Called before work that may take long, when the screen names the operation; only tests set it.
  package var willWork: () -> Void = {}

  /// Opens the screen on a session's store.
  ///
  /// The message line shows `note` until the first key. With `offersRecovery` the screen starts with a
  /// question about the unsaved changes of a crashed run, if there are any. With `isPicking`, `^C` and Esc end the
  /// program with a status that tells that nothing was picked. With `isTour` the tour begins.
  package init(
    session: Session,
    size: Size,
    keys: KeyMap = .standard,
    note: String? = nil,
    offersRecovery: Bool = true,
    history: PromptHistory = PromptHistory(),
    views: ViewBook = ViewBook(),
    settings: Settings = Settings(),
    isPicking: Bool = false,
    isTour: Bool = false
  ) {
    performer = EffectPerformer(session)
    var status = performer.openingStatus
    if !offersRecovery { status.recovery = nil }
    core = AppCore(
      AppState(
        status: status,
        entityName: session.entityName,
        size: size,
        keys: keys,
        note: note,
        history: history,
        views: views,
        settings: settings,
        isPicking: isPicking,
        isTour: isTour
      )
    )
    performer.willRun = { [unowned self] in
      guard let progress = $0.progress else { return }
      core.state.say(progress)
      willWork()
    }
    perform(core.start())
  }

  package var state: AppState { core.state }

  /// The exit status; nil while the program runs.
  package var exitStatus: Int32? { core.exitStatus }

  /// Called between parts of long work; true stops the work.
  ///
  /// Only tests set it.
  package var isCancelled: @Sendable () -> Bool {
    get { performer.reader.isCancelled }
    set { performer.reader.isCancelled = newValue }
  }

  /// True if the program ends with `exitStatus`.
  package var shouldQuit: Bool { exitStatus != nil }

  /// The current screen.
  ///
  /// - Complexity: O(cells).
  package var canvas: Canvas { state.draw() }

  /// The failures so far, with the exit status for them; nil if there were none.
  ///
  /// A screen that is too small to show anything counts as a failure.
  package var failure: (status: Int32, lines: [String])? {
    var lines = state.shared.messages.failures
    if state.isTooSmall {
      let size = "\(state.size.columns)x\(state.size.rows)"
      lines.append("terminal too small: \(size)")
    }
    return lines.isEmpty ? nil : (max(performer.failedStatus, 1), lines)
  }

  /// Handles an event and all its effects.
  package func handle(_ event: InputEvent) {
    guard !shouldQuit else { return }
    send(.input(event))
    playOn()
  }

  /// Plays what is to be played, up to an external editor.
  private func playOn() {
    while core.state.isPlaying, !core.awaitsEditor, !shouldQuit { send(.playNext) }
  }

  /// Returns the text from an external editor; nil if the editor changed nothing or failed.
  package func finishEditing(_ text: String?) {
    send(.edited(text))
    playOn()
  }

  /// Shows an error in the message line, for what only the caller can know: whether there is an editor, for example.
  package func report(_ text: String) { send(.failed(text)) }

  /// Writes the edits so far to the recovery file, so that a crash of the program does not lose them.
  ///
  /// If that fails, the message line reports it once, and the edits themselves are not affected. Only tests
  /// call it.
  package func keepEdits() {
    if let complaint = performer.keepEdits() { send(complaint) }
  }

  /// Merges the changes that other programs have saved, and shows them; unsaved changes stay.
  ///
  /// Only tests call it.
  package func takeExternalChanges() {
    guard !shouldQuit else { return }
    if let news = performer.takeExternalChanges(seeing: state.facts) { send(news) }
  }

  /// Returns and removes the requests to the terminal, oldest first.
  package func takeRequests() -> [TerminalRequest] { core.takeRequests() }

  private func send(_ message: AppMessage) { perform(core.update(message)) }

  /// Performs effects, and those that follow from their results, one after the other.
  private func perform(_ effects: [Effect]) {
    var waiting = effects[...]
    while let effect = waiting.popFirst(), !shouldQuit {
      if let answer = performer.perform(effect, seeing: state.facts) {
        waiting += core.update(answer)
      }
    }
  }
}
