import Foundation
import Testing

/// Options that choose what scripts print, and where messages say that an error is.
@Suite struct OutputOptionsTests {
  private let folder: TemporaryFolder
  private static let sample = ["memory:", "--sample"]
  private static let list =
    "list where releaseYear > 2025 sort title fields title,rank"

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    (["--no-header"], "Hoppers\t\nToy Story 5\t\n"),
    (["--null", "N/A"], "title\trank\nHoppers\tN/A\nToy Story 5\tN/A\n"),
    (
      ["--format", "csv", "--null", "a,\"b"],
      "title,rank\r\nHoppers,\"a,\"\"b\"\r\nToy Story 5,\"a,\"\"b\"\r\n"
    ),
    (
      ["--format", "md"],
      "| title | rank |\n| --- | ---: |\n| Hoppers | |\n| Toy Story 5 | |\n"
    ),
    (
      ["--format", "jsonl", "--no-header", "--null", "x"],
      "{\"title\": \"Hoppers\", \"rank\": null}\n"
        + "{\"title\": \"Toy Story 5\", \"rank\": null}\n"
    ),
  ])
  func listsArePrintedAsChosen(options: [String], output: String) throws {
    let run = try folder.run(
      Self.sample + options + ["-e", "field add rank:integer", "-e", Self.list, "-e", "quit!"]
    )
    #expect(run.output == output && run.errors == "", "\(run)")
  }

  @Test func quietCommandsPrintOnlyWhatIsAskedFor() throws {
    try folder.write("title\nNew\n", to: "a.csv")
    let run = try folder.run(
      ["a.json", "--quiet", "--sample", "-e", "save", "-e", "insert title=A", "-e", "import a.csv"]
        + ["-e", "import a.csv by title", "-e", "save", "-e", "count", "-e", "frob"]
    )
    #expect(run.output == "33\n", "\(run)")
    #expect(run.status == 1 && run.errors.hasPrefix("catalog: 7: unknown command"))
  }

  @Test(arguments: [
    ("count\n  list where titel = 1\n", "catalog: s:2:14: Film has no field \"titel\""),
    ("insert titel=1\n", "catalog: s:1:8: Film has no field \"titel\""),
    ("frob\n", "catalog: s:1:1: unknown command \"frob\""),
    ("show t9\n", "catalog: s:1:6: record \"t9\" not found"),
    ("delete t8  t9\n", "catalog: s:1:8: record \"t8\" not found"),
    ("set t9 title=a\n", "catalog: s:1:5: record \"t9\" not found"),
    ("list Flim\n", "catalog: s:1:6: unknown entity \"Flim\""),
    ("entity create Film a:text\n", "catalog: s:1:15: entity \"Film\" already exists"),
    ("field add title:text\n", "catalog: s:1:11: Film: duplicate field"),
    ("field drop titel\n", "catalog: s:1:12: Film has no field \"titel\""),
    ("import none.csv\n", "catalog: s:1:8: cannot inspect "),
    ("export a.xyz\n", "catalog: s:1:8: \"a.xyz\": unknown format"),
    ("revert zz to 1\n", "catalog: s:1:8: "),
    ("show\n", "catalog: s:1:5: missing record ID"),
    ("list limit 1 limit 2\n", "catalog: s:1:14: duplicate"),
    ("undo now\n", "catalog: s:1:6: unexpected \"now\""),
    ("list where title = \"a\n", "catalog: s:1:20: unclosed \""),
  ])
  func messagesNameTheScript(script: String, message: String) throws {
    try folder.write(script, to: "s")
    for options in [["--script", "s"], ["-e", "count", "--script", "s"]] {
      let run = try folder.run(Self.sample + options)
      #expect(run.errors.hasPrefix(message), "\(run.errors)")
    }
    let input = try folder.run(Self.sample + ["--script", "-"], input: script)
    let place = input.errors.dropFirst("catalog: ".count).prefix { $0 != ":" }
    #expect(Int(place) != nil, "\(input.errors)")
    let answers = try folder.run(Self.sample + ["--answers", "jsonl", "--script", "s"])
    #expect(!answers.output.contains("source"), "\(answers.output)")
  }

  @Test func aWrongHeadingIsReportedInItsLine() throws {
    try folder.write("title,yaer\nA,1\n", to: "bad.csv")
    try folder.write("title;yaer\nA;1\n", to: "semicolons.csv")
    let run = try folder.run(
      Self.sample + ["--keep-going", "-e", "import bad.csv by title", "-e", "import bad.csv"]
        + ["-e", "import semicolons.csv by title"]
    )
    #expect(
      run.errors == """
        catalog: 1: bad.csv:1:7: Film has no field "yaer"; available: \(Self.fields)
        catalog: 2: bad.csv:1:7: Film has no field "yaer"; available: \(Self.fields)
        catalog: 3: semicolons.csv:1:7: Film has no field "yaer"; available: \(Self.fields)

        """,
      "\(run.errors)"
    )
  }

  private static let fields =
    "title, releaseYear, releaseDate, director, runningTimeMinutes, boxOfficeMillions, favourite"

  @Test func exportsOfUnsavedRecordsHaveNoIdentifiers() throws {
    let run = try folder.run(
      ["memory:", "-e", "entity create E a:text", "-e", "insert a=x", "-e", "save"]
        + ["-e", "insert a=y", "-e", "export e.csv sort a", "-e", "quit!"]
    )
    #expect(run.status == 0, "\(run.errors)")
    let text = withoutIdentifiers(try folder.read("e.csv"))
    #expect(text == "id,a\r\nID,x\r\n,y\r\n")
    let again = try folder.run([
      "memory:", "-e", "import e.csv into E", "-e", "list", "-e", "quit!",
    ])
    #expect(again.output == "imported 2 records into E\nid\ta\nt1\tx\nt2\ty\n", "\(again)")
  }

  /// Nobody else reads what directly follows a predicate: the command would concern too many records.
  @Test(arguments: [
    "delete where releaseYear > 2009,5", "count where releaseYear > 2009]",
    "set where title = \"Up\",title=x seen=true", "list where releaseYear between 2000 and 2009,5",
    "count where title in {\"Up\"},{\"Soul\"}",
  ])
  func textThatFollowsAPredicateIsAnError(line: String) throws {
    let run = try folder.run(Self.sample + ["-e", line])
    #expect(run.status == 1 && run.output == "", "\(run)")
    #expect(run.errors.contains("expected \"and\", \"or\" or the end, found"), "\(run.errors)")
  }

  @Test func storesWithoutACommonEntityAreNotCompared() throws {
    try folder.write("{\"mon\": [{\"a\": 1}], \"day\": [{\"a\": 1}]}", to: "monday.json")
    try folder.write("[{\"a\": 1}]", to: "tuesday.json")
    let run = try folder.run(["monday.json", "-e", "diff tuesday.json"])
    #expect(run.status == 1 && run.output == "")
    #expect(
      run.errors
        == "catalog: 1: tuesday.json: no entity in common: it has tuesday, this store has mon, day\n",
      "\(run.errors)"
    )
  }

  /// The entity of a file is named after it.
  @Test func theOnlyEntitiesOfTwoStoresAreCompared() throws {
    try folder.write("k,a\nx,1\ny,2\nz,3\n", to: "monday.csv")
    try folder.write("k;a;b\nz;3;q\nx;1;\nw;4;\n", to: "tuesday.csv")
    for entity in ["", " monday"] {
      let run = try folder.run(["monday.csv", "-e", "diff tuesday.csv\(entity) by k"])
      #expect(run.status == 1, "\(run)")
      let lines = run.output.split(separator: "\n").map {
        $0.split(separator: "\t").map(String.init)
      }
      #expect(lines.map(\.first) == ["op", "+", "~", "-"], "\(run)")
      #expect(
        lines[1].last == "w" && lines[2].last == "b: null → \"q\"" && lines[3].last == "y",
        "\(run)"
      )
      #expect(run.errors.contains("3 differences: 1 added, 1 changed, 1 removed"), "\(run)")
    }
    let json = try folder.run(["monday.csv", "--format", "jsonl", "-e", "diff tuesday.csv by k"])
    #expect(json.output.contains(#""op": "insert", "entity": "monday""#), "\(json)")
    let same = try folder.run([
      "monday.csv", "-e", "export copy.jsonl", "-e", "diff copy.jsonl by k",
    ])
    #expect(same.status == 0 && same.output == "", "\(same)")
    let unknown = try folder.run(["monday.csv", "-e", "diff tuesday.csv by q"])
    #expect(
      unknown.status == 1 && unknown.errors.contains("monday has no field \"q\""),
      "\(unknown)"
    )
  }

  @Test func unknownColumnsOfEachAreErrors() throws {
    try folder.write("old,new\nUp,Down\n", to: "names.csv")
    let run = try folder.run(
      Self.sample + ["--keep-going", "--arg", "y", "1", "-e", "each names.csv insert title=$nwe"]
        + ["-e", "each names.csv insert title='$nwe' releaseYear=$y"]
        + ["-e", "each names.csv upsert by title title=$new releaseYear=$y", "-e", "quit!"]
    )
    #expect(
      run.errors == "catalog: 1: names.csv:2: unknown parameter \"$nwe\"; did you mean \"$new\"?\n",
      "\(run.errors)"
    )
    #expect(run.output == "t1\nimported: 1 inserted, 0 updated, 0 unchanged, 0 deleted\n")
  }

  @Test func jsonWithoutQuotesIsAnErrorThatShowsThem() throws {
    let run = try folder.run(
      ["memory:", "-e", "entity create E tags:json", "-e", #"insert tags=[1,"x"]"#]
    )
    #expect(
      run.errors.contains(#"quote the whole value: tags='[1,"x"]'"#),
      "\(run.errors)"
    )
  }

  @Test(arguments: [
    (["--to", "a.json"], "--to: missing LOCATION; use catalog FROM --to TO"),
    (["a.csv", "--to", "a.json", "-e", "count"], "--to cannot be combined with --script, -e,"),
    (["a.csv", "--to", "a.json", "--dry-run"], "--to cannot be combined with --script, -e,"),
    (["a.csv", "--to", "b", "--to", "c"], "duplicate --to: \"b\" and \"c\"; remove one"),
  ])
  func wrongConversionsAreWrongUsage(options: [String], message: String) throws {
    let run = try folder.run(options)
    #expect(run.status == 2 && run.output == "")
    #expect(run.errors.hasPrefix("catalog: \(message)"), "\(run.errors)")
    #expect(try folder.names() == [])
  }

  @Test(arguments: ["a.json", "a.catlog", "a.tsv", "a.csv", "a.jsonl"])
  func everyKindIsConvertedToEveryOther(target: String) throws {
    try folder.write("name,born\nAda,1815\n\"B, C\",\n", to: "in.csv")
    let run = try folder.run(["in.csv", "--to", target])
    #expect(run.status == 0 && run.output == "" && run.errors == "", "\(run)")
    let back = try folder.run([target, "--to", "-", "--format", "csv"])
    let hasIdentifiers = ["a.json", "a.catlog"].contains(target)
    let lines = back.output.split(whereSeparator: \.isNewline).map { line in
      let rest = hasIdentifiers ? line.split(separator: ",", maxSplits: 1).last : line
      return rest.map(String.init) ?? ""
    }
    #expect(lines == ["name,born", "Ada,1815", "\"B, C\","], "\(back)")
  }

  @Test(arguments: ["csv", "tsv"]) func oneColumnKeepsItsMissingValues(format: String) throws {
    try folder.write("[{\"t\":\"a\"},{\"t\":null},{\"t\":\"\"},{\"t\":null}]", to: "in.json")
    let path = folder.file("in.\(format)")
    _ = try folder.run(["in.json", "-e", "export '\(path)' fields t"])
    let back = try folder.run(
      [
        "memory:", "--format", "jsonl", "-e", "import '\(path)' into R", "-e", "list fields t",
        "-e", "quit!",
      ]
    )
    #expect(
      back.output.hasSuffix("{\"t\": \"a\"}\n{\"t\": null}\n{\"t\": \"\"}\n{\"t\": null}\n"),
      "\(back)"
    )
  }

  @Test func theFormatOfAConversionIsThatOfItsOutput() throws {
    let json = try folder.run(["-", "--to", "-", "--format", "jsonl"], input: "a,b\n1,\n")
    #expect(
      json.output == "{\"a\": 1, \"b\": null}\n" && json.status == 0,
      "\(json)"
    )
    let csv = try folder.run(["-", "--to", "-", "--format", "csv"], input: "[{\"a\": 1}]")
    #expect(csv.output == "a\n1\n" && csv.status == 0, "\(csv)")
  }

  @Test func aMissingSourceIsNoEmptyStore() throws {
    let run = try folder.run(["nope.json", "--to", "y.csv"])
    #expect(run.status == 4 && run.errors.hasSuffix("nope.json: not found\n"), "\(run)")
    #expect(try folder.names() == [])
  }

  @Test func aRehearsalThatKeepsGoingPrintsItsChanges() throws {
    let run = try folder.run(
      Self.sample + ["--dry-run", "--keep-going", "-e", "delete where title = 'Up'", "-e", "bogus"]
    )
    #expect(run.status == 1 && run.output.contains("Up"), "\(run)")
  }

  @Test func onlyEntitiesOfBothStoresAreCompared() throws {
    try folder.write("[{\"a\":1}]", to: "one.json")
    try folder.write("{\"two\":[{\"a\":1}],\"three\":[{\"a\":1}]}", to: "two.json")
    let run = try folder.run(["one.json", "-e", "diff two.json by a"])
    #expect(run.status == 1)
    #expect(run.errors.contains("two.json: no entity \"one\"; it has two, three"), "\(run)")
  }

  @Test func aRollbackCountsChangesOfTheSchema() throws {
    let run = try folder.run([
      "memory:", "--answers", "jsonl", "-e", "entity create R k:integer", "-e", "rollback",
    ])
    #expect(run.output.contains("discarded 1 unsaved change"), "\(run)")
  }

  @Test func readOnlyStoresHaveTheirCode() throws {
    try folder.write("[{\"a\":1}]", to: "one.json")
    let run = try folder.run([
      "one.json", "--read-only", "--answers", "jsonl", "-e", "set where a=1 a=2",
    ])
    #expect(run.output.contains("\"code\":\"read-only\""), "\(run)")
  }

  @Test func aConversionThatFailsSaysWhy() throws {
    try folder.write("name,born\n\"Ada\n", to: "in.csv")
    let run = try folder.run(["in.csv", "--to", "a.json"])
    #expect(run.status == 4 && run.errors.hasPrefix("catalog: in.csv: line 2"), "\(run)")
    let missing = try folder.run(["none.csv", "--to", "a.json"])
    #expect(missing.status == 4 && missing.errors == "catalog: none.csv: not found\n", "\(missing)")
    #expect(try folder.names() == ["in.csv"])
  }
}
