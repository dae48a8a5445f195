import SQL
import Testing

@testable import SQLiteStores

/// States that are valid in the end, whatever the order in which the changes were made, in tables with unique indexes
/// that are more than a list of columns.
@Suite struct UniqueOrderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let indexes: [(index: String, first: String, second: String)] = [
    ("CREATE UNIQUE INDEX i ON t (person) WHERE chosen = 1", "chosen=1", "chosen=0"),
    ("CREATE UNIQUE INDEX i ON t (lower(name))", "name=A", "name=B"),
    ("CREATE UNIQUE INDEX i ON t (person, name || '!') WHERE note IS NULL", "name=A", "name=B"),
    ("CREATE UNIQUE INDEX i ON t (made)", "name=A", "name=B"),
    ("CREATE UNIQUE INDEX i ON t (name COLLATE NOCASE)", "name=A", "name=B"),
  ]

  private func run(_ index: String, _ lines: [String]) throws -> (ProgramRun, [[SQLValue]]) {
    let other = try folder.database(
      "t.db",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, person INTEGER NOT NULL DEFAULT 1, chosen INTEGER NOT NULL DEFAULT 0, \
      name TEXT NOT NULL, note TEXT, made TEXT GENERATED ALWAYS AS ('<' || name || '>'))
      """,
      "INSERT INTO t (id, chosen, name) VALUES (1, 1, 'A'), (2, 0, 'B'), (3, 0, 'C')",
      index
    )
    let run = try folder.run(["t.db"] + (lines + ["save"]).flatMap { ["-e", $0] })
    let rows = try other.rows("SELECT id, chosen, name FROM t ORDER BY id")
    try other.run("DROP TABLE t")
    return (run, rows)
  }

  @Test(arguments: indexes, [true, false])
  func twoRecordsExchangeTheirValues(
    index: (index: String, first: String, second: String),
    isForward: Bool
  ) throws {
    let lines = ["set where id = 1 \(index.second)", "set where id = 2 \(index.first)"]
    let (run, rows) = try run(index.index, isForward ? lines : lines.reversed())
    #expect(run.status == 0, "\(run)")
    let isChosen = index.first.hasPrefix("chosen")
    #expect(rows[0] == [.integer(1), .integer(isChosen ? 0 : 1), .text(isChosen ? "A" : "B")])
    #expect(rows[1] == [.integer(2), .integer(isChosen ? 1 : 0), .text(isChosen ? "B" : "A")])
  }

  @Test(arguments: indexes, [true, false])
  func aRecordTakesTheValueOfADeletedOne(
    index: (index: String, first: String, second: String),
    isForward: Bool
  ) throws {
    let lines = ["delete where id = 1", "set where id = 2 \(index.first)", "insert name=D"]
    let (run, rows) = try run(index.index, isForward ? lines : lines.reversed())
    #expect(run.status == 0 && rows.count == 3, "\(run)")
    let isChosen = index.first.hasPrefix("chosen")
    #expect(rows[0] == [.integer(2), .integer(isChosen ? 1 : 0), .text(isChosen ? "B" : "A")])
  }

  @Test(arguments: indexes, [true, false])
  func aChainOfThreeAndANewRecordIsSaved(
    index: (index: String, first: String, second: String),
    isForward: Bool
  ) throws {
    if index.first.hasPrefix("chosen") { return }
    let lines = [
      "set where id = 1 name=B", "set where id = 2 name=C", "set where id = 3 name=D",
      "insert name=A",
    ]
    let (run, rows) = try run(index.index, isForward ? lines : lines.reversed())
    #expect(run.status == 0, "\(run)")
    #expect(rows.map { $0[2] } == ["B", "C", "D", "A"].map { .text($0) })
  }

  @Test(arguments: indexes) func whatIsNotUniqueInTheEndIsRefused(
    index: (index: String, first: String, second: String)
  ) throws {
    let (run, rows) = try run(
      index.index,
      ["set where id = 3 name=x", "set where id = 2 \(index.first)"]
    )
    #expect(run.status != 0 && run.errors.contains("not saved: "), "\(run)")
    #expect(rows.map { $0[2] } == ["A", "B", "C"].map { .text($0) })
  }

  /// A key is compared as the unique index compares it that makes it one.
  @Test(arguments: [
    ("BINARY", "k", ["ABC", "Abc", "x", "x "]),
    ("BINARY", "k COLLATE NOCASE", ["Abc", "x", "x "]),
    ("BINARY", "k COLLATE RTRIM", ["ABC", "Abc", "x"]),
    ("RTRIM", "k", ["ABC", "Abc", "x"]),
    ("NOCASE", "k COLLATE BINARY", ["ABC", "Abc", "x", "x "]),
    ("BINARY", "k COLLATE NOCASE, m", ["Abc", "x", "x "]),
  ])
  func aKeyIsFoundAsItsIndexComparesIt(column: String, index: String, keys: [String]) throws {
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (k TEXT COLLATE \(column), n INTEGER, m TEXT)",
      "CREATE UNIQUE INDEX i ON t (\(index))",
      "INSERT INTO t (k, n) VALUES ('Abc', 1), ('x', 1)"
    )
    try folder.write("k,n\nABC,2\n\"x \",2\n", to: "in.csv")
    let lines = ["upsert by k k=ABC n=2", "upsert by k k='x ' n=2", "save", "import in.csv by k"]
    let run = try folder.run(["t.db"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0 && run.output.contains("2 unchanged"), "\(run)")
    let rows = try other.rows("SELECT k FROM t ORDER BY k COLLATE BINARY")
    #expect(rows.map { $0[0] } == keys.map { .text($0) }, "\(rows)")
  }

  /// A key that ignores the case of letters is the same in `by`, and keeps its spelling.
  @Test(arguments: ["UNIQUE", "PRIMARY KEY NOT NULL"]) func aKeyIsFoundWhateverItsCase(key: String)
    throws
  {
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (code TEXT COLLATE NOCASE \(key), size INTEGER)",
      "INSERT INTO t VALUES ('Abc', 1), ('Ä', 2), ('z', 3)"
    )
    try folder.write("code,size\nABC,10\nÄ,20\nä,30\nNew,40\n", to: "in.csv")
    let lines = [
      "upsert by code code=ABC size=5", "import in.csv by code", "upsert by code code=aBC size=11",
      "save",
    ]
    let run = try folder.run(["t.db"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    let expected: [(String, Int64)] = [("Abc", 11), ("New", 40), ("z", 3), ("Ä", 20), ("ä", 30)]
    #expect(
      try other.rows("SELECT code, size FROM t ORDER BY code COLLATE BINARY")
        == expected.map { [.text($0), .integer($1)] }
    )
    let twice = try folder.run(["t.db", "-e", "import in.csv by code"])
    try folder.write("code,size\nx,1\nX,2\n", to: "in.csv")
    let refused = try folder.run(["t.db", "-e", "import in.csv by code"])
    #expect(twice.output.contains("1 updated, 3 unchanged"), "\(twice)")
    #expect(refused.errors.contains("duplicate key"), "\(refused)")
  }
}
