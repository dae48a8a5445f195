import CatalogApp
import OpenSwiftData
import Testing

/// Views of the table: saved, shown, and kept for the next run.
@Suite struct ViewTests {
  @Test func aViewIsSavedAndShownAgain() throws {
    let screen = try ScreenFixture.films()
    try screen.press(": \"sort -releaseYear\" Enter l - f pete Enter : \"view save mine\" Enter")
    try screen.press(": \"view reset\" Enter")
    #expect(screen.lines[0].contains("releaseYear"))
    #expect(screen.status.contains("3 of 3"))
    try screen.press(": \"view mine\" Enter")
    #expect(!screen.lines[0].contains("releaseYear"), "\(screen.text)")
    #expect(screen.status.contains("2 of 3"))
    #expect(screen.lines[1].contains("Soul"))
  }

  @Test(arguments: [
    (
      ": \"view nothing\" Enter",
      "no view \"nothing\" yet; :view save nothing saves the present one"
    ),
    (
      ": \"view save mine\" Enter : \"view mein\" Enter", "no view \"mein\"; available: mine"
    ),
    (": \"view save mine\" Enter : \"view delete mine\" Enter", "deleted the view mine"),
    (": \"view delete mine\" Enter", "no view \"mine\" yet"),
    (": \"view save\" Enter", "missing name of the view"),
  ])
  func eachRequestIsReported(keys: String, message: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect(screen.message.contains(message), "\(screen.text)")
  }

  @Test func viewsAreCompleted() throws {
    let screen = try ScreenFixture.films()
    try screen.press(": \"view save mine\" Enter : \"view \" Tab Enter")
    #expect(screen.message == "view mine", "\(screen.text)")
    try screen.press(": \"view delete \" Tab Enter")
    #expect(screen.message == "deleted the view mine", "\(screen.text)")
    try screen.press(": \"entity \" Tab Enter")
    #expect(screen.status.contains("3 of 3") && !screen.message.contains("missing"))
  }

  @Test func aBookWithoutCurrentFiltersKeepsTheOthers() throws {
    let screen = try ScreenFixture.films()
    try screen.press("f pete Enter - : \"view save mine\" Enter")
    let book = screen.runner.state.viewBook.withoutCurrentFilters
    #expect(book.current["Film"]?.filter == "")
    #expect(book.current["Film"]?.columns == screen.runner.state.viewBook.current["Film"]?.columns)
    #expect(book.named["Film"]?["mine"]?.filter == "pete")
  }

  @Test func viewsAreListed() throws {
    let screen = try ScreenFixture.films()
    try screen.press(
      ": \"view save b\" Enter - : \"view save a\" Enter : \"view reset\" Enter : views Enter"
    )
    #expect(screen.text.contains("views · 1/2"), "\(screen.text)")
    try screen.press("Enter")
    #expect(screen.message == "view a")
    #expect(!screen.lines[0].contains("title"))
  }

  @Test func theTableIsShownAsItWasLeft() throws {
    let script = try ScriptFixture.withFilms()
    let first = ScreenFixture(script)
    try first.press(": \"column format boxOffice decimals=0\" Enter s - f pete Enter")
    let book = first.runner.state.viewBook
    #expect(try ViewBook(parsing: book.text) == book)
    let second = AppRunner(session: script.session, size: Size(columns: 80, rows: 24), views: book)
    let header = second.canvas.plainText().split(separator: "\n")[0]
    #expect(header.split(separator: " ") == first.lines[0].split(separator: " "))
    #expect(second.canvas.plainText().contains("2 of 3"))
  }

  /// The table is named after its view again, with a star if it was changed.
  @Test(arguments: [("", "view big"), (" -", "view big*")])
  func theViewIsNamedWhenTheTableIsShownAgain(keys: String, name: String) throws {
    let script = try ScriptFixture.withFilms()
    let first = ScreenFixture(script)
    try first.press("f pete Enter : \"view save big\" Enter" + keys)
    let book = first.runner.state.viewBook
    #expect(try ViewBook(parsing: book.text) == book)
    let second = AppRunner(session: script.session, size: Size(columns: 80, rows: 24), views: book)
    let parts = second.canvas.plainText().split { " ·\n".contains($0) }
    let words = name.split(separator: " ")
    #expect(parts.contains(words[1]), "\(second.canvas.plainText())")
    let unfiltered = AppRunner(
      session: script.session,
      size: Size(columns: 80, rows: 24),
      views: book.withoutCurrentFilters
    )
    #expect(!unfiltered.canvas.plainText().contains("view big "))
  }

  @Test(arguments: ["named", "named a b", "named a changed b"])
  func aNameOfAViewIsOneWord(line: String) {
    #expect(throws: CommandError.self) {
      try ViewBook(parsing: "catalog views 1\nentity Film\n  \(line)\n")
    }
  }

  @Test func aTableAsAtFirstIsNotKept() throws {
    let screen = try ScreenFixture.films()
    try screen.press("- : \"column reset\" Enter s Escape")
    #expect(screen.runner.state.viewBook.isEmpty)
  }

  @Test func aViewOfOtherFieldsShowsWhatIsLeft() throws {
    let script = try ScriptFixture.withFilms()
    var book = ViewBook()
    book.current["Film"] = TableView(
      columns: ColumnArrangement(
        of: Schema.Entity(
          "Film",
          attributes: [Schema.Attribute("gone", .text), Schema.Attribute("rating", .number)]
        )
      ),
      filter: "gone = 1",
      sort: [SortKey("gone"), SortKey("rating")]
    )
    let runner = AppRunner(session: script.session, size: Size(columns: 120, rows: 24), views: book)
    let text = runner.canvas.plainText()
    #expect(text.contains("rating ▲1"), "\(text)")
    #expect(text.contains("3 of 3"))
    #expect(text.contains("sort rating"))
  }
}
