import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Records whose keys are numbers, in links, in filters and on the screen.
@Suite struct NumberedRecordsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.database(
      "music.db",
      "CREATE TABLE Album (id INTEGER PRIMARY KEY, title TEXT)",
      "CREATE TABLE Track (id INTEGER PRIMARY KEY, name TEXT, album INTEGER REFERENCES Album)",
      "CREATE TABLE Place (track INTEGER REFERENCES Track, num INTEGER, PRIMARY KEY (track, num))",
      "CREATE TABLE Other (id INTEGER PRIMARY KEY)",
      "INSERT INTO Album VALUES (5, 'A'), (10000001, 'B'), (10000002, 'C'), (77770, '300')",
      "INSERT INTO Track VALUES (1, 'x', 5), (2, 'y', 10000001), (9999, 'z', 77770)",
      "INSERT INTO Place VALUES (1, 1), (2, 1), (2, 2)",
      "INSERT INTO Other VALUES (9999), (7)"
    )
  }

  private func run(_ lines: String..., options: [String] = []) throws -> ProgramRun {
    try folder.run(["music.db"] + options + lines.flatMap { ["-e", $0] })
  }

  @Test(arguments: ["9999", "7", "8888", "7777"])
  func aLinkToAMissingRecordNamesTheEntity(number: String) throws {
    let run = try run("set Track/1 album=\(number)")
    #expect(run.status == 1)
    #expect(run.errors.contains("record \"\(number)\" not found in Album"), "\(run.errors)")
  }

  @Test func aLinkToARecordOfAnotherEntityNamesBoth() throws {
    let run = try run("set Track/1 album=Other/7")
    #expect(run.errors.contains("album: record Other/7 belongs to Other, not Album"), "\(run)")
  }

  @Test(arguments: [
    ("Track where album = 5", "1"), ("Track where album == 10000001", "1"),
    ("Track where 5 = album", "1"), ("Track where album != 5", "2"),
    ("Track where album in (5, 10000001, 10000002)", "2"), ("Track where album in {5}", "1"),
    ("Track where album = \"5\"", "1"), ("Place where track = 2 and num = 1", "1"),
    ("Place where track in (1, 2)", "3"),
  ])
  func aFilterTakesTheNumberOfALinkedRecord(query: String, count: String) throws {
    let run = try run("count \(query)")
    #expect(run.status == 0 && run.output == count + "\n", "\(run)")
  }

  @Test func aFilterByAMissingRecordNamesTheEntity() throws {
    let run = try run("count Track where album = 9999")
    #expect(run.errors.contains("record \"9999\" not found in Album"), "\(run)")
  }

  @Test(arguments: [
    ("album = 5", "1 of 3"), ("album=5", "1 of 3"), ("album in (5, 10000001)", "2 of 3"),
    // No album has this number, but this title.
    ("album=300", "1 of 3"),
  ])
  func theFilterOfTheScreenTakesTheNumber(filter: String, count: String) throws {
    try folder.write("f \"\(filter)\" Enter", to: "keys")
    let run = try folder.run(
      ["music.db", "--entity", "Track", "--keys", "keys", "--size", "80x24"]
    )
    #expect(run.output.contains(count), "\(run)")
  }

  @Test func theTableShowsWholeNumbers() throws {
    try folder.write("\"#\" G", to: "keys")
    let screen = try folder.run(
      ["music.db", "--entity", "Album", "--keys", "keys", "--size", "80x24"]
    )
    #expect(screen.output.contains("10000001  "), "\(screen)")
    #expect(screen.output.contains("10000002  "), "\(screen)")
    #expect(screen.output.contains("  5       "), "\(screen)")
  }

  @Test func messagesNameWholeNumbers() throws {
    let run = try run("set Album/10000002 title=Z", "undo", options: ["--answers", "jsonl"])
    #expect(run.output.contains("10000002"), "\(run)")
    try folder.write(": \"set Album/10000002 title=Z\" Enter u", to: "keys")
    let screen = try folder.run(
      ["music.db", "--entity", "Album", "--keys", "keys", "--size", "80x24"]
    )
    #expect(screen.output.contains("10000002 (C)"), "\(screen)")
  }

  @Test func theTableCutsLongKeys() throws {
    try folder.database(
      "keys.db",
      "CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, a TEXT)",
      "INSERT INTO t VALUES ('ALFKI', 'x'), ('a key of many characters', 'y')"
    )
    try folder.write("\"#\" G", to: "keys")
    let screen = try folder.run(["keys.db", "--keys", "keys", "--size", "80x24"])
    #expect(screen.output.contains("a key of many c…"), "\(screen)")
    #expect(screen.output.contains("ALFKI "), "\(screen)")
  }
}
