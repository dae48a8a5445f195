import CatalogApp
import OpenSwiftData

extension Program {
  /// Runs what the options ask for on the open store.
  func run(_ session: Session) throws -> Int32 {
    if !options.commands.isEmpty { return try runCommands(session) }
    if let path = options.scriptPath, path != "-" { return try runScript(session, path: path) }
    let isInteractive = input.isTerminal && output.isTerminal
    if options.isPlain, isInteractive { return try runPrompt(session) }
    return try runScript(session, from: input)
  }

  private func makeRunner(
    _ session: Session,
    keepsGoing: Bool? = nil,
    echoesNotes: Bool = false
  ) -> ScriptRunner {
    ScriptRunner(
      session: session,
      printer: { [output] format in
        ResultPrinter(format, isTerminal: output.isTerminal, width: output.width) {
          try output.write($0)
        }
      },
      complain: { complain($0) },
      keepsGoing: keepsGoing ?? options.keepsGoing,
      echoesNotes: echoesNotes
    )
  }

  private func runCommands(_ session: Session) throws -> Int32 {
    let runner = makeRunner(session)
    for (index, line) in options.commands.enumerated() {
      guard try runner.run(line, number: index + 1) else { break }
    }
    return try finish(runner, session)
  }

  private func runScript(_ session: Session, path: String) throws -> Int32 {
    var bytes: [UInt8]? = try usage("--script") { try services.readFile(path) }
    let runner = makeRunner(session)
    try runner.run {
      defer { bytes = nil }
      return bytes ?? []
    }
    return try finish(runner, session)
  }

  private func runScript(_ session: Session, from input: InputStream) throws -> Int32 {
    let runner = makeRunner(session)
    try runner.run {
      try output.flush()
      return try input.read()
    }
    return try finish(runner, session)
  }

  /// Turns a failure of what an option names into wrong usage.
  func usage<T>(_ option: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch {
      throw Failure(status: 2, message: "\(option): " + ScriptRunner.line(for: error))
    }
  }

  /// Says how many unsaved changes go, unless the script said that they shall.
  private func finish(_ runner: ScriptRunner, _ session: Session) throws -> Int32 {
    try output.flush()
    let note = runner.discardsChanges ? nil : session.discardedNote
    if let note { complain(note) }
    if case .failed(let status) = runner.ending { return status }
    return note == nil ? 0 : 3
  }

  // MARK: Line by line

  /// Prompts for commands until the end of the input or `quit`.
  private func runPrompt(_ session: Session) throws -> Int32 {
    try output.write("\(session.storeName): type a command, or help\n")
    while true {
      let runner = makeRunner(session, keepsGoing: true, echoesNotes: true)
      try runner.run {
        if !runner.hasQuit { try output.write("catalog> ") }
        try output.flush()
        return try input.read()
      }
      guard runner.hasQuit else {
        try output.write("\n")
        return try finish(runner, session) == 3 ? 3 : 0
      }
      guard !runner.discardsChanges, session.context.hasChanges else { return 0 }
      try output.write("there are unsaved changes: save, or leave them behind with quit!\n")
    }
  }
}
