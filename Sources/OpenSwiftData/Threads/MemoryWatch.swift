import Synchronization

/// Ends long work that can be stopped before it uses up the memory.
///
/// A process without memory is ended by the system or by the runtime, wherever it is. Work that can be stopped asks
/// often whether it should, and leaves everything as it was.
package enum MemoryWatch {
  /// The time between two looks, which take some 50 µs.
  private static let period = Duration.milliseconds(50)

  private struct State {
    /// Throws if too little memory is left.
    var look: @Sendable () throws -> Void = {}
    var due = ContinuousClock.now
  }

  private static let isActive = Atomic(false)
  private static let state = Mutex(State())

  /// Begins to watch.
  ///
  /// - Parameter look: Throws if too little memory is left. Called on the threads of the work, one at a time.
  package static func begin(_ look: @escaping @Sendable () throws -> Void) {
    state.withLock { $0 = State(look: look) }
    isActive.store(true, ordering: .releasing)
  }

  /// Looks at the memory now and then if the work has run for a while.
  ///
  /// - Throws: The error of the look.
  static func check(workSince start: ContinuousClock.Instant) throws {
    guard isActive.load(ordering: .acquiring) else { return }
    let now = ContinuousClock.now
    guard now - start > period else { return }
    try state.withLock { state in
      guard now >= state.due else { return }
      state.due = now + period
      try state.look()
    }
  }
}
