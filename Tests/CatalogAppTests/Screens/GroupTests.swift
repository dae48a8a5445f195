import CatalogApp
import OpenSwiftData
import Testing

/// Records in groups by the values of a column.
@Suite struct GroupTests {
  /// Twelve films: directors in turn, one without.
  private static func screen(rows: Int = 12) throws -> ScreenFixture {
    let script = try ScriptFixture.withFilms()
    let names = ["\"Pete Docter\"", "\"Brad Bird\"", ""]
    let lines = (1...9).map {
      "insert title=\"Film \($0)\" releaseYear=\(1990 + $0) director=\(names[$0 % 3])"
    }
    try script.run(lines.joined(separator: "\n") + "\nsave")
    return ScreenFixture(script, size: Size(columns: 80, rows: rows))
  }

  @Test func eachGroupHasALineWithItsValueAndCount() throws {
    let screen = try Self.screen(rows: 24)
    try screen.press(": \"group director\" Enter")
    #expect(screen.lines[1] == " ▾ Andrew Stanton (1)", "\(screen.text)")
    #expect(screen.lines[3] == " ▾ Brad Bird (3)")
    #expect(screen.lines[7] == " ▾ Pete Docter (5)")
    #expect(screen.lines[13] == " ▾ ∅ (3)")
    #expect(screen.text.contains("▽ group director (4)"))
  }

  /// The list of values looks as the table.
  @Test(arguments: ["freq director", "list where title = 'Film 2' fields title,director"])
  func missingValuesLookTheSameInResults(line: String) throws {
    let screen = try Self.screen(rows: 24)
    screen.runner.handle(.key(.character(":")))
    screen.runner.handle(.paste(line))
    try screen.press("Enter")
    #expect(screen.text.contains("∅"), "\(screen.text)")
  }

  @Test func aKeyGroupsAndEndsTheGroups() throws {
    let screen = try Self.screen(rows: 24)
    try screen.press("l l b")
    #expect(screen.text.contains("▾ Brad Bird (3)"))
    try screen.press("b")
    #expect(!screen.text.contains("─"))
    try screen.press("b Escape")
    #expect(screen.message == "cleared the groups" && !screen.text.contains("─"))
  }

  @Test func recordsAreSortedWithinGroups() throws {
    let screen = try Self.screen(rows: 24)
    try screen.press(": \"group director\" Enter : \"sort -releaseYear\" Enter")
    #expect(screen.lines[7] == " ▾ Pete Docter (5)")
    #expect(screen.lines[8].contains("Soul"), "\(screen.text)")
    try screen.press(": \"sort -director\" Enter")
    #expect(screen.lines[1] == " ▾ Pete Docter (5)", "\(screen.text)")
  }

  /// The cursor stays on the screen wherever it goes, and pages show every record.
  @Test(arguments: [6, 7, 9, 12, 24])
  func theCursorStaysVisible(rows: Int) throws {
    let screen = try Self.screen(rows: rows)
    try screen.press(": \"group director\" Enter g")
    var keys = Array(repeating: "j", count: 12) + Array(repeating: "k", count: 12)
    keys += ["G", "k", "k", "g", "PgDn", "PgDn", "PgUp", "C-d", "C-u", "G", "PgUp"]
    for key in keys {
      try screen.press(key)
      let count = screen.lines.count { $0.hasPrefix(">") }
      #expect(count == 1, "\(key)\n\(screen.text)")
    }
  }

  @Test func theLastRecordsFillTheScreen() throws {
    let screen = try Self.screen()
    try screen.press(": \"group director\" Enter G f \"Film\" Enter")
    #expect(screen.lines[1].hasPrefix(" ▾"))
    #expect(screen.lines[2].contains("Film") && screen.lines[3].contains("Film"), "\(screen.text)")
  }

  @Test func aClickOnARowBelowAHeadingSelectsIt() throws {
    let screen = try Self.screen(rows: 24)
    try screen.press(": \"group director\" Enter")
    screen.runner.handle(.mouse(MouseEvent(kind: .press, point: Point(x: 12, y: 5))))
    #expect(screen.lines[5].hasPrefix(">"), "\(screen.text)")
    screen.runner.handle(.mouse(MouseEvent(kind: .press, point: Point(x: 12, y: 7))))
    #expect(screen.lines[8].hasPrefix(">"), "\(screen.text)")
  }

  @Test func countsFollowChanges() throws {
    let screen = try Self.screen(rows: 24)
    try screen.press(": \"group director\" Enter x")
    #expect(screen.text.contains("▾ Pete Docter (4)"), "\(screen.text)")
    try screen.press("u")
    #expect(screen.text.contains("▾ Pete Docter (5)"), "\(screen.text)")
  }

  /// The months of the shown dates are the same, so that the dates are shown as well.
  @Test func groupsAreNamedInTheFormatAndByTheirExactValues() throws {
    let entity = Schema.Entity("Day", attributes: [.init("date", .date), .init("size", .decimal)])
    let script = try ScriptFixture(Schema(entity))
    try script.run("insert date=2012-01-01 size=1.25\ninsert date=2012-01-02 size=1250\nsave")
    let screen = ScreenFixture(script)
    try screen.press(": \"column format date month\" Enter b")
    #expect(screen.text.contains("▾ Jan 2012 · 2012-01-01 (1)"), "\(screen.text)")
    #expect(screen.text.contains(" Jan 2012"), "\(screen.text)")
    try screen.press("b l : \"column format size decimals=0\" Enter b")
    #expect(screen.text.contains("▾ 1 · 1.25 (1)"), "\(screen.text)")
    try screen.press(": \"column format size thousands\" Enter")
    #expect(screen.text.contains("▾ 1,250 (1)"), "\(screen.text)")
    try screen.press(": \"column format size money=$\" Enter")
    #expect(screen.text.contains("▾ $1.25 (1)"), "\(screen.text)")
    #expect(screen.text.contains("▾ $1,250.00 (1)"), "\(screen.text)")
  }

  /// A changed record stays at its place, between those of other groups.
  @Test func aDividedGroupSaysThatItsNumberIsThatOfAll() throws {
    let screen = try Self.screen(rows: 24)
    try screen.press(": \"group director\" Enter l l g j e C-u \"Pete Docter\" Enter")
    #expect(screen.text.contains("▾ Pete Docter (6 in all)"), "\(screen.text)")
    try screen.press("f Enter")
    #expect(screen.text.contains("▾ Pete Docter (6)"), "\(screen.text)")
  }

  @Test func groupsArePartOfAView() throws {
    let screen = try Self.screen(rows: 24)
    try screen.press(": \"group director\" Enter : \"view save d\" Enter : \"view reset\" Enter")
    #expect(!screen.text.contains("─"))
    let book = screen.runner.state.viewBook
    #expect(try ViewBook(parsing: book.text) == book)
    try screen.press(": \"view d\" Enter")
    #expect(screen.text.contains("▾ Brad Bird (3)"))
  }

  @Test func anUnknownFieldIsNamed() throws {
    let screen = try Self.screen()
    try screen.press(": \"group directro\" Enter")
    #expect(screen.message.contains("no field \"directro\"; did you mean \"director\"?"))
  }
}
