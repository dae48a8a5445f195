import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// What saves to databases of other programs tell, before and after.
@Suite struct DatabaseChangesTests {
  private let folder: TemporaryFolder

  /// Albums by two numbers, whose tracks go with them, and a trigger that counts.
  init() throws {
    folder = try TemporaryFolder()
    let connection = try SQLiteConnection(
      folder.file("music.db"),
      isReadOnly: false,
      canCreate: true
    )
    for statement in [
      "CREATE TABLE Album (label INTEGER, no INTEGER, title TEXT, PRIMARY KEY (label, no)) WITHOUT ROWID",
      """
      CREATE TABLE Track (id INTEGER PRIMARY KEY, label INTEGER, no INTEGER, name TEXT, \
      FOREIGN KEY (label, no) REFERENCES Album ON DELETE CASCADE)
      """,
      "CREATE TABLE Log (id INTEGER PRIMARY KEY, text TEXT)",
      """
      CREATE TRIGGER gone AFTER DELETE ON Album BEGIN \
      INSERT INTO Log (text) VALUES ('deleted ' || old.title); END
      """,
      "INSERT INTO Album VALUES (1, 1, 'A'), (1, 2, 'B')",
      "INSERT INTO Track VALUES (1, 1, 1, 'x'), (2, 1, 1, 'y'), (3, 1, 2, 'z')",
    ] {
      try connection.run(SQLText(statement))
    }
  }

  private func run(_ commands: String..., options: [String] = []) throws -> ProgramRun {
    try folder.run(["music.db"] + options + commands.flatMap { ["-e", $0] })
  }

  private static let note = "also changed by the database: 1 Log inserted, 2 Track deleted"

  /// The identifier of a row does not tell which parts of its key are numbers.
  @Test(arguments: ["integer, b integer", "text, b integer", "numeric, b real", "text, b text"])
  func unsavedChangesCountInTablesWithACompositeKey(types: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.database(
      "s.db",
      "CREATE TABLE S (a \(types), v INTEGER, PRIMARY KEY (a, b))",
      "INSERT INTO S VALUES (1, 1, 1), (1, 2, 2), (2, 1, 3)"
    )
    let key = try #require(
      folder.run(["s.db", "--no-header", "-e", "list where v = 2 fields id"]).output.split(
        separator: "\n"
      ).first
    )
    func output(_ commands: String...) throws -> String {
      try folder.run(["s.db"] + commands.flatMap { ["-e", $0] } + ["-e", "quit!"]).output
    }
    #expect(try output("delete '\(key)'", "count S") == "2\n")
    #expect(try output("set '\(key)' v=9", "count where v = 2", "count where v = 9") == "0\n1\n")
    let keys = #": "delete where v = 2" Enter s"#
    try folder.write(keys, to: "keys")
    let screen = try folder.run(["s.db", "--keys", "keys", "--size", "60x12"]).output
    #expect(screen.contains("3 of 3"), "\(screen)")
  }

  @Test func saveTellsWhatTheDatabaseChangedAndUndoRestoresIt() throws {
    let run = try run(
      "delete Album where title = 'A'",
      "save",
      "history Track",
      "count Track",
      "undo",
      "count Track",
      "save",
      "list Track fields name"
    )
    #expect(run.status == 0)
    #expect(run.errors.contains("note: " + Self.note), "\(run.errors)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "saved: 0 inserted, 0 updated, 1 deleted")
    #expect(lines.filter { $0.contains("\t- ") }.count == 2, "\(run.output)")
    #expect(
      lines.contains {
        $0.hasPrefix("undone: delete")
          && $0.hasSuffix(
            "; not undone: what triggers changed (1 Log inserted)"
          )
      },
      "\(run.output)"
    )
    #expect(lines.suffix(4) == ["name", "x", "y", "z"])
  }

  /// A copy makes no values: what was a key, computed or a view is an ordinary field there.
  @Test(arguments: ["copy.db", "copy.json", "copy.catlog"])
  func aCopyHasOrdinaryFields(name: String) throws {
    let connection = try SQLiteConnection(folder.file("music.db"), isReadOnly: false)
    for statement in [
      """
      CREATE TABLE Sum (id INTEGER PRIMARY KEY, a INTEGER, \
      twice INTEGER GENERATED ALWAYS AS (a * 2) STORED)
      """,
      "INSERT INTO Sum (id, a) VALUES (7, 1), (9, 2)",
      "CREATE VIEW Shown AS SELECT id, twice FROM Sum",
    ] {
      try connection.run(SQLText(statement))
    }
    #expect(try run("saveas \(name)").status == 0)
    let copied = try folder.run(
      [
        name, "-e", "list Sum fields id,a,twice", "-e", "set Sum where id = 7 id=8 twice=5", "-e",
        "set Shown where id = 9 twice=6", "-e", "insert Sum id=9 a=0", "-e", "rollback",
        "-e", "set Sum where a = 1 id=8 twice=5", "-e", "save", "-e",
        "list Sum fields id,a,twice", "-e", "list Shown fields id,twice",
      ]
    )
    #expect(copied.status == 0, "\(copied)")
    #expect(
      copied.output.split(separator: "\n").filter { $0.contains("\t") || $0.hasPrefix("saved") }
        == [
          "id\ta\ttwice", "7\t1\t2", "9\t2\t4", "saved: 0 inserted, 1 updated, 0 deleted",
          "id\ta\ttwice", "8\t1\t5", "9\t2\t4", "id\ttwice", "7\t2", "9\t4",
        ],
      "\(copied)"
    )
    let twin = try folder.run([name, "-e", "insert Sum id=9 a=0", "-e", "save"])
    #expect(twin.status == 1 || twin.status == 5, "\(twin)")
    #expect(twin.errors.contains("must be unique"), "\(twin)")
  }

  @Test func anAnswerForProgramsHasTheNumbers() throws {
    let run = try folder.run(
      ["music.db", "--answers", "jsonl"],
      input: "delete Album where title = 'A'\nsave\n"
    )
    #expect(
      run.output.contains(
        #""alsoChanged":[{"entity":"Log","inserted":1,"updated":0,"deleted":0},{"entity":"Track","inserted":0,"updated":0,"deleted":2}]"#
      ),
      "\(run.output) \(run.errors)"
    )
  }

  @Test(arguments: ["80x24", "200x60"]) func theScreenTellsIt(size: String) throws {
    let screen = try folder.run(
      ["music.db", "--entity", "Album", "--size", size, "--keys", "-"],
      input: "d w"
    ).output
    #expect(
      screen.contains("saved: 1 deleted; also changed by the database: 1 Log inserted"),
      "\(screen)"
    )
    let tracks = try folder.run(
      ["music.db", "--entity", "Track", "--size", size, "--keys", "-"],
      input: ": \"delete Album where title = 'B'\" Enter w"
    ).output
    // The list of the tracks is read again.
    #expect(tracks.contains("0 of 0"), "\(tracks)")
  }

  @Test(arguments: ["80x24", "200x60"]) func differencesHaveAPageWithSQL(size: String) throws {
    func screen(_ keys: String) throws -> String {
      try folder.run(
        ["music.db", "--entity", "Track", "--size", size, "--keys", "-"],
        input: keys
      ).output
    }
    let edit = ": \"set 1 name=new\" Enter : \"delete 3\" Enter "
    let changes = try screen(edit + "D")
    #expect(changes.contains("[2 unsaved changes]  SQL of a save"), "\(changes)")
    #expect(
      changes.contains("~ Track 1 new\n      name: \"x\" → \"new\"\n  - Track 3"),
      "\(changes)"
    )
    let statements = try screen(edit + "D Tab")
    #expect(
      statements.contains(#"UPDATE main."Track" SET "name" = 'new' WHERE "id" = 1;"#),
      "\(statements)"
    )
    #expect(statements.contains(#"DELETE FROM main."Track" WHERE "id" = 3;"#), "\(statements)")
    #expect(try screen(edit + "D Tab Tab").contains("[2 unsaved changes]"))
    #expect(try screen(edit + "D Tab Escape").contains("2 unsaved") == false)
    // After an edit, the screen shows the changes as they are then.
    #expect(try screen(edit + "D Escape u D").contains("1 unsaved change]"))
    #expect(try screen("D").contains("no unsaved changes"))
  }

  @Test func aStoreWithoutSQLHasOnePage() throws {
    let screen = try folder.run(
      ["--store", "memory", "--sample", "--keys", "-"],
      input: "d D Tab"
    ).output
    #expect(screen.contains("1 unsaved change"), "\(screen)")
    #expect(!screen.contains("SQL"))
  }
}
