import CatalogApp
import OpenSwiftData
import Testing

/// What a command would change is shown before it happens.
@Suite struct PreviewTests {
  /// Lines that are typed, and what the screen shows.
  @Test(arguments: [
    (
      "set where true name:=upper(name)",
      [
        "3 records change: set where true name", "· 1/3", " item 2 ", "→ ITEM 2",
        "✓ b000 (item 2)",
      ]
    ),
    ("preview set where number > 1 number=7", ["2 records change: set where number > 1", "→ 7"]),
    ("set where true name=x number:=number + 1", ["3 records change", "· 1/6", "→ x", "→ 4"]),
    (
      "set where true number:=10 // (number - 2)",
      ["2 records change, 1 refused", "· 1/3", "! b000 (item 2)", "division by zero", "→ -10"]
    ),
    ("set where true number:=10 // (number - 2) missing", ["3 records change:", "→ ∅"]),
    (
      "set where true number:=10 // (number - 2) skip",
      ["2 records change, 1 refused", "division by zero"]
    ),
    (
      "preview delete where number < 3",
      ["2 deleted: delete", "deleted", "number: 1, name: item 1"]
    ),
    ("preview insert number=9 name=new", ["1 new: insert", "number: 9, name: new"]),
    ("replace name /item (\\d)/no. $1/", ["3 records change", "→ no. 3"]),
    ("upper name where number < 3", ["2 records change: upper"]),
  ])
  func theScreenShowsWhatALineWouldChange(line: String, parts: [String]) throws {
    let fixture = try ScreenFixture.numbered(3)
    let steps = fixture.script.session.context.undoableStepCount
    try fixture.type(line)
    for part in parts { #expect(fixture.text.contains(part), "\(part): \(fixture.text)") }
    #expect(!fixture.script.session.context.hasChanges, "nothing has changed yet")
    try fixture.press("Escape")
    #expect(fixture.message == "nothing changed" && !fixture.script.session.context.hasChanges)
    #expect(fixture.script.session.context.undoableStepCount == steps, "no step is left")
  }

  /// One record is what a person looks at, and what changes none needs no question.
  @Test(arguments: [
    ("set where number = 2 name:=upper(name)", "set name of b000 (item 2)"),
    ("set where number = 2 number:=1 // 0", "b000000800000000: 1 // 0: division by zero"),
    ("set where true name:=name", "nothing changed"),
    ("set where true name=x", "set name of 3 records"),
    ("preview set where number > 9 name=x", "nothing changes"),
    ("preview save", "preview: cannot show \"save\"; it shows insert, "),
    ("preview set where nam = 1 name=x", "no field \"nam\""),
  ])
  func aLineThatNeedsNoPreviewIsPerformed(line: String, message: String) throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.type(line)
    #expect(fixture.text.contains(message), "\(fixture.text)")
  }

  @Test func escapeLeavesTheUnsavedChangesAndTheStepsToRedo() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.script.run("set where number < 3 name=x\nset where number = 1 name=y\nundo")
    let changes = try fixture.script.run("changes").output
    try fixture.type("set where true name:=concat(name, \"!\")")
    #expect(fixture.text.contains("3 records change"), "\(fixture.text)")
    try fixture.press("Escape")
    #expect(try fixture.script.run("changes").output == changes)
    try fixture.press("C-r")
    #expect(try fixture.names == ["y", "x", "item 3"], "\(fixture.text)")
    try fixture.press("u u")
    #expect(!fixture.script.session.context.hasChanges)
  }

  @Test func theRecordsThatAreTickedChangeInOneStep() throws {
    let fixture = try ScreenFixture.numbered(4)
    try fixture.press(": \"set where true name:=upper(name)\" Enter j Space Space")
    #expect(fixture.text.contains("4 records change, 2 skipped:"), "\(fixture.text)")
    try fixture.press("k Space")
    #expect(fixture.text.contains("4 records change, 1 skipped:"), "\(fixture.text)")
    try fixture.press("Enter")
    #expect(
      fixture.message == "set where true name:=upper(name): 3 records, 1 skipped",
      "\(fixture.text)"
    )
    #expect(try fixture.names == ["ITEM 1", "item 2", "ITEM 3", "ITEM 4"])
    try fixture.press("u")
    #expect(try fixture.names == ["item 1", "item 2", "item 3", "item 4"])
    #expect(!fixture.script.session.context.hasChanges, "one step")
    try fixture.press("C-r")
    #expect(try fixture.names == ["ITEM 1", "item 2", "ITEM 3", "ITEM 4"])
  }

  @Test func refusedValuesStayAndTheOthersChange() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press(": \"set where true number:=10 // (number - 2)\" Enter Space")
    #expect(
      fixture.message == "this record stays as it is: 10 // (number - 2): division by zero",
      "\(fixture.text)"
    )
    try fixture.press("Enter")
    #expect(try fixture.script.run("list fields number").output == "number\n-10\n2\n10\n")
  }

  @Test func whatIsShownIsWhatHappens() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press(": \"set where true number:=row() * 7\" Enter Space Enter")
    #expect(
      fixture.message == "set where true number:=row() * 7: 2 records, 1 skipped",
      "\(fixture.text)"
    )
    // It is not computed again, without the first one.
    #expect(try fixture.script.run("list fields number").output == "number\n1\n14\n21\n")
  }

  @Test func markedRecordsAreShown() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press("Space j Space : \"set name:=upper(name)\" Enter")
    #expect(fixture.text.contains("2 records change: set name:"), "\(fixture.text)")
    try fixture.press("Enter")
    #expect(try fixture.names == ["ITEM 1", "item 2", "ITEM 3"])
  }

  /// Whoever binds a key knows what it does.
  @Test(arguments: ["'upper name'", "'set where true name:=upper(name)' 'filter number > 0'"])
  func aKeyNeverAsks(lines: String) throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press(": \"bind X = \(lines)\" Enter X")
    #expect(try fixture.names == ["ITEM 1", "ITEM 2", "ITEM 3"], "\(fixture.text)")
  }

  @Test func allThatAreFilteredAreSkipped() throws {
    let fixture = try ScreenFixture.numbered(12)
    try fixture.press(": \"set where true name:=upper(name)\" Enter / \"item 1\" Enter")
    #expect(fixture.text.contains("· 1/4 of 12"), "\(fixture.text)")
    try fixture.press("*")
    #expect(fixture.text.contains("12 records change, 4 skipped"), "\(fixture.text)")
    try fixture.press("Enter")
    #expect(try fixture.names.count { $0.hasPrefix("ITEM") } == 8)
  }

  @Test func anImportShowsItsRowsAndSkipsSome() throws {
    let script = try ScriptFixture.withFilms()
    let text = "title,releaseYear\nUp,2010\nFinding Nemo,2004\nElio,2025\nLuca,2021\n"
    script.services.files["a.csv"] = Array(text.utf8)
    let fixture = ScreenFixture(script)
    try fixture.press(": \"preview import a.csv by title\" Enter")
    #expect(fixture.text.contains("2 records change, 2 new: import"), "\(fixture.text)")
    for line in ["2009", "→ 2010", "→ 2004", "title: Elio", "title: Luca"] {
      #expect(fixture.text.contains(line), "\(line): \(fixture.text)")
    }
    #expect(!script.session.context.hasChanges)
    try fixture.press("Space G Space Enter")
    #expect(!fixture.text.contains("before"), "\(fixture.text)")
    let found = try script.run(
      "list where title in (\"Up\", \"Elio\", \"Luca\", \"Finding Nemo\") sort title fields title,releaseYear"
    )
    #expect(found.output.split(separator: "\n").count == 4, "\(found.output)")
    try fixture.press("w")
    #expect(fixture.message.contains("1 inserted, 1 updated"), "\(fixture.text)")
  }

  @Test(arguments: ["json", "catlog"])
  func thePreviewFollowsWhatAnotherProgramSaves(ending: String) throws {
    let films = try SharedFilms(ending)
    try films.screen.press(": \"set where true releaseYear:=releaseYear + 1\" Enter j Space")
    #expect(films.screen.text.contains("→ 2010"), "\(films.screen.text)")
    try films.changeAndTell(["releaseYear": .integer(1999)])
    #expect(films.screen.text.contains("→ 2000"), "\(films.screen.text)")
    #expect(films.screen.text.contains("1 skipped"), "\(films.screen.text)")
    try films.screen.press("Enter w")
    #expect(try films.saved("releaseYear").first == "2000", "\(films.screen.text)")
  }

  /// Another program may save between the last look at its file and the key.
  @Test func whatIsOvertakenIsShownAgain() throws {
    let films = try SharedFilms("json")
    try films.screen.press(": \"set where true releaseYear:=releaseYear + 1\" Enter")
    try films.change(["releaseYear": .integer(1999)])
    try films.screen.press("Enter")
    #expect(films.screen.text.contains("→ 2000"), "\(films.screen.text)")
    #expect(!films.script.session.context.hasChanges)
    try films.screen.press("Enter")
    #expect(films.script.session.context.hasChanges)
  }

  @Test func aPreviewThatCannotBeMadeAgainCloses() throws {
    let films = try SharedFilms("json")
    try films.screen.type("set where releaseYear > 2000 releaseYear:=releaseYear + 1 expect 3")
    try films.changeAndTell(["releaseYear": .integer(1999)])
    #expect(films.screen.message == "expected 3 records, found 2", "\(films.screen.text)")
    #expect(!films.screen.text.contains("3 records change"), "\(films.screen.text)")
    try films.screen.press("Enter")
    #expect(!films.script.session.context.hasChanges)
  }

  @Test func linksChangeTogether() throws {
    let script = try ScriptFixture.withFilms()
    let found = try script.run("list Film where title = \"Up\" fields id").output
    let up = try #require(found.split(separator: "\n").last)
    try script.run("entity create Note film:link:Film text:text\nsave\ninsert Note film=\(up)")
    let fixture = ScreenFixture(script)
    try fixture.type("preview delete Film where title = \"Up\"")
    #expect(fixture.text.contains("1 record changes, 1 deleted: delete"), "\(fixture.text)")
    try fixture.press("Space")
    #expect(fixture.message.contains("no record can be skipped"), "\(fixture.text)")
    try fixture.press("Enter")
    #expect(try script.run("count Film\nlist Note fields film").output == "2\nfilm\n\n")
  }

  @Test func theLinesOfARecordAreTogether() throws {
    let fixture = try ScreenFixture.numbered(2)
    try fixture.type("set where true name:=upper(name) number:=number + 1")
    let fields = fixture.text.matches(of: #/\) +(number|name) /#).map(\.output.1)
    #expect(fields == ["name", "number", "name", "number"], "\(fixture.text)")
    try fixture.press("Space Space")
    #expect(fixture.text.contains("2 records change, 2 skipped"), "\(fixture.text)")
  }

  @Test func onlyVisibleLinesNeedTitles() throws {
    let fixture = try ScreenFixture.numbered(60)
    try fixture.press(": \"set where true number:=number + 1\" Enter")
    #expect(fixture.text.contains("(item 10)") && !fixture.text.contains("(item 40)"))
    try fixture.press("G")
    #expect(fixture.text.contains("s200 (item 60)"), "\(fixture.text)")
  }

  /// The difference of long texts is visible.
  @Test func aCommonBeginningIsCut() throws {
    let fixture = try ScreenFixture.numbered(2)
    let long = String(repeating: "long ", count: 20)
    _ = try fixture.script.run("set where true name=\"\(long)\"\nsave")
    try fixture.press(": \"set where true name:=concat(name, number)\" Enter")
    #expect(fixture.text.contains(/…\S* long·\s+→ …\S* long 2/), "\(fixture.text)")
  }

  @Test func aReadOnlyStoreShowsButKeepsNothing() throws {
    let fixture = try ScreenFixture.films(isReadOnly: true)
    try fixture.press(": \"preview set where true title=x\" Enter")
    #expect(fixture.text.contains("records change: set"), "\(fixture.text)")
    try fixture.press("Enter")
    #expect(fixture.message.contains("read-only"), "\(fixture.text)")
  }

  // MARK: Scripts

  @Test func aScriptPrintsWhatDryRunPrints() throws {
    let script = try ScreenFixture.numbered(3).script
    let lines = "set where number > 1 number:=10 // (number - 2)"
    let result = try script.run("preview \(lines) skip")
    #expect(
      result.output.normalized == """
        op\tentity\tid\tchange
        !\tItem\tID\tnumber: 10 // (number - 2): division by zero
        ~\tItem\tID\tnumber: 3 → 10

        """
    )
    #expect(result.errors.contains("1 record changes, 1 refused; nothing was changed"))
    #expect(
      try script.run("preview \(lines)").errors.contains("without \"skip\" the command fails")
    )
    #expect(!script.session.context.hasChanges)
    let change = "set where number = 3 number=10"
    let preview = try script.run("preview \(change)").output
    #expect(try script.run("\(change)\nchanges").output == preview)
  }

  @Test func aScriptTellsProgramsTheReason() throws {
    let fixture = try ScreenFixture.numbered(2)
    fixture.script.session.settings.format = .jsonl
    let result = try fixture.script.run("preview set where true number:=10 // (number - 2)")
    #expect(
      result.output.normalized == """
        {"op": "refuse", "entity": "Item", "id": "ID", "before": null, "after": null, "reason": "number: 10 // (number - 2): division by zero"}
        {"op": "update", "entity": "Item", "id": "ID", "before": {"number":1}, "after": {"number":-10}, "reason": null}

        """
    )
  }
}

extension ScreenFixture {
  /// Types a line after the colon, whatever is in it.
  fileprivate func type(_ line: String) throws {
    try press(":")
    for character in line { runner.handle(.key(.character(character))) }
    try press("Enter")
  }
}
