import CPostgreSQL
import Foundation
import Synchronization

/// A request to stop a statement, on a thread of its own: the call connects, and blocks until the server has taken it.
final class CancelRequest: Sendable {
  private let done = Mutex(false)

  init(_ library: CPQLibrary, _ request: OpaquePointer) {
    // The thread is the only user of the request, which does not refer to the connection.
    nonisolated(unsafe) let unsafeRequest = request
    let thread = Thread { [self] in
      var room = [CChar](repeating: 0, count: 256)
      _ = library.PQcancel(unsafeRequest, &room, Int32(room.count))
      library.PQfreeCancel(unsafeRequest)
      done.withLock { $0 = true }
    }
    thread.stackSize = 256 << 10
    thread.start()
  }

  /// True after the server has taken the request.
  var isDone: Bool { done.withLock { $0 } }

  /// Waits until the server has taken the request; false if that takes too long.
  func waitUntilDone(seconds: Double) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while !isDone {
      if ContinuousClock.now > end { return false }
      Thread.sleep(forTimeInterval: 0.001)
    }
    return true
  }
}
