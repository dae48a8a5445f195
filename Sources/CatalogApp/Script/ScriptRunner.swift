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
  /// The prefix of line numbers in messages; nil if the numbers alone are unambiguous.
  package var sourceName: String?
  private var failedStatus: Int32 = 0
  /// True if the script requested its end.
  package private(set) var hasQuit = false
  /// True if the script requested to discard unsaved changes silently.
  package private(set) var discardsChanges = false

  /// Creates a runner.
  ///
  /// `complain` gets one line for each failure, without the program's name. With `keepsGoing` a failed
  /// command does not end the script; with `echoesNotes` texts for interactive users are printed, too.
  /// `flush` is called after a file was written, so that its reader sees the confirmation before
  /// anything else is done.
  package init(
    session: Session,
    printer: @escaping (OutputFormat) -> ResultPrinter,
    complain: @escaping (String) -> Void,
    keepsGoing: Bool = false,
    echoesNotes: Bool = false,
    flush: @escaping () throws -> Void = {}
  ) {
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
    do {
      while true {
        let bytes = try read()
        lines.append(bytes)
        while let line = try lines.next() {
          guard try run(line.text, number: line.number) else { return false }
        }
        guard bytes.isEmpty else { continue }
        guard let line = try lines.finish() else { return true }
        return try run(line.text, number: line.number)
      }
    } catch let failure as ScriptLines.Failure {
      fail(failure, failure.number)
      return keepsGoing
    }
  }

  /// Runs one line, whose number appears in messages; nil for a line without one.
  ///
  /// - Returns: False if no further line should run.
  /// - Throws: The errors of printing; failures of commands are reported, not thrown.
  package func run(_ line: String, number: Int?) throws -> Bool {
    let outcome: Outcome
    session.lineNumber = number
    do {
      outcome = try session.perform(line)
    } catch let findings as Findings {
      try print(.lines(findings.lines))
      fail(findings, number)
      return keepsGoing
    } catch {
      fail(error, number)
      return keepsGoing
    }
    if case .quit(let discarding) = outcome {
      hasQuit = true
      discardsChanges = discarding
      return false
    }
    if case .saved(let report) = outcome {
      for note in report.notes { complain("note: \(note)") }
    }
    do {
      if case .done(let note) = outcome, echoesNotes, !note.isEmpty {
        try print(.lines([note] + (session.notes.warning.map { [$0] } ?? [])))
      } else {
        try print(outcome)
      }
    } catch let error as PersistenceError where error.code != .inaccessible {
      fail(error, number)
      return keepsGoing
    }
    if session.notes.hasWritten { try flush() }
    return true
  }

  private func print(_ outcome: Outcome) throws {
    try printer(session.format).print(outcome, context: session.context)
  }

  private func fail(_ error: any Error, _ number: Int?) {
    let place = [sourceName, number.map(String.init)].compactMap { $0 }.joined(separator: ":")
    complain((place.isEmpty ? "" : place + ": ") + Self.line(for: error))
    failedStatus = max(failedStatus, Self.status(of: error))
  }

  /// The result of the script so far.
  package var ending: Ending { failedStatus == 0 ? .finished : .failed(status: failedStatus) }

  /// Messages name files, whose paths may take 4096 bytes; a longer message is not useful.
  private static let lineLimit = 10_000

  /// The error as one line, regardless of its contents.
  package static func line(for error: any Error) -> String {
    DisplayText(String(describing: error), clippedTo: lineLimit).plain
  }

  /// The exit status for a failure: 5 for a save that failed or whose outcome is unknown, else 1.
  package static func status(of error: any Error) -> Int32 {
    error is SaveFailure ? 5 : 1
  }
}
