import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// The form: its frame, texts of several lines, pickers.
@Suite struct FormTests {
  @Test func formIsAFrameOverTheTable() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("Enter")
    #expect(fixture.lines[0].contains("releaseYear"), "the table stays visible")
    #expect(fixture.text.contains("── Film a000000800000000 · 1/7 ─"))
    #expect(fixture.text.contains("> title       text, required Up"))
    #expect(fixture.text.contains("[x] true"))
    let roles = Set(fixture.runner.canvas.cells.prefix(80).map(\.role))
    #expect(roles == [.dim])
  }

  @Test(arguments: ["Enter", "e"]) func theLastHintStays(key: String) throws {
    let fixture = try ScreenFixture.films(size: Size(columns: 60, rows: 24))
    try fixture.press(key)
    let hints = fixture.lines.dropLast().last ?? ""
    #expect(hints.hasPrefix(" Enter accept  Esc cancel"), "\(hints)")
    #expect(hints.hasSuffix("…  F1 help"), "\(hints)")
  }

  @Test func longLinesAreWrapped() throws {
    let fixture = try ScreenFixture.films(size: Size(columns: 60, rows: 24))
    let words = (1...12).map { "word\($0)" }.joined(separator: " ")
    try fixture.press("Enter C-u \"\(words)\"")
    #expect(fixture.text.contains("word1 word2 word3"), "\(fixture.text)")
    #expect(fixture.text.contains("word9 word10 word11 "), "\(fixture.text)")
    try fixture.press("Up Up Home > Down Down Down")
    #expect(fixture.text.contains(">word1 word2"), "\(fixture.text)")
    #expect(fixture.text.contains(" > releaseYear"), "\(fixture.text)")
  }

  @Test(arguments: [
    ("one two three", 8, ["one two ", "three"]), ("one two three", 20, ["one two three"]),
    ("abcdefghij", 4, ["abcd", "efgh", "ij"]), ("a abcdefghij", 4, ["a ", "abcd", "efgh", "ij"]),
    ("日本語の本", 4, ["日本", "語の", "本"]), ("", 4, [""]), ("ab cd", 2, ["ab ", "cd"]),
  ])
  func linesAreDividedAtSpaces(text: String, width: Int, rows: [String]) {
    let found = TextRow.wrapping(text[...], start: 5, width: width)
    #expect(found.map { String($0.text) } == rows)
    #expect(found.last?.end == 5 + text.count)
  }

  @Test func requiredIsSaidInWords() throws {
    let fixture = try ScreenFixture.films(size: Size(columns: 120, rows: 30))
    try fixture.press("a")
    #expect(fixture.text.contains("title       text, required"))
  }

  /// The day on which the fixture runs.
  static let today: Int32 = 20_781

  /// Keys in the form of the first film, and its values afterward.
  static let edits: [(keys: String, field: String, value: Value)] = [
    ("C-o two", "title", .text("Up\ntwo")),
    ("C-o two Up End ! Down ?", "title", .text("Up!\ntwo?")),
    ("C-o two C-o three Up Up BSpace", "title", .text("U\ntwo\nthree")),
    ("5l Space", "seen", .boolean(false)), ("5l C-t", "seen", .boolean(false)),
    ("6l C-t PgUp Enter", "released", .date(CalendarDate(daysSince1970: today - 31))),
    ("6l C-t l j t l Enter", "released", .date(CalendarDate(daysSince1970: today + 1))),
    ("6l yesterday", "released", .date(CalendarDate(daysSince1970: today - 1))),
    ("2l C-t stanton Enter", "director", .text("Andrew Stanton")),
    ("l C-t Down Down Enter", "releaseYear", .integer(2020)),
    ("3l C-u 12,50", "boxOffice", .decimal(Decimal(1250) / 100)),
  ]

  @Test(arguments: edits.indices) func editChangesTheValue(_ place: Int) throws {
    let edit = Self.edits[place]
    let fixture = try ScreenFixture.films()
    let context = fixture.script.session.context
    let first = try #require(try context.fetchIdentifiers(matching: Query("Film")).first)
    let (moves, rest) = Self.split(edit.keys)
    try fixture.press("\(moves) Enter \(rest) Enter")
    let snapshot = try #require(try context.snapshots(for: [first])[first])
    #expect(snapshot[edit.field] == edit.value, "\(edit.keys)\n\(fixture.text)")
  }

  /// Movements of the table before the form, such as `5l`, and the keys in it.
  private static func split(_ keys: String) -> (String, String) {
    let words = keys.split(separator: " ", maxSplits: 1)
    guard let first = words.first, first == "l" || first.hasSuffix("l") && first.count == 2 else {
      return ("0", keys)
    }
    return (String(first), words.count > 1 ? String(words[1]) : "")
  }

  @Test func exactValueIsShownBeforeEnter() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("3l e C-u 1.2m")
    #expect(fixture.message == "Enter stores 1200000 (1,200,000)")
    try fixture.press("Escape 6l e \"3 mar 72\"")
    #expect(fixture.message == "Enter stores 1972-03-03 (Friday)")
  }

  /// A column of percentages takes what it shows; the exact value is shown before it is stored.
  @Test func aPercentageIsTypedAsItIsShown() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("3l e C-u 50%")
    #expect(!fixture.message.contains("Enter stores"), "\(fixture.text)")
    try fixture.press("Escape : \"column format boxOffice percent\" Enter e C-u 50%")
    #expect(fixture.message == "Enter stores 0.5", "\(fixture.text)")
    try fixture.press("Enter")
    #expect(fixture.text.contains("50 %"), "\(fixture.text)")
    try fixture.press("Enter C-u \"12.5 %\"")
    #expect(fixture.text.contains("Enter stores 0.125"), "\(fixture.text)")
  }

  /// The last line of the calendar is complete, and each hint says what its key does.
  @Test func theCalendarShowsTheWholeMoment() throws {
    let entity = Schema.Entity("Post", attributes: [.init("at", .datetime)])
    let script = try ScriptFixture(Schema(entity))
    try script.run("insert at=2024-05-06T07:08:09Z\nsave")
    let fixture = ScreenFixture(script, size: Size(columns: 200, rows: 30))
    try fixture.press("e C-t")
    #expect(fixture.text.contains("2024-05-06T07:08:09Z, a Monday"), "\(fixture.text)")
    #expect(fixture.text.contains("Left -day") && fixture.text.contains("Down +week"))
    #expect(!fixture.text.contains("Left left"))
  }

  /// What is typed, over a value with the same meaning.
  @Test(arguments: [
    ("g", "2000-01-02 18:30"), ("g", "2000-01-02T18:30:00"), ("l", "12.50"), ("2l", "TRUE"),
  ])
  func anotherSpellingOfAValueIsNoChange(moves: String, typed: String) throws {
    let entity = Schema.Entity(
      "Post",
      attributes: [.init("at", .datetime), .init("price", .decimal), .init("seen", .boolean)]
    )
    let script = try ScriptFixture(Schema(entity))
    try script.run("insert at=2000-01-02T18:30:00Z price=12.5 seen=true\nsave")
    for keys in ["e", "Enter"] {
      let screen = ScreenFixture(script)
      try screen.press("\(moves) \(keys) C-u \"\(typed)\" Enter")
      #expect(screen.message.isEmpty || !screen.message.contains("set "), "\(screen.text)")
      #expect(!screen.status.contains("unsaved"), "\(screen.text)")
    }
    #expect(!script.session.context.hasChanges)
  }

  @Test func ambiguousValueAsks() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("6l e 3/4/2009")
    #expect(fixture.text.contains("can be 2009-04-03 (day first) or 2009-03-04 (month first)"))
    try fixture.press("Enter")
    #expect(fixture.text.contains("1  2009-04-03 (day first, Friday)"))
    try fixture.press("2")
    #expect(fixture.lines[1].contains("2009-03-04"))
    // A form asks, too, and takes the answer into its field.
    try fixture.press("j Enter 1/2/03 Enter 1 Enter")
    #expect(fixture.lines[2].contains("2003-02-01"), "\(fixture.text)")
    // So does the editor of marked records.
    try fixture.press("* e C-u 5/6/07 Enter 2")
    #expect(fixture.lines[1...3].allSatisfy { $0.contains("2007-05-06") }, "\(fixture.text)")
  }

  @Test func recordIsPickedByItsTitle() throws {
    let fixture = try DetailsTests.films(size: Size(columns: 80, rows: 24))
    try fixture.press("l Enter")
    #expect(fixture.text.contains("a000000800000000  Pixar"), "\(fixture.text)")
    try fixture.press("C-t")
    #expect(fixture.text.contains("── choose a record of Studio · 1/2 ─"))
    try fixture.press("ghb")
    #expect(fixture.text.contains("· 1/1 of 2 ─"))
    try fixture.press("Enter Enter")
    let films = try fixture.script.session.context.fetchSnapshots(matching: Query("Film"))
    #expect(films.first?["studio"]?.text == "b000000800000000", "\(fixture.text)")
    // Of several links, the chosen one is added.
    try fixture.press("l e C-t soul Enter C-t up Enter Enter")
    let again = try fixture.script.session.context.fetchSnapshots(matching: Query("Film"))
    #expect(again.first?["sequels"]?.text == "d000000800000000 c000000800000000", "\(fixture.text)")
  }

  /// Every size draws without a trap.
  @Test(arguments: [40, 59, 60, 80, 200], [6, 7, 9, 24, 60])
  func anySizeIsDrawn(columns: Int, rows: Int) throws {
    let fixture = try DetailsTests.films(size: Size(columns: columns, rows: rows))
    try fixture.press("Enter C-o a C-o b C-o c Up Up Tab C-t x Escape C-t Down Enter Tab Tab F1 q")
    #expect(fixture.lines.count == rows)
    try fixture.press("Escape Escape a C-t PgDn Escape Down Down Down Up C-n")
    #expect(fixture.lines.count == rows)
  }
}
