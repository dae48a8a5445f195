import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Several new records in one save, of whose numbers triggers take some.
@Suite struct TriggerNumberTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func rows(_ sql: String) throws -> [[SQLValue]] {
    try SQLiteConnection(folder.file("m.db"), isReadOnly: true).rows(SQLText(sql))
  }

  /// Each row of `m` gets another one, before or after it, which says so.
  private static let tables = [
    "INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT", nil,
  ].flatMap { key in
    ["BEFORE", "AFTER"].map { moment in
      [
        "CREATE TABLE m (\(key.map { "id \($0), " } ?? "")name TEXT UNIQUE)",
        """
        CREATE TRIGGER copy \(moment) INSERT ON m WHEN new.name NOT LIKE 'copy%' \
        BEGIN INSERT INTO m (name) VALUES ('copy of ' || new.name); END
        """,
        "INSERT INTO m (name) VALUES ('first')",
      ]
    }
  }

  private func database(_ statements: [String], _ more: String...) throws {
    let connection = try folder.database("m.db")
    for statement in statements + more { try connection.run(SQLText(statement)) }
  }

  @Test(arguments: tables) func eachRecordGetsTheNumberThatTheDatabaseGivesIt(tables: [String])
    throws
  {
    try database(tables)
    try folder.write("name\nc\nd\ne\n", to: "in.csv")
    let lines = [
      "insert name=a", "insert name=b", "import in.csv by name", "save", "set t1 name=A", "save",
    ]
    let run = try folder.run(["m.db"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    let names = try rows("SELECT name FROM m WHERE name NOT LIKE 'copy%' ORDER BY name")
    #expect(names == ["A", "b", "c", "d", "e", "first"].map { [.text($0)] })
    #expect(try rows("SELECT count(*) FROM m WHERE name LIKE 'copy of %'") == [[.integer(6)]])
  }

  /// Links to new records, from new ones and from others, name their last numbers.
  @Test(arguments: ["BEFORE", "AFTER"]) func linksFollowTheNumbers(moment: String) throws {
    try database(
      [
        "CREATE TABLE m (id INTEGER PRIMARY KEY, name TEXT, up INTEGER REFERENCES m)",
        """
        CREATE TRIGGER copy \(moment) INSERT ON m WHEN new.name NOT LIKE 'copy%' \
        BEGIN INSERT INTO m (name) VALUES ('copy of ' || new.name); END
        """,
        "INSERT INTO m (id, name) VALUES (1, 'copy 1')",
      ]
    )
    let lines = [
      "insert name=a", "insert name=b up=t1", "insert name=c up=t2", "set where id = 1 up=t3",
      "save",
    ]
    let run = try folder.run(["m.db"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    let found = try rows(
      "SELECT m.name, up.name FROM m JOIN m AS up ON up.id = m.up ORDER BY m.name"
    )
    let expected = [("b", "a"), ("c", "b"), ("copy 1", "c")]
    #expect(found == expected.map { [.text($0), .text($1)] })
  }

  /// A trigger of one table that fills another, to which the same save adds as well.
  @Test func aSaveToTwoTablesOfWhichOneFillsTheOther() throws {
    try database(
      [
        "CREATE TABLE m (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE log (id INTEGER PRIMARY KEY, m INTEGER REFERENCES m, what TEXT)",
        "CREATE TRIGGER noted AFTER INSERT ON m BEGIN INSERT INTO log (m, what) VALUES (new.id, 'made'); END",
      ]
    )
    let lines = [
      "insert log what=mine", "insert m name=a", "insert m name=b", "insert log what=too", "save",
    ]
    let run = try folder.run(["m.db"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    let found = try rows("SELECT what, m.name FROM log LEFT JOIN m ON m.id = log.m ORDER BY log.id")
    #expect(found.filter { $0[0] == .text("made") }.map { $0[1] } == [.text("a"), .text("b")])
    #expect(found.count == 4)
  }

  /// A number is not used again while the database is open.
  @Test func theNumberOfADeletedRecordIsNotUsedAgain() throws {
    try database(Self.tables[0], "INSERT INTO m (name) VALUES ('last')")
    let last = try rows("SELECT max(id) FROM m")[0][0]
    let lines = ["delete where name like \"*last\"", "insert name=new", "save"]
    let run = try folder.run(["m.db"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    guard case .integer(let number) = last,
      case .integer(let new) = try rows("SELECT id FROM m WHERE name = 'new'")[0][0]
    else { return #expect(Bool(false)) }
    #expect(new > number)
  }
}
