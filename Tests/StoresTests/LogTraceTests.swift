import Foundation
import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

/// What a log tells later about a save that was interrupted.
@Suite struct LogTraceTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  @Test func theLogTellsUntilTheTransactionIsDiscarded() throws {
    let store = try fixture.open()
    try store.insertFilm("one")
    let seen = Mutex<SaveTrace?>(nil)
    try SaveWitness.watching(by: SaveWitness { trace in seen.withLock { $0 = trace } }) {
      _ = try store.insertFilm("two")
    }
    let trace = try #require(seen.withLock { $0 })
    let token = try #require(trace.transaction?.token)
    let reopened = try fixture.open(schema: nil)
    #expect(try reopened.holdsSave(trace) == true)
    try reopened.insertFilm("three")
    #expect(try reopened.holdsSave(trace) == true)
    for later in [token, token + 1, token + 5] {
      let unmade = SaveTrace(transaction: .init(id: UUID(), token: later))
      #expect(try reopened.holdsSave(unmade) == false)
    }
    _ = try reopened.compact(keeping: .none)
    #expect(try reopened.holdsSave(trace) == nil)
  }
}
