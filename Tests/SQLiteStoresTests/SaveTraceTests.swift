import Foundation
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// What a database tells later about a save that was interrupted.
@Suite struct SaveTraceTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func own() throws -> SQLiteStore {
    let schema = Schema(Schema.Entity("t", attributes: [.init("a", .text)]))
    return try SQLiteStore(at: try folder.newPath("own.db"), schema: schema)
  }

  private func foreign() throws -> SQLiteStore {
    let path = try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "INSERT INTO t VALUES (1, 'a')"
    )
    return try SQLiteStore(at: path)
  }

  /// The trace of a save.
  private func trace(_ save: () throws -> Void) throws -> SaveTrace {
    let seen = Mutex<SaveTrace?>(nil)
    try SaveWitness.watching(by: SaveWitness { trace in seen.withLock { $0 = trace } }) {
      try save()
    }
    return try #require(seen.withLock { $0 })
  }

  @Test func theHistoryTellsUntilItIsDiscarded() throws {
    let store = try own()
    try store.insert("t", ["a": .text("x")])
    let trace = try trace { try store.insert("t", ["a": .text("y")]) }
    #expect(try store.holdsSave(trace) == true)
    try store.insert("t", ["a": .text("z")])
    #expect(try store.holdsSave(trace) == true)
    let unmade = SaveTrace(transaction: .init(id: UUID(), token: 3))
    #expect(try store.holdsSave(unmade) == false)
    try store.deleteTransactions([1, 2, 3])
    #expect(try store.holdsSave(trace) == nil)
    #expect(try store.holdsSave(SaveTrace(transaction: .init(id: UUID(), token: 4))) == false)
  }

  @Test func aSaveWithoutAWitnessIsNotTraced() throws {
    let store = try foreign()
    let trace = try trace {
      try SaveWitness.watching(by: nil) { _ = try store.insert("t", ["a": .text("y")]) }
      try store.insert("t", ["a": .text("z")])
    }
    #expect(trace.records?.map(\.key) == ["3"])
  }

  @Test func theRecordsTellInADatabaseOfAnotherProgram() throws {
    let store = try foreign()
    let trace = try trace {
      try store.insert("t", ["a": .text("y")])
    }
    #expect(try store.holdsSave(trace) == true)
    let other = try otherProgram(store.configuration.path)
    try other.run("UPDATE t SET a = 'z' WHERE id = 2")
    #expect(try store.holdsSave(trace) == nil, "changed since, or another record with this number")
    try other.run("DELETE FROM t WHERE id = 2")
    #expect(try store.holdsSave(trace) == false)
  }

  @Test func theFormerValuesTellThatAChangeWasNotSaved() throws {
    let store = try foreign()
    let record = try store.all("t")[0]
    let trace = try trace { try store.set(record, ["a": .text("b")]) }
    #expect(try store.holdsSave(trace) == true)
    let other = try otherProgram(store.configuration.path)
    try other.run("UPDATE t SET a = 'a'")
    #expect(try store.holdsSave(trace) == false)
    try other.run("UPDATE t SET a = 'c'")
    #expect(try store.holdsSave(trace) == nil)
  }
}
