import CatalogApp
import Testing

/// What lists and texts share: the position in the title and the filter.
@Suite struct ListFrameTests {
  /// The first line on the screen with one of the words.
  private func title(_ fixture: ScreenFixture, _ word: String) -> String {
    fixture.lines.first { $0.contains(word) } ?? ""
  }

  @Test func theHelpShowsItsPositionAndIsFiltered() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("?")
    let all = try #require(title(fixture, "Help").firstMatch(of: /([0-9]+)\/([0-9]+)/))
    #expect(Int(all.1) ?? 0 < Int(all.2) ?? 0)
    try fixture.press("PgDn")
    #expect(!title(fixture, "Help").contains(all.0))
    try fixture.press("Home / \"REDO\"")
    #expect(fixture.text.contains("redo the last undone change"))
    #expect(!fixture.text.contains("go to the next record"))
    #expect(title(fixture, "Help").contains(" of "))
    try fixture.press("Escape")
    #expect(fixture.text.contains("go to the next record"), "Esc clears the filter")
    #expect(title(fixture, "Help").contains("Help"), "and does not close the help")
  }

  /// Each entry once took as long as the whole text.
  @Test(.timeLimit(.minutes(1)), arguments: ["C-p", "? /", "F /"])
  func aHugeTextIsOnlyOneThatNothingMatches(keys: String) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys)
    let start = ContinuousClock.now
    fixture.runner.handle(.paste(String(repeating: "sort by ", count: 12_500) + "!"))
    #expect(!fixture.text.contains("redo"))
    fixture.runner.handle(.paste(String(repeating: "x", count: 200_000)))
    #expect(!fixture.text.contains("redo"))
    #expect(ContinuousClock.now - start < .seconds(10))
    try fixture.press("C-u \"e\"")
    #expect(fixture.text.contains("e"))
  }

  @Test(arguments: ["C-p / sort", "C-p sort"]) func thePaletteIsFilteredAsOtherLists(keys: String)
    throws
  {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys)
    #expect(fixture.message.hasPrefix("containing: sort"), "\(fixture.text)")
    #expect(fixture.text.contains("│ >sort "), "\(fixture.text)")
    try fixture.press("PgDn PgDn")
    #expect(!fixture.text.contains("│ >sort "), "\(fixture.text)")
  }

  @Test func theWordsOfAFilterMayComeInAnyOrder() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("F / \"nemo find\" Enter")
    #expect(title(fixture, "3 values").contains("1/1 of 3"), "\(fixture.text)")
  }

  @Test(arguments: [80, 200]) func columnsAreAListOverTheTable(width: Int) throws {
    let fixture = try ScreenFixture.films(size: Size(columns: width, rows: 24))
    try fixture.press("C")
    #expect(fixture.text.contains("┌─ columns · 7 of 7 shown · 2/8 ─"), "\(fixture.text)")
    #expect(fixture.lines[0].contains("releaseYear"), "the table stays visible")
    #expect(fixture.text.contains("│ >✓| title "), "\(fixture.text)")
    try fixture.press("/ box Enter Space")
    #expect(fixture.text.contains("6 of 7 shown"), "\(fixture.text)")
  }

  /// What was copied by the last key.
  private func copied(_ fixture: ScreenFixture) -> String? {
    for case .copy(let text) in fixture.runner.takeRequests() { return text }
    return nil
  }

  /// The values of the counts in their order, which the position of the cursor does not change.
  private func order(_ fixture: ScreenFixture) throws -> String {
    try fixture.press("Y")
    return try #require(copied(fixture))
  }

  @Test func aListIsSortedAndCopied() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("Right F")
    let years = try order(fixture)
    #expect(fixture.message == "copied 3 lines")
    try fixture.press("s")
    #expect(fixture.message == "sorted by releaseYear")
    let ascending = try order(fixture)
    #expect(ascending == years.split(separator: "\n").sorted().map { $0 + "\n" }.joined())
    try fixture.press("S")
    #expect(fixture.message == "sorted by releaseYear, descending")
    let descending = ascending.split(separator: "\n").reversed().map { $0 + "\n" }
    #expect(try order(fixture) == descending.joined())
    try fixture.press("s s")
    #expect(fixture.message == "sorted as at first")
    #expect(try order(fixture) == years)
    try fixture.press("y")
    #expect(copied(fixture) == years.split(separator: "\n").first.map(String.init))
  }

  /// A change of the records counts them again, in the order that was chosen.
  @Test func theOrderStaysWhenTheLinesChange() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("C s S")
    let before = try order(fixture)
    try fixture.press("Space")
    #expect(try order(fixture) == before)
    #expect(before.hasPrefix("title\ttext\t"), "\(before)")
  }

  /// What a save changed stays below it.
  @Test func theHistoryIsSortedByItsSaves() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(#": "set 1 title=x" Enter w H"#)
    #expect(fixture.lines[2].contains("title:"), "\(fixture.text)")
    for (key, said) in [
      ("s", "time"), ("s", "author"), ("s", "changes"), ("S", "changes, descending"),
    ] {
      try fixture.press(key)
      #expect(fixture.message == "sorted by \(said)")
    }
    #expect(fixture.lines[2].contains("added with title"), "\(fixture.text)")
    let last = try #require(fixture.lines.lastIndex { $0.contains("title: ") })
    #expect(fixture.lines[last].contains("→ x"), "\(fixture.text)")
    #expect(fixture.lines[last - 1].contains("2  "), "\(fixture.text)")
  }

  @Test func aListShowsItsPositionAndIsFiltered() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("F")
    #expect(title(fixture, "3 values").contains("1/3"))
    try fixture.press("Down")
    #expect(title(fixture, "3 values").contains("2/3"))
    try fixture.press("/ \"nemo\" Enter")
    #expect(title(fixture, "3 values").contains("1/1 of 3"))
    try fixture.press("Enter")
    #expect(fixture.text.contains("Finding Nemo"))
    #expect(!fixture.text.contains("Soul"))
  }
}
