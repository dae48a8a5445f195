import DataStoreTesting
import Foundation
import StoreTorture
import Stores
import Synchronization

/// Runs the instruments one after the other and prints their figures.
struct Torture {
  private let options: TortureOptions
  private let start = ContinuousClock.now

  init(_ options: TortureOptions) { self.options = options }

  /// Runs everything that was asked for.
  ///
  /// - Returns: Whether nothing was wrong.
  /// - Throws: What keeps an instrument from working.
  func run() throws -> Bool {
    say("seed \(options.seed), \(Int(options.seconds)) seconds")
    var isRight = true
    for loop in FaultLoop.all where isWanted("fault-\(loop.store.rawValue)-\(loop.work.rawValue)") {
      let name = "fault-\(loop.store.rawValue)-\(loop.work.rawValue)"
      var figures = try loop.run()
      figures.add(try loop.run(codes: [.noSpace, .inputOutput, .interrupted], transferLimit: 97))
      isRight = report(name, figures, "failing calls") && isRight
    }
    for store in TorturedStore.allCases { isRight = try damage(store) && isRight }
    isRight = try kills() && isRight
    isRight = try crashes() && isRight
    return isRight
  }

  /// Prints a line at once.
  private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  private func isWanted(_ name: String) -> Bool {
    options.only.isEmpty || name.contains(options.only)
  }

  /// A deadline so many parts of the whole time from now.
  private func limit(_ share: Double) -> @Sendable () -> Bool {
    let end = ContinuousClock.now + .seconds(options.seconds * share)
    return { ContinuousClock.now >= end }
  }

  private func report(_ name: String, _ figures: TortureFigures, _ unit: String) -> Bool {
    say("\(name): \(figures.tries) \(unit), \(figures.wrong) wrong, seed \(options.seed)")
    for example in figures.examples { say("  \(example)") }
    return figures.wrong == 0
  }

  private func damage(_ store: TorturedStore) throws -> Bool {
    var isRight = true
    let (cuts, flips) = ("cut-\(store.rawValue)", "flip-\(store.rawValue)")
    guard isWanted(cuts) || isWanted(flips) else { return true }
    let sweep = try DamageSweep(store, sizeBytes: store == .log ? 65536 : 16384)
    if isWanted(cuts) {
      isRight = report(cuts, sweep.truncate(isOver: limit(0.04)), "lengths") && isRight
    }
    if isWanted(flips) {
      let figures = flip(sweep, isOver: limit(0.15))
      isRight = report(flips, figures, "of \(sweep.bitCount) bits flipped") && isRight
    }
    return isRight
  }

  private func kills() throws -> Bool {
    var isRight = true
    for store in TorturedStore.allCases where isWanted("kill-\(store.rawValue)") {
      let figures = try KillLoop(store, seed: options.seed).run(isOver: limit(0.1))
      isRight = report("kill-\(store.rawValue)", figures, "kills") && isRight
    }
    if isWanted("writers-log") {
      let figures = try WriterRace(processes: 8, count: 200).run()
      isRight = report("writers-log", figures, "saves by 8 processes") && isRight
    }
    return isRight
  }

  /// Flips bits on all processors.
  private func flip(_ sweep: DamageSweep, isOver: @Sendable () -> Bool) -> TortureFigures {
    let count = ProcessInfo.processInfo.activeProcessorCount
    let sum = Mutex(TortureFigures())
    // A run too short for all begins somewhere else than others, so that runs together try all.
    let offset = options.seconds >= 600 ? 0 : Int(options.seed % 64) * sweep.bitCount / 64 / count
    DispatchQueue.concurrentPerform(iterations: count) { part in
      let start = sweep.bitCount * part / count
      let end = sweep.bitCount * (part + 1) / count
      let figures = sweep.flipBits(min(start + offset, end)..<end, isOver: isOver)
      sum.withLock { $0.add(figures) }
    }
    return sum.withLock { $0 }
  }

  /// Crash states on all processors, in rounds with other random choices, until the time is over.
  private func crashes() throws -> Bool {
    let workloads = Workload.all.filter { isWanted("crash-\($0.store.rawValue)-\($0.name)") }
    guard !workloads.isEmpty else { return true }
    let end = start + .seconds(options.seconds)
    let seed = options.seed
    let next = Mutex(0)
    let found = Mutex([TortureFigures](repeating: TortureFigures(), count: workloads.count))
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
      while true {
        let turn = next.withLock { turn in
          defer { turn += 1 }
          return turn
        }
        let (round, place) = turn.quotientAndRemainder(dividingBy: workloads.count)
        if round > 0, ContinuousClock.now >= end { return }
        let figures = Self.crash(workloads[place], round: round, seed: seed, end: end)
        found.withLock { $0[place].add(figures) }
      }
    }
    var sum = TortureFigures()
    for (workload, figures) in zip(workloads, found.withLock { $0 }) {
      _ = report("crash-\(workload.store.rawValue)-\(workload.name)", figures, "states")
      sum.add(figures)
    }
    say("crash: \(sum.tries) states, \(sum.wrong) wrong, seed \(seed)")
    return sum.wrong == 0
  }

  /// The first round is never cut short.
  private static func crash(
    _ workload: Workload,
    round: Int,
    seed: UInt64,
    end: ContinuousClock.Instant
  ) -> TortureFigures {
    let seed = seed &+ UInt64(round) &* 1_000_003
    do {
      var check = CrashCheck(try workload.record(seed: seed))
      return check.run(seed: seed, samples: round == 0 ? 8 : 24) {
        round > 0 && ContinuousClock.now >= end
      }
    } catch {
      var figures = TortureFigures()
      figures.note("\(workload.name) cannot be done: \(error)")
      return figures
    }
  }
}
