import Dispatch
import Synchronization

/// Work that goes on beside other calls to the system until its outcome is asked for.
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

  /// Waits for the end.
  ///
  /// - Throws: What the work has thrown.
  func wait() throws {
    group.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
