import CatalogApp
import Foundation
import OpenSwiftData
import Terminal

extension Program {
  /// The file of `--config`, else the default file if it exists.
  private var configurationFile: String? {
    options.configurationPath ?? defaultConfigurationFile.flatMap { services.exists($0) ? $0 : nil }
  }

  /// The file that is read without `--config`; nil if the environment names no folder.
  private var defaultConfigurationFile: String? {
    configurationFolder.map { $0 + "/catalog/config" }
  }

  /// The user's configuration.
  func configuration() throws -> Configuration {
    guard let path = configurationFile else { return Configuration() }
    let text = try usage(path) { try Self.text(of: services.readFile(path), "configuration") }
    return try inConfiguration { try Configuration(parsing: text) }
  }

  /// Adds the path of the configuration to an error at a place in it.
  func inConfiguration<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as PlacedError {
      let path = configurationFile ?? "configuration"
      throw Failure(status: 2, message: "\(path):" + errorLine(error))
    }
  }

  /// The settings of the screen: those of the configuration, changed by the options and the environment.
  func settings(_ configuration: Configuration) throws -> Settings {
    var settings = configuration.settings
    settings.configurationPath = options.configurationPath ?? defaultConfigurationFile
    if let name = options.theme { try settings.set(.theme, to: name) }
    if options.takesTour { (settings.remembersLines, settings.remembersViews) = (false, false) }
    let isPlain = environment["NO_COLOR"] ?? "" != "" && options.theme == nil
    settings.usesColor = settings.usesColor && options.usesColor && !isPlain
    if let name = settings.theme {
      // A wrong name is reported although no screen may need it.
      if options.theme == nil, let place = configuration.themePlace {
        try inConfiguration {
          do { _ = try services.theme(name) } catch { throw PlacedError("\(error)", at: place) }
        }
      } else {
        _ = try usage("--theme") { try services.theme(name) }
      }
    }
    return settings
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

  /// A note for new users about records that they did not create, or else about opening the store.
  private func startNote(_ session: Session) -> String? {
    guard session.store.sample != nil else {
      let isSample = options.usesSample && !session.store.isLasting
      return session.store.openingNote
        ?? (isSample ? "sample films in memory; type :tour to learn the keys step by step" : nil)
    }
    var place = session.store.shownLocation
    if let home = environment["HOME"], home.count > 1, place?.hasPrefix(home + "/") == true {
      place = place.map { "~" + $0.dropFirst(home.count) }
    }
    return
      "sample records, not saved yet; press w to save them to \(place ?? session.store.name), or type :tour "
      + "to learn the keys"
  }

  // MARK: Lines typed into prompts

  /// Where the lines typed into prompts are kept; nil if the environment names no folder.
  private var historyFile: PromptHistoryFile? {
    stateFolder.map { PromptHistoryFile(services: services, path: $0 + "/catalog/lines") }
  }

  /// Presses keys on an invisible screen, and prints it.
  func runKeys(_ session: Session, _ events: [InputEvent], _ keys: KeyMap) throws -> Int32 {
    let runner = AppRunner(
      session: session,
      size: options.size,
      keys: keys,
      note: startNote(session),
      offersRecovery: false,
      isTour: options.takesTour
    )
    for event in events where !runner.shouldQuit {
      runner.handle(event)
      for request in runner.takeRequests() {
        guard case .edit = request else { continue }
        runner.finishEditing(nil)
        runner.report("no editor with --keys; value unchanged")
      }
    }
    try output.write(runner.canvas.plainText() + "\n")
    try output.flush()
    let failure = runner.failure
    // What follows is about the store of the user.
    session.endTour()
    for line in failure?.lines ?? [] { complain(line) }
    let note = runner.shouldQuit ? nil : session.store.discardedNote
    if let note { complain(note) }
    return failure?.status ?? (note == nil ? runner.exitStatus ?? 0 : 3)
  }

  // MARK: With a terminal

  /// Opens the screen and runs it until the user quits.
  func runScreen(_ session: Session, _ settings: Settings, _ keys: KeyMap) throws
    -> Int32
  {
    let screen = try loadingScreen?.terminal ?? self.screen(settings)
    defer { screen.close() }
    let lines = historyFile
    let views =
      settings.remembersViews
      ? services.readViews(of: session.store.location) : (book: ViewBook(), note: nil)
    let runner = LiveRunner(
      session: session,
      size: screen.size,
      keys: keys,
      note: screen.note ?? views.note ?? (options.picks ? nil : startNote(session)),
      history: (settings.remembersLines ? lines?.read() : nil) ?? PromptHistory(),
      // What is picked from is everything, and the next run shows what this one does not change.
      views: options.picks ? views.book.withoutCurrentFilters : views.book,
      settings: settings,
      isPicking: options.picks,
      isTour: options.takesTour,
      wake: screen.waker
    )
    ScreenLoop(
      screen: screen,
      runner: runner,
      environment: environment,
      backlog: loadingScreen?.typedAhead ?? []
    ).run()
    let last = runner.state.settings
    if !options.isReadOnly, last.remembersLines { lines?.write(runner.state.history) }
    if last.remembersViews, !options.picks, let location = session.store.location {
      // If this fails, only the look of the table is lost.
      try? services.keepViews(runner.state.viewBook, of: location)
    }
    let status = runner.exitStatus ?? 0
    if status > 128 {
      screen.close()
      // Changes that have just been undone may already be in the recovery file.
      if !session.context.hasChanges { try? session.store.recovery?.leave(session.context) }
      if let note = runner.keptNote ?? session.store.discardedNote { complain(note) }
      die(bySignal: status - 128)
    }
    // The user chose to quit. If the file cannot be removed, it is offered once more, which is
    // harmless.
    try? session.store.recovery?.leave(session.context)
    if options.picks, status == 0 {
      screen.close()
      // What was discarded is not in the store.
      if session.store.isLasting, !session.store.isPipe { session.context.rollback() }
      try printPicked(runner, session)
    }
    return status
  }

  /// Takes over the terminal.
  func screen(_ settings: Settings) throws -> TerminalScreen {
    let theme = try settings.theme.map { name in try usage("theme") { try services.theme(name) } }
    do {
      return try TerminalScreen(
        theme: theme ?? likelyTheme,
        useColor: settings.usesColor,
        useMouse: settings.usesMouse,
        followsBackground: theme == nil
      )
    } catch {
      throw Failure(status: 2, message: "\(error)")
    }
  }

  /// The theme until the terminal reports its background.
  private var likelyTheme: Theme {
    // Some terminals report their colors as FOREGROUND;BACKGROUND; 7 and 15 are white.
    let background = environment["COLORFGBG"]?.split(separator: ";").last.map(String.init)
    return background == "15" || background == "7" ? .light : .dark
  }
}
