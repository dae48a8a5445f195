import Foundation
import FuzzTargets
import StoreTorture
import Stores
import Synchronization

extension Torture {
  /// The numbers of crash states, kills and strings in a complete run.
  private static let crashGoal = 10_000_000
  private static let killGoal = 5000
  private static let stringGoal = 1_000_000
  private static let lineGoal = 1_000_000

  var faults: Instrument {
    let loops = FaultLoop.all
    func name(_ loop: FaultLoop) -> String { "fault-\(loop.store.rawValue)-\(loop.work.rawValue)" }
    return Instrument(names: loops.map(name), weight: 2) { names, deadline in
      let chosen = loops.filter { names.contains(name($0)) }
      let found = Mutex([TortureFigures](repeating: TortureFigures(), count: chosen.count))
      DispatchQueue.concurrentPerform(iterations: chosen.count) { place in
        let figures = Self.fail(chosen[place]) { deadline.isOver }
        found.withLock { $0[place] = figures }
      }
      if deadline.isOver { say("fault: NOT ALL calls were failed; more SECONDS= do") }
      return zip(chosen, found.withLock { $0 }).map { loop, figures in
        Report(name: name(loop), figures: figures, unit: "failing calls")
      }
    }
  }

  /// Fails every call with every error, and again with small transfers.
  private static func fail(_ loop: FaultLoop, isOver: () -> Bool) -> TortureFigures {
    let few: [SystemErrorCode] = [.noSpace, .inputOutput, .interrupted]
    var figures = TortureFigures()
    do {
      figures.add(try loop.run(isOver: isOver))
      figures.add(try loop.run(codes: few, transferLimit: 97, isOver: isOver))
    } catch {
      figures.note("\(loop.store.rawValue) \(loop.work.rawValue) cannot be done: \(error)")
    }
    return figures
  }

  var ratios: Instrument {
    Instrument(names: TorturedStore.ownForms.map { "save-\($0.rawValue)" }, weight: 1) { names, _ in
      try TorturedStore.ownForms.filter { names.contains("save-\($0.rawValue)") }.map { store in
        let ratio = try SaveRatio(store).run()
        say("save-\(store.rawValue): \(ratio.summary)")
        return Report(name: "save-\(store.rawValue)", figures: ratio.figures, unit: "saves timed")
      }
    }
  }

  var strings: Instrument {
    Instrument(names: ["strings"], weight: 3) { _, deadline in
      let goal = Self.stringGoal
      switch try StringDrawing(seed: options.seed).run(goal, isOver: { deadline.isOver }) {
      case .failure(let reason):
        say("strings: SKIPPED: \(reason)")
        return []
      case .success(let figures):
        return [Report(name: "strings", figures: figures, unit: "strings drawn", goal: goal)]
      }
    }
  }

  var rigs: Instrument {
    Instrument(names: Rig.all.map { "rigs-\($0.name)" }, weight: 1) { names, deadline in
      try Rig.all.filter { names.contains("rigs-\($0.name)") }.compactMap { rig in
        let work = try RigWork(program: options.program, say: say)
        switch try rig.run(work, { deadline.isOver }) {
        case .skipped(let reason):
          say("rigs-\(rig.name): SKIPPED: \(reason)")
          return nil
        case .figures(let figures):
          return Report(name: "rigs-\(rig.name)", figures: figures, unit: rig.unit)
        }
      }
    }
  }

  private func damage(
    _ kind: String,
    _ body: @escaping (DamageSweep, Deadline) -> (TortureFigures, Int)
  ) -> Instrument {
    let stores = TorturedStore.files
    return Instrument(names: stores.map { "\(kind)-\($0.rawValue)" }, weight: 3) { names, all in
      let chosen = stores.filter { names.contains("\(kind)-\($0.rawValue)") }
      return try chosen.enumerated().map { place, store in
        let share = all.secondsLeft / Double(chosen.count - place)
        let sweep = try DamageSweep(store, sizeBytes: store == .log ? 65536 : 16384)
        let (figures, goal) = body(sweep, Deadline(instant: .now + .seconds(share)))
        return Report(
          name: "\(kind)-\(store.rawValue)",
          figures: figures,
          unit: kind == "cut" ? "lengths" : "bits flipped",
          goal: goal
        )
      }
    }
  }

  var cuts: Instrument {
    damage("cut") { sweep, deadline in
      let figures = Parallel.sum {
        sweep.truncate(from: $0, step: Parallel.count) { deadline.isOver }
      }
      return (figures, sweep.bytes.count)
    }
  }

  var flips: Instrument {
    let seed = options.seed
    return damage("flip") { sweep, deadline in
      // Runs too short for all bits start at different points, so that together they try all.
      let start = sweep.bitCount / 64 * Int(seed % 64)
      let next = Mutex(0)
      let figures = Parallel.sum { _ in
        var figures = TortureFigures()
        while !deadline.isOver {
          let from = next.withLock { next in
            defer { next += 256 }
            return next
          }
          guard from < sweep.bitCount else { break }
          let range = from..<min(from + 256, sweep.bitCount)
          figures.add(sweep.flipBits(start + range.lowerBound..<start + range.upperBound))
        }
        return figures
      }
      return (figures, sweep.bitCount)
    }
  }

  var kills: Instrument {
    let stores = TorturedStore.ofProcesses
    return Instrument(names: stores.map { "kill-\($0.rawValue)" }, weight: 4) { names, all in
      let chosen = stores.filter { names.contains("kill-\($0.rawValue)") }
      return try chosen.enumerated().map { place, store in
        let share = all.secondsLeft / Double(chosen.count - place)
        let deadline = Deadline(instant: .now + .seconds(share))
        let loop = try KillLoop(store, seed: options.seed)
        let figures = loop.run(Self.killGoal) { deadline.isOver }
        return Report(
          name: "kill-\(store.rawValue)",
          figures: figures,
          unit: "kills",
          goal: Self.killGoal
        )
      }
    }
  }

  var writers: Instrument {
    let stores: [TorturedStore] = [.log, .database]
    return Instrument(names: stores.map { "writers-\($0.rawValue)" }, weight: 1) { names, _ in
      try stores.filter { names.contains("writers-\($0.rawValue)") }.map { store in
        let figures = try WriterRace(store: store, processes: 8, count: 200).run()
        return Report(
          name: "writers-\(store.rawValue)",
          figures: figures,
          unit: "saves by 8 processes"
        )
      }
    }
  }

  /// Random scripts on all stores in parallel; each continues from the seed of the one before.
  var scripts: Instrument {
    let seed = options.seed
    return Instrument(names: ["lockstep"], weight: 3) { _, deadline in
      let next = Mutex<UInt64>(0)
      let figures = Parallel.sum { _ in
        var figures = TortureFigures()
        while !deadline.isOver {
          let number = next.withLock { next in
            defer { next += 1 }
            return next
          }
          do {
            figures.tries += try Lockstep(seed: seed &+ number).run()
          } catch {
            figures.note("\(error)")
          }
        }
        return figures
      }
      return [
        Report(name: "lockstep", figures: figures, unit: "lines compared", goal: Self.lineGoal)
      ]
    }
  }

  var fuzzers: Instrument {
    let all = FuzzTarget.allCases.map { "fuzz-\($0.rawValue)" }
    return Instrument(names: all, weight: 5) { names, deadline in
      guard let program = options.fuzzer,
        FileManager.default.isExecutableFile(atPath: program)
      else {
        say("fuzz: SKIPPED: the fuzzers are not built; see what make torture said before")
        return []
      }
      let targets = FuzzTarget.allCases.filter { names.contains("fuzz-\($0.rawValue)") }
      let runs = try FuzzRuns(program, targets, seed: options.seed, say: say)
      return try runs.run(seconds: deadline.secondsLeft)
    }
  }

  var crashes: Instrument {
    func name(_ workload: Workload) -> String {
      "crash-\(workload.store.rawValue)-\(workload.name)"
    }
    let workloads = Workload.all
    return Instrument(names: workloads.map(name), weight: 10) { names, deadline in
      let chosen = workloads.filter { names.contains(name($0)) }
      let loop = CrashLoop(chosen, seed: options.seed)
      var all = TortureFigures()
      let reports = zip(chosen, loop.run { deadline.isOver }).map { workload, figures in
        all.add(figures.figures)
        say("\(name(workload)): \(figures.distinct) different disks among the states")
        return Report(name: name(workload), figures: figures.figures, unit: "states")
      }
      let percent = 100 * all.tries / Self.crashGoal
      say("crash: \(all.tries) of \(Self.crashGoal) states (\(percent) %), \(all.wrong) wrong")
      return reports
    }
  }
}
