/// Lets whoever asked for long work stop it.
///
/// Queries, sorts and scans ask between pieces of their work whether somebody wants them stopped, and
/// throw `Stopped` then. They only read: what was there before is there afterwards. Work on other threads
/// is not asked.
package enum Interruption {
  /// Thrown by work that was stopped.
  package struct Stopped: Error, CustomStringConvertible {
    /// Says that it was stopped.
    package var description: String { "canceled" }

    package init() {}
  }

  /// Asked, on the thread of the work, whether to stop; nil where nobody can.
  @TaskLocal private static var isWanted: (@Sendable () -> Bool)?

  /// Does the work and lets it be stopped by the answer true.
  ///
  /// The question is put often, from the thread of the work, and must be cheap.
  package static func allowed<Result>(
    by isWanted: @escaping @Sendable () -> Bool,
    _ work: () throws -> Result
  ) rethrows -> Result {
    try Self.$isWanted.withValue(isWanted) { try work() }
  }

  /// Stops the work if somebody wants that.
  ///
  /// - Throws: `Stopped`.
  package static func check() throws {
    if let isWanted, isWanted() { throw Stopped() }
  }
}

/// Counts the work done, and asks now and then whether to stop.
package struct WorkMeter {
  /// So much work is done between two questions: a millisecond's, or less.
  private static let period = 4096
  private var left = WorkMeter.period

  package init() {}

  /// Takes note of some work, in the order of one row or sixteen bytes of text for each unit.
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
