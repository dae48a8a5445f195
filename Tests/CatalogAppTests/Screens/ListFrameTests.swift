import Testing

@testable import CatalogApp

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
    #expect(!fixture.text.contains("search in all fields as you type"))
    #expect(title(fixture, "Help").contains(" of "))
    try fixture.press("Escape")
    #expect(fixture.text.contains("search in all fields as you type"), "Esc clears the filter")
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
    #expect(fixture.text.contains("  >sort "), "\(fixture.text)")
    try fixture.press("PgDn PgDn")
    #expect(!fixture.text.contains("  >sort "), "\(fixture.text)")
  }

  @Test func theWordsOfAFilterMayComeInAnyOrder() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("F / \"nemo find\" Enter")
    #expect(title(fixture, "3 values").contains("1/1 of 3"), "\(fixture.text)")
  }

  @Test(arguments: [80, 200]) func columnsAreAListOverTheTable(width: Int) throws {
    let fixture = try ScreenFixture.films(size: Size(columns: width, rows: 24))
    try fixture.press("C")
    #expect(fixture.text.contains("── columns · 7 of 7 shown · 2/8 ─"), "\(fixture.text)")
    #expect(fixture.lines[0].contains("releaseYear"), "the table stays visible")
    #expect(fixture.text.contains("  >✓| title "), "\(fixture.text)")
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
    #expect(fixture.message == "sorted by value")
    let ascending = try order(fixture)
    #expect(ascending == years.split(separator: "\n").sorted().map { $0 + "\n" }.joined())
    try fixture.press("S")
    #expect(fixture.message == "sorted by value, descending")
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
    try fixture.press(#": "set where title = 'Up' title=x" Enter w H"#)
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

  // MARK: Marks

  /// The filter hides a marked line, which stays marked.
  @Test func markedLinesAreCopiedAndWritten() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("l F s g Space j Space y")
    #expect(copied(fixture) == "2003\t1\n2020\t1\n", "\(fixture.text)")
    #expect(fixture.message == "copied 2 lines")
    #expect(fixture.text.contains(" * 2003") && fixture.text.contains(" *>2020"), "\(fixture.text)")
    try fixture.press("/ 2009 Enter")
    #expect(title(fixture, "3 values").contains("1/1 of 3 · 2 marked"), "\(fixture.text)")
    let files = [
      ("x.csv", "value,count\n2003,1\n2020,1\n"),
      ("x.md", "| value | count |\n| ---: | ---: |\n| 2003 | 1 |\n| 2020 | 1 |\n"),
      ("x.tsv", "value\tcount\n2003\t1\n2020\t1\n"),
    ]
    for (name, text) in files {
      try fixture.press("e \(name) Enter")
      #expect(fixture.message == "exported 2 lines to \(name)", "\(fixture.text)")
      let written = fixture.script.services.text(name)?.replacing("\r\n", with: "\n")
      #expect(written == text)
    }
    try fixture.press("e x.txt Enter")
    #expect(fixture.text.contains("unknown format"), "\(fixture.text)")
    try fixture.press("/ Escape * * e y.tsv Enter")
    #expect(fixture.message == "exported 3 lines to y.tsv", "\(fixture.text)")
  }

  /// Lists, and the headings with which they are written.
  @Test(arguments: [
    ("C", "name,type,missing,distinct"), ("j c Z Enter D", "entity,record,op,id,change"),
    ("H", "time,author,changes,save,field,before,change"),
    (": \"view save a\" Enter : view Enter", "view,shows"),
  ]) func eachListIsWritten(keys: String, heading: String) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys + " e x.csv Enter")
    let lines = fixture.script.services.text("x.csv")?.split(whereSeparator: \.isNewline) ?? []
    #expect(lines.first.map(String.init) == heading, "\(fixture.text)")
    #expect(lines.count > 1)
  }

  /// Marked values and keys in their counts, and the filter that results, with the number of records.
  @Test(arguments: [
    ("l F s g Space Space Enter", "releaseYear in (2003, 2009)", 2),
    ("l F s g Space Space -", "not releaseYear in (2003, 2009)", 1),
    ("l F s g -", "not releaseYear = 2003", 2),
    ("l F s g Space Enter", "releaseYear = 2003", 1),
    (
      #": "set where title = 'Up' releaseYear=" Enter l F s g Space Space Enter"#,
      "releaseYear = 2003 or releaseYear is null", 2
    ),
    (
      #": "filter title contains 'o'" Enter : "set where title = 'Soul' releaseYear=" Enter l F s g Space Space -"#,
      "title contains 'o' and not (releaseYear = 2003 or releaseYear is null)", 0
    ),
  ]) func markedValuesBecomeTheFilter(keys: String, filter: String, count: Int) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys)
    #expect(fixture.runner.state.shared.table.filter.predicate == filter, "\(fixture.text)")
    #expect(fixture.status.contains("\(count) of"), "\(fixture.text)")
  }

  @Test func aLineIsShownInFull() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("j c Z Enter D j v")
    #expect(fixture.lines[0].contains("line 2/2"), "\(fixture.text)")
    #expect(fixture.text.contains("change\n   title: "), "\(fixture.text)")
    try fixture.press("q")
    #expect(fixture.lines[0].contains("1 unsaved change"), "\(fixture.text)")
  }

  @Test func theHelpOfAListBeginsWithAllItsKeys() throws {
    let fixture = try ScreenFixture.films(size: Size(columns: 80, rows: 40))
    try fixture.press("C ?")
    let headings = fixture.lines.filter { $0.hasPrefix(" In ") }
    #expect(headings == [" In the list of columns", " In a list"], "\(fixture.text)")
  }
}
