import SQL
import Testing

@testable import SQLiteStores

/// Values that triggers put in place of those that a save wrote.
@Suite struct OverwrittenValueTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func database() throws -> SQLiteConnection {
    try folder.database(
      "t.db",
      "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, total INT DEFAULT 0)",
      """
      CREATE TABLE l (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a(id) ON DELETE CASCADE, \
      amount INT, at TEXT DEFAULT CURRENT_TIMESTAMP)
      """,
      """
      CREATE TRIGGER added AFTER INSERT ON l BEGIN \
      UPDATE a SET total = total + new.amount WHERE id = new.a_id; END
      """,
      "INSERT INTO a (id, name) VALUES (1, 'A')",
      "INSERT INTO l (a_id, amount) VALUES (1, 100), (1, 50)"
    )
  }

  private static let note = "the database stored other values than were written: total of 1 a"

  @Test func theSaveNamesTheField() throws {
    let other = try database()
    let run = try folder.run(
      ["t.db", "-e", "set a/1 total=10", "-e", "insert l a_id=1 amount=5", "-e", "save"]
    )
    #expect(run.status == 0 && (run.output + run.errors).contains(Self.note), "\(run)")
    #expect(try other.value("SELECT total FROM a") == .integer(15))
  }

  @Test func anUndoneDeletionSaysWhatTriggersMadeOfIt() throws {
    let other = try database()
    let run = try folder.run(
      ["t.db", "--answers", "jsonl"]
        + ["delete a/1", "save", "undo", "save"].flatMap { ["-e", $0] }
    )
    #expect(run.status == 0 && run.output.contains(Self.note), "\(run)")
    #expect(try other.value("SELECT total FROM a") == .integer(300))
  }

  @Test func aRehearsalTellsItBefore() throws {
    _ = try database()
    let lines = ["set a/1 total=10", "insert l a_id=1 amount=5", "save"]
    let run = try folder.run(["t.db", "--dry-run"] + lines.flatMap { ["-e", $0] })
    #expect(
      run.output.contains("would store other values than are written: total of 1 a"),
      "\(run)"
    )
  }

  /// What the database makes for a value that was left out replaces nothing.
  @Test func aDefaultIsNotSaid() throws {
    _ = try database()
    let run = try folder.run(["t.db", "-e", "insert l amount=5", "-e", "save"])
    #expect(run.status == 0 && !(run.output + run.errors).contains("other values"), "\(run)")
  }

  /// A foreign key refers to its own table, although a view and another table have the same columns.
  @Test func aLinkByValueFindsTheTableOfTheForeignKey() throws {
    let other = try folder.database(
      "v.db",
      "CREATE TABLE g (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE h (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE VIEW gv AS SELECT id, name FROM g",
      "CREATE TABLE u (id INTEGER PRIMARY KEY, g INT REFERENCES g(id))",
      "INSERT INTO g VALUES (1, 'a'), (2, 'b')",
      "INSERT INTO h VALUES (3, 'b')",
      "INSERT INTO u VALUES (1, 1)"
    )
    let run = try folder.run(
      ["v.db", "-e", "set u/1 g=name:b", "-e", "save", "-e", "count u where g = name:b"]
    )
    #expect(run.status == 0 && run.output.hasSuffix("1\n"), "\(run)")
    #expect(try other.value("SELECT g FROM u") == .integer(2))
    let wrong = try folder.run(["v.db", "-e", "set u/1 g=3"])
    #expect(wrong.status != 0 && wrong.errors.contains("3"), "\(wrong)")
  }
}
