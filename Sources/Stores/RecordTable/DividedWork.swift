import CSystem
import Foundation
import OpenSwiftData
import Synchronization

/// Performs the parts of some work on several threads.
///
/// Each thread takes the next part until none is left, so no thread waits long for another. The calling thread takes
/// part, and only it checks whether to stop; the others stop with it.
final class DividedWork {
  /// The number of threads for large amounts of work.
  static let threadCount = min(8, ProcessInfo.processInfo.activeProcessorCount)

  /// A class of its own, because the closure that asks for it must be sendable.
  private final class StopFlag: Sendable {
    let isSet = Atomic(false)
  }

  private let perform: (_ part: Int, _ isCaller: Bool) throws -> Void
  private let failure = Mutex<(any Error)?>(nil)
  private let stop = StopFlag()

  private init(_ perform: @escaping (Int, Bool) throws -> Void) { self.perform = perform }

  /// Performs all parts; the body gets the number of a part and whether the calling thread performs it.
  ///
  /// The body runs on several threads at once: what it writes must belong to the part.
  ///
  /// - Throws: `Interruption.Stopped`, and what the body throws.
  static func perform(
    parts: Int,
    threads: Int = threadCount,
    _ body: (_ part: Int, _ isCaller: Bool) throws -> Void
  ) throws {
    try withoutActuallyEscaping(body) { body in
      let work = DividedWork(body)
      // The calls have returned when `catalog_divide` returns, so no thread refers to the object afterwards.
      catalog_divide(
        threads,
        parts,
        { context, worker, part in
          guard let context else { return }
          Unmanaged<DividedWork>.fromOpaque(context).takeUnretainedValue()
            .take(part, isCaller: worker == 0)
        },
        Unmanaged.passUnretained(work).toOpaque()
      )
      if let error = work.failure.withLock({ $0 }) { throw error }
    }
  }

  private func take(_ part: Int, isCaller: Bool) {
    let stop = stop
    guard !stop.isSet.load(ordering: .relaxed) else { return }
    do {
      if isCaller {
        try Interruption.check()
        try perform(part, true)
      } else {
        try Interruption.allowed(by: { stop.isSet.load(ordering: .relaxed) }) {
          try perform(part, false)
        }
      }
    } catch {
      stop.isSet.store(true, ordering: .relaxed)
      failure.withLock { if $0 == nil || isCaller { $0 = error } }
    }
  }
}
