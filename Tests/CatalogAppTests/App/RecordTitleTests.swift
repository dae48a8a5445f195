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
}
