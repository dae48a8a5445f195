import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// The details pane: values in full, JSON as a tree, links.
@Suite struct DetailsTests {
  static let wide = Size(columns: 120, rows: 30)
  static let notes = #"{"mood":"sad","tags":["a","b"],"deep":{"er":{"x":1}}}"#

  /// Two studios, and films of the first one.
  static func films(size: Size = wide) throws -> ScreenFixture {
    let fixture = try ScriptFixture(ScriptFixture.linked)
    try fixture.run(
      """
      insert Studio name=Pixar
      insert Studio name=Ghibli
      save
      """
    )
    let studios = try fixture.session.context.fetchIdentifiers(matching: Query("Studio"))
    try fixture.run(
      """
      insert Film title=Up studio=\(studios[0]) notes='\(notes)'
      insert Film title=Soul studio=\(studios[0])
      insert Film title="Line one\\nline two"
      save
      """
    )
    fixture.session.entityName = "Film"
    let screen = ScreenFixture(fixture, size: size)
    // The notes leave no room for the pane to open by itself.
    if size.columns >= wide.columns { try screen.press("v") }
    return screen
  }

  /// The lines of the pane at the side, under the names of the entities.
  private func pane(_ fixture: ScreenFixture) -> [String] {
    fixture.lines.dropFirst().dropLast(3).map { String($0.dropFirst(80)) }
  }

  @Test func wideScreenShowsDetailsAtTheSide() throws {
    let fixture = try Self.films()
    let lines = pane(fixture)
    #expect(lines[0].hasPrefix("│ "))
    #expect(lines[0].hasSuffix(" Up"))
    #expect(lines[1].hasPrefix("│>title    Up"))
    #expect(lines[2].contains("studio   → ") && lines[2].hasSuffix(" Pixar"))
    #expect(fixture.text.contains("▾ {…} 3"))
    #expect(fixture.text.contains("    mood: sad"))
    #expect(fixture.text.contains("▸ er: {…} 1"))
  }

  @Test func longValuesInJSONAreWrapped() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked)
    let words = (1...12).map { "word\($0)" }.joined(separator: " ")
    try fixture.run("insert Film title=Up notes='{\"text\":\"\(words)\"}'\nsave")
    fixture.session.entityName = "Film"
    let screen = ScreenFixture(fixture, size: Self.wide)
    try screen.press("v")
    let lines = pane(screen)
    for number in 1...12 {
      #expect(lines.contains { $0.contains("word\(number)") }, "\(screen.text)")
    }
  }

  @Test func freeRoomGoesToCutColumns() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked)
    let title = String(repeating: "long title ", count: 8) + "end"
    try fixture.run("insert Film title=\"\(title)\"\nsave")
    fixture.session.entityName = "Film"
    let screen = ScreenFixture(fixture, size: Size(columns: 200, rows: 30))
    #expect(screen.lines[2].contains("title end  "), "\(screen.text)")
    let narrow = ScreenFixture(fixture, size: Size(columns: 80, rows: 24))
    #expect(!narrow.lines[2].contains("end"))
  }

  @Test func narrowScreenShowsDetailsBelowOnRequest() throws {
    let fixture = try Self.films(size: Size(columns: 80, rows: 24))
    #expect(!fixture.text.contains("mood: sad"))
    try fixture.press("v")
    #expect(fixture.text.contains("mood: sad"))
    #expect(fixture.lines.contains { $0.hasPrefix("─ ") && $0.contains(" Up ──") })
    try fixture.press("v v")
    #expect(!fixture.text.contains("mood: sad"))
  }

  @Test func textHasItsLines() throws {
    let fixture = try Self.films()
    try fixture.press("G")
    let lines = pane(fixture)
    #expect(lines[1].hasPrefix("│>title    Line one"))
    #expect(lines[2].hasPrefix("│          line two"))
  }

  @Test func linkIsFollowedAndLeft() throws {
    let fixture = try Self.films()
    try fixture.press("j v j Enter")
    #expect(fixture.status.contains("Studio 1/2"))
    #expect(pane(fixture)[0].hasSuffix(" Pixar"))
    #expect(fixture.text.contains("referred to by Film.studio (2)"))
    #expect(fixture.text.contains(" Soul"))
    try fixture.press("BSpace")
    #expect(fixture.status.contains("Film 2/2"))
    #expect(pane(fixture)[0].hasSuffix(" Soul"))
    try fixture.press("BSpace")
    #expect(fixture.message == "nothing to go back to; follow a link first")
  }

  @Test func recordsThatReferToItAreFollowed() throws {
    let fixture = try Self.films()
    try fixture.press("Tab v G Enter")
    #expect(fixture.status.contains("Film 2/2"))
    #expect(pane(fixture)[0].hasSuffix(" Soul"))
  }

  @Test func linkOfTheTableIsFollowed() throws {
    let fixture = try Self.films()
    try fixture.press("O")
    #expect(fixture.message == "follow: title has no link here")
    try fixture.press("l O")
    #expect(fixture.status.contains("Studio 1/2"))
    try fixture.press("C-o")
    #expect(fixture.status.contains("Film 2/2"))
  }

  @Test func filterThatHidesTheTargetIsCleared() throws {
    let fixture = try Self.films()
    try fixture.press("Tab f Ghibli Enter Tab l O")
    #expect(fixture.message == "cleared the filter, which hid the record")
    #expect(pane(fixture)[0].hasSuffix(" Pixar"))
  }

  /// Keys in the pane on the notes of the first film, and the notes afterward.
  static let edits: [(keys: String, notes: String, message: String)] = [
    ("/ mood Enter Enter C-u happy Enter", notes.replacing("sad", with: "happy"), ""),
    (
      "/ tags Enter j e C-u \"say \\\"hi\\\"\" Enter",
      notes.replacing("\"a\"", with: #""say \"hi\"""#), ""
    ),
    ("/ er: Enter Enter j e C-u 2.50 Enter", notes.replacing(":1", with: ":2.50"), ""),
    ("/ er: Enter Enter j e C-u x Enter", notes.replacing(":1", with: ":\"x\""), ""),
    ("/ er: Enter Enter j e C-u [x Enter", notes, "invalid JSON"),
    ("/ er: Enter Enter j e C-n Enter", notes.replacing(":1", with: ":null"), ""),
    ("/ mood Enter e x Escape", notes, ""),
    ("/ tags Enter e", notes, "press E to edit the whole value, or edit one of its parts"),
  ]

  @Test(arguments: edits.indices) func partOfJSONIsEdited(_ place: Int) throws {
    let edit = Self.edits[place]
    let fixture = try Self.films()
    try fixture.press("v " + edit.keys.replacing("\\\"", with: "'"))
    let expected = edit.notes.replacing(#"\"hi\""#, with: "'hi'")
    let shown = try #require(fixture.currentNotes)
    #expect(shown == expected, "\(edit.keys)\n\(fixture.text)")
    if !edit.message.isEmpty { #expect(fixture.text.contains(edit.message), "\(fixture.text)") }
  }

  /// The values of formatted columns, with the exact value if the format leaves something out.
  @Test func valuesHaveTheFormatsOfTheirColumns() throws {
    let fixture = try ScreenFixture.films(size: Size(columns: 130, rows: 24))
    let formats = ["boxOffice money=$", "releaseYear thousands", "rating decimals=0", "seen yesno"]
    for format in formats { try fixture.press(": \"column format \(format)\" Enter") }
    #expect(!fixture.text.contains("│"), "columns would be cut")
    try fixture.press("v")
    let lines = fixture.lines.map { $0.split(separator: "│").last.map(String.init) ?? "" }
    let expected = [
      "boxOffice    $735.10", "releaseYear  2,009", "rating       8 · 8.3", "seen         yes",
    ]
    for line in expected {
      #expect(lines.contains { $0.contains(line) }, "\(line)\n\(fixture.text)")
    }
  }

  @Test(arguments: [80, 120]) func editOpensTheTreeOfJSON(width: Int) throws {
    let fixture = try Self.films(size: Size(columns: width, rows: 30))
    try fixture.press("3l e j e C-u happy Enter")
    #expect(fixture.currentNotes == Self.notes.replacing("sad", with: "happy"), "\(fixture.text)")
    try fixture.press("Escape")
    #expect(fixture.text.contains("mood: happy") == (width == 120), "the pane closes again")
  }

  @Test func wholeJSONIsEditedIndented() throws {
    let fixture = try Self.films()
    try fixture.press("v G E")
    let indented = "{\n  \"mood\": \"sad\",\n  \"tags\": [\n    \"a\",\n    \"b\"\n  ],\n"
    guard case .edit(let text, "json")? = fixture.runner.takeRequests().last else {
      Issue.record("no editor")
      return
    }
    #expect(text.hasPrefix(indented))
    fixture.runner.finishEditing(text.replacing("sad", with: "glad") + "\n")
    #expect(fixture.currentNotes == Self.notes.replacing("sad", with: "glad"))
  }

  @Test func readOnlyDetailsCannotBeEdited() throws {
    let fixture = try ScreenFixture.films(size: Self.wide, isReadOnly: true)
    try fixture.press("v e")
    #expect(fixture.message == "edit: read-only store (opened with --read-only)")
  }

  /// Every size draws without a trap, with the keys in the pane and without.
  @Test(arguments: [40, 41, 79, 119, 120, 121, 200], [6, 7, 9, 10, 24, 60])
  func anySizeIsDrawn(columns: Int, rows: Int) throws {
    let fixture = try Self.films(size: Size(columns: columns, rows: rows))
    try fixture.press("v v G j j e x Escape / mood Enter n N PgUp G Escape v")
    #expect(fixture.lines.count == rows)
  }
}

extension ScreenFixture {
  /// The notes of the first film, saved or not.
  fileprivate var currentNotes: String? {
    let films = try? script.session.context.fetchSnapshots(matching: Query("Film"))
    return films?.first?["notes"]?.text
  }
}
