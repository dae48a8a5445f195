import CatalogApp
import OpenSwiftData
import Testing

/// How unsaved and saved changes are told: value by value, JSON by its parts.
@Suite struct ChangedValuesTests {
  private static let place = String(repeating: "long words ", count: 20)

  /// A quake with a large JSON value, saved.
  private func quakes() throws -> (script: ScriptFixture, screen: ScreenFixture) {
    let entity = Schema.Entity(
      "Quake",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("properties", .json),
        Schema.Attribute("note", .text), Schema.Attribute("depth", .number),
      ]
    )
    let fixture = try ScriptFixture(Schema(entity))
    try fixture.run(
      """
      insert name=First properties='{"mag":2,"place":"\(Self.place)","tz":-480,"ids":[1,2]}' depth=7
      save
      """
    )
    return (fixture, ScreenFixture(fixture))
  }

  private let edit = #": "set properties.tz=-9 properties.new=x" Enter "#

  @Test func unsavedChangesNameThePartsOfJSON() throws {
    let (script, screen) = try quakes()
    try screen.press(edit + "D")
    #expect(screen.lines[1].hasPrefix("> ~ Quake ") && screen.lines[1].hasSuffix(" First"))
    #expect(screen.lines[2] == "      properties.tz: -480 → -9", "\(screen.text)")
    #expect(screen.lines[3] == #"      properties.new: added "x""#)
    let listed = try script.run("changes").output
    #expect(listed.contains("properties.tz: -480 → -9, properties.new: added"), "\(listed)")
  }

  @Test func theHistoryNamesThePartsOfJSON() throws {
    let (script, screen) = try quakes()
    try screen.press(edit + "H")
    #expect(screen.text.contains("    properties.tz: -480 → -9"), "\(screen.text)")
    try screen.press(#"Escape w : "set properties.ids=[1] name=Second" Enter w"#)
    try screen.press(": history Enter")
    #expect(screen.text.contains("properties.tz: -480 → -9"), "\(screen.text)")
    #expect(screen.text.contains("name: \"First\" → \"Second\""), "\(screen.text)")
    #expect(screen.text.contains("properties.ids[1]: removed 2"), "\(screen.text)")
    #expect(try script.run("history").output.contains("properties.tz: -480 → -9"))
  }

  @Test func aFieldOfTheHistoryRestoresTheWholeValue() throws {
    let (script, screen) = try quakes()
    try screen.press(edit + "w H j Enter")
    let value = try script.run("list fields properties").output
    #expect(value.contains(#""tz"":-480"#) || value.contains(#""tz":-480"#), "\(value)")
  }

  @Test func messagesNameThePart() throws {
    let (_, screen) = try quakes()
    screen.runner.handle(.resize(Size(columns: 200, rows: 40)))
    try screen.press("l e / tz Enter e C-u 5 Enter")
    #expect(screen.message.contains("properties.tz of"), "\(screen.text)")
    try screen.press("Escape u")
    #expect(screen.message.contains("properties.tz of"), "\(screen.text)")
  }

  @Test func newRecordsShowTheirValues() throws {
    let (_, screen) = try quakes()
    try screen.press(#": "insert name=New depth=3" Enter D"#)
    #expect(screen.lines[1] == "> + Quake t2 New", "\(screen.text)")
    #expect(screen.lines[2] == "      name: \"New\"")
    #expect(screen.text.contains("      depth: 3"))
    #expect(!screen.text.contains("null"))
  }

  @Test func textsOfSeveralLinesAreComparedLineByLine() throws {
    let (script, _) = try quakes()
    try script.run("set where name = 'First' note=\"one\\ntwo\\nthree\"\nsave")
    try script.run("set where name = 'First' note=\"one\\n2\\nthree\" depth=9")
    let screen = ScreenFixture(script)
    try screen.press("D")
    #expect(
      screen.lines[2...7].map { $0.drop { $0 == " " } } == [
        "note:", "… 1 equal line", "- two", "+ 2", "… 1 equal line", "depth: 7 → 9",
      ],
      "\(screen.text)"
    )
  }

  /// The whole texts are compared; what is shown of them is limited.
  @Test func aChangeFarDownInALongTextIsShown() throws {
    let (script, _) = try quakes()
    let former = (0..<600).map { "line \($0)\\n" }.joined()
    try script.run("set where name = 'First' note=\"\(former)\"\nsave")
    let added = (0..<120).map { "new \($0)\\n" }.joined()
    try script.run("set where name = 'First' note=\"\(former)\(added)end\"")
    let screen = ScreenFixture(script, size: Size(columns: 80, rows: 130))
    try screen.press("D")
    let lines = screen.lines.map { $0.drop { $0 == " " } }
    #expect(lines[2...5] == ["note:", "… 600 equal lines", "-", "+ new 0"], "\(screen.text)")
    #expect(lines.contains("+ new 99") && lines.contains("+ … 21 more lines"), "\(screen.text)")
  }

  @Test func aLongValueStandsInFullBelowTheList() throws {
    let (_, screen) = try quakes()
    let words = (1...25).map { "word\($0)" }.joined(separator: " ")
    try screen.press(": \"set name='\(words)'\" Enter D j")
    for number in 1...25 { #expect(screen.text.contains("word\(number)")) }
  }

  @Test func aFoundLineIsShownWithItsRecord() throws {
    let (_, screen) = try quakes()
    try screen.press(#": "insert name=Other depth=3" Enter D / depth Enter"#)
    #expect(screen.lines[1] == "> + Quake t2 Other", "\(screen.text)")
    #expect(screen.lines[2] == "      name: \"Other\"")
  }

  @Test func aChangeLeadsToItsRecordAndIsSortedAndCopied() throws {
    let (script, _) = try quakes()
    try script.run("insert name=Another depth=1\nsave\nset where depth > 0 depth:=depth + 1")
    let screen = ScreenFixture(script)
    try screen.press("D s s")
    #expect(screen.message == "sorted by record")
    #expect(screen.lines[1].hasSuffix(" Another") && screen.lines[3].hasSuffix(" First"))
    try screen.press("g j y")
    #expect(screen.message == #"copied "depth: 1 → 2""#)
    try screen.press("Enter")
    #expect(screen.status.contains("row 2"), "\(screen.text)")
    try screen.press(":changes Enter")
    #expect(screen.lines[0].contains("2 unsaved changes  1/4"), "\(screen.text)")
  }
}
