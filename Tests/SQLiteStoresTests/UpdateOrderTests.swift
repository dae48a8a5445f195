import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Unique values that move between records of other programs' tables, and how often triggers run for them.
@Suite struct UpdateOrderTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Saves new values of a column, by the place of the record, and returns how often the trigger ran for each.
  private func save(
    _ columns: String,
    _ rows: [String],
    _ column: String,
    _ values: [Int: Value],
    deleting deleted: [Int] = []
  ) throws -> (rows: [[SQLValue]], runs: [[SQLValue]]) {
    let path = try folder.database(
      "other.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, \(columns))",
      "CREATE TABLE log (id INTEGER)",
      "INSERT INTO t VALUES \(rows.joined(separator: ", "))",
      "CREATE TRIGGER u AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (OLD.id); END"
    )
    let store = try SQLiteStore(at: path)
    let records = try store.all("t")
    let updates = values.sorted { $0.key < $1.key }.map { place, value in
      var after = records[place]
      if let slot = after.layout.slot(of: column) { after.orderedValues[slot] = value }
      return RecordUpdate(before: records[place], after: after)
    }
    _ = try store.commit(
      ChangeSet(updated: updates, deleted: deleted.map { records[$0] }),
      author: nil
    )
    let other = try otherProgram(path)
    return (
      try other.rows(SQLText("SELECT \(column.quotedName) FROM t ORDER BY id")),
      try other.rows("SELECT id, count(*) FROM log GROUP BY id ORDER BY id")
    )
  }

  private static let once: [[SQLValue]] = (1...3).map { [.integer($0), .integer(1)] }

  @Test(arguments: [true, false])
  func aChainOfUniqueValuesIsOneUpdateForEachRecord(isRising: Bool) throws {
    let new: [Int64] = isRising ? [2, 3, 4] : [0, 1, 2]
    let (rows, runs) = try save(
      "n INTEGER UNIQUE CHECK (n >= 0)",
      ["(1, 1)", "(2, 2)", "(3, 3)"],
      "n",
      [0: .integer(new[0]), 1: .integer(new[1]), 2: .integer(new[2])]
    )
    #expect(rows == new.map { [.integer($0)] })
    #expect(runs == Self.once)
  }

  @Test func aChainInAnIndexOfSeveralColumnsIsOneUpdateForEachRecord() throws {
    let (rows, runs) = try save(
      "album INTEGER, place INTEGER CHECK (place > 0), UNIQUE (album, place)",
      ["(1, 7, 1)", "(2, 7, 2)", "(3, 7, 3)", "(4, 8, 2)"],
      "place",
      [0: .integer(2), 1: .integer(3), 2: .integer(4)]
    )
    #expect(rows == [[.integer(2)], [.integer(3)], [.integer(4)], [.integer(2)]])
    #expect(runs == Self.once)
  }

  @Test(arguments: [
    "code TEXT UNIQUE", "code TEXT UNIQUE COLLATE NOCASE", "code TEXT, x, UNIQUE (code, x)",
  ])
  func oneRecordOfACircleIsUpdatedTwice(columns: String) throws {
    let more = columns.contains("x,") ? ", 1" : ""
    let (rows, runs) = try save(
      columns,
      ["(1, 'a'\(more))", "(2, 'b'\(more))", "(3, 'c'\(more))"],
      "code",
      [0: .text("b"), 1: .text("c"), 2: .text("a")]
    )
    #expect(rows == [[.text("b")], [.text("c")], [.text("a")]])
    #expect(
      runs == [
        [.integer(1), .integer(2)], [.integer(2), .integer(1)], [.integer(3), .integer(1)],
      ]
    )
  }

  @Test func aChainBehindADeletedRecordIsSaved() throws {
    let (rows, _) = try save(
      "code TEXT UNIQUE NOT NULL",
      ["(1, 'a')", "(2, 'b')", "(3, 'c')", "(4, 'd')"],
      "code",
      [0: .text("b"), 1: .text("c"), 3: .text("a")],
      deleting: [2]
    )
    #expect(rows == [[.text("b")], [.text("c")], [.text("a")]])
  }

  @Test func aLongChainIsSaved() throws {
    let count = 20_000
    let (rows, runs) = try save(
      "n INTEGER UNIQUE",
      (1...count).map { "(\($0), \($0))" },
      "n",
      Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, .integer(Int64($0 + 2))) })
    )
    #expect(rows.first == [.integer(2)] && rows.last == [.integer(Int64(count + 1))])
    #expect(runs.count == count && runs.allSatisfy { $0[1] == .integer(1) })
  }
}
