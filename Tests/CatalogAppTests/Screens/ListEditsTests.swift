import CatalogApp
import OpenSwiftData
import Testing

/// The note that the list does not include the latest edits.
@Suite struct ListEditsTests {
  /// The keys before, the edits, and the words of the note; nil if there is none.
  static let edits: [(list: String, edit: String, words: String?)] = [
    ("s", "e C-u Zorro Enter", "^L sorts again"), ("s", "l e C-u 1999 Enter", nil),
    ("f pete Enter", "l e C-u 1999 Enter", "^L filters again"),
    ("f \"releaseYear > 2005\" Enter", "e C-u Zorro Enter", nil),
    ("f \"releaseYear > 2005\" Enter", "l e C-u 1999 Enter", "^L filters again"),
    ("f \"releaseYear > 2005\" Enter s", "e C-u Zorro Enter", "^L applies them again"),
    ("l b 0", "l e C-u 1999 Enter", "^L groups again"), ("", "e C-u Zorro Enter", nil),
    ("s", "d", nil), ("s", "a Zorro Enter", "^L sorts again"),
    // Undo and redo.
    ("s", "e C-u Zorro Enter u", nil), ("s", "e C-u Zorro Enter u C-r", "^L sorts again"),
    ("s", "e C-u Zorro Enter l e C-u 1999 Enter u", "^L sorts again"),
    ("e C-u Zorro Enter s", "u", "^L sorts again"), ("e C-u Zorro Enter s", "u C-r", nil),
    ("e C-u Zorro Enter s", "u l e C-u 1999 Enter", "^L sorts again"),
    ("s", "e C-u Zorro Enter u l e C-u 1999 Enter", nil), ("s", "e Enter", nil),
    // Edits before the list was queried.
    ("s", "l e C-u 1999 Enter C-l u", nil), ("s", "e C-u Zorro Enter C-l u", "^L sorts again"),
    ("l e C-u 1999 Enter s", "u", "^L sorts again"), ("l e C-u 1999 Enter 0 s", "u", nil),
    ("s", "l e C-u 1999 Enter C-l u e C-u 2001 Enter", nil),
    ("s", "l e C-u 1999 Enter 0 e C-u Zorro Enter C-l u", "^L sorts again"),
    ("s", "d C-l u", "^L sorts again"),
    // Applied again.
    ("s", "e C-u Zorro Enter C-l", nil), ("s", "e C-u Zorro Enter s", nil),
    ("f pete Enter", "e C-u Zorro Enter f Enter", nil),
    ("s", "e C-u Zorro Enter w", "^L sorts again"), ("s", "e C-u Zorro Enter w C-l", nil),
  ]

  @Test(arguments: edits)
  func theNoteTellsThatTheListIsOlderThanTheEdits(list: String, edit: String, words: String?) throws
  {
    let screen = try ScreenFixture.films()
    try screen.press(list)
    #expect(!screen.text.contains("edited since"), "\(screen.text)")
    try screen.press(edit)
    let line = screen.runner.canvas.plainLines()[20]
    if let words {
      #expect(line.hasSuffix("  edited since: \(words)"), "\(screen.text)")
    } else {
      #expect(!screen.text.contains("edited since"), "\(screen.text)")
    }
  }

  /// The filter or the sort of books, a line, and whether the list may differ after it.
  static let links: [(list: String, line: String, isOutdated: Bool)] = [
    ("f author.name:cal Enter", "set where title='Difficult Loves' title=Amori", false),
    ("f author.name:cal Enter", "set Author where name='Calvino' name=Eco", true),
    ("f author.name:cal Enter", "set where title='Difficult Loves' author=", true),
    ("f title:loves Enter", "set Author where name='Calvino' name=Eco", false),
    ("l s", "set Author where name='Calvino' name=Eco", true),
    ("s", "insert Author name=Eco", false), ("l s", "insert Author name=Eco", true),
  ]

  @Test(arguments: links)
  func editsOfLinkedRecordsCount(list: String, line: String, isOutdated: Bool) throws {
    let author = Schema.Entity("Author", attributes: [.init("name", .text)])
    let book = Schema.Entity(
      "Book",
      attributes: [.init("title", .text), .init("author", .link("Author"))]
    )
    let script = try ScriptFixture(Schema(book, author))
    let first = "insert Book title='Difficult Loves' author=t1"
    try script.run("insert Author name=Calvino\n\(first)\nsave")
    let screen = ScreenFixture(script)
    try screen.press("\(list) : \"\(line)\" Enter")
    #expect(screen.text.contains("edited since") == isOutdated, "\(screen.text)")
    #expect(screen.runner.failure == nil, "\(screen.text)")
  }

  @Test func aLongFilterLeavesRoomForTheNote() throws {
    let screen = try ScreenFixture.films()
    let filter = "releaseYear > 1000 and releaseYear < 3000 and title != \\\"something else\\\""
    try screen.press("f \"\(filter)\" Enter l e C-u 1999 Enter")
    let line = screen.runner.canvas.plainLines()[20]
    #expect(line.contains("filter releaseYear > 1000 and releaseYear <…  "), "\(screen.text)")
    #expect(line.hasSuffix("edited since: ^L filters again"), "\(screen.text)")
  }

  @Test func aSmallScreenTellsItInTheStatusLine() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 120, rows: 8))
    try screen.press("s e C-u Zorro Enter")
    #expect(screen.status.hasSuffix("sort title · edited since: ^L sorts again"), "\(screen.text)")
  }

  /// The list is queried again when another program has saved.
  @Test(arguments: ["json", "catlog"])
  func changesOfAnotherProgramAreSortedAtOnce(ending: String) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press("s G")
    try films.changeAndTell(["title": .text("Zorro")])
    #expect(screen.lines[3].contains("Zorro"), "\(screen.text)")
    #expect(!screen.text.contains("edited since"), "\(screen.text)")
    try screen.press("e C-u Aladdin Enter")
    #expect(screen.text.contains("edited since"), "\(screen.text)")
    try films.changeAndTell(["title": .text("Yentl")])
    #expect(!screen.text.contains("edited since"), "\(screen.text)")
  }
}
