import CatalogApp
import Foundation
import Glibc
import OpenSwiftData
import Stores
import Terminal

/// One run of the program: from the options to the exit status.
struct Program {
  var options: Options
  let environment: [String: String]
  let output: StandardOutput
  let errors: StandardOutput
  let input: DescriptorReader
  /// The text of the standard input, if that is the store.
  var inputText: [UInt8]?
  /// The folder with the log or the database that a conversion read from a pipe; removed at the end.
  var spoolFolder: String?
  /// The standard output, while the terminal takes its place; nil if it does not.
  var pickedOutput: Int32?
  let watch: CommandWatch
  /// The screen that showed the loading of a large store; nil if there was none.
  var loadingScreen: LoadingScreen?
  /// True if the screen shows the notes about opening the store.
  var showsNotesOnScreen = false
  /// The folder for the views of the screen; nil if they are not used.
  var viewFolder: String?
  /// False if stores that do not keep their history themselves have none after they are closed.
  var keepsHistoryFiles = true
  /// The commands bound to keys, for scripts and `--plain`; the screen has its own.
  var boundLines = BoundLines()
  /// True if another process restores the terminal after this one.
  var hasGuard = false

  /// A failure with the exit status of the program.
  struct Failure: Error {
    let status: Int32
    let message: String
    let code: FailureCode

    init(status: Int32, message: String, code: FailureCode? = nil) {
      self.status = status
      self.message = message
      // Status 2 is wrong usage.
      self.code = code ?? (status == 2 ? .invalidCommand : .failed)
    }
  }

  /// Runs and returns the exit status; ends the process by a signal that stopped the work.
  func run() -> Int32 {
    var program = self
    return ended(program.performed())
  }

  private func ended(_ status: Int32) -> Int32 {
    if let signal = watch.signal, status >= 128 { die(bySignal: signal) }
    return status
  }

  private mutating func performed() -> Int32 {
    reportingFailures {
      if options.showsHelp { return try finish(printing: Options.help) }
      if let shell = options.completions {
        return try finish(printing: ShellCompletions(shell).text)
      }
      if let line = options.completedLine { return try complete(line) }
      if options.showsVersion { return try finish(printing: "catalog \(Version.current)\n") }
      switch options.fileTask {
      case .salvage(let salvage): return try run(salvage)
      case .merge(let merge): return try run(merge)
      case nil: break
      }
      let configuration = try configuration()
      let parameters = try parameters()
      defer { removeSpool() }
      try takeStreams()
      let work = try prepare(configuration)
      keepsHistoryFiles = configuration.remembersHistory
      options.history = options.history ?? configuration.history
      if work.opensScreen {
        var program = self
        program.hasGuard = true
        guardTerminal { [program] in
          let status = program.reportingFailures {
            try program.openAndRun(work, parameters)
          }
          exit(program.ended(status))
        }
      }
      return try openAndRun(work, parameters)
    }
  }

  /// Does the work, or reports why it failed; returns the exit status.
  private func reportingFailures(_ body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch let failure as Failure {
      report(failure)
      return failure.status
    } catch let failure as SaveFailure {
      complain(errorLine(failure))
      return 5
    } catch is ClosedPipe {
      return 128 + 13
    } catch is Interruption.Stopped {
      return 128 + (watch.signal ?? SIGINT)
    } catch {
      complain(errorLine(error))
      return 1
    }
  }

  /// Copies the readable part of a damaged log, and reports the rest.
  ///
  /// - Returns: 0 if everything could be read, 1 if something is missing.
  private func run(_ salvage: Salvage) throws -> Int32 {
    let (damaged, new) = try usage("salvage") {
      (try StoreLocation(salvage.damaged), try StoreLocation(salvage.new))
    }
    guard new.kind == "log", damaged.isFile else {
      let wrong = !damaged.isFile ? salvage.damaged : salvage.new
      throw Failure(
        status: 2,
        message: "salvage: \(Value.quoted(wrong)) is not a log name; use a name ending in .catlog"
      )
    }
    guard !services.exists(new.path) else {
      throw Failure(
        status: 1,
        message: "\(new.path): already exists; nothing was written"
      )
    }
    let report: LogSalvage.Report
    do {
      report = try LogSalvage.run(from: damaged.path, to: new.path)
    } catch {
      throw Failure(status: 4, message: errorLine(error))
    }
    for loss in report.losses { complain(loss) }
    let isWhole = report.losses.isEmpty
    _ = try finish(
      printing: "salvaged \(counted(report.recordCount)) to \(new.path)"
        + (isWhole ? "\n" : "; some data could not be read\n")
    )
    return isWhole ? 0 : 1
  }

  func finish(printing text: String) throws -> Int32 {
    try output.write(text)
    try output.flush()
    return 0
  }

  /// Writes one line to standard error, after everything printed so far.
  func complain(_ message: String) {
    let message = LocationText.withoutPasswords(message)
    // If standard error cannot be written to, the error cannot be reported anywhere.
    try? output.flush()
    try? errors.write("catalog: \(DisplayText(message).plain)\n")
    try? errors.flush()
  }

  /// Reports a failure outside of commands: as an answer for a program, or else on standard error.
  func report(_ failure: Failure) {
    guard options.answersInJSON else { return complain(failure.message) }
    let message = DisplayText(LocationText.withoutPasswords(failure.message)).plain
    do {
      try answerWriter.failure(message, code: failure.code, status: failure.status)
    } catch {
      complain(message)
    }
  }

  /// Writes answers to standard output.
  var answerWriter: AnswerWriter {
    AnswerWriter { [output] text in
      try output.write(text)
      try output.flush()
    }
  }
}
