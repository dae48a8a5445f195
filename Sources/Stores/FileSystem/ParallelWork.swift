import Dispatch
import Synchronization

/// Work that runs in parallel with system calls until its result is requested.
final class ParallelWork: Sendable {
  private let failure = Mutex<(any Error)?>(nil)
  private let group = DispatchGroup()

  /// Begins.
  init(on fileSystem: any FileSystem, _ work: @escaping @Sendable () throws -> Void) {
    group.enter()
    fileSystem.detach { [self] in
      do { try work() } catch { failure.withLock { $0 = error } }
      group.leave()
    }
  }

  /// Waits for the work to finish.
  ///
  /// - Throws: What the work threw.
  func wait() throws {
    group.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
