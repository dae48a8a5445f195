import SQL
import Testing

@testable import SQLiteStores

/// Texts in columns that SQLite takes for columns of numbers, because their type has none of the words that it knows.
@Suite struct NumericTextTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func database(_ type: String, _ values: String) throws -> SQLiteConnection {
    try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v \(type))",
      "INSERT INTO t (v) VALUES \(values)"
    )
  }

  @Test(
    arguments: ["STRING", "UUID", "BOOLEAN", "HASH", "CURRENCY"],
    [
      "2E5", "1234e56", "8.0", "8.10", "07867", "+5", ".5", "5.", "1e0", " 7",
      "12345678901234567890",
    ]
  )
  func aTextThatWouldBecomeAnotherOneIsRefused(type: String, text: String) throws {
    for values in ["('abc'), ('t')", "('abc'), (15)"] {
      let other = try database(type, values)
      let run = try folder.run(["t.db", "-e", "set 1 v=\"\(text)\"", "-e", "save"])
      #expect(run.status != 0 && run.output.isEmpty, "\(values): \(run)")
      #expect(run.errors.contains("t.v: the column cannot keep \"\(text)\" (record 1)"), "\(run)")
      #expect(run.errors.contains("keeps it only in a column declared TEXT"), "\(run)")
      #expect(try other.value("SELECT v FROM t WHERE id = 1") == .text("abc"))
      try other.run("DROP TABLE t")
    }
  }

  /// A type that names texts means them, also if all that is there looks like numbers.
  @Test(arguments: ["STRING", "UUID", "HASH"], ["07867", "2E5", "8.0"])
  func codesAreRefusedBesideNumbers(type: String, text: String) throws {
    let other = try database(type, "('10001'), ('20002')")
    for value in [text, "\"\(text)\""] {
      let run = try folder.run(["t.db", "-e", "set 1 v=\(value)", "-e", "save"])
      #expect(run.status != 0 && run.errors.contains("column declared TEXT"), "\(run)")
    }
    let run = try folder.run(["t.db", "-e", "set 1 v=15", "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try other.value("SELECT v FROM t WHERE id = 1") == .integer(15))
  }

  /// What is typed into a column of booleans or moments is stored as its other values are, whatever was read before.
  @Test(arguments: ["", "freq t v", "list t where id=302", "stats v"])
  func aValueOfAnotherTypeDoesNotChangeHowOthersAreStored(before: String) throws {
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v boolean, d datetime)",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) \
      INSERT INTO t SELECT i, i % 2, '2024-01-01 10:00:00' FROM n
      """,
      "UPDATE t SET v = 5, d = '' WHERE id = 302"
    )
    let commands = [
      before, "set 1 v=false d=2024-05-05T10:00:00Z", "set 302 v=true d=2024-05-06T10:00:00Z",
      "set 304 v=true", "save",
    ].filter { !$0.isEmpty }
    let run = try folder.run(["t.db"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    #expect(try other.value("SELECT v FROM t WHERE id = 1") == .integer(0))
    #expect(try other.value("SELECT v FROM t WHERE id = 302") == .integer(1))
    #expect(try other.value("SELECT v FROM t WHERE id = 304") == .integer(1))
    #expect(try other.value("SELECT d FROM t WHERE id = 302") == .text("2024-05-06 10:00:00"))
    let many = try folder.run(["t.db", "-e", "set where true v=true", "-e", "save"])
    #expect(many.status == 0, "\(many)")
    #expect(try other.value("SELECT count(*) FROM t WHERE v = 1") == .integer(600))
  }

  @Test(arguments: ["15", "8.5", "-3", "0", "x", "0x10", "1e", "5e-324", "abc 2E5", ""])
  func anyOtherTextIsKeptAndComesBackByUndo(text: String) throws {
    for values in ["('abc'), ('t')", "('abc'), (15)"] {
      let other = try database("STRING", values)
      let lines = ["set 1 v=\"\(text)\"", "save", "list limit 1 fields v", "undo", "save"]
      let run = try folder.run(["t.db"] + lines.flatMap { ["-e", $0] })
      #expect(run.status == 0 && run.output.contains("v\n\(text)\n"), "\(values): \(run)")
      #expect(try other.value("SELECT v FROM t WHERE id = 1") == .text("abc"))
      try other.run("DROP TABLE t")
    }
  }

  /// A column for numbers takes the number that the text spells, and the preview shows it.
  @Test(arguments: ["NUMERIC", "DECIMAL(10,2)", "INTEGER"])
  func aColumnForNumbersTakesTheNumber(type: String) throws {
    let other = try database(type, "('n/a'), ('?')")
    let lines = ["set 1 v=\"8.0\"", "changes", "save", "undo", "save"]
    let run = try folder.run(["t.db"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0 && run.output.contains("v: \"n/a\" → \"8\""), "\(run)")
    #expect(try other.value("SELECT v FROM t WHERE id = 1") == .text("n/a"))
  }

  /// Without values, the type of the column is all that is known.
  @Test func anEmptyTableTakesTextsAndKeysOfBothKinds() throws {
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (k STRING PRIMARY KEY NOT NULL, v UUID)"
    )
    let lines = ["insert k=15 v=x", "insert k=\"abc\" v=7", "save"]
    let run = try folder.run(["t.db"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    #expect(
      try other.rows("SELECT k, v FROM t ORDER BY k") == [
        [.integer(15), .text("x")], [.text("abc"), .integer(7)],
      ]
    )
  }

  @Test func aKeyThatWouldBecomeAnotherOneIsRefused() throws {
    try folder.database("t.db", "CREATE TABLE t (k STRING PRIMARY KEY NOT NULL, v TEXT)")
    let run = try folder.run(["t.db", "-e", "insert k=\"2E5\" v=x", "-e", "save"])
    #expect(run.status != 0 && run.errors.contains("t.k: the column cannot keep \"2E5\""), "\(run)")
  }

  @Test(arguments: [
    ("10:00:00", "its moments are whole seconds; leave out the fraction"),
    ("10:00:00.25", "its moments have 2 digits of a second; leave out the others"),
  ])
  func aMomentThatItsColumnCannotKeepSaysWhy(time: String, reason: String) throws {
    _ = try folder.database(
      "m.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, at DATETIME)",
      "INSERT INTO t VALUES (1, '2024-01-01 \(time)')"
    )
    let run = try folder.run(["m.db", "-e", "set 1 at=\"2024-01-01 10:00:00.125\"", "-e", "save"])
    #expect(run.status != 0 && run.errors.contains("(record 1); \(reason)"), "\(run)")
  }
}
