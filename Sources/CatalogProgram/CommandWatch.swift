import CatalogApp
import OpenSwiftData
import Terminal

/// Watches the work of scripts: stops it when a signal asks for that, and shows on a terminal how far it is.
///
/// Confined to one thread.
final class CommandWatch {
  private let progress = WorkProgress()
  private let line: ProgressLine?
  /// True while pieces of work run together.
  private var areTogether = false

  /// Creates a watch; without a line, it shows nothing.
  init(line: ProgressLine?) { self.line = line }

  /// The signal that asked to stop; nil if none did.
  var signal: Int32? { StopSignals.requested }

  /// Runs work, which a signal can stop; its title is shown until a command is named.
  func run<Result>(_ title: String, _ work: () throws -> Result) rethrows -> Result {
    progress.reset()
    line?.begin(title, progress)
    defer { line?.end() }
    if areTogether {
      Interruption.beginPiece()
      return try work()
    }
    return try watched(work)
  }

  /// Runs many short pieces of work, such as the lines of a script, each by `run(_:_:)`, which does less for each then.
  func together<Result>(_ pieces: () throws -> Result) rethrows -> Result {
    areTogether = true
    defer { areTogether = false }
    return try watched(pieces)
  }

  private func watched<Result>(_ work: () throws -> Result) rethrows -> Result {
    try Interruption.reporting(to: progress) {
      try Interruption.allowed(by: { StopSignals.requested != nil }, work)
    }
  }

  /// Names the command that runs.
  func announce(_ command: Command) {
    line?.rename(command.workTitle, canBeStopped: command.canBeStopped)
  }

  /// Waits for input; until it has arrived, a signal ends the process immediately.
  func waiting<Result>(_ read: () throws -> Result) rethrows -> Result {
    StopSignals.release()
    defer { StopSignals.catchThem() }
    // A signal that arrived since the last command was only noted, and no other one would follow.
    if let signal { die(bySignal: signal) }
    return try read()
  }
}
