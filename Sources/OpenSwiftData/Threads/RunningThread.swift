import Foundation
import Synchronization

/// The thread that currently runs a job of an executor.
final class RunningThread: Sendable {
  /// The number of the thread; 0 between jobs.
  let number = Atomic<UInt>(0)
  /// True from the first job on; before that, the creator of the actor may use the context.
  let hasStarted = Atomic<Bool>(false)
}

/// The number of the current thread.
func currentThreadNumber() -> UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}

/// The name of the current thread, for messages.
func currentThreadName() -> String {
  if MainQueue.isCurrent { return "the main thread" }
  if let name = Thread.current.name, !name.isEmpty { return "thread \"\(name)\"" }
  return "thread \(String(currentThreadNumber(), radix: 16))"
}
