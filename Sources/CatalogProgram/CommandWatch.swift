import CatalogApp
import OpenSwiftData
import Terminal

/// Watches the work of scripts: stops it when a signal asks for that, and shows on a terminal how far it is.
///
/// Confined to one thread.
final class CommandWatch {
  private let progress = WorkProgress()
  private let line: ProgressLine?

  /// Creates a watch; without a line, it shows nothing.
  init(line: ProgressLine?) { self.line = line }

  /// The signal that asked to stop; nil if none did.
  var signal: Int32? { StopSignals.requested }

  /// Runs the program in a scope that a signal stops.
  ///
  /// All of its work is in this one, so that no call into a store can miss it.
  func whole<Result>(_ program: (Interruption.Scope) throws -> Result) rethrows -> Result {
    try Interruption.reporting(to: progress) {
      try Interruption.allowed(by: { StopSignals.requested != nil }, program)
    }
  }

  /// Runs a piece of the program's work; its title is shown until a command is named.
  func run<Result>(_ title: String, _ work: () throws -> Result) rethrows -> Result {
    progress.reset()
    line?.begin(title, progress)
    defer { line?.end() }
    Interruption.beginPiece()
    return try work()
  }

  /// Names the command that runs.
  func announce(_ command: Command) { line?.rename(command.workTitle) }

  /// Waits for input; until it has arrived, a signal ends the process immediately.
  func waiting<Result>(_ read: () throws -> Result) rethrows -> Result {
    StopSignals.release()
    defer { StopSignals.catchThem() }
    // A signal that arrived since the last command was only noted, and no other one would follow.
    if let signal { die(bySignal: signal) }
    return try read()
  }
}
