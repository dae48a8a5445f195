import CatalogApp
import OpenSwiftData
import Testing

@Suite struct RecordTitleTests {
  /// Fields with their values, and the title of the record.
  static let records: [(fields: [(name: String, value: String)], title: String)] = [
    ([("director", "Pete"), ("title", "Up")], "Up"),
    ([("director", "Pete"), ("Title", "Up")], "Up"),
    ([("director", "Pete"), ("film_title", "Up")], "Up"),
    ([("director", "Pete"), ("Movie Title", "Up")], "Up"),
    ([("email", "a@b.c"), ("fullName", "Ada")], "Ada"),
    ([("fileName", "x.txt"), ("displayName", "X")], "X"),
    ([("name", "N"), ("title", "T")], "T"),
    ([("title_en", "Up"), ("body", "text")], "Up"),
    ([("title", ""), ("name", "N")], "N"),
    ([("url", "https://x.y"), ("genre", "Drama"), ("who", "Ada")], "Ada"),
    ([("genre", "Drama")], "Drama"),
    ([("body", "a\nb"), ("short", "s")], "s"),
    ([("notitle", "x"), ("subject", "Hello")], "Hello"),
    ([("a", String(repeating: "x", count: 60))], String(repeating: "x", count: 39) + "…"),
    ([("a", "")], ""), ([], ""),
  ]

  @Test(arguments: records.indices) func aTitleOrNameNamesTheRecord(_ number: Int) {
    let record = Self.records[number]
    let entity = Schema.Entity(
      "E",
      attributes: record.fields.map { Schema.Attribute($0.name, .text) }
    )
    let title = RecordTitle.text(of: record.fields.map { .text($0.value) }, in: entity)
    #expect(title == record.title)
  }

  @Test func aTitleOfMixedTypesHasNoQuotes() {
    let entity = Schema.Entity(
      "Movie",
      attributes: [Schema.Attribute("MPAA", .text), Schema.Attribute("Title", .json)]
    )
    #expect(RecordTitle.text(of: [.text("R"), .json("\"Jaws\"")], in: entity) == "Jaws")
    #expect(RecordTitle.text(of: [.text("R"), .json("1776")], in: entity) == "1776")
  }

  @Test func aTitleInsideAnObjectComesBeforeACategory() {
    let entity = Schema.Entity(
      "features",
      attributes: [Schema.Attribute("type", .text), Schema.Attribute("properties", .json)]
    )
    let values = [Value.text("Feature"), .json(#"{"mag":2,"title":"M 2.0 - Castaic"}"#)]
    #expect(RecordTitle.text(of: values, in: entity) == "M 2.0 - Castaic")
    #expect(RecordTitle.text(of: [values[0], .json("[1]")], in: entity) == "Feature")
  }

  @Test func aUniqueTextComesBeforeOthers() {
    let entity = Schema.Entity(
      "E",
      attributes: [Schema.Attribute("a", .text), Schema.Attribute("b", .text, isUnique: true)]
    )
    #expect(RecordTitle.text(of: [.text("x"), .text("y")], in: entity) == "y")
  }

  /// Records of an entity with a text and a JSON field, and the first line of the table.
  private static let frozen: [(records: [String], columns: [String])] = [
    (
      [#"kind=Feature info='{"title":"one"}'"#, #"kind=Feature info='{"title":"two"}'"#],
      ["info.title", "kind", "info"]
    ),
    ([#"kind=Feature info='{"title":"one"}'"#], ["kind", "info"]),
    (
      [#"kind=a info='{"name":"x"}'"#, #"kind=b info='{"name":"x"}'"#, "kind=c"], ["kind", "info"]
    ),
    ([#"kind=a info='{"mag":1}'"#, #"kind=b info='[1]'"#], ["kind", "info"]),
  ]

  @Test(arguments: frozen.indices) func theFirstColumnTellsRecordsApart(place: Int) throws {
    let fixture = try ScriptFixture(
      Schema(
        Schema.Entity(
          "Place",
          attributes: [Schema.Attribute("kind", .text), Schema.Attribute("info", .json)]
        )
      )
    )
    for record in Self.frozen[place].records { try fixture.run("insert \(record)") }
    let screen = ScreenFixture(fixture)
    let words = screen.lines[0].split(separator: " ").map(String.init)
    #expect(words == ["id"] + Self.frozen[place].columns, "\(screen.text)")
    try screen.press("l l : \"columns reset\" Enter")
    #expect(screen.lines[0].split(separator: " ").map(String.init) == words, "\(screen.text)")
  }

  @Test func aTitleThatIsTheSameEverywhereIsNotFrozen() throws {
    let names = ["name", "headline"]
    let fixture = try ScriptFixture(
      Schema(Schema.Entity("Place", attributes: names.map { Schema.Attribute($0, .text) }))
    )
    try fixture.run(
      "insert name=x headline=one\ninsert name=x headline=two\ninsert name=x headline=3"
    )
    let screen = ScreenFixture(fixture)
    try screen.press("C")
    #expect(screen.text.contains("✓| headline"), "\(screen.text)")
  }

  @Test func aUniqueTextIsFrozenInsteadOfATitleThatIsMissing() throws {
    let key = Schema.Attribute("_key", .text, isUnique: true)
    let fixture = try ScriptFixture(
      Schema(Schema.Entity("Package", attributes: [key, Schema.Attribute("name", .text)]))
    )
    try fixture.run("insert _key=a name=root\ninsert _key=b\ninsert _key=c")
    let screen = ScreenFixture(fixture)
    try screen.press("C")
    #expect(screen.text.contains("✓| _key"), "\(screen.text)")
  }
}
