import CatalogApp
import DataStoreTesting
import OpenSwiftData
import Testing

/// Bad input is answered with one line that says what is wrong, where, and what to do, and changes
/// nothing.
@Suite struct CommandErrorTests {
  static let lines: [(script: String, message: String)] = [
    ("frobnicate", "unknown command \"frobnicate\"; run \"help\" for a list"),
    ("round", "unknown command \"round\"; it is a function; \"help round\" explains it"),
    ("describe", "unknown command \"describe\"; did you mean \"stats\"?"),
    ("cuont", "unknown command \"cuont\"; did you mean \"count\"?"),
    ("help cuont", "unknown command \"cuont\"; did you mean \"count\"?"),
    ("field", "field: expected add or drop or rename"),
    ("entity make X", "entity: expected create"),
    ("list Flim", "unknown entity \"Flim\"; available: Film"),
    ("list sort titel", "Film has no field \"titel\"; did you mean \"title\"?"),
    ("list fields title,", "invalid field list \"title,\"; use A,B,C"),
    ("list limit -3", "limit: \"-3\" is not a whole number of 0 or more"),
    ("theme dark", "\"theme\" works only on the screen: only the screen has colors"),
    ("list limit", "missing number after \"limit\""),
    ("list where", "missing predicate after \"where\""),
    ("list order title", "unknown entity \"order\"; available: Film"),
    (
      "list Film order title",
      "expected where, join, by, having, sort, limit, per, offset, sample, fields, distinct, missing or "
        + "skip, found \"order\""
    ),
    ("count Film title", "unexpected \"title\" after the command"),
    ("count where titel = 3", "column 13: Film has no field \"titel\"; did you mean \"title\"?"),
    ("count where releaseYear >", "column 26: expected a field or a value, found the end"),
    ("count where title = \"x", "column 21: unclosed \""),
    ("insert titel=Up", "Film has no field \"titel\"; did you mean \"title\"?"),
    ("insert releaseYear=abc", "releaseYear: \"abc\" is not a whole number"),
    ("insert releaseYear=\"\"", "releaseYear: \"\" is not a whole number"),
    (
      "insert released=2009-02-30",
      "released: \"2009-02-30\" is not a date: February 2009 has 28 days"
    ),
    ("insert seen=maybe", "seen: \"maybe\" is neither true nor false"),
    ("insert title=a title=b", "duplicate field \"title\""),
    ("insert title=a director", "expected FIELD=VALUE, found \"director\""),
    ("set", "missing record ID or \"where\""),
    ("set t1", "missing FIELD=VALUE"),
    (
      "set title=x where releaseYear = 2009",
      "write the predicate before the values: set where releaseYear = 2009 title=x"
    ),
    ("set where title != \"~\"", "missing FIELD=VALUE"),
    ("set nobody title=x", "record \"nobody\" not found"),
    ("show zzzz", "record \"zzzz\" not found"),
    ("show t1 t2", "unexpected \"t2\" after the command"),
    ("delete", "missing record ID or \"where\""),
    ("delete where title = title true", "unexpected \"true\""),
    ("undo\nundo\nundo\nundo", "nothing to undo"),
    ("redo", "nothing to redo"),
    ("stats", "missing field name"),
    ("stats titel", "Film has no field \"titel\"; did you mean \"title\"?"),
    ("freq title title", "unexpected \"title\" after the command"),
    ("import", "missing file name"),
    ("import none.csv", "cannot open none.csv: no such file"),
    (
      "import none.xls",
      "\"none.xls\": unknown format; use a name ending in .csv, .tsv, .json or .jsonl"
    ),
    ("import none.csv in Film", "unexpected \"in\" after the command"),
    (
      "export films",
      "\"films\": unknown format; use a name ending in .csv, .tsv, .json, .jsonl, .md, .html or .sql"
    ),
    ("export /full/films.csv", "cannot write /full/films.csv: no space left on device"),
    ("revert t1", "usage: revert ID to TOKEN"),
    ("revert t1 to 9", "unknown transaction \"9\"; run \"history\" to list them"),
    ("revert t1 to x", "unknown transaction \"x\"; run \"history\" to list them"),
    ("entity create", "missing entity name"),
    ("entity create Film a:text", "entity \"Film\" already exists"),
    ("entity create Studio", "missing field; give at least one FIELD:TYPE"),
    ("entity create Studio name", "\"name\" is not a field definition; use FIELD:TYPE"),
    ("entity create Studio name:txt", "name: unknown type \"txt\"; did you mean \"text\"?"),
    ("entity create Studio year:integer=x", "year: invalid default: \"x\" is not a whole number"),
    (
      "entity create Studio owner:link:Person",
      "Studio.owner: unknown entity \"Person\""
    ),
    (
      "field add size:integer!",
      "required field \"size\" needs a default for existing records"
    ),
    ("field drop sizes", "Film has no field \"sizes\"; available: title"),
    (
      "delete t1\nset t1 title=x",
      "is deleted (not saved yet); use \"undo\" to restore it"
    ),
    ("quit now", "unexpected \"now\" after the command"),
  ]

  // Covers I04, J02.
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

  /// A word is compared with names only if it is short enough for a typing error.
  ///
  /// Covers I03.
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

  // Covers I03.
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
    #expect(short.errors.contains("is too short; give at least 4 characters"))
    // It does not matter whether a record happens to begin like this.
    let other = try fixture.run("show ~z")
    #expect(
      other.errors
        == "1: record \"~z\" not found: the identifier is too short; give at least 4 characters\n"
    )
    #expect(try fixture.run("show 99").errors == "1: record \"99\" not found\n")
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
    #expect(result.errors.contains("is ambiguous"))
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
        == "1: no entities yet; create one with \"entity create NAME FIELD:TYPE …\" "
        + "or \"import FILE into NAME\"\n"
    )
    #expect(try fixture.run("entities").output == "name\trecords\tfields\n")
  }

  @Test func oneOfSeveralEntitiesMustBeNamed() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked)
    #expect(
      try fixture.run("count").errors
        == "1: which entity? give one of Studio, Film, or start with --entity NAME\n"
    )
    #expect(try fixture.run("schema").output.hasPrefix("entity\tfield\ttype"))
    #expect(
      try ScriptFixture(ScriptFixture.linked, entityName: "Film").run("count").output == "0\n"
    )
  }

  // Covers J06.
  @Test func aFailedSaveIsStatus5AndKeepsTheChanges() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run("insert director=Nobody\nsave\ncount")
    #expect(result.status == 5)
    #expect(result.errors.hasPrefix("2: not saved: "), "\(result)")
    #expect(result.output == "t4\n")
    #expect(fixture.session.store.unsavedCounts.inserted == 1)
  }

  @Test func compactingAStoreThatCannotIsRefused() throws {
    let fixture = try ScriptFixture(
      store: ReferenceStoreConfiguration(schema: Schema(ScriptFixture.film))
    )
    let result = try fixture.run("compact")
    #expect(result.status == 1)
    #expect(result.errors.contains("store films does not support compaction"), "\(result)")
  }
}
