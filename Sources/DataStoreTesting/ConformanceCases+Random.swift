import Dispatch
import Foundation
import OpenSwiftData
import Synchronization

extension StoreConformance {
  /// The seed of each run of the random case; findings include it.
  static let seeds: [UInt64] = [1, 2, 3]

  static let randomCases: [Case] =
    seeds.map { seed in
      Case("randomOperationsEqualTheReference, seed \(seed)") { trial in
        let steps = Array(0..<trial.rounds)
        guard let failing = RandomRun.firstFailure(of: steps, seed: seed, trial) else { return }
        let few = RandomRun.shrunk(Array(steps[...failing]), seed: seed, trial)
        trial.note(
          "steps that suffice: " + RandomRun.script(of: few, seed: seed, trial),
          limit: 2000
        )
      }
    } + [
      Case("threadsMayReadAndWriteAtOnce") { trial in
        let threads = SharedStore(try trial.makeStore())
        let results = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { number in
          do {
            let wrong = try number % 2 == 0 ? threads.write(number) : threads.read()
            if let wrong { results.withLock { $0.append(wrong) } }
          } catch {
            results.withLock { $0.append("thread \(number) met \(error)") }
          }
        }
        for result in results.withLock({ $0 }) { trial.note(result) }
        let found = try threads.store.all()
        trial.expectEqual(found.count, 4 * SharedStore.rounds * 2, "the number of films")
        trial.expectEqual(
          Set(found.map(\.persistentIdentifier)).count,
          found.count,
          "the number of identifiers"
        )
        let again = try trial.reopened(threads.store)
        trial.expectEqual(try again.all(), found, "the films after reopening")
      }
    ]
}

/// A store passed to several threads.
///
/// Unchecked because stores are not declared Sendable. Their contract requires that calls may come
/// from any thread, which this tests.
private struct SharedStore: @unchecked Sendable {
  static let rounds = 25
  let store: any QueryableStore

  init(_ store: any QueryableStore) { self.store = store }

  /// Inserts pairs of films that have the same year; changes them together.
  func write(_ number: Int) throws -> String? {
    for round in 0..<Self.rounds {
      let pair = [1, 2].map { half in
        Fixture.new(
          Fixture.film,
          number * 1000 + round * 2 + half,
          Fixture.title("\(number)", ["serial": .integer(Int64(number))])
        )
      }
      let result = try store.commit(ChangeSet(inserted: pair), author: "\(number)")
      let identifiers = pair.compactMap { result.remappedIdentifiers[$0.persistentIdentifier] }
      let found = try store.snapshots(for: identifiers)
      let updates = identifiers.compactMap { found[$0] }.map {
        RecordUpdate(before: $0, after: $0.with(["year": .integer(Int64(round))]))
      }
      guard updates.count == 2 else { return "a thread does not see what it committed" }
      _ = try store.commit(ChangeSet(updated: updates), author: nil)
    }
    return nil
  }

  /// Checks that every commit of a pair is visible completely or not at all.
  func read() throws -> String? {
    for _ in 0..<Self.rounds * 2 {
      let years = try store.all().compactMap { $0["year"] }
      guard years.count.isMultiple(of: 2) else { return "half a commit was seen" }
      let changed = years.filter { $0 != .integer(2000) }
      guard changed.count.isMultiple(of: 2) else { return "half an update was seen" }
    }
    return nil
  }
}
