import CatalogApp
import OpenSwiftData
import Testing

/// The names of the entities above the table, and the list of them.
@Suite struct EntitiesTests {
  /// A store with entities of these names, each with one record more than the one before.
  private static func screen(_ names: [String], size: Size = Size(columns: 80, rows: 24)) throws
    -> ScreenFixture
  {
    let fixture = try ScriptFixture(
      Schema(names.map { Schema.Entity($0, attributes: [Schema.Attribute("name", .text)]) })
    )
    for (count, name) in names.enumerated() {
      for number in 0..<count { try fixture.run("insert \(name) name=\"\(name) \(number)\"") }
    }
    try fixture.run("save")
    fixture.session.entityName = names[0]
    return ScreenFixture(fixture, size: size)
  }

  @Test func theNamesStandAboveTheTable() throws {
    let screen = try Self.screen(["Film", "名前", "Studio"])
    #expect(screen.lines[0] == " Film   名前   Studio", "\(screen.text)")
    #expect(screen.lines[1].hasPrefix("   id"), "\(screen.text)")
    let single = try ScreenFixture.numbered(3)
    #expect(single.lines[0].hasPrefix("   id"), "\(single.text)")
    let low = try Self.screen(["Film", "Studio"], size: Size(columns: 80, rows: 12))
    #expect(low.lines[0].hasPrefix("   id"), "\(low.text)")
  }

  @Test func aClickOnANameShowsTheEntity() throws {
    let screen = try Self.screen(["Film", "名前", "Studio"])
    func click(_ x: Int) {
      screen.runner.handle(.mouse(MouseEvent(kind: .press, point: Point(x: x, y: 0))))
    }
    click(16)
    #expect(screen.status.contains("Studio 3/3"), "\(screen.text)")
    click(11)
    #expect(screen.status.contains("名前 2/3"), "\(screen.text)")
    // Between two names.
    click(6)
    #expect(screen.status.contains("名前 2/3"), "\(screen.text)")
  }

  /// The name of the entity that is shown is always there, whatever fits.
  @Test func tooManyNamesAreCounted() throws {
    let names = (1...30).map { "Entity\($0)" }
    let screen = try Self.screen(names)
    for name in names + [names[0]] {
      #expect(screen.lines[0].contains(" \(name) "), "\(screen.text)")
      #expect(screen.lines[0].hasSuffix("T all 30"), "\(screen.text)")
      #expect(screen.lines[0].count <= 80)
      try screen.press("Tab")
    }
  }

  @Test func theListHasTheCountsAndShowsAnEntity() throws {
    let screen = try Self.screen(["Film", "Person", "Studio"])
    try screen.press("Tab a x Enter T")
    #expect(screen.text.contains("entities · 2/3"), "\(screen.text)")
    // A record that is not saved yet counts, too.
    for line in ["Film    0", "Person  2  shown", "Studio  2"] {
      #expect(screen.text.contains(line), "\(screen.text)")
    }
    try screen.press("j Enter")
    #expect(screen.status.contains("Studio 3/3"), "\(screen.text)")
    let single = try ScreenFixture.numbered(3)
    try single.press("T")
    #expect(single.message == "entities: no other entity", "\(single.text)")
  }
}
