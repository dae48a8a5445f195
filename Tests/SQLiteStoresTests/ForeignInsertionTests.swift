import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// New, restored and duplicated records in tables of other programs.
@Suite struct ForeignInsertionTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private static let defaults = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT DEFAULT 'it''s', n INTEGER DEFAULT '7', \
    r REAL DEFAULT 1, b BLOB DEFAULT x'00ff', at TEXT DEFAULT CURRENT_TIMESTAMP, \
    required TEXT NOT NULL DEFAULT "q", x NUMERIC DEFAULT (1 + 1))
    """

  @Test func aNewRecordStartsWithTheDefaultsOfItsColumns() throws {
    let path = try folder.database("other.db", Self.defaults)
    let store = try SQLiteStore(at: path)
    let context = ModelContext(
      try ModelContainer(configurations: SQLiteConfiguration(path: path))
    )
    let record = Record(entity: try store.schema.entity(named: "t"))
    context.insert(record)
    try context.save()
    let row = try otherProgram(path).rows("SELECT a, n, r, b, at IS NOT NULL, required, x FROM t")
    #expect(
      row == [
        [
          .text("it's"), .integer(7), .real(1), .bytes([0, 255]), .integer(1), .text("q"),
          .integer(2),
        ]
      ]
    )
  }

  @Test func missingValuesOfARecordStayMissing() throws {
    let path = try folder.database(
      "other.db",
      Self.defaults,
      "INSERT INTO t VALUES (5, NULL, NULL, NULL, NULL, NULL, 'z', NULL)"
    )
    let store = try SQLiteStore(at: path)
    let record = try store.all("t")[0]
    let empty: [SQLValue] = [.integer(5), .null, .null, .null, .null, .null, .text("z"), .null]
    _ = try store.commit(ChangeSet(deleted: [record]), author: nil)
    _ = try store.commit(ChangeSet(inserted: [record]), author: nil)
    #expect(try otherProgram(path).rows("SELECT * FROM t") == [empty])
    try store.insert("t", ["required": .text("z")])
    let copy = try otherProgram(path).rows("SELECT a, n, r, b, required FROM t WHERE id = 6")
    #expect(copy == [[.null, .null, .null, .null, .text("z")]])
  }
}
