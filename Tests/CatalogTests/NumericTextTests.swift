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
}
