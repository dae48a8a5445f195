import Foundation
import Testing

/// Standard input as data, parameters, rehearsals and saving at the end, with the real program.
@Suite struct InputDataTests {
  private static let sample = ["memory:", "--sample"]

  @Test(arguments: [
    ("title,releaseYear\nA,1\n", []), ("title\treleaseYear\nA\t1\n", []),
    ("[{\"title\": \"A\", \"releaseYear\": 1}]", []),
    ("{\"title\": \"A\", \"releaseYear\": 1}\n", []),
    ("{\"Film\": [{\"title\": \"A\", \"releaseYear\": 1}]}", []),
    ("title\nA\n", ["--format", "tsv"]), ("\u{FEFF}title,releaseYear\r\nA,1\r\n", []),
  ])
  func recordsAreReadInAnyFormat(data: String, options: [String]) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      Self.sample + options + ["-e", "import - by title", "-e", "count where title = 'A'"],
      input: data
    )
    #expect(
      run.output == "imported: 1 inserted, 0 updated, 0 unchanged, 0 deleted\n1\n",
      "\(run.errors)"
    )
  }

  /// The beginning of a key that people chose is the key of another record.
  @Test func aKeyOfAnotherProgramIsNotShortened() throws {
    let folder = try TemporaryFolder()
    try folder.database(
      "shop.db",
      "CREATE TABLE cust (code TEXT PRIMARY KEY, n TEXT)",
      "CREATE TABLE part (no INTEGER PRIMARY KEY, n TEXT)",
      "CREATE TABLE ord (no INTEGER PRIMARY KEY, cust TEXT REFERENCES cust)",
      "INSERT INTO cust VALUES ('WIDGET-20', 'Ann')",
      "INSERT INTO part VALUES (12345, 'x')",
      "INSERT INTO ord VALUES (1, 'WIDGET-20')"
    )
    try folder.write("no,cust\n2,WIDGET-2\n", to: "ord.csv")
    for command in [
      "show WIDGET-2", "delete 1234", "set 1234 n=y", "import ord.csv into ord by no",
      "delete ord where cust = \"WIDGET-2\" expect 1", "insert ord no=3 cust=WIDGET-2",
    ] {
      let run = try folder.run(["shop.db", "-e", command, "-e", "save"])
      #expect(run.status == 1 && run.output.isEmpty, "\(command): \(run)")
    }
    let run = try folder.run(["shop.db", "-e", "delete - expect 1", "-e", "save"], input: "1234\n")
    #expect(run.status == 1 && run.errors.contains("\"1234\" not found"), "\(run)")
    let whole = try folder.run(["shop.db", "-e", "show WIDGET-20", "-e", "show part/12345"])
    #expect(whole.status == 0, "\(whole)")
  }

  @Test func identifiersAreReadFromPipes() throws {
    let folder = try TemporaryFolder()
    let run = try folder.inShell(
      """
      "$catalog" a.json --sample -e save >/dev/null
      "$catalog" a.json -e 'list where releaseYear < 2000 fields id' >ids
      "$catalog" a.json -e 'set - director=X expect 3' -e 'count where director = "X"' -e quit! <ids
      "$catalog" a.json --format csv -e 'show -' <ids | wc -l
      tail -n 1 ids | "$catalog" a.json --format json -e 'show -' | head -n 1
      mkfifo pipe; cat ids >pipe &
      "$catalog" a.json -e 'delete -' -e save <pipe
      printf 'title\\nB\\n' >pipe &
      "$catalog" a.json -e 'import pipe' -e quit!
      printf 'title\\nC\\n' | "$catalog" a.json -e 'import /dev/stdin' -e quit!
      """
    )
    #expect(
      run.output == "3\n4\n[\nsaved: 0 inserted, 0 updated, 3 deleted\n"
        + "imported 1 record into Film\nimported 1 record into Film\n",
      "\(run.errors)"
    )
  }

  @Test(arguments: [
    (
      ["-e", "delete -"], "id\nabcdabcdabcdabcd\n", "1: -:2: record \"abcdabcdabcdabcd\" not found"
    ),
    (["-e", "import -"], "", "1: -:1: empty file; the first line must name the fields"),
    (
      ["-e", "import - by title", "-e", "import - by title"], "title\nA\n",
      "2: -: standard input was already read"
    ), ([], "import -\n", "1: -: standard input is the script; use -e or --script FILE"),
    (["--script", "-"], "delete -\n", "1: -: standard input is the script"),
    (["-e", "import - by title"], "title\nA\n\"B", "1: -:3:1: unclosed quote"),
  ])
  func wrongInputIsOneLine(commands: [String], input: String, message: String) throws {
    let run = try TemporaryFolder().run(Self.sample + commands, input: input)
    #expect(run.errors.hasPrefix("catalog: \(message)"), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").filter { !$0.contains("discarded") }.count == 1)
    #expect(run.status == 1)
  }

  /// Formerly `--format` decided about the input, whatever it was.
  @Test(arguments: [
    ("title,director\nUp,X\n", "json"), ("title,director\nUp,X\n", "jsonl"),
    ("title\tdirector\nUp\tX\n", "json"), ("title\tdirector\nUp\tX\n", "csv"),
    ("[{\"title\": \"Up\",\n\"director\": \"X\"}]\n", "csv"),
    ("[{\"title\": \"Up\", \"director\": \"X\"}]", "jsonl"),
    ("{\"title\": \"Up\", \"director\": \"X\"}\n", "json"),
    ("{\"title\": \"Up\", \"director\": \"X\"}\n", "tsv"),
  ])
  func aFormatForTheOutputDoesNotSpoilTheInput(input: String, format: String) throws {
    let folder = try TemporaryFolder()
    let each = try folder.run(
      Self.sample + ["--format", format, "-e", "each - count where title = $title"],
      input: input
    )
    #expect(each.status == 0 && each.errors == "", "\(each)")
    let keyed = try folder.run(
      Self.sample + [
        "--format", format, "-e", "import - by title", "-e", "count where director = 'X'",
      ],
      input: input
    )
    #expect(
      keyed.output == "imported: 0 inserted, 1 updated, 0 unchanged, 0 deleted\n1\n",
      "\(keyed)"
    )
  }

  @Test(arguments: [
    ("{title},director\nUp,X\n", "csv", "no field \"{title}\""),
    ("<html>,b\n", "json", "expected"), ("", "json", "expected"),
  ])
  func theNamedFormatDecidesOtherwise(input: String, format: String, message: String) throws {
    let run = try TemporaryFolder().run(
      Self.sample + ["--format", format, "-e", "import -"],
      input: input
    )
    #expect(run.status == 1 && run.errors.contains(message), "\(run)")
  }

  @Test(arguments: ["", "id\n", "_id\n\n"], [["memory:", "--sample"], ["two.catlog"]])
  func inputWithoutIdentifiersIsNoRecords(input: String, store: [String]) throws {
    let folder = try TemporaryFolder()
    _ = try folder.run([
      "two.catlog", "-e", "entity create A n:integer", "-e", "entity create B n:integer", "-e",
      "save",
    ])
    let options = ["--answers", "jsonl", "-e"]
    for (command, answer) in [
      ("delete - expect 0", "\"count\":0"), ("set - n=1 title=X expect 0", "\"count\":0"),
      ("set - {\"n\": 1}", "\"count\":0"), ("show -", "\"records\":[]"),
    ] {
      let run = try folder.run(store + options + [command], input: input)
      #expect(run.status == 0 && run.errors == "" && run.output.contains(answer), "\(run)")
    }
    let json = try folder.run(store + ["--format", "json", "-e", "show -"], input: input)
    #expect(json.output == "[]\n" && json.status == 0, "\(json)")
    let tsv = try folder.run(store + ["-e", "delete -", "-e", "status"], input: input)
    #expect(tsv.status == 0 && tsv.output.contains("unsaved: 0"), "\(tsv)")
    let expected = try folder.run(store + options + ["delete - expect >0"], input: input)
    #expect(expected.status == 1 && expected.output.contains("expectation-failed"), "\(expected)")
  }

  @Test func parametersComeFromArgumentsAndTheEnvironment() throws {
    let run = try TemporaryFolder().run(
      [
        "--arg", "a", "-x \"; delete where true", "memory:", "--args-env", "FILM", "--sample",
        "--arg",
        "empty", "", "-e", "insert title=$a director=$FILM releaseYear=$empty",
        "-e", "list where title = $a fields title,director,releaseYear", "-e", "quit!",
      ],
      environment: ["FILM": "é 'n\n$a"]
    )
    #expect(
      run.output == "t1\ntitle\tdirector\treleaseYear\n-x \"; delete where true\té 'n\\n$a\t\n",
      "\(run.errors)"
    )
  }

  @Test(arguments: [
    (["--arg", "a"], "option --arg needs a name and a value"),
    (["--arg", "a b", "x"], "--arg: invalid name \"a b\"; use letters, digits and _"),
    (["--arg", "a", "1", "--arg", "a", "2"], "--arg: duplicate parameter \"a\""),
    (["--args-env", "NONE_OF_US"], "--args-env: environment variable NONE_OF_US is not set"),
    (["--answers", "xml"], "unknown format of answers \"xml\"; available: jsonl"),
    (["--atomic", "--dry-run"], "--atomic cannot be combined with --dry-run"),
    (["--dry-run", "--plain"], "--answers, --atomic and --dry-run are for scripts"),
  ])
  func wrongOptionsAreWrongUsage(options: [String], message: String) throws {
    let run = try TemporaryFolder().run(["memory:", "-e", "count"] + options)
    #expect(run.errors.hasPrefix("catalog: \(message)"), "\(run.errors)")
    #expect(run.status == 2 && run.output == "")
  }

  /// Formerly a dropped field was not mentioned.
  @Test func aRehearsalShowsChangesOfTheSchema() throws {
    let folder = try TemporaryFolder()
    _ = try folder.run(["a.json", "--sample", "-e", "save"])
    let run = try folder.run([
      "a.json", "--dry-run", "-e", "field drop Film director", "-e", "save",
    ])
    #expect(run.output.contains("\nschema: drop director from Film\n"), "\(run.output)")
    #expect(run.output.contains("\nschema\t\t\tdrop director from Film\n"), "\(run.output)")
  }

  @Test func aRehearsalAndACompleteScriptDoNotCompact() throws {
    let folder = try TemporaryFolder()
    let made = [
      "a.catlog", "--sample", "-e", "save", "-e", #"set where title="Up" releaseYear=1"#, "-e",
      "save",
    ]
    #expect(try folder.run(made).status == 0)
    let bytes = try folder.read("a.catlog")
    let rehearsal = try folder.run(["a.catlog", "--history", "none", "--dry-run", "-e", "compact"])
    #expect(
      rehearsal.status == 0 && rehearsal.output.hasPrefix("would compact a.catlog\n"),
      "\(rehearsal)"
    )
    let atomic = try folder.run(["a.catlog", "--history", "none", "--atomic", "-e", "compact"])
    #expect(
      atomic.status == 1
        && atomic.errors.hasSuffix(
          "compact rewrites the file immediately, which --atomic does not allow\n"
        ),
      "\(atomic)"
    )
    #expect(try folder.read("a.catlog") == bytes)
  }

  @Test func aRehearsalWritesNothing() throws {
    let folder = try TemporaryFolder()
    let first = try folder.run(
      [
        "a.json", "--sample", "--dry-run", "-e", "save", "-e", "export b.csv", "-e",
        "saveas c.json",
        "-e", "field add Film stars:integer",
      ]
    )
    #expect(first.status == 0 && first.errors.contains("no \"save\" after the last changes"))
    #expect(
      first.output.hasPrefix(
        "would save: 31 inserted, 0 updated, 0 deleted\nwould export to b.csv\nwould save to c.json\n"
      )
    )
    #expect(try folder.names() == [])
    #expect(try folder.run(["a.json", "--sample", "-e", "save"]).status == 0)
    let before = try folder.read("a.json")
    try folder.write(
      #"{"entities": [{"name": "Item", "attributes": [{"name": "code", "type": "text", "unique": true}]}]}"#,
      to: "unique.json"
    )
    let refused = try folder.run([
      "a.json", "--dry-run", "-e", "insert releaseYear=1", "-e", "save",
    ])
    #expect(refused.status == 5 && refused.errors.contains("title"), "\(refused.errors)")
    let unique = try folder.run(
      ["memory:", "--schema", "unique.json", "--dry-run", "-e", "insert code=A", "-e", "save"]
        + ["-e", "insert code=A", "-e", "save"]
    )
    #expect(unique.status == 5, "\(unique.errors)")
    #expect(
      unique.errors.hasPrefix("catalog: 4: not saved: Item.code: must be unique; records t1 and t2")
    )
    let failed = try folder.run(["a.json", "--dry-run", "-e", "frob"])
    #expect(failed.status == 1 && failed.output == "")
    #expect(try folder.read("a.json") == before)
    #expect(try folder.names() == ["a.json", "unique.json"])
  }

  @Test func anAtomicScriptSavesOnceOrNotAtAll() throws {
    let folder = try TemporaryFolder()
    #expect(try folder.run(["a.catlog", "--sample", "-e", "save"]).status == 0)
    let script = "insert title=A\nsave\ninsert title=B\nsave\n"
    let done = try folder.run(["a.catlog", "--atomic"], input: script + "set t2 title=C\n")
    #expect(done.status == 0 && done.errors == "", "\(done.errors)")
    #expect(
      withoutIdentifiers(done.output)
        == "t1\nt2\nsaved: 2 inserted, 0 updated, 0 deleted\nt1 -> ID\nt2 -> ID\n"
    )
    for options in [["--atomic"], ["--atomic", "--keep-going"]] {
      let failed = try folder.run(["a.catlog"] + options, input: script + "frob\ninsert title=D\n")
      #expect(failed.status == 1, "\(failed.output)")
      #expect(failed.errors.contains("discarded"), "\(failed.errors)")
    }
    let history = try folder.run(["a.catlog", "-e", "count", "-e", "history"])
    #expect(history.output.hasPrefix("33\n"))
    #expect(history.output.split(separator: "\n").last?.hasPrefix("2\t") == true)
  }

  @Test func machineReadableFormsOfStatusSchemaAndCheck() throws {
    let folder = try TemporaryFolder()
    let status = try folder.run(Self.sample + ["--format", "json", "-e", "status", "-e", "check"])
    #expect(
      status.output
        == #"{"store":"memory","read-only":false,"entities":{"Film":31},"unsaved":0,"inserted":0,"#
        + #""updated":0,"deleted":0,"schema":[]}"# + "\n{\"problems\":[]}\n"
    )
    let schema = try folder.run(
      [
        "memory:", "--format", "json", "-e", "entity create Author name:text!=x",
        "-e", "entity create Book title:text author:link:Author:deny tags:json", "-e",
        "schema Book",
      ]
    )
    try folder.write(schema.output, to: "schema.json")
    let again = try folder.run(
      ["a.json", "--schema", "schema.json", "--format", "json", "-e", "schema Book"]
    )
    #expect(again.output == schema.output && schema.output.contains("Author"), "\(again.errors)")
  }
}
