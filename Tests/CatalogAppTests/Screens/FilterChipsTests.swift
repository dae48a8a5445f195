import CatalogApp
import OpenSwiftData
import Testing

/// What the screen tells about its filter, search and sort, and ways to change them.
@Suite struct FilterChipsTests {
  @Test func theLineUnderTheRecordsTellsWhatTheTableShows() throws {
    let screen = try ScreenFixture.films()
    #expect(screen.chips.isEmpty)
    try screen.press("l s / soul Enter f \"releaseYear > 2005\" Enter")
    #expect(
      screen.chips == "search soul (1 of 1) · sort releaseYear · filter releaseYear > 2005",
      "\(screen.text)"
    )
    let line = screen.runner.canvas.plainLines()[20]
    #expect(line.hasPrefix(" ▽ search"))
    try screen.press("Escape Escape")
    let rest = screen.runner.canvas.plainLines()[20]
    #expect(rest.hasPrefix(" ▽ sort") && rest.hasSuffix("Esc clears sort"), "\(screen.text)")
    try screen.press("Escape")
    #expect(screen.chips.isEmpty, "\(screen.text)")
    #expect(screen.runner.canvas.plainLines()[1].contains("a00000"))
  }

  @Test func theColumnOfTheCursorIsShownAndItsTypeOnRequest() throws {
    let screen = try ScreenFixture.films()
    try screen.press("j l")
    #expect(screen.place == "releaseYear 2/7")
    try screen.press(": \"column format releaseYear thousands\" Enter")
    #expect(screen.place == "releaseYear 2/7", "\(screen.text)")
    try screen.press("C-g")
    #expect(
      screen.message.hasPrefix(
        "row 2 of 3 · column 2 of 7: releaseYear, integer, thousands · Film · films"
      ),
      "\(screen.text)"
    )
  }

  @Test func changedCellsAreMarked() throws {
    let screen = try ScreenFixture.films()
    try screen.press("l e BSpace 8 Enter h")
    #expect(screen.lines[1].hasPrefix("> ~a00000  Up                   2008"), "\(screen.text)")
    let canvas = screen.runner.canvas
    let line = canvas.cells[canvas.size.columns..<(2 * canvas.size.columns)]
    // After the gutter and the identifier, which have the style of the record.
    #expect(line.dropFirst(11).filter { $0.role == .changed }.count >= 4)
  }

  @Test func hintsTellWhatCanBeDoneWithMarkedRecords() throws {
    let screen = try ScreenFixture.films()
    try screen.press("Space Space")
    let hints = screen.lines.dropLast().last ?? ""
    #expect(hints.hasPrefix(" 2 marked: e edit all  d delete  M compare  y copy"), "\(hints)")
  }

  @Test func helpHasTwoColumnsOnAWideScreen() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 120, rows: 30))
    try screen.press("?")
    let lines = screen.lines.dropFirst().prefix(20)
    #expect(lines.allSatisfy { $0.dropFirst(57).prefix(5).contains("│") }, "\(screen.text)")
    try screen.press("/sort Enter")
    #expect(screen.text.contains("sort by this column"), "\(screen.text)")
    let narrow = try ScreenFixture.films()
    try narrow.press("?")
    #expect(!narrow.lines[3].contains("│"))
  }

  @Test(arguments: ["C-p", "F"]) func listsHaveAPositionAndABar(keys: String) throws {
    let screen = try ScreenFixture.films(size: Size(columns: 80, rows: keys == "F" ? 7 : 24))
    try screen.press(keys)
    #expect(screen.text.contains(" · 1/"), "\(screen.text)")
    #expect(screen.lines.contains { $0.contains("█") }, "\(screen.text)")
  }

  @Test func aSmallScreenKeepsTheLineForARecord() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 80, rows: 8))
    try screen.press("s")
    #expect(screen.chips.isEmpty)
    #expect(screen.status.contains("sort title"))
  }

  @Test func clicksAndEditorsKnowTheLine() throws {
    let screen = try ScreenFixture.films()
    try screen.press("l s")
    screen.runner.handle(.mouse(MouseEvent(kind: .press, point: Point(x: 12, y: 2))))
    #expect(screen.status.contains("row 2"))
    screen.runner.handle(.mouse(MouseEvent(kind: .press, point: Point(x: 12, y: 20))))
    #expect(screen.status.contains("row 2"))
    try screen.press("e")
    #expect(screen.runner.canvas.cursor?.y == 2, "\(screen.text)")
  }

  @Test func termsAreTranslatedWhileTheyAreTyped() throws {
    let screen = try ScreenFixture.films()
    try screen.press("f \"releaseY:2005-2015 pete\"")
    #expect(screen.message.contains("1 of 3 · terms"), "\(screen.text)")
    let line = " where releaseYear between 2005 and 2015 and any field contains[cd] \"pete\""
    #expect(screen.lines.dropLast().last == line, "\(screen.text)")
    try screen.press("Enter")
    #expect(screen.chips == "filter " + line.dropFirst(7), "\(screen.text)")
  }

  @Test func aWrongWordIsUnderlinedAndTheLastResultStays() throws {
    let screen = try ScreenFixture.films()
    try screen.press("f \"releaseY:2009 seen:y\"")
    #expect(screen.message.contains("1 of 3"), "\(screen.text)")
    try screen.press("BSpace maybe")
    #expect(screen.message.contains("1 of 3"), "\(screen.text)")
    #expect(screen.message.contains("incomplete"))
    #expect(screen.text.contains("is not yes or no"))
  }

  @Test(arguments: [
    ("f pete Enter !", 1, "not any field contains"), ("f pete Enter ! !", 2, "any field contains"),
    ("f \"releaseYear > 2005\" Enter !", 1, "filter not (releaseYear > 2005)"),
    ("f \"releaseYear > 2005\" Enter ! !", 2, "filter releaseYear > 2005"),
  ])
  func theFilterIsInverted(keys: String, count: Int, chip: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect(screen.status.contains("\(count) of 3"), "\(screen.text)")
    #expect(
      screen.chips.contains(chip) || screen.chips.contains("not (any field"),
      "\(screen.text)"
    )
  }

  @Test func nothingIsInvertedWithoutAFilter() throws {
    let screen = try ScreenFixture.films()
    try screen.press("!")
    #expect(screen.message == "invert filter: no filter yet; press f to filter")
  }

  @Test func valuesAreCompletedWithTheirCounts() throws {
    let screen = try ScreenFixture.films()
    try screen.press("f \"dir:\" Tab")
    #expect(
      screen.text.contains("\"Andrew Stanton\" (1)") && screen.text.contains("\"Pete Docter\" (2)"),
      "\(screen.text)"
    )
    try screen.press("Tab Enter")
    #expect(screen.status.contains("2 of 3"), "\(screen.text)")
  }

  // MARK: Search

  static let searches: [(keys: String, row: Int, search: String)] = [
    ("/ \"/^f.*o$\" Enter", 2, "search /^f.*o$ (1 of 1)"), ("/ \"title:pete\" Enter", 1, ""),
    ("/ \"director:pete\" Enter n", 3, "search director:pete (2 of 2)"),
    ("2l / Tab pete Enter n", 3, "search director:pete (2 of 2)"),
    ("2l / Tab Tab soul Enter", 3, "search soul (1 of 1)"),
    ("/ \"director:/^andrew\" Enter", 2, "search director:/^andrew (1 of 1)"),
    ("/ \"/S(ou|x)l\" Enter", 3, "search /S(ou|x)l (1 of 1)"),
  ]

  @Test(arguments: searches)
  func searchesKnowColumnsAndExpressions(keys: String, row: Int, search: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect(screen.status.contains("row \(row)"), "\(screen.text)")
    if !search.isEmpty { #expect(screen.chips == search, "\(screen.text)") }
  }

  @Test func anIncompleteExpressionIsExplained() throws {
    let screen = try ScreenFixture.films()
    try screen.press("/ \"/(so\"")
    #expect(screen.message.hasPrefix("//(so"))
    #expect(!screen.message.contains("no match") && screen.message.count > 20, "\(screen.text)")
    #expect(screen.runner.failure == nil)
  }
}
