import OpenSwiftData
import Testing

@testable import CatalogApp

/// What can be typed into cells and forms: truth values, words as JSON, titles of links, keys of new records.
@Suite struct EntryHelpTests {
  private func value(_ screen: ScreenFixture, _ entity: String, _ field: String) throws -> String? {
    let found = try screen.script.session.context.fetchSnapshots(matching: Query(entity))
    return found.last?[field]?.text
  }

  /// Keys in the cell `seen` of a film that has been seen, and the value afterward.
  @Test(arguments: [
    ("y Enter", "true"), ("n Enter", "false"), ("false Enter", "false"), ("f Enter", "false"),
    ("BSpace BSpace BSpace BSpace no Enter", "false"),
  ])
  func aLetterReplacesATruthValue(keys: String, value: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press("5l e " + keys)
    #expect(screen.lines[1].contains(value == "true" ? "✓" : "✗"), "\(screen.text)")
    let form = try ScreenFixture.films()
    try form.press("5l Enter " + keys)
    #expect(form.lines[1].contains(value == "true" ? "✓" : "✗"), "\(form.text)")
  }

  /// Texts typed into a JSON cell, and what is stored.
  @Test(arguments: [
    ("two words", "\"two words\""), ("12", "12"), ("a \\ b", #""a \\ b""#), ("true", "true"),
    ("[1, 2]", "[1,2]"), ("Tom \"T\"", #""Tom \"T\"""#), ("[1", "null"), ("{a", "null"),
  ])
  func wordsInAJSONCellAreText(text: String, json: String) throws {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Film")
    try fixture.run("insert title=Up\nsave")
    let screen = ScreenFixture(fixture)
    try screen.press("3l e")
    for character in text { screen.runner.handle(.key(.character(character))) }
    let isRefused = json == "null"
    if !isRefused, json != text { #expect(screen.message.contains("Enter stores \(json)")) }
    try screen.press("Enter")
    if isRefused {
      #expect(screen.message.contains("invalid JSON"), "\(screen.text)")
    } else {
      #expect(try value(screen, "Film", "notes") == json, "\(screen.text)")
    }
  }

  /// Words replace a number inside JSON, too.
  @Test func wordsReplaceAPartOfJSON() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Film")
    try fixture.run(#"insert title=Up notes='{"a":1}'"# + "\nsave")
    let screen = ScreenFixture(fixture)
    try screen.press("3l e j e BSpace \"two words\" Enter")
    #expect(try value(screen, "Film", "notes") == #"{"a":"two words"}"#, "\(screen.text)")
  }

  /// What is typed into a link, and the message or the part of the row that results.
  @Test(arguments: [
    ("pixar", "Pixar"), ("Pixar", "Pixar"),
    ("Aa", "studio: Studio with the title \"Aa\" is ambiguous (b0000"),
    ("Pix", "Pixar"), ("Pox", "no Studio has the identifier or title \"Pox\""),
    ("", "empty; type the title or the identifier"),
  ])
  func linksTakeTitles(typed: String, result: String) throws {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Film")
    try fixture.run(
      "insert Studio name=Pixar\ninsert Studio name=Aa\ninsert Studio name=aa\n"
        + "insert Film title=Up studio=t1\nsave"
    )
    let screen = ScreenFixture(fixture)
    try screen.press("l e C-u \"\(typed)\" Enter")
    #expect(screen.text.contains(result), "\(screen.text)")
  }

  /// What is typed into links, and the part of the row or the message that results.
  @Test(arguments: [
    ("Soul, toy story", "Soul, Toy Story"), ("Soul", "Soul"), ("Soul, Brave", "no Film has the"),
  ])
  func linksTakeSeveralTitles(typed: String, result: String) throws {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Film")
    try fixture.run("insert title=Up\ninsert title=Soul\ninsert title=\"Toy Story\"\nsave")
    let screen = ScreenFixture(fixture)
    try screen.press("2l e \"\(typed)\" Enter")
    #expect(screen.lines[2].contains(result) || screen.message.contains(result), "\(screen.text)")
  }

  @Test func aRequiredLinkAsksForARecord() throws {
    let schema = Schema(
      Schema.Entity("A", attributes: [Schema.Attribute("name", .text)]),
      Schema.Entity("B", attributes: [Schema.Attribute("a", .link("A"), isOptional: false)])
    )
    let fixture = try ScriptFixture(schema, entityName: "B")
    try fixture.run("insert A name=x\ninsert B a=t1\nsave")
    let screen = ScreenFixture(fixture)
    try screen.press("Enter C-u")
    #expect(
      screen.message == "a value is required; type the title or the identifier of a record",
      "\(screen.text)"
    )
    #expect(screen.text.contains("^T choose"))
  }

  /// Keys that give a new record a key of its own, and the key that it then has.
  @Test(arguments: [
    ("a S-Tab 9 Enter", "9"), ("a New Enter", "∅"), ("Y g G 0 e 8 Enter", "8"),
    ("a New Enter Enter 7 Enter", "7"),
  ])
  func theKeyOfANewRecordCanBeTyped(keys: String, key: String) throws {
    let number = Schema.Attribute("k", .integer, isReadOnly: true)
      .fixedOnceSaved(because: "the key of a saved record cannot be changed")
    let entity = Schema.Entity("Item", attributes: [number, Schema.Attribute("name", .text)])
    let fixture = try ScriptFixture(Schema(entity))
    try fixture.run("insert k=3 name=old\nsave")
    let screen = ScreenFixture(fixture)
    try screen.press("e")
    #expect(screen.message.contains("the key of a saved record cannot be changed"))
    try screen.press("a S-Tab")
    #expect(screen.message.hasSuffix("; without one the database makes it"), "\(screen.text)")
    try screen.press("Escape " + keys)
    let line = screen.lines.dropFirst().prefix(2).first { $0.contains(" +") } ?? ""
    #expect(line.contains(" \(key) "), "\(keys)\n\(screen.text)")
  }
}
