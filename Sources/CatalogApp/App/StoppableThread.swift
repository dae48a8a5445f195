import Foundation
package import OpenSwiftData

/// A thread for work that a person waits for: it cannot be started without what stops its work.
package enum StoppableThread {
  /// Starts a thread that runs the body, which stops when `isWanted` returns true.
  ///
  /// Its stack is as large as that of the main thread, because values may be nested deeply.
  package static func start(
    named name: String,
    stoppingWhen isWanted: @escaping @Sendable () -> Bool,
    _ body: @escaping @Sendable (Interruption.Scope) -> Void
  ) {
    let thread = Thread { Interruption.allowed(by: isWanted, body) }
    thread.name = name
    thread.stackSize = 8 << 20
    thread.start()
  }
}
