import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Databases in which one thing is broken or unusual, and everything else is to go on.
@Suite struct UnusualDatabaseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ lines: String..., options: [String] = []) throws -> ProgramRun {
    try folder.run(["t.db"] + options + lines.flatMap { ["-e", $0] })
  }

  // MARK: Indexes in virtual tables

  /// An index for texts whose triggers were missing while another program wrote.
  private func outdatedIndex(_ module: String) throws -> SQLiteConnection {
    let delete =
      module == "fts5"
      ? "INSERT INTO find (find, rowid, body) VALUES ('delete', old.id, old.body)"
      : "DELETE FROM find WHERE docid = old.id"
    let rowNumber = module == "fts5" ? "rowid" : "docid"
    let options = module == "fts5" ? "content='docs', content_rowid='id'" : "content='docs'"
    return try folder.database(
      "t.db",
      "CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT)",
      "CREATE TABLE innocent (id INTEGER PRIMARY KEY, a TEXT)",
      "CREATE VIRTUAL TABLE find USING \(module) (body, \(options))",
      "INSERT INTO docs VALUES (1, 'one'), (2, 'two'), (3, 'three')",
      "INSERT INTO innocent VALUES (1, 'x')",
      """
      CREATE TRIGGER find_update AFTER UPDATE ON docs BEGIN \(delete); \
      INSERT INTO find (\(rowNumber), body) VALUES (new.id, new.body); END
      """
    )
  }

  @Test func anIndexOutOfStepIsNamedAndOtherSavesGoOn() throws {
    let other = try outdatedIndex("fts5")
    let run = try run(
      "set docs where id = 1 body=uno",
      "save",
      "rollback",
      "set innocent where id = 1 a=y",
      "save",
      options: ["--keep-going"]
    )
    #expect(
      run.errors.contains("the index \"find\" does not match its records; nothing was saved"),
      "\(run)"
    )
    #expect(run.errors.contains("INSERT INTO \"find\"(\"find\") VALUES('rebuild')"), "\(run)")
    #expect(!run.errors.contains("damaged"), "\(run)")
    #expect(try other.value("SELECT a FROM innocent") == .text("y"))
    #expect(try other.value("SELECT body FROM docs WHERE id = 1") == .text("one"))
    let check = try self.run("check full")
    #expect(check.output.contains("find: the index does not match its records"), "\(check)")
    #expect(try self.run("check").status == 0)
    try other.run("INSERT INTO find(find) VALUES('rebuild')")
    #expect(try self.run("set docs where id = 1 body=uno", "save").status == 0)
    #expect(try self.run("check full").status == 0)
  }

  // MARK: Names

  @Test(arguments: ["[Gmail]/Inbox", "a/b", "a b", "a/b/c", "q'r", "x\"y", "$m", "50%"])
  func theNameThatAMessageAdvisesIsFound(table: String) throws {
    let quoted = table.quotedName
    try folder.database(
      "t.db",
      "CREATE TABLE \(quoted) (id INTEGER PRIMARY KEY, s TEXT)",
      "CREATE TABLE a (id INTEGER PRIMARY KEY, s TEXT)",
      "INSERT INTO \(quoted) VALUES (1, 'mine')",
      "INSERT INTO a VALUES (1, 'other')"
    )
    let ambiguous = try run("show 1")
    let advice = try #require(ambiguous.errors.wholeMatch(of: /.*ambiguous \((.*)\); give one.*\n/))
      .output.1
    // One of the two is `a/1`.
    let name = advice.replacing(", a/1", with: "").replacing("a/1, ", with: "")
    let found = try run("show \(name)", "set \(name) s=changed", "show \(name)")
    #expect(
      found.output.contains("mine") && found.output.contains("changed"),
      "\(name): \(found)"
    )
    #expect(try run("show a/1").output.contains("other"))
  }

  // MARK: Triggers, functions, checks

  @Test func aTriggerThatMovesTheRecordIsNamedWithAWayOut() throws {
    try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "INSERT INTO t VALUES (1, 'x')",
      "CREATE TRIGGER move AFTER UPDATE OF a ON t BEGIN UPDATE t SET id = id + 100 WHERE id = new.id; END"
    )
    let run = try run("set 1 a=y", "save")
    #expect(run.errors.contains("by the trigger \"move\""), "\(run)")
    #expect(run.errors.contains("run \"changes sql\""), "\(run)")
  }

  /// A database with a table `ok`, and a table `t` with a column of a function `code` that only its program has.
  ///
  /// The bytes that are not zero, by their places.
  private static let withFunction: [(place: Int, bytes: String)] = [
    (0, "U1FMaXRlIGZvcm1hdCAzAAIAAQEAQCAgAAAAAgAAAAM="),
    (43, "AgAAAAQ="),
    (59, "AQ=="),
    (95, "AgAuYwENAAAAAgFaAAGsAVo="),
    (
      346,
      "UAIHFxERAYELdGFibGVva29rA0NSRUFURSBUQUJMRSBvayhpZCBpbnRlZ2VyIHByaW1hcnkga2V5LCBwIGlu"
        + "dGVnZXIgcmVmZXJlbmNlcyB0KVIBBxcPDwGBE3RhYmxldHQCQ1JFQVRFIFRBQkxFIHQoaWQgaW50ZWdlciBw"
        + "cmltYXJ5IGtleSwgYSB0ZXh0LCBiIHRleHQgYXMgKGNvZGUoYSkpKQ0AAAABAfoAAfo="
    ),
    (1018, "BAEDAA94DQAAAAEB+gAB+g=="),
    (1530, "BAEDAAEJ"),
  ]

  private func writeDatabaseWithFunction() throws {
    var data = Data(count: 1536)
    for (place, text) in Self.withFunction {
      let bytes = try #require(Data(base64Encoded: text))
      data.replaceSubrange(place..<place + bytes.count, with: bytes)
    }
    try data.write(to: URL(fileURLWithPath: folder.file("t.db")))
  }

  @Test func aColumnThatCannotBeComputedHidesNothingElse() throws {
    try writeDatabaseWithFunction()
    let list = try run("list t fields id,a", "check")
    #expect(list.output.hasPrefix("id\ta\n1\tx\n"), "\(list)")
    #expect(
      list.errors.contains("t: column \"b\" is not shown: unknown function: code()"),
      "\(list)"
    )
    #expect(list.output.contains("t: cannot be checked: unknown function: code()"), "\(list)")
    #expect(list.output.contains("ok: row 1 refers to a row of t that does not exist"), "\(list)")
    let save = try run("set t where id = 1 a=y", "save")
    #expect(save.errors.contains("function \"code()\" is missing"), "\(save)")
    #expect(try run("set ok where id = 1 p=1", "save").status == 0)
  }

  @Test func aCheckGoesOnAfterOneBrokenThing() throws {
    try folder.database(
      "t.db",
      "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE misfit (id INTEGER PRIMARY KEY, p TEXT REFERENCES parent (name))",
      "CREATE TABLE orphan (id INTEGER PRIMARY KEY, p INTEGER REFERENCES parent)",
      "INSERT INTO misfit VALUES (1, 'x')",
      "INSERT INTO orphan VALUES (1, 77)"
    )
    for line in ["check", "check full"] {
      let run = try run(line)
      #expect(
        run.output.contains("misfit: its foreign keys cannot be checked: foreign key mismatch"),
        "\(run)"
      )
      #expect(
        run.output.contains("orphan: row 1 refers to a row of parent that does not exist"),
        "\(run)"
      )
    }
  }

  // MARK: Copies

  @Test func aCopyNamesWhatItLacks() throws {
    try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT CHECK (a <> ''))",
      "CREATE TABLE plain (id INTEGER PRIMARY KEY)",
      "CREATE INDEX ia ON t (a)",
      "CREATE TRIGGER noted AFTER INSERT ON t BEGIN SELECT 1; END",
      "CREATE VIEW v AS SELECT a FROM t",
      "INSERT INTO t VALUES (1, CAST(x'4dfc6c6c6572' AS TEXT)), (2, 'x')"
    )
    let copy = try run("saveas copy.db")
    for part in [
      "not copied: indexes (1: ia)", "not copied: triggers (1: noted)",
      "not copied: views, of which the rows are copied (1: v)",
      "not copied: constraints, foreign keys and rules of tables (1: t)",
      "not copied: the letters of 1 text in t.a that is not UTF-8",
    ] {
      #expect((copy.output + copy.errors).contains(part), "\(part): \(copy)")
    }
    let export = try run("export t.csv t")
    #expect(export.errors.contains("not exported: the letters of 1 text in t.a"), "\(export)")
    #expect(try run("export p.csv plain").errors.isEmpty)
  }

  // MARK: Bytes that are no text

  @Test func lettersInAnotherEncodingAreReadableOnTheScreenAndStay() throws {
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n INTEGER)",
      "INSERT INTO t VALUES (1, CAST(x'4be96c6e' AS TEXT), 5)"
    )
    for keys in ["", "v"] {
      let screen = try folder.run(["t.db", "--size", "140x30", "--keys", "-"], input: keys)
      #expect(screen.output.contains("Kéln (not UTF-8)"), "\(screen)")
      #expect(!screen.output.contains("CAST("), "\(screen)")
    }
    let edits = ["list fields name", "set 1 n=6", "save", "set 1 name=Köln", "save"]
    let edited = try folder.run(["t.db"] + (edits + ["undo", "save"]).flatMap { ["-e", $0] })
    #expect(edited.status == 0, "\(edited)")
    #expect(edited.output.contains("CAST(x'4be96c6e' AS TEXT)\n"), "\(edited)")
    #expect(try other.value("SELECT hex(name) FROM t") == .text("4BE96C6E"))
  }

  @Test func anEditBeginsWithTheLettersAndKeepsTheBytesUnlessTheyChange() throws {
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)",
      "INSERT INTO t VALUES (1, CAST(x'4be96c6e' AS TEXT))"
    )
    for command in ["list", "show 1"] {
      let table = try folder.run(["t.db", "--format", "table", "-e", command])
      #expect(table.output.contains("Kéln (not UTF-8)"), "\(table)")
    }
    let start = "Right Right e"
    let open = try folder.run(["t.db", "--size", "140x30", "--keys", "-"], input: start)
    #expect(open.output.contains("Kéln "), "\(open)")
    #expect(open.output.contains("name: not UTF-8; the bytes stay as they are unless"), "\(open)")
    for (keys, bytes) in [
      ("Enter w", "4BE96C6E"), ("x BSpace Enter w", "4BE96C6E"), ("x Enter w", "4BC3A96C6E78"),
    ] {
      let run = try folder.run(["t.db", "--keys", "-"], input: "\(start) \(keys)")
      #expect(try other.value("SELECT hex(name) FROM t") == .text(bytes), "\(keys) \(run)")
    }
  }
}
