import Foundation
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// A save whose COMMIT fails: what is in the database decides whether it was saved.
@Suite struct OutcomeTests {
  private let folder: TestFolder
  private static let failure = SQLiteFailure(code: 1034, description: "disk I/O error")

  init() throws { folder = try TestFolder() }

  private func store(isOwn: Bool) throws -> SQLiteStore {
    guard isOwn else {
      return try SQLiteStore(
        at: try folder.database(
          "other.db",
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
          "INSERT INTO t VALUES (1, 'x')"
        )
      )
    }
    let schema = Schema(Schema.Entity("t", attributes: [.init("a", .text)]))
    let store = try SQLiteStore(at: try folder.newPath("own.db"), schema: schema)
    try store.insert("t", ["a": .text("x")])
    return store
  }

  @Test(arguments: [true, false], [true, false])
  func theDatabaseTellsWhetherItWasSaved(isOwn: Bool, isWritten: Bool) throws {
    let store = try store(isOwn: isOwn)
    let record = try store.all("t")[0]
    store.session.withLock { session in
      session.connection.commit = { connection in
        try connection.run(isWritten ? "COMMIT" : "ROLLBACK")
        throw Self.failure
      }
    }
    if isWritten {
      try store.set(record, ["a": .text("y")])
    } else {
      let error = #expect(throws: PersistenceError.self) {
        try store.set(record, ["a": .text("y")])
      }
      #expect(error?.code == .inaccessible)
      #expect(error?.message.contains("nothing was saved") == true)
    }
    #expect(try store.all("t")[0]["a"] == .text(isWritten ? "y" : "x"))
    store.session.withLock { $0.connection.commit = { try $0.run("COMMIT") } }
    try store.set(try store.all("t")[0], ["a": .text("z")])
    let history = try store.transactions(after: nil, touching: nil)
    #expect(history.count == (isOwn ? 2 : 1) + (isWritten ? 1 : 0))
  }

  @Test(arguments: [true, false]) func nobodyCanTellWhenTheFileIsGone(isOwn: Bool) throws {
    let store = try store(isOwn: isOwn)
    let record = try store.all("t")[0]
    let path = store.configuration.path
    store.session.withLock { session in
      session.connection.commit = { connection in
        try connection.run("COMMIT")
        try FileManager.default.removeItem(atPath: path)
        throw Self.failure
      }
    }
    for _ in 0..<2 {
      let error = #expect(throws: PersistenceError.self) {
        try store.set(record, ["a": .text("y")])
      }
      #expect(error?.code == .outcomeUnknown)
    }
  }
}
