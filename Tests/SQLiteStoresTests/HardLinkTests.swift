import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Several names of one database.
@Suite struct HardLinkTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func database(_ journal: String) throws -> (first: String, second: String) {
    let first = try folder.database(
      "first.db",
      "PRAGMA journal_mode = \(journal)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "INSERT INTO t VALUES (1, 'x')"
    )
    let second = URL(fileURLWithPath: first).deletingLastPathComponent().path + "/second.db"
    try FileManager.default.linkItem(atPath: first, toPath: second)
    return (first, second)
  }

  private func files(besides path: String) throws -> [String] {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test(arguments: ["wal", "delete"])
  func bothNamesAreReadAndNeitherIsWritten(journal: String) throws {
    let names = try database(journal)
    for path in [names.first, names.second] {
      let store = try SQLiteStore(at: path)
      let record = try #require(try store.all("t").first)
      #expect(record["a"] == .text("x"))
      #expect(store.openingNotes.first?.contains("it has 2 hard links") == true)
      let error = #expect(throws: PersistenceError.self) {
        try store.set(record, ["a": .text("y")])
      }
      #expect(error?.message.contains("has 2 hard links") == true)
      store.close()
    }
    #expect(try files(besides: names.first) == ["first.db", "second.db"])
  }

  @Test func aNameThatIsAddedEndsSavingAndOneThatIsRemovedAllowsIt() throws {
    let path = try folder.database("t.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    let other = path + "2"
    let store = try SQLiteStore(at: path)
    try store.insert("t", ["a": .text("1")])
    try FileManager.default.linkItem(atPath: path, toPath: other)
    #expect(throws: PersistenceError.self) { try store.insert("t", ["a": .text("2")]) }
    #expect(throws: PersistenceError.self) { try store.compact() }
    try FileManager.default.removeItem(atPath: other)
    try store.insert("t", ["a": .text("3")])
    #expect(try store.all("t").map { $0["a"] } == [.text("1"), .text("3")])
  }

  /// A log next to one of the names, as a crash leaves it, is neither written to the database nor removed.
  @Test func aLogOfAnotherProgramIsLeftAsItIs() throws {
    let names = try database("wal")
    let other = try otherProgram(names.second)
    try other.run("UPDATE t SET a = 'y'")
    let log = try Data(contentsOf: URL(fileURLWithPath: names.second + "-wal"))
    let store = try SQLiteStore(at: names.second)
    #expect(try store.all("t").first?["a"] == .text("y"))
    store.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: names.second + "-wal")) == log)
  }
}
