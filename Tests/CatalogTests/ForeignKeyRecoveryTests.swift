import Foundation
import Glibc
import SQL
import Testing

@testable import SQLiteStores

/// Recovery and import in tables of other programs, whose keys identify their records.
@Suite struct ForeignKeyRecoveryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a command, kills the program, lets another program change the database, and recovers and saves.
  private func recovered(
    _ command: String,
    showing answer: String = "set a of",
    others: String...
  ) throws -> ProgramRun {
    let run = try ScreenRun([folder.file("x.db"), "--plain"])
    #expect(run.shows("catalog> "))
    run.type(command + "\n")
    #expect(run.shows(answer), "\(run.received)")
    var isKept = false
    for _ in 0..<6000 where !isKept {
      usleep(10_000)
      isKept = try folder.names().contains { name in
        try name.contains("catalog-recovery") && folder.read(name).contains("\"change\"")
      }
    }
    #expect(isKept, "the changes are in a recovery file after a minute")
    kill(run.process, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL))
    let connection = try folder.database("x.db")
    for statement in others { try connection.run(SQLText(statement)) }
    return try folder.run(["x.db", "-e", "recover", "-e", "save"])
  }

  private func listed() throws -> String {
    try folder.run(["x.db", "--format", "tsv", "-e", "list fields a,b"]).output
  }

  private func makeNumbers() throws {
    _ = try folder.database(
      "x.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT)",
      "INSERT INTO t VALUES (1, 'a1', 'b1'), (2, 'a2', 'b2')"
    )
  }

  @Test func anotherFieldThatAnotherProgramHasChangedIsMerged() throws {
    try makeNumbers()
    let run = try recovered("set 1 a=mine", others: "UPDATE t SET b = 'theirs' WHERE id = 1")
    #expect(run.output.contains("saved: 0 inserted, 1 updated, 0 deleted"), "\(run)")
    #expect(try listed() == "a\tb\nmine\ttheirs\na2\tb2\n")
  }

  @Test func theSameFieldIsReported() throws {
    try makeNumbers()
    let run = try recovered("set 1 a=mine", others: "UPDATE t SET a = 'theirs' WHERE id = 1")
    #expect(run.output.contains("it changed from"), "\(run)")
    #expect(try listed() == "a\tb\ntheirs\tb1\na2\tb2\n")
  }

  /// What a command has read counts after a crash as well.
  @Test(arguments: [
    ("set t/1 a:=upper(b)", "set a of", "b", "computed from b, which changed from \"b1\" to"),
    ("upsert t by b b=b1 a=mine", "1 updated", "b", "the record was found by b, which changed"),
    ("insert c a=1", "t1", "a = 'new', b", "t record 1: only id 1 agrees"),
  ])
  func whatAChangeRestsOnIsCompared(
    command: String,
    answer: String,
    fields: String,
    words: String
  ) throws {
    try makeNumbers()
    _ = try folder.database(
      "x.db",
      "CREATE TABLE c (id INTEGER PRIMARY KEY, a INTEGER REFERENCES t (id))"
    )
    let run = try recovered(
      command,
      showing: answer,
      others: "UPDATE t SET \(fields) = 'new' WHERE id = 1"
    )
    #expect((run.output + run.errors).contains(words), "\(run)")
    let listed = try folder.run(["x.db", "--format", "tsv", "-e", "list t fields a"]).output
    #expect(!listed.contains("mine") && !listed.contains("B1"), "\(listed)")
    #expect(try folder.run(["x.db", "-e", "count c where a is not null"]).output == "0\n")
  }

  /// A change of many records is one line, which says what the store had by a digest of some records together.
  @Test func changesOfManyRecordsAreMergedWithThoseOfAnotherField() throws {
    _ = try folder.database(
      "x.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT)",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 300) \
      INSERT INTO t SELECT i * 3, 'a', 'b' FROM c
      """
    )
    let run = try recovered(
      "set where a='a' a=mine",
      others: "UPDATE t SET b = 'theirs' WHERE id IN (3, 600)"
    )
    #expect(run.output.contains("saved: 0 inserted, 300 updated, 0 deleted"), "\(run)")
    #expect(try folder.run(["x.db", "-e", "count where a='mine' and b='theirs'"]).output == "2\n")
  }

  @Test func aRecordThatIsGoneIsReported() throws {
    try makeNumbers()
    let run = try recovered("set 1 a=mine", others: "DELETE FROM t WHERE id = 1")
    #expect(run.errors.contains("nothing recovered"), "\(run)")
    #expect(try listed() == "a\tb\na2\tb2\n")
  }

  /// Keys of text that look like those of another kind.
  private static let keys = [
    "15", "-3", "123e4567-e89b-12d3-a456-426614174000", "0123456789abcdef", "plain",
  ]

  private func makeTexts() throws {
    let rows = Self.keys.map { "('\($0)', 'old', 'b')" }.joined(separator: ", ")
    _ = try folder.database(
      "x.db",
      "CREATE TABLE t (k TEXT NOT NULL PRIMARY KEY, a TEXT, b TEXT)",
      "INSERT INTO t VALUES \(rows)"
    )
  }

  @Test func recordsWithKeysOfTextAreRecovered() throws {
    try makeTexts()
    let run = try recovered("set where b='b' a=new", others: "UPDATE t SET b = 'c'")
    #expect(run.output.contains("saved: 0 inserted, 5 updated, 0 deleted"), "\(run)")
    #expect(try folder.run(["x.db", "-e", "count where a='new' and b='c'"]).output == "5\n")
  }

  @Test func deletedRecordsWithKeysOfTextAreRecovered() throws {
    try makeTexts()
    let run = try recovered("delete where a='old' and k != 'plain'", showing: "deleted 4")
    #expect(run.output.contains("saved: 0 inserted, 0 updated, 4 deleted"), "\(run)")
  }

  @Test func recordsWithKeysOfTextAreFoundByAnImport() throws {
    try makeTexts()
    try folder.write("id,a\n" + Self.keys.map { $0 + ",new\n" }.joined(), to: "new.csv")
    let run = try folder.run(["x.db", "-e", "import new.csv into t by id", "-e", "save"])
    #expect(run.output.contains("imported: 0 inserted, 5 updated"), "\(run)")
    for key in Self.keys {
      let shown = try folder.run(["x.db", "--format", "json", "-e", "show '\(key)'"])
      #expect(shown.output.contains("\"new\""), "\(shown)")
    }
  }
}
