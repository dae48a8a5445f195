import CatalogApp
import OpenSwiftData
import Testing

/// Marked records side by side, and one record made of several.
@Suite struct CompareTests {
  private static let schema = Schema([
    Schema.Entity(
      "Person",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("mail", .text),
        Schema.Attribute("born", .integer), Schema.Attribute("friend", .link("Person")),
        Schema.Attribute("friends", .links("Person")),
      ]
    ),
    Schema.Entity(
      "Letter",
      attributes: [
        Schema.Attribute("text", .text),
        Schema.Attribute("author", .link("Person"), deleteRule: .cascade),
        Schema.Attribute("readers", .links("Person")),
      ]
    ),
  ])

  /// Three records of Ada: the first one without mail, the second without year, the third with other values.
  private static func people() throws -> (ScriptFixture, [PersistentIdentifier]) {
    let fixture = try ScriptFixture(schema)
    try fixture.run(
      """
      insert Person name=Ada born=1815
      insert Person name="ada l." mail=a@b.c
      insert Person name=Ada mail=x@y.z born=1800
      save
      """
    )
    let people = try fixture.session.context.fetchIdentifiers(matching: Query("Person"))
    try fixture.run(
      """
      insert Letter text=one author=\(people[1]) readers=\(people[0]),\(people[1])
      insert Letter text=two author=\(people[0]) readers=\(people[2])
      set \(people[0]) friend=\(people[1]) friends=\(people[1]),\(people[2])
      save
      """
    )
    fixture.session.entityName = "Person"
    return (fixture, people)
  }

  private static func rows(_ fixture: ScriptFixture, _ entity: String) throws -> [[Value]] {
    try fixture.session.context.fetchSnapshots(matching: Query(entity)).map(\.orderedValues)
  }

  @Test func theFirstRecordGetsWhatItLacksAndTheLinks() throws {
    let (fixture, people) = try Self.people()
    let before = (try Self.rows(fixture, "Person"), try Self.rows(fixture, "Letter"))
    try fixture.run("merge \(people[0]) \(people[1])")
    let ada = people[0]
    let rest: Value = .links([people[2]])
    #expect(
      try Self.rows(fixture, "Person")[0]
        == [.text("Ada"), .text("a@b.c"), .integer(1815), .null, rest]
    )
    #expect(try Self.rows(fixture, "Person").count == 2)
    #expect(
      try Self.rows(fixture, "Letter") == [
        [.text("one"), .link(ada), .links([ada])], [.text("two"), .link(ada), rest],
      ]
    )
    try fixture.run("save\nundo")
    // A record that comes back is the last one.
    #expect(try Set(Self.rows(fixture, "Person")) == Set(before.0))
    #expect(try Self.rows(fixture, "Letter").map(\.first) == before.1.map(\.first))
  }

  /// A parent that lacks a parent of its own does not get its child for one.
  @Test func noLinkLeadsBack() throws {
    let (fixture, people) = try Self.people()
    try fixture.run(
      """
      set \(people[0]) friend= friends=
      set \(people[1]) friend=\(people[0])
      set \(people[2]) friend=\(people[1])
      merge \(people[0]) \(people[2])
      """
    )
    #expect(try Self.rows(fixture, "Person").map { $0[3] } == [.null, .link(people[0])])
  }

  @Test func aRecordAloneIsRefused() throws {
    let (fixture, people) = try Self.people()
    for line in ["merge \(people[0])", "merge \(people[0]) \(people[0])"] {
      let result = try fixture.run(line)
      #expect(result.errors.contains("there must be two records or more; found 1"), "\(result)")
    }
    #expect(!fixture.session.context.hasChanges)
  }

  @Test func marksAreComparedAndMerged() throws {
    let (fixture, people) = try Self.people()
    let screen = ScreenFixture(fixture, size: Size(columns: 80, rows: 24))
    try screen.press("Space M")
    #expect(screen.message == "compare: mark 2 to 9 records first", "\(screen.text)")
    try screen.press("Space M")
    #expect(screen.text.contains("2 records · 5 of 5 fields differ"), "\(screen.text)")
    #expect(screen.text.contains("≠ name"), "\(screen.text)")
    // The value of the second record, and back to the first.
    try screen.press("j j 2 1 k k 2")
    #expect(screen.text.contains("✓ ada l."), "\(screen.text)")
    try screen.press("Enter")
    #expect(screen.text.contains("merge 2 records?"), "\(screen.text)")
    #expect(screen.text.contains("name: ada l."), "\(screen.text)")
    try screen.press("Escape")
    #expect(screen.text.contains("✓ ada l.") && !fixture.session.context.hasChanges)
    try screen.press("Enter y")
    #expect(screen.message.hasPrefix("merged 1 record into "), "\(screen.text)")
    let person = try Self.rows(fixture, "Person")[0]
    #expect(person[..<3] == [.text("ada l."), .text("a@b.c"), .integer(1815)])
    try screen.press("u")
    #expect(try Self.rows(fixture, "Person").count == 3)
    #expect(try Self.rows(fixture, "Letter")[0][1] == .link(people[1]))
  }

  /// Keys before Enter; the value that leads to a merged record is neither taken by itself nor when it is chosen.
  @Test(arguments: ["", "j j j 2 "]) func noLinkLeadsToAMergedRecord(keys: String) throws {
    let (fixture, people) = try Self.people()
    try fixture.run("set \(people[0]) friend= friends=\nset \(people[1]) friend=\(people[0])\nsave")
    let screen = ScreenFixture(fixture, size: Size(columns: 80, rows: 24))
    try screen.press("Space Space M")
    let line = try #require(screen.lines.first { $0.contains("≠ friend ") })
    #expect(line.contains("✓ ∅") && !line.contains("✓ Ada"), "\(screen.text)")
    try screen.press(keys + "Enter y")
    #expect(screen.message.hasPrefix("merged 1 record into "), "\(screen.text)")
    #expect(try Self.rows(fixture, "Person").map { $0[3] } == [.null, .null])
  }

  @Test func onlyDifferencesAreShownOnRequest() throws {
    let (fixture, _) = try Self.people()
    let screen = ScreenFixture(fixture, size: Size(columns: 80, rows: 24))
    try screen.press("Space j Space M")
    #expect(screen.text.contains("  name") && !screen.text.contains("≠ name"), "\(screen.text)")
    try screen.press("=")
    #expect(!screen.lines.dropLast(3).contains { $0.contains("name") }, "\(screen.text)")
    #expect(screen.text.contains("≠ born"), "\(screen.text)")
    try screen.press("3")
    #expect(screen.message == "take: there are 2 records", "\(screen.text)")
    try screen.press("Escape")
    #expect(!fixture.session.context.hasChanges)
  }
}
