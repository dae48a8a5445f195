import CatalogApp
import OpenSwiftData
import Testing

/// Filters that views keep: they do not depend on the columns by which their names were shortened.
@Suite struct KeptFilterTests {
  private func books() throws -> ScriptFixture {
    let schema = Schema(
      Schema.Entity(
        "Book",
        attributes: [
          Schema.Attribute("title", .text), Schema.Attribute("info", .json),
          Schema.Attribute("AuthorId", .link("Author")),
        ]
      ),
      Schema.Entity("Author", attributes: [Schema.Attribute("Name", .text)])
    )
    let fixture = try ScriptFixture(schema, entityName: "Book")
    try fixture.run(
      #"""
      insert Author Name=Calvino
      insert Author Name=Lem
      insert Book title=Cosmicomics info='{"pages":185}' AuthorId=t1
      insert Book title=Solaris info='{"pages":204}' AuthorId=t2
      insert Book title=Beowulf
      save
      """#
    )
    return fixture
  }

  private func open(_ script: ScriptFixture, _ book: ViewBook) -> ScreenFixture {
    ScreenFixture(
      script,
      runner: AppRunner(session: script.session, size: Size(columns: 100, rows: 14), views: book)
    )
  }

  @Test(arguments: [
    ("info.pages", "pages:190-300", "info.pages between 190 and 300"),
    ("AuthorId.Name", "name:lem", "AuthorId.Name contains[cd] \"lem\""),
  ])
  func aFilterByTheEndOfAPathIsKept(column: String, typed: String, kept: String) throws {
    let script = try books()
    let first = open(script, ViewBook())
    try first.press(": \"column show \(column)\" Enter f \(typed) Enter : \"view save a\" Enter")
    #expect(first.status.contains("1 of 3"), "\(first.text)")
    let book = first.runner.state.viewBook
    #expect(book.current["Book"]?.filter == kept)
    #expect(book.named["Book"]?["a"]?.filter == kept)
    let second = open(script, try ViewBook(parsing: book.text))
    #expect(second.status.contains("1 of 3"), "\(second.text)")
    try second.press(": \"view reset\" Enter : \"view a\" Enter")
    #expect(second.message == "view a" && second.chips.contains("view a"), "\(second.text)")
    #expect(second.status.contains("1 of 3"))
  }

  /// Older files hold the words as they were typed.
  @Test func aFilterAsItWasTypedIsRead() throws {
    let script = try books()
    let first = open(script, ViewBook())
    try first.press(": \"column show info.pages\" Enter")
    var book = first.runner.state.viewBook
    book.current["Book"]?.filter = "pages:190-300"
    #expect(open(script, book).status.contains("1 of 3"))
  }

  @Test(arguments: [
    ("released:today", "released:today"), ("released:2009", "released >= 2009-01-01"),
    ("docter", "docter"), ("year>2000", "releaseYear > 2000"), ("title = \"Up\"", "title = \"Up\""),
  ])
  func whatDependsOnTheDayIsKeptAsTyped(typed: String, kept: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(": \"filter \(typed.replacing("\"", with: "\\\""))\" Enter")
    let filter = try #require(screen.runner.state.viewBook.current["Film"]?.filter)
    #expect(filter.hasPrefix(kept), "\(filter)")
  }

  @Test func aFilterThatIsNotValidAnyMoreIsReported() throws {
    let script = try ScriptFixture.withFilms()
    var book = ViewBook()
    let view = TableView(
      columns: ColumnArrangement(of: ScriptFixture.film),
      filter: "gone = 1",
      sort: [SortKey("rating")]
    )
    book.current["Film"] = view
    book.named["Film"] = ["tw": view]
    let problem = "filter, column 1: Film has no field \"gone\""
    let screen = open(script, book)
    #expect(screen.text.contains("the table is not as it was left: \(problem)"), "\(screen.text)")
    #expect(screen.chips.contains("sort rating"))
    try screen.press(": \"view tw\" Enter")
    #expect(screen.text.contains("view tw: \(problem)"), "\(screen.text)")
    #expect(screen.chips.contains("sort rating") && !screen.chips.contains("view"))
  }

  /// Only the session finds that a record is missing.
  @Test func aViewOfAMissingRecordIsNotNamed() throws {
    let script = try books()
    var book = ViewBook()
    book.named["Book"] = ["tw": TableView(filter: "AuthorId = \"zzzzzz\"")]
    let screen = open(script, book)
    try screen.press(": \"view tw\" Enter")
    #expect(screen.text.contains("zzzzzz"), "\(screen.text)")
    #expect(screen.status.contains("3 of 3") && !screen.chips.contains("view"), "\(screen.text)")
  }

  @Test func aScriptShowsAViewWithTypedWords() throws {
    let script = try ScriptFixture.withFilms()
    try ScreenFixture(script).press("f pete Enter : \"view write mine\" Enter w")
    let result = try script.run("view mine\ncount")
    #expect(result.output.hasSuffix("2\n"), "\(result)")
  }

  // MARK: Typed paths

  @Test(arguments: [
    "authorid.name:calv", "author.na:calv", "AUTHOR.name contains \"Cal\"", "Info.pages:100-190",
    "authorid.name:calv author.name:vino", "-authorid.name:lem cosmi",
  ])
  func fieldsOfAPathMayBeShortened(filter: String) throws {
    let screen = open(try books(), ViewBook())
    try screen.press("f \"\(filter.replacing("\"", with: "\\\""))\" Enter")
    #expect(screen.status.contains("1 of 3"), "\(screen.text)")
    #expect(screen.lines[1].contains("Cosmicomics"))
  }

  @Test func anUnknownStepOfAPathIsReported() throws {
    let screen = open(try books(), ViewBook())
    try screen.press("f authorid.nosuch:calv")
    #expect(screen.text.contains("Book has no field \"authorid.nosuch\""), "\(screen.text)")
  }
}
