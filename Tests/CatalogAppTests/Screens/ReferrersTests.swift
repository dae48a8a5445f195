import CatalogApp
import OpenSwiftData
import Testing

/// The way from a record to the records that refer to it.
@Suite struct ReferrersTests {
  /// Two studios, films of the first one, and a sequel.
  private static func screen(on entity: String) throws -> ScreenFixture {
    let screen = try DetailsTests.films(size: Size(columns: 100, rows: 24))
    let films = try screen.script.session.context.fetchIdentifiers(matching: Query("Film"))
    try screen.script.run("set \(films[1]) sequels=\(films[0])\nsave")
    screen.script.session.entityName = entity
    return ScreenFixture(screen.script, size: Size(columns: 100, rows: 24))
  }

  @Test func theKeyListsThem() throws {
    let screen = try Self.screen(on: "Studio")
    try screen.press("R")
    #expect(screen.chips.hasPrefix("filter studio = "), "\(screen.text)")
    #expect(screen.text.contains("2 of 3") && screen.text.contains("Up"), "\(screen.text)")
    #expect(screen.message == "Film.studio: Pixar; press BSpace to go back")
    try screen.press("BSpace")
    #expect(screen.text.contains("Pixar") && screen.text.contains("row 1"), "\(screen.text)")
    #expect(screen.status.contains("Studio 1/2"), "\(screen.text)")
  }

  /// The table of the films was left on its last record.
  @Test func theListStartsAtItsFirstRecord() throws {
    let screen = try Self.screen(on: "Film")
    try screen.press("G Tab g R")
    #expect(screen.text.contains("2 of 3"), "\(screen.text)")
    #expect(screen.lines[2].hasPrefix(">") && screen.text.contains("row 1 "), "\(screen.text)")
  }

  @Test func listsOfLinksAreFound() throws {
    let screen = try Self.screen(on: "Film")
    try screen.press("R")
    #expect(screen.text.contains("1 of 3") && screen.lines[2].contains("Soul"), "\(screen.text)")
    try screen.press("BSpace")
    #expect(screen.lines[2].hasPrefix(">") && screen.lines[2].contains("Up"), "\(screen.text)")
    #expect(screen.chips.isEmpty)
  }

  /// Keys from the filtered table of the films to the records that refer to a record, and the way back.
  @Test(arguments: [("g R", "BSpace"), ("l O R", "BSpace BSpace"), ("Tab R", "BSpace Tab")])
  func theWayBackRestoresTheTable(keys: String, back: String) throws {
    let screen = try Self.screen(on: "Film")
    try screen.press(#"f "title > A" Enter : "sort -title" Enter"#)
    let former = (screen.chips, screen.runner.state.viewBook.current["Film"])
    try screen.press(keys)
    #expect(screen.chips != former.0 && screen.text.contains("go back"), "\(screen.text)")
    #expect(screen.runner.state.viewBook.current["Film"] == former.1)
    try screen.press(back)
    #expect(screen.chips == former.0, "\(screen.text)")
    #expect(screen.chips.contains("filter title") && screen.chips.contains("sort"))
    #expect(screen.runner.state.viewBook.current["Film"] == former.1)
  }

  @Test func aRecordWithoutThemIsNamed() throws {
    let screen = try Self.screen(on: "Studio")
    try screen.press("j R")
    #expect(screen.message.hasPrefix("no record refers to "), "\(screen.text)")
    #expect(screen.text.contains("2 of 2"))
  }

  @Test func theKeyWorksInTheDetails() throws {
    let screen = try Self.screen(on: "Studio")
    try screen.press("v v R")
    #expect(screen.chips.hasPrefix("filter studio = "), "\(screen.text)")
  }

  @Test func aHeadingInTheDetailsListsThem() throws {
    let screen = try Self.screen(on: "Studio")
    try screen.press("v v / referred Enter Enter")
    #expect(screen.chips.hasPrefix("filter studio = "), "\(screen.text)")
    try screen.press("j BSpace")
    #expect(screen.status.contains("Studio 1/2"), "\(screen.text)")
  }

  @Test func theCommandListsThem() throws {
    let screen = try Self.screen(on: "Studio")
    try screen.press(": referrers Enter")
    #expect(screen.chips.hasPrefix("filter studio = "), "\(screen.text)")
    let studio = try screen.script.session.context.fetchIdentifiers(matching: Query("Studio"))[1]
    try screen.press(": \"referrers \(studio)\" Enter")
    #expect(screen.message == "no record refers to \(studio)", "\(screen.text)")
  }

  /// Several fields are offered with the number of their records.
  @Test func severalFieldsAreOffered() throws {
    let person = Schema.Entity("Person", attributes: [Schema.Attribute("name", .text)])
    let film = Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text), Schema.Attribute("director", .link("Person")),
        Schema.Attribute("writer", .link("Person")),
      ]
    )
    let script = try ScriptFixture(Schema(person, film))
    try script.run("insert Person name=Ada\nsave")
    let ada = try script.session.context.fetchIdentifiers(matching: Query("Person"))[0]
    try script.run(
      """
      insert Film title=A director=\(ada) writer=\(ada)
      insert Film title=B director=\(ada)
      save
      """
    )
    let output = try script.run("referrers \(ada)").output
    #expect(output.split(separator: "\n").count == 4, "\(output)")
    #expect(
      output.hasPrefix("field\tid\ttitle\nFilm.director\t") && output.contains("Film.writer\t")
    )
    script.session.entityName = "Person"
    let screen = ScreenFixture(script)
    try screen.press("R")
    #expect(screen.text.contains(">Film.director  2"), "\(screen.text)")
    #expect(screen.text.contains(" Film.writer    1"))
    try screen.press("j Enter")
    #expect(screen.chips.hasPrefix("filter writer = "), "\(screen.text)")
    #expect(screen.text.contains("1 of 2"))
  }

  @Test func aScriptNeedsARecord() throws {
    let script = try ScriptFixture(ScriptFixture.linked)
    #expect(try script.run("referrers").errors.contains("missing record ID"))
    #expect(try script.run("referrers t9").errors.contains("not found"))
  }
}
