import CatalogApp
import Glibc
import OpenSwiftData
import Terminal

extension Program {
  /// The work that the options request, with all input read that must be valid before a store is
  /// opened.
  enum Work {
    case script([ScriptSource])
    case prompt
    case keys([InputEvent], KeyMap)
    case screen(Settings, KeyMap)

    /// True if the program is interactive.
    var opensScreen: Bool {
      if case .screen = self { true } else { false }
    }
  }

  /// Commands to run: one of the command line, or those of a script.
  struct ScriptSource {
    /// Its name in messages if there are several sources; nil if line numbers are enough.
    var name: String?
    let content: Content

    enum Content {
      case command(String, number: Int)
      case script(DescriptorReader)
    }
  }

  /// Reads the files that the options name.
  ///
  /// - Throws: `Failure` with the status of wrong usage.
  mutating func prepare(_ configuration: Configuration) throws -> Work {
    // Scripts need no keys but those that the configuration gives commands.
    let own = configuration.changesKeys ? try inConfiguration { try KeyMap(configuration) } : nil
    if let own { boundLines = own.lines }
    let settings = try settings(configuration)
    if let path = options.keysPath { return .keys(try keyEvents(path), own ?? .standard) }
    if !options.sources.isEmpty { return .script(try scriptSources()) }
    guard input.isTerminal, output.isTerminal || pickedOutput != nil, !options.answersInJSON,
      options.saving == .atOnce
    else {
      if options.takesTour {
        throw Failure(status: 2, message: "--tour: standard input and output must be a terminal")
      }
      return .script([ScriptSource(content: .script(input))])
    }
    return options.promptsByLine ? .prompt : .screen(settings, own ?? .standard)
  }

  /// Opens the scripts.
  ///
  /// Commands have their own line numbers. The name of a file precedes the line number, and also `-e` or `-` if several
  /// sources could be meant.
  private func scriptSources() throws -> [ScriptSource] {
    var number = 0
    var sources = try options.sources.map { source in
      switch source {
      case .command(let line):
        number += 1
        return ScriptSource(name: "-e", content: .command(line, number: number))
      case .script(let path):
        let stream =
          path == "-" ? input : try usage("--script") { try DescriptorReader(path: path) }
        return ScriptSource(name: path, content: .script(stream))
      }
    }
    guard sources.count > 1, number < sources.count else {
      for index in sources.indices where ["-e", "-"].contains(sources[index].name) {
        sources[index].name = nil
      }
      return sources
    }
    return sources
  }

  private func keyEvents(_ path: String) throws -> [InputEvent] {
    try usage("--keys") {
      let bytes = try (path == "-" ? input : DescriptorReader(path: path)).readAll()
      return try KeyFile.parse(Self.text(of: bytes, path))
    }
  }

  /// Does the work and returns the exit status.
  func run(_ work: Work, on session: Session) throws -> Int32 {
    defer {
      session.close()
      services.tidyHistories(after: session.store.location)
    }
    session.script.boundLines = boundLines
    if !work.opensScreen, let note = session.store.recovery?.note { complain("note: \(note)") }
    return switch work {
    case .script(let sources): try runScript(session, from: sources)
    case .prompt: try runPrompt(session)
    case .keys(let events, let keys): try runKeys(session, events, keys)
    case .screen(let settings, let keys): try runScreen(session, settings, keys)
    }
  }

  private func makeRunner(
    _ session: Session,
    keepsGoing: Bool? = nil,
    isPrompt: Bool = false
  ) -> ScriptRunner {
    ScriptRunner(
      session: session,
      printer: { [output, options] format in
        ResultPrinter(
          format,
          isTerminal: output.isTerminal,
          width: output.width,
          style: options.style,
          readBack: services.delimitedText,
          note: { complain("note: \($0)") },
          writeBytes: { try output.write($0) }
        )
      },
      complain: { complain($0) },
      keepsGoing: keepsGoing ?? options.keepsGoing,
      echoesNotes: isPrompt,
      flush: { [output] in try output.flush() },
      watch: { [watch] line in
        if watch.signal == nil { try watch.run("", line) }
        // A signal stops a command and with it the script; at a prompt, SIGINT stops only the command.
        if isPrompt, watch.signal == SIGINT {
          StopSignals.forget()
          StopSignals.catchThem()
        }
        return watch.signal == nil
      }
    )
  }

  private func runScript(_ session: Session, from sources: [ScriptSource]) throws -> Int32 {
    let runner = makeRunner(session)
    runner.isQuiet = options.isQuiet
    if options.answersInJSON { runner.answers = answerWriter }
    for source in sources {
      runner.sourceName = source.name
      runner.answerSource = sources.count > 1 ? source.name : nil
      guard try run(source.content, with: runner) else { break }
    }
    runner.sourceName = nil
    runner.answerSource = nil
    try runner.finish()
    return try finish(runner, session)
  }

  private func run(_ content: ScriptSource.Content, with runner: ScriptRunner) throws -> Bool {
    switch content {
    case .command(let text, let number):
      try CommandLines.split(text).allSatisfy { try runner.run($0, number: number) }
    case .script(let stream):
      try runner.run {
        // Between the lines nothing stops.
        try Interruption.ignored {
          try output.flush()
          return try watch.waiting { try stream.read() }
        }
      }
    }
  }

  /// Converts an error in the argument of an option to wrong usage.
  func usage<T>(_ option: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch {
      throw Failure(status: 2, message: "\(option): " + errorLine(error))
    }
  }

  /// Reports how many unsaved changes are discarded, unless the script discards them explicitly.
  private func finish(_ runner: ScriptRunner, _ session: Session) throws -> Int32 {
    try output.flush()
    let isExpected = runner.discardsChanges || options.saving == .never
    let note = isExpected ? nil : session.store.discardedNote
    if let note { report(Failure(status: 3, message: note, code: .discarded)) }
    if let signal = watch.signal { return 128 + signal }
    if case .failed(let status) = runner.ending { return status }
    if note != nil { return 3 }
    return session.store.mayHaveLostSave ? 4 : 0
  }

  // MARK: Line by line

  /// Prompts for commands until the end of the input or `quit`.
  ///
  /// Unsaved changes are kept after each line, as on the screen. Only `quit!` or a save removes the
  /// recovery file; at the end of the input, after a failure to read or write, and after a signal it
  /// remains for the next start.
  private func runPrompt(_ session: Session) throws -> Int32 {
    do {
      try output.write("\(DisplayText(session.store.name)): type a command or \"help\"\n")
      if try promptForCommands(session) {
        // The user chose to quit. If the file cannot be removed, it is offered once more, which is
        // harmless.
        try? session.store.recovery?.leave(session.context)
        return 0
      }
    } catch {
      keepEdits(session)
      guard input.isHungUp else { throw error }
    }
    let note = keepEdits(session)
    if input.isHungUp { die(bySignal: SIGHUP) }
    guard let note else { return 0 }
    complain(note)
    return 3
  }

  /// Runs lines until the user quits.
  ///
  /// - Returns: False if the input ended instead.
  private func promptForCommands(_ session: Session) throws -> Bool {
    var hasComplained = false
    var hasWarned = false
    while true {
      let runner = makeRunner(session, keepsGoing: true, isPrompt: true)
      try runner.run {
        do {
          try session.store.keepEdits()
          try session.store.recovery?.synchronize()
        } catch  where !hasComplained {
          hasComplained = true
          complain(Recovery.sentence(about: error))
        } catch {}
        if !runner.hasQuit { try output.write("catalog> ") }
        try output.flush()
        return try watch.waiting { try input.read() }
      }
      let warning = session.store.leavingWarning
      if runner.hasQuit {
        guard !runner.discardsChanges, warning != nil else { return true }
      } else {
        try output.write("\n")
        guard !input.isHungUp, warning != nil, !hasWarned else { return false }
        // A key that ends the input on a terminal is easily pressed once by mistake, but rarely twice.
        hasWarned = true
      }
      try output.write((warning ?? "") + "\n")
    }
  }

  /// Keeps the unsaved changes for the next start.
  ///
  /// - Returns: A message about it; nil if there are no unsaved changes.
  @discardableResult
  private func keepEdits(_ session: Session) -> String? {
    // Changes that cannot be kept are counted as discarded; the reason was reported after the previous
    // line.
    try? session.store.keepEdits()
    try? session.store.recovery?.synchronize()
    return session.store.keptNote ?? session.store.discardedNote
  }
}
