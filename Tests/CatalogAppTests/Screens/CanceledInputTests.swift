import CatalogApp
import OpenSwiftData
import Testing

/// What was typed into a form that was left with Esc.
@Suite struct CanceledInputTests {
  @Test func theNextFormOfTheRecordBringsItBack() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press("l Enter C-u changed Escape")
    #expect(fixture.message == "canceled; Enter and then ^Y restore what you typed")
    #expect(try fixture.names[0] == "item 1")
    try fixture.press("Enter")
    #expect(fixture.text.contains("^Y restore") && fixture.text.contains("item 1"))
    try fixture.press("C-y")
    #expect(fixture.message == "restored 1 field")
    try fixture.press("Enter")
    #expect(try fixture.names == ["changed", "item 2", "item 3"])
  }

  @Test func aNewRecordIsBroughtBack() throws {
    let fixture = try ScreenFixture.numbered(1)
    try fixture.press("a 7 Tab seven C-c")
    #expect(fixture.message == "canceled; a and then ^Y restore what you typed")
    try fixture.press("a C-y Enter")
    #expect(try fixture.names == ["item 1", "seven"])
  }

  @Test(arguments: [
    // Nothing was typed; another record; a form of another kind.
    ("Enter Escape Enter C-y", "restore: no canceled input of this record"),
    ("l Enter x Escape j Enter C-y", "restore: no canceled input of this record"),
    ("l Enter x Escape a C-y", "restore: no canceled input of this record"),
  ])
  func onlyTheInputOfTheRecordComesBack(keys: String, message: String) throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press(keys)
    #expect(fixture.message == message)
    #expect(!fixture.text.contains("^Y restore"))
  }

  @Test func aFormStartsOnTheFirstFieldThatCanBeEdited() throws {
    let entity = Schema.Entity(
      "Item",
      attributes: [
        Schema.Attribute("key", .integer).readOnly(because: "the database makes it"),
        Schema.Attribute("name", .text),
      ]
    )
    let script = try ScriptFixture(Schema(entity))
    let fixture = ScreenFixture(script)
    try fixture.press("a")
    #expect(fixture.text.contains("> name"), "\(fixture.text)")
  }

  @Test func textOfAPipeIsSavedToAFile() throws {
    let script = try ScriptFixture.withFilms()
    script.session.store.isPipe = true
    let fixture = ScreenFixture(script)
    try fixture.press("l d q")
    #expect(fixture.text.contains("s  save everything to a file"), "\(fixture.text)")
    try fixture.press("s")
    #expect(fixture.message == ":saveas")
  }

  @Test func aFrozenColumnThatDoesNotFitIsMarked() throws {
    let fixture = try ScreenFixture.films(size: Size(columns: 60, rows: 24))
    try fixture.press("C")
    #expect(fixture.text.contains("✓| title"), "\(fixture.text)")
    // Wide ones are narrowed, and half of the screen has room for two of them.
    try fixture.press(
      "Escape : \"column width title 200\" Enter : \"column freeze director\" Enter"
    )
    #expect(fixture.message == "director stays on the screen when the columns scroll")
    try fixture.press(": \"column freeze boxOffice\" Enter")
    #expect(fixture.text.contains("boxOffice is frozen, but does not fit"), "\(fixture.text)")
    try fixture.press("C")
    #expect(fixture.text.contains("✓| title"), "\(fixture.text)")
    #expect(fixture.text.contains("✓| director"), "\(fixture.text)")
    #expect(fixture.text.contains("✓¦ boxOffice"), "\(fixture.text)")
    try fixture.press("Escape $")
    #expect(fixture.lines[0].contains("title     director"), "\(fixture.text)")
  }

  @Test(arguments: [
    ("title < \"last may\"", "filter title < \"last may\" (title is text, not dates)"),
    ("title >= \"2009-05-29\"", "(title is text, not dates)"),
    ("title between \"2009-01-01\" and \"2009-12-31\"", "(title is text, not dates)"),
    ("title < \"Up\"", "filter title < \"Up\""),
    ("title = \"2009-05-29\"", "filter title = \"2009-05-29\""),
    ("released < 2009-05-29", "filter released < 2009-05-29"),
    ("title < \"2009\"", "filter title < \"2009\""),
  ])
  func aTextThatIsComparedWithADateIsTold(filter: String, chip: String) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("f \"\(filter.replacing("\"", with: "\\\""))\" Enter")
    let isTold = chip.contains("not dates")
    #expect(fixture.chips.contains(chip), "\(fixture.chips)")
    #expect(fixture.chips.contains("not dates") == isTold, "\(fixture.chips)")
  }

  @Test func explainTellsOfTextsComparedWithDates() throws {
    let result = try ScriptFixture.withFilms().run("explain where title < \"2009-05-29\"")
    #expect(
      result.errors
        == "note: title is text and compared letter by letter, not as dates; \"field type title date\" converts it\n"
    )
  }
}
