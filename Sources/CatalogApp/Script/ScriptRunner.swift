import OpenSwiftData

/// Runs commands line by line without a screen.
package final class ScriptRunner {
  /// How a script ended.
  package enum Ending: Hashable, Sendable {
    /// At its end, or by `quit`.
    case finished
    /// A command failed; the status identifies the kind of failure.
    case failed(status: Int32)
  }

  private let session: Session
  private let printer: (OutputFormat) -> ResultPrinter
  private let complain: (String) -> Void
  private let keepsGoing: Bool
  private let echoesNotes: Bool
  private let flush: () throws -> Void
  private let watch: (() throws -> Void) throws -> Bool
  /// How long results of quick edits may wait for more of them.
  private static let flushInterval = Duration.milliseconds(10)
  private var flushEnd = ContinuousClock.now
  /// The prefix of line numbers in messages; nil if the numbers alone are unambiguous.
  package var sourceName: String?
  /// The member `source` of answers; nil if there is only one source.
  package var answerSource: String?
  /// True if commands that change data or write stores print nothing.
  package var isQuiet = false
  /// Where answers for programs go; nil to print results and complain about failures.
  package var answers: AnswerWriter?
  private var failedStatus: Int32 = 0
  private var failureCount = 0
  /// The status of a save that failed because of conflicts, until they are resolved.
  private var conflictStatus: Int32 = 0
  /// True if the script requested its end.
  package private(set) var hasQuit = false
  /// True if the script requested to discard unsaved changes silently.
  package private(set) var discardsChanges = false

  /// Creates a runner.
  ///
  /// `complain` gets one line for each failure, without the program's name. With `keepsGoing` a failed
  /// command does not end the script; with `echoesNotes` texts for interactive users are printed, too.
  /// `flush` is called before a command that changes or writes data, so that nothing is saved after results that were
  /// lost, and after a file was written, so that its reader sees the confirmation before anything else is done. `watch`
  /// runs each line, and returns false if no further line should run; it may stop the line.
  package init(
    session: Session,
    printer: @escaping (OutputFormat) -> ResultPrinter,
    complain: @escaping (String) -> Void,
    keepsGoing: Bool = false,
    echoesNotes: Bool = false,
    flush: @escaping () throws -> Void = {},
    watch: @escaping (() throws -> Void) throws -> Bool = { line in
      try line()
      return true
    }
  ) {
    self.watch = watch
    self.flush = flush
    self.session = session
    self.printer = printer
    self.complain = complain
    self.keepsGoing = keepsGoing
    self.echoesNotes = echoesNotes
  }

  /// Reads a script piece by piece until `read` returns no more bytes, and runs each line as soon as it
  /// is complete.
  ///
  /// Input that cannot be read as text ends the script, even with `keepsGoing`.
  ///
  /// - Returns: False if no further line should run.
  /// - Throws: The errors of reading and printing.
  @discardableResult
  package func run(reading read: () throws -> [UInt8]) throws -> Bool {
    var lines = ScriptLines()
    defer { session.looks.endSharing(at: session.context.container) }
    do {
      while true {
        let bytes = try read()
        session.looks.share()
        lines.append(bytes)
        while let line = try lines.next() {
          guard try run(line.text, number: line.number) else { return false }
        }
        guard bytes.isEmpty else { continue }
        guard let line = try lines.finish() else { return true }
        return try run(line.text, number: line.number)
      }
    } catch let failure as ScriptLines.Failure {
      session.failurePlace = nil
      try fail(failure, failure.number)
      return keepsGoing
    }
  }

  /// Runs one line, whose number appears in messages; nil for a line without one.
  ///
  /// - Returns: False if no further line should run.
  /// - Throws: The errors of printing; failures of commands are reported, not thrown.
  package func run(_ line: String, number: Int?) throws -> Bool {
    var goesOn = true
    let isWanted = try watch {
      goesOn = try session.context.holdingRecords { try perform(line, number) }
    }
    return goesOn && isWanted
  }

  private func perform(_ line: String, _ number: Int?) throws -> Bool {
    let outcome: Outcome
    let command: Command
    session.script.lineNumber = number
    session.failurePlace = nil
    session.settings.showsOutcomes = echoesNotes || answers != nil
    defer { session.settings.showsOutcomes = true }
    if let answers { return try run(line, number, answering: answers) }
    do {
      guard let instruction = try session.instruction(from: line) else { return true }
      command = type(of: instruction).command
      try flushOutput(before: instruction, command)
      outcome = try session.perform(prepared: instruction)
    } catch let failure as OutputFailure {
      throw failure.reason
    } catch let closed as ClosedPipe {
      throw closed
    } catch let failure as any FailureWithResult {
      for remark in session.notes.remarks { complain("note: \(remark)") }
      try print(failure.outcome)
      try fail(failure, number)
      return keepsGoing
    } catch {
      try fail(error, number)
      return goesOn(after: error)
    }
    if case .quit(let discarding) = outcome {
      hasQuit = true
      discardsChanges = discarding
      return false
    }
    if case .commands(let lines) = outcome { return try run(lines, ofLine: number) }
    if case .saved(let report) = outcome {
      for note in report.notes { complain("note: \(note)") }
    }
    for remark in session.notes.remarks { complain("note: \(remark)") }
    noteResolved(by: outcome)
    do {
      if case .done(let note) = outcome, echoesNotes, !note.isEmpty {
        try print(.lines([note] + (session.notes.warning.map { [$0] } ?? [])))
      } else if !isQuiet || !outcome.isConfirmation(of: command) {
        try print(session.settings.printsJSON ? outcome.inJSON(of: command) : outcome)
      } else if case .lines(let lines) = outcome, command.name == SaveAs.command.name {
        // What a copy lacks is not a mere confirmation.
        for line in lines.dropFirst() { complain("note: \(line)") }
      }
    } catch let error as PersistenceError where error.code != .inaccessible {
      try fail(error, number)
      return keepsGoing
    } catch let stopped as Interruption.Stopped {
      try fail(stopped, number)
      return keepsGoing
    }
    if session.notes.hasWritten { try flush() }
    return true
  }

  /// An error of writing the results of earlier commands.
  private struct OutputFailure: Error {
    let reason: any Error
  }

  /// Writes the results of earlier commands, so that they reach their reader before anything is saved.
  ///
  /// Quick edits save nothing: between those of lines that were read together, results are written from time to time.
  ///
  /// - Throws: `OutputFailure`.
  private func flushOutput(before instruction: any Instruction, _ command: Command) throws {
    guard command.changesData || command.takesFile else { return }
    if session.looks.areShared, instruction.isQuick {
      if session.looks.wasReused || ContinuousClock.now < flushEnd { return }
      flushEnd = .now + Self.flushInterval
    }
    do { try flush() } catch { throw OutputFailure(reason: error) }
  }

  /// Runs the commands that another one consists of, until one fails.
  private func run(_ lines: [String], ofLine number: Int?) throws -> Bool {
    session.script.isPressing = true
    defer { session.script.isPressing = false }
    for line in lines {
      let before = failureCount
      guard try perform(line, number) else { return false }
      if failureCount != before { break }
    }
    return true
  }

  /// Runs one line and writes one answer, unless the line has no command.
  private func run(_ line: String, _ number: Int?, answering answers: AnswerWriter) throws -> Bool {
    let place = ScriptPlace(source: answerSource, line: number)
    let answer: (Outcome, Command)
    do {
      guard let instruction = try session.instruction(from: line) else { return true }
      answer = (try session.perform(prepared: instruction), type(of: instruction).command)
    } catch {
      try fail(error, number)
      return goesOn(after: error)
    }
    do {
      try answers.answer(answer.0, of: answer.1, at: place, session)
    } catch let error as PersistenceError where error.code != .inaccessible {
      try fail(error, number)
      return keepsGoing
    }
    noteResolved(by: answer.0)
    guard case .quit(let discarding) = answer.0 else { return true }
    hasQuit = true
    discardsChanges = discarding
    return false
  }

  /// Ends the script as its mode says: saves everything at once, or prints the changes of a rehearsal.
  ///
  /// - Throws: The errors of printing; a save that fails is reported, not thrown.
  package func finish() throws {
    switch session.settings.saving {
    case .atOnce: return
    case .atEnd:
      guard ending == .finished, !discardsChanges || session.holdsBackSaves,
        try discardIfRequested()
      else { return }
      session.settings.saving = .atOnce
      _ = try run("save", number: nil)
    case .never:
      guard ending == .finished || keepsGoing, try discardIfRequested() else { return }
      session.script.isEnding = true
      _ = try run("changes", number: nil)
    }
  }

  /// Discards the changes after the last `save` if the script has ended with `quit!`.
  ///
  /// - Returns: False after a failure, which is reported.
  private func discardIfRequested() throws -> Bool {
    guard discardsChanges else { return true }
    do {
      _ = try Rollback().perform(in: session)
      return true
    } catch {
      try fail(error, nil)
      return false
    }
  }

  /// True if the next line may run after a failure.
  ///
  /// After an open quote it may be the rest of a value with a line end, and no command. A person who types lines sees
  /// the message first.
  private func goesOn(after error: any Error) -> Bool {
    keepsGoing && (echoesNotes || FailureCode(error) != .unclosedQuote)
  }

  private func print(_ outcome: Outcome) throws {
    try printer(session.settings.format).print(outcome, context: session.context)
  }

  /// Forgets a save that failed because of conflicts after they were resolved and nothing is left to save.
  private func noteResolved(by outcome: Outcome) {
    guard conflictStatus > 0 else { return }
    if case .saved = outcome { conflictStatus = 0 }
    if session.notes.hasResolved, !session.context.hasChanges { conflictStatus = 0 }
  }

  private func fail(_ error: any Error, _ number: Int?) throws {
    failureCount += 1
    if (error as? SaveFailure)?.isResolvable ?? false {
      conflictStatus = Self.status(of: error)
    } else {
      failedStatus = max(failedStatus, Self.status(of: error))
    }
    if let answers {
      return try answers.failure(
        error,
        at: ScriptPlace(source: answerSource, line: number),
        session
      )
    }
    let (column, message) = session.place(of: error)
    if let sourceName, let number, let column {
      return complain("\(sourceName):\(number):\(column): " + errorLine(message))
    }
    let place = [sourceName, number.map(String.init)].compactMap { $0 }.joined(separator: ":")
    complain((place.isEmpty ? "" : place + ": ") + errorLine(error))
  }

  /// The result of the script so far.
  package var ending: Ending {
    let status = max(failedStatus, conflictStatus)
    return status == 0 ? .finished : .failed(status: status)
  }

  /// The exit status for a failure: 5 for a save that failed or whose outcome is unknown, 4 for another store that cannot
  /// be opened, else 1.
  package static func status(of error: any Error) -> Int32 {
    error is SaveFailure ? 5 : error is OpeningFailure ? 4 : 1
  }
}

extension Outcome {
  /// The same with lines of text as a member of an object, unless they confirm what a command has done.
  fileprivate func inJSON(of command: Command) -> Outcome {
    guard case .lines(let lines) = self, !isConfirmation(of: command) else { return self }
    return .facts(Facts(lines, [("lines", JSONObject.array(lines))], isObject: true))
  }

  /// True if the output only confirms what a command has done.
  fileprivate func isConfirmation(of command: Command) -> Bool {
    if case .note = self { return true }
    if case .several = self { return false }
    return command.changesData || command.name == SaveAs.command.name
  }
}
