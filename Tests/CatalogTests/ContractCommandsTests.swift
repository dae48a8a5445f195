import Testing

/// Every command and clause of a script on the sample.
@Suite struct ContractCommandsTests {
  static let reading: [ContractCase] = [
    ContractCase("count", prints: "31\n"),
    ContractCase("count Film", prints: "31\n"),
    ContractCase("# nothing", "", "   ", "count # all of them", prints: "31\n"),
    ContractCase("list limit 1 fields title", prints: "title\nToy Story\n"),
    ContractCase("list Film offset 30 fields title", prints: "title\nToy Story 5\n"),
    ContractCase(
      "list sort -releaseYear,title limit 2 offset 1 fields title,releaseYear",
      prints: "title\treleaseYear\nToy Story 5\t2026\nElio\t2025\n"
    ),
    ContractCase(
      "LIST FIELDS title LIMIT 1 SORT boxOfficeMillions WHERE director = 'Brad Bird'",
      prints: "title\nRatatouille\n"
    ),
    ContractCase("list limit 0 fields title", prints: "title\n"),
    ContractCase(
      "stats releaseYear where releaseYear > 2024",
      prints: "statistic\tvalue\ncount\t3\nmissing\t0\ndistinct\t2\nmin\t2025\nmax\t2026\n"
        + "mean\t2025.666667\nsum\t6077\n"
    ),
    ContractCase(
      "freq director where releaseYear < 2002",
      prints: "value\tcount\nJohn Lasseter\t3\nPete Docter\t1\n"
    ),
    ContractCase(
      "entities",
      prints: "name\trecords\tfields\nFilm\t31\ttitle, releaseYear, releaseDate, director, "
        + "runningTimeMinutes, boxOfficeMillions, favourite\n"
    ),
    ContractCase("check", prints: "ok\n"),
    ContractCase("quit", "nonsense", prints: ""),
    ContractCase("list limit x", fails: "limit: \"x\" is not a whole number of 0 or more"),
    ContractCase("list fields title,titel", fails: "did you mean \"title\"?"),
    ContractCase("list frob", fails: "unknown entity \"frob\""),
    ContractCase("list sort", fails: "missing field after \"sort\""),
    ContractCase("count Film frob", fails: "frob"),
    ContractCase("stats", fails: "missing field name"),
    ContractCase("freq nothing", fails: "Film has no field \"nothing\""),
    ContractCase("help nothing", fails: "nothing"),
    ContractCase("show", fails: "missing"),
  ]

  @Test(arguments: reading)
  func readingPrintsWhatTheContractSays(test: ContractCase) throws { try test.check() }

  static let changing: [ContractCase] = [
    ContractCase(
      "insert title=A",
      "insert Film title=\"B c\" releaseYear=2001",
      "save",
      prints: "t1\nt2\nsaved: 2 inserted, 0 updated, 0 deleted\nt1 -> ID\nt2 -> ID\n"
    ),
    ContractCase(
      "insert title=A releaseYear=3",
      "set t1 title=B director=\"\" releaseYear=",
      "list where title = 'B' fields id,title,director,releaseYear",
      prints: "t1\nid\ttitle\tdirector\treleaseYear\nt1\tB\t\t\n"
    ),
    ContractCase(
      "set where releaseYear > 2024 director=\"New\"",
      "count where director = 'New'",
      "undo",
      "count where director = 'New'",
      "redo",
      "count where director = 'New'",
      "rollback",
      "count where director = 'New'",
      prints: "3\n0\n3\n0\n"
    ),
    ContractCase(
      "delete Film where releaseYear < 2000",
      "count",
      "save",
      "undo",
      "save",
      "count",
      prints: "28\nsaved: 0 inserted, 0 updated, 3 deleted\n"
        + "saved: 3 inserted, 0 updated, 0 deleted\n31\n"
    ),
    ContractCase(
      "insert title=A",
      "insert title=B",
      "delete t1 t2",
      "status",
      prints: "t1\nt2\nstore: memory\nFilm: 31\nunsaved: 0\ninserted: 0\nupdated: 0\ndeleted: 0\n"
    ),
    ContractCase(
      "insert title=A",
      "save",
      "set t1 title=B",
      "save",
      "revert t1 to 2",
      "list where title = 'A' fields id,title",
      prints: "t1\nsaved: 1 inserted, 0 updated, 0 deleted\nt1 -> ID\n"
        + "saved: 0 inserted, 1 updated, 0 deleted\nid\ttitle\nID\tA\n"
    ),
    ContractCase("save", prints: "saved: 0 inserted, 0 updated, 0 deleted\n"),
    ContractCase("insert title=A title=B", fails: "duplicate field \"title\""),
    ContractCase("insert title", fails: "title"),
    ContractCase(
      "set title=A",
      fails: "which record? use \"set ID title=A\" or \"set where P title=A\""
    ),
    ContractCase("set where true", fails: "missing FIELD=VALUE"),
    ContractCase("set where true favourite=maybe", fails: "favourite: \"maybe\""),
    ContractCase("set where true boxOfficeMillions=1e", fails: "boxOfficeMillions: \"1e\""),
    ContractCase("set where true title", fails: "title"),
    ContractCase("delete", fails: "missing record ID or \"where\""),
    ContractCase("delete abc", fails: "record \"abc\" not found"),
    ContractCase("revert t1", fails: "record \"t1\" not found"),
    ContractCase(
      "insert title=A",
      "save",
      "revert t1 to x",
      fails: "unknown transaction \"x\"",
      after: "t1\nsaved: 1 inserted, 0 updated, 0 deleted\nt1 -> ID\n"
    ),
    ContractCase(
      "save now",
      fails: "unexpected \"now\"; to copy the store, use \"saveas now\""
    ),
    ContractCase("insert title='a", fails: "unclosed"),
    ContractCase(#"insert title="\q""#, fails: "invalid escape"),
    ContractCase("import", fails: "missing file name"),
    ContractCase("import a.doc", fails: "use a name ending in .csv, .tsv, .json or .jsonl"),
    ContractCase("export a.doc", fails: ".json, .jsonl, .md, .html or .sql"),
    ContractCase("export .", fails: "unknown format"),
    ContractCase("export nowhere/a.csv", fails: "nowhere"),
    ContractCase("saveas", fails: "missing"),
    ContractCase("saveas nowhere/a.catlog", fails: "nowhere"),
  ]

  @Test(arguments: changing)
  func changingDoesWhatTheContractSays(test: ContractCase) throws { try test.check() }

  static let schemas: [ContractCase] = [
    ContractCase(
      "entity create Book title:text! pages:integer=3 read:boolean",
      "schema Book",
      "insert Book title=X",
      "list Book",
      prints: "field\ttype\trequired\tunique\tdefault\ntitle\ttext\ttrue\tfalse\t\n"
        + "pages\tinteger\tfalse\tfalse\t3\nread\tboolean\tfalse\tfalse\t\n"
        + "t1\nid\ttitle\tpages\tread\nt1\tX\t3\t\n"
    ),
    ContractCase(
      "field add Film note:text=new",
      "field rename Film note remark",
      "list limit 1 fields id,remark",
      "field drop Film remark",
      "list limit 1 fields id,remark",
      fails: "Film has no field \"remark\"",
      after: "id\tremark\nID\tnew\n"
    ),
    ContractCase("entity create Film a:text", fails: "Film"),
    ContractCase("entity create Book a:string", fails: "string"),
    ContractCase("entity create Book a:text a:text", fails: "a"),
    ContractCase("entity create Book a:integer=x", fails: "default"),
    ContractCase("entity create Book b:link:Author", fails: "Author"),
    ContractCase("entity create", fails: "missing"),
    ContractCase("field drop Film nothing", fails: "nothing"),
    ContractCase("field frob", fails: "field"),
  ]

  @Test(arguments: schemas)
  func schemasChangeAsTheContractSays(test: ContractCase) throws { try test.check() }

  @Test func anIdentifierMayBeAUniqueBeginningOfFourCharacters() throws {
    let folder = try TemporaryFolder()
    let listed = try folder.run(
      ["a.json", "--sample"],
      input: "save\nlist where title = 'Up' fields id,title\n"
    )
    let identifier = String(
      listed.output.split(separator: "\n").last?.split(separator: "\t").first ?? ""
    )
    #expect(identifier.count == 16)
    for length in [4, 8, 16] {
      let run = try folder.run(["a.json", "-e", "show \(identifier.prefix(length))"])
      #expect(run.status == 0 && run.output.contains("title\tUp\n"), "\(run.errors)")
    }
    let short = try folder.run(["a.json", "-e", "show \(identifier.prefix(3))"])
    #expect(short.errors.contains("too short"), "\(short.errors)")
    #expect(short.status == 1)
  }

  @Test func anAmbiguousBeginningNamesWhatItCouldBe() throws {
    let folder = try TemporaryFolder()
    #expect(try folder.run(["a.json", "--sample", "-e", "save"]).status == 0)
    var number = 0
    let text = try folder.read("a.json").replacing(/"id": "[0-9a-z]{16}"/) { _ in
      number += 1
      return "\"id\": \"abcd00000000\(1000 + number)\""
    }
    #expect(number == 31)
    try folder.write(text, to: "a.json")
    let run = try folder.run([
      "a.json", "-e", "delete abcd000000001001 abcd00000000102", "-e", "count",
    ])
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(
      run.errors == "catalog: 1: identifier \"abcd00000000102\" is ambiguous (abcd000000001020, "
        + "abcd000000001021, abcd000000001022, …); give more characters\n"
    )
    #expect(
      try folder.run(["a.json", "-e", "set abcd000000001020 title=z", "-e", "save"]).status == 0
    )
    #expect(try folder.read("a.json").contains("\"title\": \"z\""))
  }

  @Test func aSaveThatIsRefusedIsStatus5AndNamesTheField() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["a.json", "--sample", "-e", "insert releaseYear=2000", "-e", "save", "-e", "count"]
    )
    #expect(run.status == 5)
    #expect(run.output == "t32\n")
    #expect(run.errors.hasPrefix("catalog: 2: not saved: "), "\(run.errors)")
    #expect(run.errors.contains("title"), "\(run.errors)")
    #expect(try folder.names() == [])
  }

  @Test func historyNamesTokenTimeAuthorAndChange() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["a.catlog", "--sample"],
      input: "save\nset where title = 'Up' releaseYear=1\nsave\nhistory\n",
      environment: ["USER": "ann"]
    )
    let last = run.output.split(separator: "\n").last?.split(separator: "\t") ?? []
    #expect(last.count == 4 && last[0] == "2" && last[2] == "ann", "\(run.output)")
    #expect(last[1].wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
    #expect(withoutIdentifiers(String(last[3])) == "~ ID releaseYear: 2009 → 1")
  }

  @Test func saveasMovesEverythingToAnotherKindOfStore() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["--store", "memory", "--sample"],
      input: "saveas log:a.catlog\nsaveas a.json\n"
    )
    #expect(run.status == 0, "\(run.errors)")
    let lists = try ["a.catlog", "a.json", "memory:"].map {
      withoutIdentifiers(
        try folder.run([$0] + ($0 == "memory:" ? ["--sample"] : []) + ["-e", "list"]).output
      )
    }
    #expect(lists[0] == lists[2])
    #expect(lists[1] == lists[2])
    let again = try folder.run(["a.json", "-e", "saveas a.catlog"])
    #expect(again.status == 1)
    #expect(again.errors.contains("a.catlog"), "\(again.errors)")
  }

  @Test func importMakesAnEntityWithTheTypesOfTheColumns() throws {
    let folder = try TemporaryFolder()
    try folder.write("name,age,born\nAnn,3,2001-02-03\nBob,,\n", to: "people.csv")
    try folder.write("name,age\nEve,4\nMal,old\n", to: "bad.csv")
    let run = try folder.run(
      ["memory:"],
      input: """
        import people.csv
        save
        schema people
        list people where age is null fields id,name
        import bad.csv into people

        """
    )
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("catalog: 5: bad.csv:3:5: age: \"old\""), "\(run.errors)")
    #expect(
      withoutIdentifiers(run.output) == """
        imported 2 records into people
        saved: 2 inserted, 0 updated, 0 deleted
        field\ttype\trequired\tunique\tdefault
        name\ttext\tfalse\tfalse\t
        age\tinteger\tfalse\tfalse\t
        born\tdate\tfalse\tfalse\t
        id\tname
        ID\tBob

        """
    )
  }

  @Test func everyCommandIsInTheHelpAndExplained() throws {
    let folder = try TemporaryFolder()
    let names = [
      "list", "count", "show", "insert", "set", "delete", "save", "rollback", "undo", "redo",
      "recover", "status", "history", "revert", "stats", "freq", "import", "export", "saveas",
      "entities",
      "schema", "entity create", "field add", "field rename", "field drop", "compact", "check",
      "help", "quit",
    ]
    let all = try folder.run(["--store", "memory", "-e", "help"])
    for name in names { #expect(all.output.contains(name), "\(name)") }
    let each = try folder.run(
      ["--store", "memory"],
      input: names.map { "help \($0)\n" }.joined()
    )
    #expect(each.status == 0, "\(each.errors)")
  }
}
