import CatalogApp
import OpenSwiftData
import Testing

/// Commands on marked records, including records that the list does not show.
@Suite struct MarkedRecordsTests {
  private static func values(_ fixture: ScreenFixture, _ name: String) throws -> [String] {
    try fixture.script.session.context.fetchSnapshots(matching: Query("Film"))
      .map { $0[name]?.text ?? "" }
  }

  /// Keys pressed on three films, and the titles afterward.
  static let edits: [(keys: String, titles: [String], message: String)] = [
    ("Space Space c New Enter", ["New", "New", "Soul"], "set title of 2 records"),
    ("Space Space G e ! Enter", ["Soul!", "Soul!", "Soul"], "set title of 2 records"),
    (": \"set title=New\" Enter", ["New", "Finding Nemo", "Soul"], "set title of a000 (Up)"),
    ("Space Space : \"set title=New\" Enter", ["New", "New", "Soul"], "set title of 2 records"),
    ("Space Space : \"set 'title'=New\" Enter", ["New", "New", "Soul"], "set title of 2 records"),
    ("G c A Enter k Space g Space .", ["A", "A", "A"], "set title of 2 records"),
    ("* c X Enter u", ["Up", "Finding Nemo", "Soul"], "undone: set title of 3 records"),
    ("* c X Enter Tab u", ["Up", "Finding Nemo", "Soul"], "undone: set title of 3 records"),
    ("* c X Escape", ["Up", "Finding Nemo", "Soul"], ""),
    ("* Y", ["Up", "Finding Nemo", "Soul", "Up", "Finding Nemo", "Soul"], "added 3 records"),
    ("* Y u", ["Up", "Finding Nemo", "Soul"], "undone: duplicate 3 records"),
    ("j Space g : delete Enter y", ["Up", "Soul"], "deleted b000 (Finding Nemo)"),
    ("j Space g d n", ["Up", "Finding Nemo", "Soul"], ""),
    ("* d y", [], "deleted 3 records"),
  ]

  @Test(arguments: edits.indices) func everyCommandActsOnTheMarkedRecords(_ number: Int) throws {
    let edit = Self.edits[number]
    let fixture = try ScreenFixture.films()
    try fixture.press(edit.keys)
    #expect(try Self.values(fixture, "title") == edit.titles, "\(edit.keys)\n\(fixture.text)")
    if !edit.message.isEmpty { #expect(fixture.message == edit.message, "\(edit.keys)") }
  }

  @Test func theEditorSaysForHowManyRecordsItIs() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("* f nemo Enter e")
    #expect(fixture.message.hasPrefix("title of 3 marked records, 2 not shown: Finding Nemo"))
    try fixture.press("C-u Escape")
    #expect(try Self.values(fixture, "title") == ["Up", "Finding Nemo", "Soul"])
    #expect(fixture.status.contains("3 marked, 2 not shown"))
  }

  /// The line starts with the value of one record, perhaps of one that is not marked.
  @Test func acceptingTheEditorUnchangedChangesNothing() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("g Space Space e Enter")
    #expect(try Self.values(fixture, "title") == ["Up", "Finding Nemo", "Soul"])
    #expect(fixture.message == "nothing was typed; the marked records stay as they are")
    // The same text, but typed.
    try fixture.press("e C-u Soul Enter")
    #expect(try Self.values(fixture, "title") == ["Soul", "Soul", "Soul"], "\(fixture.text)")
  }

  @Test func marksOfHiddenRecordsOutliveAnUndoneDeletion() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("* f nemo Enter d y u")
    #expect(fixture.status.contains("3 marked, 2 not shown"), "\(fixture.text)")
    try fixture.press(": \"set title=New\" Enter y")
    #expect(try Self.values(fixture, "title") == ["New", "New", "New"], "\(fixture.text)")
  }

  @Test func repeatDoesWhatTheLastLineDidToTheSelection() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(": \"set title=New\" Enter w j .")
    #expect(try Self.values(fixture, "title") == ["New", "New", "Soul"], "\(fixture.text)")
  }

  /// Actions on records that are marked but not shown.
  @Test(arguments: ["d", ": delete Enter", ": \"set title=New\" Enter", "Y", "."])
  func marksThatAreNotShownAreNamedInAQuestion(keys: String) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("2G c x Enter u g Space G Space f soul Enter")
    #expect(fixture.status.contains("2 marked, 1 not shown"), "\(fixture.status)")
    try fixture.press(keys)
    #expect(fixture.text.contains("2 marked records, 1 not shown?"), "\(fixture.text)")
    #expect(fixture.text.contains("(Up)"), "the hidden record is named")
    let answers = try #require(fixture.lines.dropLast().last)
    #expect(answers.hasSuffix(" · n/Esc cancel"), "\(answers)")
    try fixture.press("n")
    #expect(fixture.runner.state.status.unsaved == 0)
    try fixture.press("\(keys) y")
    #expect(fixture.runner.state.status.unsaved == 2, "\(fixture.text)")
  }

  @Test func marksStayWithTheirRecords() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("Space l s")
    #expect(fixture.lines.contains { $0.contains("*") && $0.contains("Up ") })
    try fixture.press("f soul Enter")
    #expect(fixture.status.contains("1 marked, 1 not shown"), "\(fixture.status)")
    try fixture.press(": filter Enter")
    #expect(fixture.status.contains("1 marked ·") && !fixture.status.contains("not shown"))
    // A new record keeps its mark when a save replaces its identifier.
    try fixture.press("Escape a Coco Enter Space w")
    #expect(fixture.status.contains("1 marked"))
    #expect(fixture.lines.contains { $0.contains("*") && $0.contains("Coco") }, "\(fixture.text)")
  }

  @Test func undoingADeletionGivesTheMarksBack() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("Space Space d y")
    #expect(!fixture.status.contains("marked"))
    try fixture.press("u")
    #expect(fixture.status.contains("2 marked"), "\(fixture.status)")
    try fixture.press("C-r")
    #expect(!fixture.status.contains("marked"))
    try fixture.press("w u")
    #expect(fixture.status.contains("2 marked"), "\(fixture.status)")
  }

  @Test func copyTakesTheMarkedRecordsAsLines() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("G Space k k Space y")
    #expect(
      fixture.runner.takeRequests() == [
        .copy(
          "Up\t2009\tPete Docter\t735.1\t8.3\ttrue\t\n"
            + "Soul\t2020\tPete Docter\t\t8\tfalse\t\n"
        )
      ]
    )
    #expect(fixture.message == "copied 2 marked records")
  }

  @Test(arguments: ["json", "catlog"])
  func aRecordThatOthersDeleteLosesItsMark(ending: String) throws {
    let films = try SharedFilms(ending)
    try films.screen.press("*")
    try films.changeAndTell(nil)
    #expect(films.screen.status.contains("2 marked"), "\(films.screen.status)")
    #expect(
      films.screen.text.replacing("\n", with: " ").contains("1 marked record no longer exists")
    )
    try films.screen.press("d y")
    #expect(films.screen.message == "deleted 2 records")
  }

  @Test func aThousandMarksAreChangedWithoutLookingForEach() throws {
    let fixture = try ScreenFixture.numbered(20_000)
    let clock = ContinuousClock()
    let time = try clock.measure {
      try fixture.press("* l c same Enter d y")
    }
    #expect(fixture.message == "deleted 20000 records")
    #expect(time < .seconds(20), "\(time)")
  }

  // MARK: Counts

  static let counted: [(keys: String, titles: [String], message: String)] = [
    ("2d y", ["Soul"], "deleted 2 records"), ("j 2x y", ["Up"], "deleted 2 records"),
    ("9d y", [], "deleted 3 records"), ("2d n", ["Up", "Finding Nemo", "Soul"], ""),
    ("1d", ["Finding Nemo", "Soul"], "deleted a000 (Up)"),
    ("2Y", ["Up", "Finding Nemo", "Soul", "Up", "Finding Nemo"], "added 2 records"),
    ("c A Enter j 2.", ["A", "A", "A"], "set title of 2 records"),
    ("d j d 2u", ["Up", "Finding Nemo", "Soul"], ""),
    ("2 Space c A Enter", ["A", "A", "Soul"], ""),
    ("2e", ["Up", "Finding Nemo", "Soul"], "edit takes no count; press e without the 2"),
    ("2 Escape d", ["Finding Nemo", "Soul"], ""),
  ]

  @Test(arguments: counted.indices) func aNumberBeforeAKeyIsSoManyRecords(_ number: Int) throws {
    let example = Self.counted[number]
    let fixture = try ScreenFixture.films()
    try fixture.press(example.keys)
    #expect(try Self.values(fixture, "title") == example.titles, "\(example.keys)\n\(fixture.text)")
    if !example.message.isEmpty { #expect(fixture.message == example.message) }
  }

  @Test(arguments: ["Y u", "Y w u", "2Y u", "j Y u", "a Coco Enter u", "Y Y u u", "Y C-r u"])
  func undoingAnAdditionReturnsTheCursor(keys: String) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys)
    let row = keys.hasPrefix("j") ? 2 : 1
    #expect(fixture.status.contains("row \(row)"), "\(keys)\n\(fixture.text)")
  }

  /// The deletion is undone while the other entity is on the screen.
  @Test func aRestoredRecordCanBeMarkedAgain() throws {
    let book = Schema.Entity("Book", attributes: [Schema.Attribute("title", .text)])
    let script = try ScriptFixture(Schema(ScriptFixture.film, book))
    try script.run("insert Film title=Up\ninsert Film title=Nemo\ninsert Book title=Emma\nsave\n")
    let screen = ScreenFixture(script)
    try screen.press("Space g d y Tab u Tab *")
    #expect(screen.status.contains("2 marked"), "\(screen.text)")
    try screen.press("d y")
    #expect(screen.status.contains("0 of 0") || screen.message == "deleted 2 records")
  }

  @Test func aRecordThatAnotherProgramDeletedIsInNoFilteredList() throws {
    let films = try SharedFilms("json")
    try films.screen.press("c xyz Enter")
    try films.changeAndTell(nil)
    let listed = films.screen.status
    #expect(listed.contains("2 of 2"), "\(listed)")
    try films.screen.press("s")
    #expect(films.screen.status.contains("2 of 2"), "\(films.screen.text)")
    try films.screen.press(#"f "title contains[c] \"xyz\"" Enter"#)
    #expect(films.screen.status.contains("0 of 2"), "\(films.screen.text)")
  }
}
