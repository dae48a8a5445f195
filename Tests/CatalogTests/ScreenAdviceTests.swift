import Foundation
import Testing

/// What the screen says about names, fields and files that cannot be used as they were typed.
@Suite struct ScreenAdviceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func keys(_ keys: String, _ arguments: String...) throws -> String {
    try folder.run(arguments + ["--size", "100x24", "--keys", "-"], input: keys).output
  }

  /// The message at the bottom, which may have several lines, as one line.
  private func joined(_ screen: String) -> String {
    screen.split(separator: "\n").suffix(3).map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: " ")
  }

  private func makeMusic() throws {
    try folder.database(
      "music.db",
      "CREATE TABLE Artist (id INTEGER PRIMARY KEY, Name TEXT)",
      "CREATE TABLE Album (id INTEGER PRIMARY KEY, Title TEXT, artist INTEGER REFERENCES Artist)",
      "CREATE VIEW AlbumView AS SELECT id, Title FROM Album",
      "INSERT INTO Artist VALUES (1, 'AC/DC')",
      "INSERT INTO Album VALUES (1, 'Powerage', 1)"
    )
  }

  @Test func aTextThatNamesNoRecordOfALinkIsNotCalledTooShort() throws {
    try makeMusic()
    let screen = joined(try keys("$ c zz Enter", "music.db", "--entity", "Album"))
    #expect(
      screen.contains("no Artist has the identifier or title \"zz\""),
      "\(screen)"
    )
    #expect(!screen.contains("too short"))
  }

  /// Commands in a database of another program, and what they are answered.
  @Test(arguments: [
    ("field add AlbumView x:text", "AlbumView is a view, whose columns are those of its SELECT"),
    ("field rename AlbumView Title Name", "AlbumView is a view, whose columns are"),
    ("field drop AlbumView Title", "AlbumView is a view, whose columns are"),
    ("field type AlbumView Title integer", "Title: the table is a view, so its values"),
    ("field add Album w2:links:Artist", "w2: a column cannot hold a list of links; add a table"),
    ("entity create Club members:links:Artist", "members: a column cannot hold a list of links"),
    ("field add Album x:text", "with sqlite3: ALTER TABLE \"Album\" ADD COLUMN \"x\" TEXT"),
  ])
  func noStatementIsAdvisedThatCannotWork(command: String, answer: String) throws {
    try makeMusic()
    let run = try folder.run(["music.db", "-e", command])
    #expect(run.status == 1)
    #expect(run.errors.contains(answer), "\(run.errors)")
  }

  @Test func theFirstOfSeveralNotesIsShownWithTheirNumber() throws {
    let bytes = Array("name,city\nJos".utf8) + [0xE9] + Array(",Lyon\nA\n".utf8)
    try Data(bytes).write(to: URL(filePath: folder.file("people.csv")))
    let screen = joined(try keys("", "people.csv"))
    #expect(screen.contains("note: people.csv: read as Windows-1252"), "\(screen)")
    #expect(screen.contains("· 1 of 2 notes; :check lists them"), "\(screen)")
    let all = try keys(": check Enter", "people.csv")
    #expect(all.contains("line 3: fewer values than columns"), "\(all)")
    #expect(all.contains("read as Windows-1252"), "\(all)")
  }

  /// The only note of a file is on the screen, and again with `:check`, which finds no problem.
  @Test func aNoteThatIsNoProblemIsListedByCheck() throws {
    let bytes = Array("name\nJos".utf8) + [0xE9, 0x0A]
    try Data(bytes).write(to: URL(filePath: folder.file("people.csv")))
    #expect(joined(try keys("", "people.csv")).contains("note: people.csv: read as Windows-1252"))
    let all = try keys(": check Enter", "people.csv")
    #expect(all.contains("ok") && all.contains("read as Windows-1252"), "\(all)")
    #expect(try folder.run(["people.csv", "-e", "check"]).output == "ok\n")
  }

  @Test func severalEntitiesAreNotWrittenIntoOneTable() throws {
    try makeMusic()
    let run = try folder.run(["music.db", "-e", "saveas x.csv"])
    #expect(run.errors.contains("use a .json name, or \"export\" for one of them"), "\(run.errors)")
  }

  /// Commands for a column whose name has spaces, and what is on the screen then.
  @Test(arguments: [
    ("column Box office", "Box office"), ("column hide box office", "    title  year"),
    ("column width Box office 30", "Box office"),
    ("column format Box office thousands", "1,234"),
    ("column show Box office", "Box office"),
    ("column move Box office first", "    Box office"),
    (
      "column Box seats",
      "unexpected \"seats\" after the column; a name with spaces is written in quotes: \"Box"
    ),
  ])
  func severalWordsNameAColumn(command: String, text: String) throws {
    try folder.write("title,Box office,year\nUp,1234,2009\n", to: "films.csv")
    let screen = try keys(": \"\(command)\" Enter", "films.csv")
    #expect(screen.contains(text), "\(screen)")
    #expect(screen.contains("unexpected") == text.contains("unexpected"), "\(screen)")
  }
}
