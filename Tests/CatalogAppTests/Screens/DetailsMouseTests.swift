import CatalogApp
import OpenSwiftData
import Testing

/// The mouse over the details pane, and in the header.
@Suite struct DetailsMouseTests {
  private func use(_ kind: MouseEvent.Kind, x: Int, y: Int, _ screen: ScreenFixture) {
    screen.runner.handle(.mouse(MouseEvent(kind: kind, point: Point(x: x, y: y))))
  }

  @Test func aClickFocusesTheLine() throws {
    let screen = try DetailsTests.films()
    use(.press, x: 100, y: 3, screen)
    #expect(screen.text.contains("Esc table"), "\(screen.text)")
    #expect(screen.lines[3].dropFirst(80).hasPrefix("│>studio"), "\(screen.text)")
    use(.press, x: 100, y: 2, screen)
    #expect(screen.lines[2].dropFirst(80).hasPrefix("│>title"), "\(screen.text)")
    // A click on the table returns to it.
    use(.press, x: 10, y: 3, screen)
    #expect(!screen.text.contains("Esc table"), "\(screen.text)")
  }

  @Test func theWheelScrollsTheDetailsAndNotTheTable() throws {
    let screen = try DetailsTests.films()
    use(.scrollDown, x: 100, y: 4, screen)
    #expect(screen.lines[2].hasPrefix(">"), "\(screen.text)")
    #expect(screen.lines[5].dropFirst(80).hasPrefix("│>"), "\(screen.text)")
    use(.scrollUp, x: 100, y: 4, screen)
    #expect(screen.lines[2].dropFirst(80).hasPrefix("│>title"), "\(screen.text)")
  }

  @Test func sortingFromTheTopStaysAtTheTop() throws {
    let screen = try ScreenFixture.numbered(100)
    use(.press, x: 12, y: 0, screen)
    use(.press, x: 12, y: 0, screen)
    #expect(
      screen.lines[1].hasPrefix(">") && screen.lines[1].contains("item 100"),
      "\(screen.text)"
    )
    // From another row on, the cursor stays on its record.
    try screen.press("j s")
    let current = screen.lines.first { $0.hasPrefix(">") }
    #expect(current?.contains("item 99") == true, "\(screen.text)")
  }

  /// The last records widen the first column when they come to the top, so that another column is under the mouse.
  @Test func clicksOnOnePlaceSortByOneColumn() throws {
    let entity = Schema.Entity(
      "Item",
      attributes: [Schema.Attribute("name", .text), Schema.Attribute("number", .integer)]
    )
    let script = try ScriptFixture(Schema(entity))
    let lines = (1...60).map { number in
      "insert name=\(String(repeating: "x", count: number > 40 ? 30 : 1)) number=\(number)"
    }
    try script.run(lines.joined(separator: "\n") + "\nsave")
    let screen = ScreenFixture(script)
    let header = screen.lines[0]
    let x = header.prefix { $0 != "u" }.count
    for sign in ["▲1", "▼1", "▲1", "▼1"] {
      use(.press, x: x, y: 0, screen)
      use(.release, x: x, y: 0, screen)
      #expect(screen.lines[0].contains("number \(sign)"), "\(screen.text)")
    }
    // After anything else, the column at that place is meant.
    try screen.press("k")
    use(.press, x: x, y: 0, screen)
    #expect(screen.lines[0].contains("name ▲1"), "\(screen.text)")
  }

  @Test func freezingAFrozenColumnKeepsIt() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 50, rows: 10))
    try screen.press(": \"column freeze title\" Enter")
    #expect(screen.message == "title stays on the screen when the columns scroll")
    try screen.press("$")
    #expect(screen.lines[0].hasPrefix("   id      title"), "\(screen.text)")
    try screen.press(": \"column freeze title off\" Enter")
    #expect(screen.message == "title scrolls")
  }
}
