import OpenSwiftData
import Testing

/// Links that are typed on the screen as titles of records.
@Suite struct TypedLinkTests {
  /// A book without an author, and four authors.
  private static func books() throws -> ScreenFixture {
    let author = Schema.Entity("Author", attributes: [Schema.Attribute("name", .text)])
    let book = Schema.Entity(
      "Book",
      attributes: [
        Schema.Attribute("title", .text), Schema.Attribute("author", .link("Author")),
        Schema.Attribute("readers", .links("Author")),
      ]
    )
    let script = try ScriptFixture(Schema(book, author))
    let names = [
      "Élodie Durand", "Stanislas Lem", "Stanley Kubrick", "Ann", "ann", "Stan", "Bob Stone",
      "Bob Stone",
    ]
    try script.run(
      names.map { "insert Author name=\"\($0)\"" }.joined(separator: "\n")
        + "\ninsert Book title=Solaris\nsave"
    )
    return ScreenFixture(script)
  }

  /// A title is found as a filter finds it: without its accents, in any case, and by a part that no other title has.
  @Test(arguments: [
    ("Élodie Durand", "Élodie Durand"), ("elodie durand", "Élodie Durand"),
    ("durand", "Élodie Durand"), ("KUB", "Stanley Kubrick"), ("stan", "Stan"),
  ])
  func aLinkIsTypedAsAPartOfATitle(typed: String, title: String) throws {
    let screen = try Self.books()
    try screen.press("l c \"\(typed)\" Enter")
    #expect(screen.lines[2].contains("Solaris  \(title)"), "\(screen.text)")
    try screen.press("u Enter \"\(typed)\" Enter")
    #expect(screen.lines[2].contains("Solaris  \(title)"), "\(screen.text)")
  }

  @Test(arguments: [
    ("stanl", nil), ("sta", "\"sta\" is a part of 3 titles ("),
    ("ann", "the title \"ann\" is ambiguous"),
    ("bob", "the title \"Bob Stone\" is ambiguous"),
    ("zoe", "no Author has the identifier or title \"zoe\""),
  ])
  func whatSeveralTitlesHaveIsRefused(typed: String, reason: String?) throws {
    let screen = try Self.books()
    try screen.press("l c \"\(typed)\" Enter")
    let text = screen.text.replacing("\n", with: " ")
    #expect(reason.map { text.contains($0) } ?? text.contains("Stanley"), "\(screen.text)")
  }
}
