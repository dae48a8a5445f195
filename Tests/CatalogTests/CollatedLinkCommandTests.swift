import Foundation
import Testing

/// Links to keys that ignore case, in commands.
@Suite struct CollatedLinkCommandTests {
  private func run(_ action: String, _ lines: String...) throws -> ProgramRun {
    let folder = try TemporaryFolder()
    try folder.database(
      "books.db",
      "CREATE TABLE author (name TEXT PRIMARY KEY COLLATE NOCASE, born INTEGER)",
      """
      CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, \
      author TEXT REFERENCES author (name) \(action))
      """,
      "INSERT INTO author VALUES ('CALVINO', 1923), ('Eco', 1932)",
      "INSERT INTO book VALUES (1, 'Palomar', 'Calvino'), (2, 'The Rose', 'ECO')"
    )
    return try folder.run(["books.db"] + lines.flatMap { ["-e", $0] })
  }

  @Test func pathsAndReferrersFollowThem() throws {
    let found = try run("", "list book where author.born = 1923 fields title,author.born")
    #expect(found.output == "title\tauthor.born\nPalomar\t1923\n", "\(found)")
    let referrers = try run("", "referrers author/CALVINO")
    #expect(referrers.output.contains("book"), "\(referrers)")
    let shown = try run("", "show book/2")
    #expect(shown.output.contains("author\tEco"), "\(shown)")
  }

  @Test func deletionsKeepTheirRules() throws {
    let denied = try run("", "delete author/CALVINO", "save")
    #expect(denied.status != 0 && denied.errors.contains("book"), "\(denied)")
    let cleared = try run(
      "ON DELETE SET NULL",
      "delete author/CALVINO",
      "save",
      "list book fields title,author"
    )
    #expect(cleared.output.hasSuffix("title\tauthor\nPalomar\t\nThe Rose\tEco\n"), "\(cleared)")
    let taken = try run("ON DELETE CASCADE", "delete author/CALVINO", "save", "count book")
    #expect(taken.output.hasSuffix("\n1\n"), "\(taken)")
  }
}
