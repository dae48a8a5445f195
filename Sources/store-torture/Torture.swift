import DataStoreTesting
import Foundation
import StoreTorture
import Stores

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
  private func limit(_ share: Double) -> () -> Bool {
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
      isRight = report(cuts, sweep.truncate(isOver: limit(0.1)), "lengths") && isRight
    }
    if isWanted(flips) {
      // Every run begins somewhere else, so that runs together try all.
      let first = options.seconds >= 600 ? 0 : Int(options.seed % UInt64(sweep.bitCount))
      let figures = sweep.flipBits(from: first, isOver: limit(0.1))
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

  /// Crash states in rounds, each with other random choices, until the time is over.
  private func crashes() throws -> Bool {
    let workloads = Workload.all.filter { isWanted("crash-\($0.store.rawValue)-\($0.name)") }
    guard !workloads.isEmpty else { return true }
    let end = start + .seconds(options.seconds)
    var figures = [TortureFigures](repeating: TortureFigures(), count: workloads.count)
    var round: UInt64 = 0
    repeat {
      for (place, workload) in workloads.enumerated() {
        let seed = options.seed &+ round &* 1_000_003
        var check = CrashCheck(try workload.record(seed: seed))
        let isFirst = round == 0
        figures[place].add(
          check.run(seed: seed, samples: isFirst ? 8 : 24) {
            !isFirst && ContinuousClock.now >= end
          }
        )
      }
      round += 1
    } while ContinuousClock.now < end
    var sum = TortureFigures()
    for (workload, found) in zip(workloads, figures) {
      _ = report("crash-\(workload.store.rawValue)-\(workload.name)", found, "states")
      sum.add(found)
    }
    say("crash: \(sum.tries) states, \(sum.wrong) wrong, \(round) rounds, seed \(options.seed)")
    return sum.wrong == 0
  }
}
