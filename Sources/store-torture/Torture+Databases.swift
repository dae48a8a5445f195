import Foundation
import StoreTorture
import Synchronization

/// The same for SQLite databases, below which calls fail and writes are recorded.
extension Torture {
  var databaseFaults: Instrument {
    instrument(
      DatabaseFaults.all,
      weight: 2,
      unit: "failing calls",
      name: { "fault-\($0.database.rawValue)-\($0.work.rawValue)" },
      run: { faults, deadline in
        try faults.run(isOver: { deadline.isOver })
      }
    )
  }

  var databaseDamage: Instrument {
    let seed = options.seed
    return instrument(
      TorturedDatabase.allCases,
      weight: 2,
      unit: "damaged pages",
      name: { "damage-\($0.rawValue)" },
      run: { database, deadline in
        try DatabaseDamage(database).run(0..., seed: seed, isOver: { deadline.isOver })
      }
    )
  }

  var databaseCrashes: Instrument {
    let seed = options.seed
    return instrument(
      DatabaseCrashes.all,
      weight: 4,
      unit: "states",
      name: { "crash-\($0.database.rawValue)-\($0.work.rawValue)" },
      run: { crashes, deadline in
        // All states of one work take minutes; another seed tries others.
        try crashes.run(seed: seed, step: 5, isOver: { deadline.isOver })
      }
    )
  }

  var databaseQueries: Instrument {
    let seed = options.seed
    return instrument(
      QueryEquivalence.Owner.allCases.map { QueryEquivalence($0) },
      weight: 1,
      unit: "queries",
      name: { "sqlite-equivalence-\($0.owner.rawValue)" },
      run: { queries, deadline in
        try queries.run(seed: seed, isOver: { deadline.isOver })
      }
    )
  }

  /// An instrument whose parts run on all processors; each has its share of the time.
  private func instrument<Part: Sendable>(
    _ parts: [Part],
    weight: Double,
    unit: String,
    name: @escaping @Sendable (Part) -> String,
    run: @escaping @Sendable (Part, Deadline) throws -> TortureFigures
  ) -> Instrument {
    Instrument(names: parts.map(name), weight: weight) { names, all in
      let chosen = parts.filter { names.contains(name($0)) }
      let found = Mutex([TortureFigures](repeating: TortureFigures(), count: chosen.count))
      let left = Mutex(chosen.count)
      DispatchQueue.concurrentPerform(iterations: chosen.count) { place in
        let parts = left.withLock { left in
          defer { left -= 1 }
          return left
        }
        let share = all.secondsLeft * min(1, Double(Parallel.count) / Double(parts))
        var figures = TortureFigures()
        do {
          figures = try run(chosen[place], Deadline(instant: .now + .seconds(share)))
        } catch {
          figures.note("cannot be done: \(error)")
        }
        found.withLock { $0[place] = figures }
      }
      return zip(chosen, found.withLock { $0 }).map {
        Report(name: name($0), figures: $1, unit: unit)
      }
    }
  }
}
