import CatalogApp
import Foundation
import OpenSwiftData
import Terminal

extension Program {
  /// The user's configuration: the file of `--config`, else the default file if it exists.
  func configuration() throws -> Configuration {
    let named = options.configurationPath
    let home = environment["HOME"].map { $0 + "/.config" }
    let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
    guard let path = named ?? folder.map({ $0 + "/catalog/config" }),
      named != nil || services.exists(path)
    else { return Configuration() }
    return try usage(path) {
      try Configuration(parsing: Self.text(of: services.readFile(path), "configuration"))
    }
  }

  /// The text of a small file, which must be UTF-8, without a byte order mark.
  static func text(of bytes: [UInt8], _ what: String) throws -> String {
    if let refusal = TextEncoding.refusal(of: bytes) { throw CommandError(refusal) }
    guard let text = String(validating: TextEncoding.withoutMark(bytes), as: UTF8.self) else {
      throw CommandError("\(what): invalid UTF-8")
    }
    return text
  }

  // MARK: Without a terminal

  /// A note for new users about records that they did not create.
  private func startNote(_ session: Session) -> String? {
    guard session.sample != nil else { return nil }
    var place = session.shownLocation
    if let home = environment["HOME"], home.count > 1, place?.hasPrefix(home + "/") == true {
      place = place.map { "~" + $0.dropFirst(home.count) }
    }
    return "sample records, not saved yet; press w to save them to \(place ?? session.storeName)"
  }

  // MARK: Lines typed into prompts

  /// Where the lines typed into prompts are kept; nil where they are not.
  private func historyFile(_ configuration: Configuration) -> PromptHistoryFile? {
    guard configuration.remembersLines else { return nil }
    return stateFolder.map { PromptHistoryFile(services: services, path: $0 + "/catalog/lines") }
  }

  /// Presses keys on an invisible screen, and prints it.
  func runKeys(_ session: Session, _ events: [InputEvent], _ keys: KeyMap) throws -> Int32 {
    let runner = AppRunner(
      session: session,
      size: options.size,
      keys: keys,
      note: startNote(session),
      offersRecovery: false
    )
    for event in events where !runner.shouldQuit {
      runner.handle(event)
      for request in runner.takeRequests() {
        if case .edit = request { runner.finishEditing(nil) }
      }
    }
    try output.write(runner.canvas.plainText() + "\n")
    try output.flush()
    let failure = runner.failure
    for line in failure?.lines ?? [] { complain(line) }
    let note = runner.shouldQuit ? nil : session.discardedNote
    if let note { complain(note) }
    return failure?.status ?? (note == nil ? runner.exitStatus ?? 0 : 3)
  }

  // MARK: With a terminal

  /// Opens the screen and runs it until the user quits.
  func runScreen(_ session: Session, _ configuration: Configuration, _ keys: KeyMap) throws
    -> Int32
  {
    let screen = try loadingScreen?.terminal ?? self.screen(configuration)
    defer { screen.close() }
    let lines = historyFile(configuration)
    let views = session.readViews()
    let runner = LiveRunner(
      session: session,
      size: screen.size,
      keys: keys,
      note: screen.note ?? views.note ?? startNote(session),
      history: lines?.read() ?? PromptHistory(),
      views: views.book,
      wake: screen.waker
    )
    ScreenLoop(
      screen: screen,
      runner: runner,
      environment: environment,
      backlog: loadingScreen?.typedAhead ?? []
    ).run()
    if !options.isReadOnly { lines?.write(runner.state.history) }
    if let location = session.location {
      // If this fails, only the look of the table is lost.
      try? session.keepViews(runner.state.viewBook, of: location)
    }
    let status = runner.exitStatus ?? 0
    if status > 128 {
      screen.close()
      // Changes that have just been undone may already be in the recovery file.
      if !session.context.hasChanges { try? session.recovery?.leave(session.context) }
      if let note = runner.keptNote ?? session.discardedNote { complain(note) }
      die(bySignal: status - 128)
    }
    // The user chose to quit. If the file cannot be removed, it is offered once more, which is
    // harmless.
    try? session.recovery?.leave(session.context)
    if options.picks, status == 0 {
      screen.close()
      try printPicked(runner, session)
    }
    return status
  }

  /// Takes over the terminal.
  func screen(_ configuration: Configuration) throws -> TerminalScreen {
    do {
      return try TerminalScreen(
        theme: theme(configuration),
        useColor: usesColor,
        useMouse: configuration.usesMouse,
        followsBackground: options.theme ?? configuration.theme == nil
      )
    } catch {
      throw Failure(status: 2, message: "\(error)")
    }
  }

  private var usesColor: Bool {
    options.usesColor && (environment["NO_COLOR"] ?? "" == "" || options.theme != nil)
  }

  private func theme(_ configuration: Configuration) -> Theme {
    let name = options.theme ?? configuration.theme
    if let theme = name.flatMap({ Theme.named($0) }) { return theme }
    // Some terminals report their colors as FOREGROUND;BACKGROUND; 7 and 15 are white.
    let background = environment["COLORFGBG"]?.split(separator: ";").last.map(String.init)
    return background == "15" || background == "7" ? .light : .dark
  }
}
