import Foundation
import StoreTorture
import Synchronization

/// Crash states of workloads on all processors, in rounds with other random choices.
struct CrashLoop {
  /// The result of one workload.
  struct Outcome {
    var figures = TortureFigures()
    /// The number of different disks among the states; each is opened once.
    var distinct = 0
  }

  private let workloads: [Workload]
  private let seed: UInt64

  init(_ workloads: [Workload], seed: UInt64) {
    self.workloads = workloads
    self.seed = seed
  }

  private static let largeStride = 50

  /// Tries until the time is over; the first round is shortened only for large workloads.
  ///
  /// - Returns: The result of each workload.
  func run(isOver: @Sendable () -> Bool) -> [Outcome] {
    let next = Mutex(0)
    let found = Mutex([Outcome](repeating: Outcome(), count: workloads.count))
    DispatchQueue.concurrentPerform(iterations: Parallel.count) { _ in
      while true {
        let turn = next.withLock { turn in
          defer { turn += 1 }
          return turn
        }
        let (round, place) = turn.quotientAndRemainder(dividingBy: workloads.count)
        if round > 0, isOver() { return }
        // One state of a large workload takes as long as hundreds of others.
        if workloads[place].isLarge, round % Self.largeStride != 0 { continue }
        let outcome = crash(workloads[place], round: round, isOver: isOver)
        found.withLock { found in
          found[place].figures.add(outcome.figures)
          found[place].distinct += outcome.distinct
        }
      }
    }
    return found.withLock { $0 }
  }

  private func crash(_ workload: Workload, round: Int, isOver: () -> Bool) -> Outcome {
    let seed = seed &+ UInt64(round) &* 1_000_003
    var outcome = Outcome()
    do {
      var check = CrashCheck(try workload.record(seed: seed))
      let isLarge = workload.isLarge
      outcome.figures = check.run(
        seed: seed,
        subsetLimit: isLarge ? 4 : 8,
        samples: isLarge ? 2 : round == 0 ? 8 : 24
      ) { (round > 0 || isLarge) && isOver() }
      outcome.distinct = check.distinctCount
    } catch {
      outcome.figures.note("\(workload.name) cannot be done: \(error)")
    }
    return outcome
  }
}
