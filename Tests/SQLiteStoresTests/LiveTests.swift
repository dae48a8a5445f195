import Foundation
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// Saves of other programs, while they happen and while they lock the database.
@Suite struct LiveTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test(arguments: ["DELETE", "WAL"]) func saveOfAnotherProgramIsSeenSoon(_ journal: String) throws
  {
    let path = try folder.database(
      "live.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "INSERT INTO t VALUES (1, 'a')"
    )
    let other = try otherProgram(path)
    #expect(try other.value(SQLText("PRAGMA journal_mode = \(journal)")) != nil)
    // A write has to wait while the store reads.
    other.setTimeout(seconds: 10)
    let store = try SQLiteStore(at: path)
    defer { store.close() }
    let isSeen = DispatchSemaphore(value: 0)
    let subscription = store.changeFeed.observe { _ in isSeen.signal() }
    defer { subscription.cancel() }
    store.startWatching()
    var times: [Duration] = []
    for number in 0..<20 {
      try other.run("UPDATE t SET a = \(.integer(Int64(number)))")
      let start = ContinuousClock.now
      #expect(isSeen.wait(timeout: .now() + 10) == .success)
      times.append(ContinuousClock.now - start)
      #expect(try store.all("t")[0]["a"] == .text("\(number)"))
    }
    times.sort()
    print("seen after", times[10], "at most", times[19], "(\(journal))")
    // Usually within 50 ms; a machine with other work may take longer.
    #expect(times[10] < .seconds(1))
  }

  @Test func waitingForALockIsReported() throws {
    let path = try folder.database("busy.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    let store = try SQLiteStore(at: path)
    let other = try otherProgram(path)
    try other.run("BEGIN IMMEDIATE")
    let stages = Mutex<Set<String>>([])
    let progress = WorkProgress { stage in
      stages.withLock { _ = $0.insert("\(stage.title) \(stage.total)") }
    }
    let error = #expect(throws: PersistenceError.self) {
      try Interruption.reporting(to: progress) { try store.insert("t", ["a": .text("x")]) }
    }
    #expect(error?.code == .busy)
    #expect(stages.withLock { $0 } == ["waiting for another program, 200"])
    try other.run("ROLLBACK")
    try store.insert("t", ["a": .text("x")])
    #expect(try store.count(matching: Query("t")) == 1)
  }

  @Test func waitingForALockCanBeCanceled() throws {
    let path = try folder.database("busy.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    let store = try SQLiteStore(SQLiteConfiguration(path: path, lockTimeoutSeconds: 3600))
    let other = try otherProgram(path)
    try other.run("BEGIN IMMEDIATE")
    let count = Mutex(0)
    #expect(throws: Interruption.Stopped.self) {
      try Interruption.allowed(by: {
        count.withLock {
          $0 += 1; return $0 > 10
        }
      }) {
        _ = try store.insert("t", ["a": .text("x")])
      }
    }
    try other.run("ROLLBACK")
    try store.insert("t", ["a": .text("x")])
  }
}
