import CatalogApp
import DataStoreTesting
import OpenSwiftData
import Testing

/// Bad input is one line that says what, where and what to do, and changes nothing.
@Suite struct CommandErrorTests {
  static let lines: [(script: String, message: String)] = [
    ("frobnicate", "there is no command \"frobnicate\"; \"help\" lists them all"),
    ("cuont", "there is no command \"cuont\"; did you mean \"count\"?"),
    ("help cuont", "there is no command \"cuont\"; did you mean \"count\"?"),
    ("field", "after \"field\" stands add or drop or rename"),
    ("entity make X", "after \"entity\" stands create"),
    ("list Flim", "there is no entity \"Flim\"; there is Film"),
    ("list sort titel", "Film has no field \"titel\"; did you mean \"title\"?"),
    ("list fields title,", "\"title,\" is no list of fields; write it as A,B,C"),
    ("list limit -3", "limit takes a whole number from 0 on; \"-3\" is none"),
    ("list limit", "the number after limit is missing"),
    ("list where", "the predicate after \"where\" is missing"),
    ("list order title", "there is no entity \"order\"; there is Film"),
    ("list Film order title", "expected where, sort, limit, offset or fields instead of \"order\""),
    ("count Film title", "\"title\" is one word too many"),
    ("count where titel = 3", "column 13: Film has no field \"titel\"; did you mean \"title\"?"),
    ("count where releaseYear >", "column 26: expected a field or a value instead of the end"),
    ("count where title = \"x", "column 21: the quote \" is not closed"),
    ("insert titel=Up", "Film has no field \"titel\"; did you mean \"title\"?"),
    ("insert releaseYear=abc", "releaseYear: \"abc\" is not a whole number"),
    ("insert releaseYear=\"\"", "releaseYear: \"\" is not a whole number"),
    (
      "insert released=2009-02-30",
      "released: \"2009-02-30\" is not a date: February 2009 has 28 days"
    ),
    ("insert seen=maybe", "seen: \"maybe\" is neither true nor false"),
    ("insert title=a title=b", "the field \"title\" is given twice"),
    ("insert title=a director", "expected FIELD=VALUE instead of \"director\""),
    ("set", "the record's identifier or \"where\" is missing"),
    ("set t1", "FIELD=VALUE is missing"),
    ("set where title != \"~\"", "FIELD=VALUE is missing"),
    ("set nobody title=x", "there is no record \"nobody\""),
    ("show zzzz", "there is no record \"zzzz\""),
    ("show t1 t2", "\"t2\" is one word too many"),
    ("delete", "the record's identifier or \"where\" is missing"),
    ("delete where title = title true", "\"true\" is"),
    ("undo\nundo\nundo\nundo", "there is nothing to take back"),
    ("redo", "there is nothing to do again"),
    ("stats", "the field is missing"),
    ("stats titel", "Film has no field \"titel\"; did you mean \"title\"?"),
    ("freq title title", "\"title\" is one word too many"),
    ("import", "the file is missing"),
    ("import none.csv", "cannot open none.csv: no such file"),
    (
      "import none.xls",
      "\"none.xls\" does not say its format; it must end in .csv, .tsv, .json or .jsonl"
    ),
    ("import none.csv in Film", "\"in\" is one word too many"),
    (
      "export films", "\"films\" does not say its format; let it end in .csv, .tsv, .json or .jsonl"
    ),
    ("export /full/films.csv", "cannot write /full/films.csv: no space left on device"),
    ("revert t1", "expected: revert ID to TOKEN"),
    ("revert t1 to 9", "there is no transaction \"9\"; \"history\" lists them"),
    ("revert t1 to x", "there is no transaction \"x\"; \"history\" lists them"),
    ("entity create", "the name of the entity is missing"),
    ("entity create Film a:text", "there is an entity \"Film\" already"),
    ("entity create Studio", "an entity needs a field; write it as FIELD:TYPE"),
    ("entity create Studio name", "\"name\" is no field; write it as FIELD:TYPE"),
    ("entity create Studio name:txt", "name: \"txt\" is no type of field; did you mean \"text\"?"),
    ("entity create Studio year:integer=x", "the default of year: \"x\" is not a whole number"),
    (
      "entity create Studio owner:link:Person",
      "Studio.owner links to \"Person\", which is no entity of the schema"
    ),
    (
      "field add size:integer!",
      "the new field \"size\" is required, so it needs a default for the records there are"
    ),
    ("field drop sizes", "Film has no field \"sizes\"; there is title"),
    (
      "delete t1\nset t1 title=x",
      "is deleted, though not saved yet; \"undo\" or \"rollback\" brings it back"
    ),
    ("quit now", "\"now\" is one word too many"),
  ]

  @Test(arguments: lines.indices)
  func badInputIsOneLineOfStatus1(index: Int) throws {
    let (script, message) = Self.lines[index]
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run(script + "\ninsert title=Never")
    let number = script.split(separator: "\n").count
    #expect(result.errors.hasPrefix("\(number): "), "\(result)")
    #expect(result.errors.contains(message), "\(result)")
    #expect(result.errors.filter { $0 == "\n" }.count == 1)
    #expect(result.status == 1)
    #expect(try fixture.run("count where title = 'Never'").output == "0\n")
  }

  static let longWords: [(before: String, after: String)] = [
    ("", ""), ("help ", ""), ("list ", ""), ("list sort ", ""), ("list fields ", ""),
    ("count where ", " = 1"), ("count where `", "` = 1"), ("insert ", "=1"), ("stats ", ""),
    ("show ", ""), ("field drop ", ""), ("entity create E a:", ""), ("list limit ", ""),
    ("count Film ", ""), ("delete where seen = true ", ""), ("set t1 seen=", ""),
  ]

  /// A word is compared with names only while it can be a slip of the finger.
  @Test(arguments: longWords.indices)
  func aLongWordIsAnsweredAtOnceAndBriefly(index: Int) throws {
    let fixture = try ScriptFixture.withFilms()
    let word = String(repeating: "titel", count: 60_000)
    let (before, after) = Self.longWords[index]
    let start = ContinuousClock.now
    let result = try fixture.run(before + word + after)
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(result.status == 1)
    #expect(result.errors.contains("…\""), "\(result.errors.prefix(300))")
    #expect(result.errors.utf8.count < 700, "\(result.errors.prefix(1000))")
  }

  @Test func namesOfAnyLengthMakeNoLongMessage() throws {
    let attributes = (0..<100).map {
      Schema.Attribute("\($0)" + String(repeating: "n", count: 250), .text)
    }
    let fixture = try ScriptFixture(Schema(Schema.Entity("E", attributes: attributes)))
    let result = try fixture.run("list sort x")
    #expect(result.errors.hasSuffix("…, …\n"), "\(result.errors)")
    #expect(result.errors.utf8.count < 1200)
  }

  @Test func aTooShortOrAmbiguousIdentifierIsRefused() throws {
    let fixture = try ScriptFixture.withFilms()
    let identifier = try fixture.run("list limit 1 fields id").output.split(separator: "\n")[1]
      .prefix(16)
    #expect(try fixture.run("show \(identifier.prefix(8))").status == 0)
    let short = try fixture.run("show \(identifier.prefix(2))")
    #expect(short.errors.contains("is too short to name a record; give at least four characters"))
  }

  @Test func anAmbiguousBeginningNamesTheCandidates() throws {
    let fixture = try ScriptFixture()
    for number in 0..<2000 { try fixture.run("insert title=\(number)") }
    try fixture.run("save")
    let names = try fixture.session.context.fetchIdentifiers(matching: Query("Film")).map(
      \.description
    )
    let counts = Dictionary(grouping: names) { $0.prefix(4) }
    guard let pair = counts.first(where: { $0.value.count > 1 }) else { return }
    let result = try fixture.run("show \(pair.key)")
    #expect(result.errors.contains("names more than one record"))
    #expect(try fixture.run("show \(pair.value[0])").status == 0)
  }

  @Test(arguments: [
    "insert title=x", "set t1 title=x", "delete t1", "save", "import a.csv",
    "entity create A b:text",
    "field drop title", "compact", "export a.csv", "saveas other", "rollback", "undo", "recover",
  ])
  func nothingIsWrittenWithReadOnly(line: String) throws {
    let fixture = try ScriptFixture(isReadOnly: true)
    let result = try fixture.run(line)
    #expect(result.status == 1)
    #expect(result.errors.contains("--read-only"))
    #expect(fixture.services.files.isEmpty && fixture.services.stores.isEmpty)
  }

  @Test func anEmptyStoreSaysHowToBegin() throws {
    let fixture = try ScriptFixture(Schema())
    #expect(
      try fixture.run("list").errors
        == "1: the store has no entity yet; make one with: entity create NAME FIELD:TYPE …\n"
    )
    #expect(try fixture.run("entities").output == "name\trecords\tfields\n")
  }

  @Test func oneOfSeveralEntitiesMustBeNamed() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked)
    #expect(
      try fixture.run("count").errors
        == "1: name one of the entities Studio, Film, or start with --entity\n"
    )
    #expect(try fixture.run("schema").output.hasPrefix("entity\tfield\ttype"))
    #expect(
      try ScriptFixture(ScriptFixture.linked, entityName: "Film").run("count").output == "0\n"
    )
  }

  @Test func aFailedSaveIsStatus5AndKeepsTheChanges() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run("insert director=Nobody\nsave\ncount")
    #expect(result.status == 5)
    #expect(result.errors.hasPrefix("2: not saved: "), "\(result)")
    #expect(result.output == "t4\n")
    #expect(fixture.session.unsavedCounts.inserted == 1)
  }

  @Test func compactingAStoreThatCannotIsRefused() throws {
    let fixture = try ScriptFixture(
      store: ReferenceStoreConfiguration(schema: Schema(ScriptFixture.film))
    )
    let result = try fixture.run("compact")
    #expect(result.status == 1)
    #expect(result.errors.contains("the store films has nothing to compact"), "\(result)")
  }
}
