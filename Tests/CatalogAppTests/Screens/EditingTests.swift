import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@Suite struct EditingTests {
  /// Keys pressed on the first record, and its values afterward.
  static let edits: [(keys: String, field: String, value: Value, message: String)] = [
    ("e \" & Away\" Enter", "title", .text("Up & Away"), "set title of a000 (Up)"),
    ("F2 BSpace BSpace x=\"'y Enter", "title", .text("x=\"'y"), ""),
    ("l c 2010 Enter", "releaseYear", .integer(2010), ""),
    ("l c 2010 Escape", "releaseYear", .integer(2009), ""),
    ("l c twelve Enter", "releaseYear", .integer(2009), "\"twelve\" is not a whole number"),
    ("l c twelve Enter Escape j", "releaseYear", .integer(2009), ""),
    ("l e C-n Enter", "releaseYear", .null, ""),
    ("l c 0 Enter", "releaseYear", .integer(0), ""),
    ("2l c Enter", "director", .text(""), ""),
    ("2l e C-n Enter", "director", .null, ""),
    ("e C-n Enter", "title", .text("Up"), "a value is required"),
    ("3l c 1298681097.80 Enter", "boxOffice", .decimal(Decimal(string: "1298681097.8") ?? 0), ""),
    ("5l c no Enter", "seen", .boolean(false), ""),
    (
      "6l c 2009-05-29 Enter", "released",
      .date(CalendarDate("2009-05-29") ?? .init(daysSince1970: 0)), ""
    ),
    ("6l c 2009-13-29 Enter", "released", .null, ""),
    ("e !! Tab BSpace 8 Enter", "releaseYear", .integer(2008), ""),
    ("Enter Tab C-u 2011 Enter", "releaseYear", .integer(2011), ""),
    ("Enter Tab C-u 2011 Escape", "releaseYear", .integer(2009), ""),
    ("Enter Tab C-u x Enter", "releaseYear", .integer(2009), "\"x\" is not a whole number"),
    ("Enter Tab C-n Enter", "releaseYear", .null, ""),
    ("Enter \" 2\" Tab C-u 1 Enter", "title", .text("Up 2"), ""),
  ]

  /// Texts that are shown differently from their contents.
  static let nastyTexts: [String] = [
    "a\tb", "a\nb", "a\r\nb", "\u{1B}[31mred", "\u{0}", "\u{9B}2J", "\u{202E}abc", "e\u{301}",
    "\u{E9}", "\u{200B}",
    "👨‍👩‍👧", "\\n", "\\u{41}", "\"quoted\"", "'", " leading and trailing ", "日本", "\u{FEFF}",
    "\u{E0041}",
    "a" + String(repeating: "\u{301}", count: 1000), String(repeating: "long ", count: 500),
  ]

  // Covers H07, H10, H12.
  @Test(arguments: nastyTexts, ["e Enter", "F2 Enter", "Enter Enter", "e Escape", "e Tab Enter"])
  func acceptingUnchangedChangesNothing(text: String, keys: String) throws {
    let fixture = try ScriptFixture.withFilms()
    let context = fixture.session.context
    let first = try #require(try context.fetchIdentifiers(matching: Query("Film")).first)
    try context.records(for: [first])[0].set(.text(text), for: "title")
    try context.save()
    let screen = ScreenFixture(fixture)
    try screen.press(keys)
    #expect(!context.hasChanges, "\(screen.message)")
    let title = try #require(try context.snapshots(for: [first])[first]?["title"])
    #expect(Array(title.text.unicodeScalars) == Array(text.unicodeScalars))
    // Every cell stays on its line, and no raw control character is drawn.
    #expect(screen.lines.count == 24)
    #expect(
      screen.text.unicodeScalars.allSatisfy {
        $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
      }
    )
  }

  @Test(arguments: edits.indices) func editChangesTheValue(_ number: Int) throws {
    let edit = Self.edits[number]
    let fixture = try ScreenFixture.films()
    let context = fixture.script.session.context
    let first = try #require(try context.fetchIdentifiers(matching: Query("Film")).first)
    try fixture.press(edit.keys)
    let snapshot = try #require(try context.snapshots(for: [first])[first])
    #expect(snapshot[edit.field] == edit.value, "\(edit.keys)\n\(fixture.text)")
    if !edit.message.isEmpty { #expect(fixture.message == edit.message, "\(edit.keys)") }
  }

  // Covers H12.
  @Test(arguments: ["e Enter", "Enter Enter", "e x BSpace Enter", "Enter x BSpace Enter", "E"])
  func acceptingAnyTextUnchangedChangesNothing(keys: String) throws {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for text in Self.nastyTexts + (0..<100).map({ _ in NastyText.random(&generator) }) {
      let fixture = try ScriptFixture()
      let record = Record(entity: ScriptFixture.film)
      try record.set(.text(text), for: "title")
      fixture.session.context.insert(record)
      try fixture.session.context.save()
      let screen = ScreenFixture(fixture)
      try screen.press(keys)
      if keys == "E" {
        #expect(screen.runner.takeRequests() == [.edit(text)])
        screen.runner.finishEditing(text)
      }
      let context = fixture.session.context
      let after = try context.fetchSnapshots(matching: Query("Film")).first?["title"]?.text ?? "?"
      guard after.utf8.elementsEqual(text.utf8), !context.hasChanges else {
        Issue.record("seed \(seed): \(text.debugDescription) became \(after.debugDescription)")
        return
      }
    }
  }

  /// Texts that look the same but have different bytes.
  ///
  /// Covers H09.
  @Test func anotherSpellingOfALetterIsAChange() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("c é Enter c")
    fixture.runner.handle(.paste("e\u{301}"))
    try fixture.press("Enter")
    let context = fixture.script.session.context
    let titles = try context.fetchSnapshots(matching: Query("Film")).compactMap {
      $0["title"]?.text
    }
    #expect(titles.contains { $0.utf8.elementsEqual("e\u{301}".utf8) })
  }

  @Test(arguments: [("42\n", "42"), ("42\n\n", "42\n"), ("a\nb\n", "a\nb"), ("42", "42")])
  func aPastedLineLosesItsEnd(pasted: String, stored: String) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("c C-u")
    fixture.runner.handle(.paste(pasted))
    try fixture.press("Enter")
    let context = fixture.script.session.context
    let titles = try context.fetchSnapshots(matching: Query("Film")).map { $0["title"] }
    #expect(titles.contains(.text(stored)))
  }

  @Test func nullEmptyAndZeroLookDifferent() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("2l c Enter j e C-n Enter j l c 0 Enter")
    let canvas = fixture.runner.canvas
    #expect(fixture.lines[1].contains("\"\""))
    #expect(fixture.lines[2].contains("∅"))
    #expect(fixture.lines[3].contains("  0  "))
    let roles = Set(canvas.cells.map(\.role))
    // Those that are changed have the color of changes.
    #expect(roles.isSuperset(of: [.null, .changed]))
  }

  @Test func addedRecordIsCheckedAndShown() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("a Enter")
    #expect(fixture.message == "a value is required")
    try fixture.press("Coco Tab 2017 Enter")
    #expect(fixture.message == "added t4")
    #expect(fixture.lines[4].hasPrefix("> +t4      Coco                 2017"))
    try fixture.press("w")
    #expect(fixture.lines[4].hasPrefix(">  d00000  Coco"))
    try fixture.press("u")
    #expect(fixture.message.hasPrefix("undone: insert"))
  }

  @Test func editorOutsideGivesTheValueBack() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("E")
    #expect(fixture.runner.takeRequests() == [.edit("Up")])
    fixture.runner.finishEditing("Oben\n")
    #expect(fixture.lines[1].contains("Oben"))
    try fixture.press("E")
    fixture.runner.finishEditing(nil)
    #expect(fixture.message == "no change")
    #expect(fixture.lines[1].contains("Oben"))
  }

  @Test func failedCommandLeavesTheCellOpen() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Film")
    try fixture.run("insert Film title=Up\nsave")
    let screen = ScreenFixture(fixture)
    try screen.press("l c nobody Enter")
    #expect(screen.message.contains("nobody"))
    try screen.press("Escape")
    #expect(screen.runner.state.status.unsaved == 0)
  }

  @Test func nextEntityKeepsItsView() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Film")
    try fixture.run("insert Film title=Up\ninsert Film title=Soul\ninsert Studio name=Pixar\nsave")
    let screen = ScreenFixture(fixture)
    try screen.press("f up Enter Tab")
    #expect(screen.status.contains("Studio 1/2 · 1 of 1"))
    try screen.press("Tab")
    #expect(screen.status.contains("Film 2/2 · 1 of 2"))
  }

  @Test func historyBringsAStateBack() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("c Oben Enter w H")
    #expect(fixture.lines[1].hasPrefix("> 2  "))
    #expect(fixture.lines[2] == "    title: Up → Oben")
    try fixture.press("j Enter")
    #expect(fixture.lines[1].hasPrefix("> ~a00000  Up "), "\(fixture.text)")
  }
}
