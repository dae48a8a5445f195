import Synchronization

/// Lets a caller cancel long work.
///
/// Queries, sorts and scans check periodically whether they should stop, and then throw `Stopped`. They only
/// read, so stopping changes no data. Work on other threads is not affected.
package enum Interruption {
  /// Thrown by work that was stopped.
  package struct Stopped: Error, CustomStringConvertible {
    /// States that the work was canceled.
    package var description: String { "canceled" }

    package init() {}
  }

  /// Proves that the work around it can be stopped: only `allowed(by:_:)` makes one.
  ///
  /// A function that calls stores for a person who waits takes one, so that it cannot be called where nothing stops it.
  package struct Scope: Sendable {
    fileprivate init() {}
  }

  /// Asks whether the work around it is to stop.
  ///
  /// A class, because optimized code of the compiler (6.3.1) crashes when it sets a task-local value of a function type.
  private final class Request: Sendable {
    /// Returns true to stop, on the thread of the work.
    let isWanted: @Sendable () -> Bool
    private let beginning = Mutex(ContinuousClock.now)
    /// When the work began.
    var start: ContinuousClock.Instant { beginning.withLock { $0 } }

    init(_ isWanted: @escaping @Sendable () -> Bool) { self.isWanted = isWanted }

    func begin() { beginning.withLock { $0 = .now } }
  }

  /// Nil if the work cannot be canceled.
  @TaskLocal private static var request: Request?

  /// Runs the work, which stops when the closure returns true.
  ///
  /// The closure is called often, on the thread of the work, and must be fast.
  package static func allowed<Result>(
    by isWanted: @escaping @Sendable () -> Bool,
    _ work: () throws -> Result
  ) rethrows -> Result {
    try Self.$request.withValue(Request(isWanted)) { try work() }
  }

  /// Runs the work, which stops when the closure returns true, and proves to it that it does.
  package static func allowed<Result>(
    by isWanted: @escaping @Sendable () -> Bool,
    _ work: (Scope) throws -> Result
  ) rethrows -> Result {
    try allowed(by: isWanted) { try work(Scope()) }
  }

  /// Begins the next one of several pieces of work, all of which run in one call of `allowed(by:_:)`.
  package static func beginPiece() { request?.begin() }

  /// Runs work that must not stop in the middle, although the work around it can be canceled.
  package static func ignored<Result>(_ work: () throws -> Result) rethrows -> Result {
    try Self.$request.withValue(nil) { try work() }
  }

  /// Receives the progress of the work; nil if it is not reported.
  @TaskLocal static var progress: WorkProgress?

  /// Runs the work, which reports its progress.
  package static func reporting<Result>(
    to progress: WorkProgress,
    _ work: () throws -> Result
  ) rethrows -> Result {
    try Self.$progress.withValue(progress) { try work() }
  }

  /// Stops the work if it was canceled, or if little memory is left.
  ///
  /// - Throws: `Stopped`, or the error of the memory watch.
  package static func check() throws {
    guard let request else { return }
    if request.isWanted() { throw Stopped() }
    try MemoryWatch.check(workSince: request.start)
  }
}

/// Counts the work done, and periodically checks whether to stop.
package struct WorkMeter {
  /// The amount of work between two checks: at most about a millisecond.
  private static let period = 4096
  private var left = WorkMeter.period

  package init() {}

  /// Counts some work; one unit is about one row or sixteen bytes of text.
  ///
  /// - Throws: `Interruption.Stopped`.
  @inline(__always)
  package mutating func count(_ units: Int = 1) throws {
    left -= units
    if left <= 0 { try ask() }
  }

  private mutating func ask() throws {
    left = Self.period
    try Interruption.check()
  }
}
