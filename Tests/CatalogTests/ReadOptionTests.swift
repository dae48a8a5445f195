import Testing

/// How a file is to be read, said on the command line and in scripts.
@Suite struct ReadOptionTests {
  private let folder: TemporaryFolder
  private static let text = "name;size;day\nAnn;1,5;22.01.2020\nBob;-;23.01.2020\n"
  private static let reading = "decimal=comma missing=- dates=dmy"
  private static let expected = "Ann\t1.5\t2020-01-22\nBob\t\t2020-01-23\n"

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.text, to: "in.csv")
  }

  @Test(arguments: [
    ["in.csv", "--read", reading, "-e", "list fields name,size,day"],
    ["in.csv", "-e", "read \(reading)", "-e", "list fields name,size,day"],
    ["in.csv", "--read", reading, "--to", "-", "--format", "tsv"],
    ["memory:", "-e", "import in.csv read \"\(reading)\"", "-e", "list fields name,size,day"]
      + ["-e", "quit!"],
    ["memory:", "-e", "entity create E name:text size:decimal day:date"]
      + ["-e", "each in.csv read \"\(reading)\" insert name=$name size=$size day=$day"]
      + ["-e", "list fields name,size,day", "-e", "quit!"],
  ])
  func valuesAreReadAsOptionsSay(arguments: [String]) throws {
    let run = try folder.run(arguments)
    #expect(run.status == 0 && run.output.hasSuffix(Self.expected), "\(run)")
    #expect(try folder.read("in.csv") == Self.text)
  }

  @Test func aPipeIsReadAsOptionsSay() throws {
    let run = try folder.run(
      ["-", "--read", Self.reading, "-e", "list fields name,size,day"],
      input: Self.text
    )
    #expect(run.status == 0 && run.output.hasSuffix(Self.expected), "\(run)")
  }

  @Test func theOtherFileOfADiffIsReadAsItSays() throws {
    try folder.write("name;size;day\nAnn;1.5;2020-01-22\nBob;;2020-01-23\n", to: "b.csv")
    let plain = try folder.run(["b.csv", "-e", "diff in.csv by name"])
    #expect(plain.status == 1, "\(plain)")
    let said = try folder.run(["b.csv", "-e", "diff in.csv read \"\(Self.reading)\" by name"])
    #expect(said.status == 0, "\(said)")
  }

  @Test func anEditIsWrittenInTheSpellingOfItsFile() throws {
    let run = try folder.run([
      "in.csv", "--read", Self.reading, "-e", "set 1 size=2.25 day=2021-12-03",
      "-e", "set 2 size=7", "-e", "save", "-e", "set 2 size=", "-e", "save",
    ])
    #expect(run.status == 0, "\(run)")
    #expect(
      try folder.read("in.csv")
        == "name;size;day\nAnn;2,25;03.12.2021\nBob;-;23.01.2020\n"
    )
  }

  @Test(arguments: [
    (["in.csv", "--read", "heder=no", "-e", "count"], 2, "unknown reading option \"heder\""),
    (["in.csv", "--read", "header=maybe", "-e", "count"], 2, "header: unknown value \"maybe\""),
    (["a.json", "--read", "header=no", "-e", "count"], 2, "a.json is not a file of separated"),
    (["--read", "header=no", "-e", "count"], 2, "--read: missing LOCATION"),
    (["in.csv", "-e", "count", "-e", "read header=no"], 1, "must come before the commands"),
    (["in.csv", "-e", "read heder=no"], 1, "read: unknown reading option \"heder\""),
    (["in.csv", "-e", "import in.csv read \"heder=no\""], 1, "unknown reading option"),
  ])
  func wrongUsageIsRefused(arguments: [String], status: Int32, message: String) throws {
    try folder.write("[{\"a\":1}]", to: "a.json")
    let run = try folder.run(arguments)
    #expect(run.status == status && run.errors.contains(message), "\(run)")
  }

  @Test func theStatusTellsTheReading() throws {
    let run = try folder.run(["in.csv", "--read", "missing=-", "-e", "status"])
    #expect(run.output.contains("\nreading: \";\" missing=-, lf, utf-8\n"), "\(run)")
    let answer = try folder.run(
      ["in.csv", "--read", "missing=-", "--answers", "jsonl", "-e", "status"]
    )
    #expect(
      answer.output.contains("\"reading\":\"\\\";\\\" missing=-, lf, utf-8\""),
      "\(answer)"
    )
    let exported = try folder.run(["in.csv", "--read", "na=- dates=dmy", "-e", "read export"])
    #expect(exported.output == "missing=- dates=dmy\n", "\(exported)")
  }

  @Test func aScriptUsesOnlyWhatItSaysAndNotesWhatTheScreenDoes() throws {
    let kept = try folder.run(["in.csv", "-e", "read missing=- keep"])
    #expect(kept.status == 0, "\(kept)")
    let plain = try folder.run(["in.csv", "-e", "list fields size"])
    #expect(plain.output == "size\n1,5\n-\n", "\(plain)")
    #expect(
      plain.errors.contains(
        "in.csv: the screen reads this file in another way; use --read \"missing=-\""
      ),
      "\(plain)"
    )
    let said = try folder.run(["in.csv", "--read", "missing=-", "-e", "list fields size"])
    #expect(!said.errors.contains("the screen reads"), "\(said)")
    _ = try folder.run(["in.csv", "-e", "read auto keep"])
    let forgotten = try folder.run(["in.csv", "-e", "count"])
    #expect(!forgotten.errors.contains("the screen reads"), "\(forgotten)")
  }

  @Test func aFileNamedCatalogBecomesACatalog() throws {
    try folder.write("a,b\n1,2\n", to: "catalog.csv")
    let run = try folder.run(["catalog.csv", "--to", "x.json"])
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(try folder.run(["x.json", "-e", "list fields a,b"]).output == "a\tb\n1\t2\n")
  }

  @Test func strictReadingRefusesDoubt() throws {
    try folder.write("Ann,Oslo\nBob,Rome\n", to: "w.csv")
    let doubt = "how it is read is not certain (--strict-read): line 1 was taken for names"
    let opened = try folder.run(["w.csv", "--strict-read", "-e", "count"])
    #expect(opened.status == 4 && opened.errors.contains("w.csv: \(doubt)"), "\(opened)")
    let piped = try folder.run(
      ["-", "--strict-read", "-e", "count"],
      input: "Ann,Oslo\nBob,Rome\n"
    )
    #expect(piped.status == 4 && piped.errors.contains(doubt), "\(piped)")
    let imported = try folder.run(["memory:", "--strict-read", "-e", "import w.csv"])
    #expect(imported.status == 1 && imported.errors.contains(doubt), "\(imported)")
    let said = try folder.run(["w.csv", "--strict-read", "--read", "header=no", "-e", "count"])
    #expect(said.status == 0 && said.output == "2\n", "\(said)")
    #expect(try folder.run(["in.csv", "--strict-read", "-e", "count"]).status == 0)
  }

  @Test func theOtherFileHasAWordOfItsOwn() throws {
    for word in ["read", "read-other"] {
      let run = try folder.run([
        "in.csv", "--read", Self.reading, "-e", "diff in.csv \(word) \"\(Self.reading)\"",
      ])
      #expect(run.status == 0, "\(run)")
    }
  }

  @Test func aDiffTellsWhatIsDoubtfulAboutTheOtherFile() throws {
    try folder.write("Ann,Oslo\nBob,Rome\n", to: "w.csv")
    try folder.write("[{\"Ann\":NaN,\"Oslo\":\"Rome\"}]", to: "w.json")
    for (name, note) in [
      ("w.csv", "w.csv: line 1 was taken for names, nothing told it apart; --read header=no"),
      ("w.json", "w.json: NaN or Infinity in 1 value: read as missing"),
    ] {
      let run = try folder.run(["in.csv", "-e", "diff \(name)"])
      #expect(run.status == 1 && run.errors.contains("note: \(note)"), "\(run)")
    }
    let said = try folder.run(["in.csv", "-e", "diff w.csv read-other header=yes"])
    #expect(!said.errors.contains("was taken for names"), "\(said)")
  }

  @Test func aFileWithBarsIsKnownByItsName() throws {
    try folder.write("a|b\n1,5|x,y\n", to: "t.psv")
    let run = try folder.run([
      "t.psv", "-e", "set 1 b='p|q'", "-e", "save", "-e", "list fields a,b",
    ])
    #expect(run.status == 0 && run.output.hasSuffix("1,5\tp|q\n"), "\(run)")
    #expect(try folder.read("t.psv") == "a|b\n1,5|\"p|q\"\n")
    let imported = try folder.run(["memory:", "-e", "import t.psv", "-e", "count", "-e", "quit!"])
    #expect(imported.output.hasSuffix("1\n"), "\(imported)")
  }

  /// Names that are numbers over texts in quotes: not even quotes make them names.
  @Test func aNewFileThatLooksHeaderlessIsKeptForTheScreen() throws {
    try folder.write("[{\"5\":\"x,y\",\"7\":\"u,v\"}]", to: "j.json")
    for (arguments, name) in [
      (["j.json", "-e", "export o.csv"], "o.csv"), (["j.json", "-e", "saveas p.csv"], "p.csv"),
      (["j.json", "--to", "q.csv"], "q.csv"),
    ] {
      let run = try folder.run(arguments)
      #expect(run.status == 0, "\(run)")
      #expect(
        run.errors.contains(
          "the first line of \(name) would not be read as names; the screen reads it so from now on, "
            + "a script with --read header=yes"
        ),
        "\(run)"
      )
      let text = try folder.read(name)
      #expect(text.hasPrefix("5,7"), "\(text)")
      let again = try folder.run([name, "--read", "header=yes", "-e", "count"])
      #expect(again.output == "1\n", "\(again)")
      let plain = try folder.run([name, "-e", "count"])
      #expect(plain.errors.contains("the screen reads this file in another way"), "\(plain)")
    }
    let piped = try folder.run(["j.json", "--to", "-", "--format", "csv"])
    #expect(piped.errors.contains("read it with --read header=yes"), "\(piped)")
  }

  @Test func aSaveThatWouldReadDifferentlyNamesTheOptionThatKeepsIt() throws {
    try folder.write("A12,x\nB07,y\nC99,z\n", to: "t.csv")
    let edit = ["-e", "set 1 column1=name", "-e", "save"]
    let refused = try folder.run(["t.csv"] + edit)
    #expect(refused.status == 5, "\(refused)")
    let advice = "read it with --read \"header=no\", or use saveas"
    #expect(refused.errors.contains(advice), "\(refused)")
    let said = try folder.run(["t.csv", "--read", "header=no"] + edit)
    #expect(said.status == 0, "\(said)")
    #expect(try folder.read("t.csv") == "name,x\nB07,y\nC99,z\n")
  }

  @Test(
    arguments: [
      ("p,q\n\"1,234.50\",x\n5,y\n", "numbers in groups with \",\"; --read \"thousands=,\""),
      ("p,q\n1'234,x\n5,y\n", "numbers in groups with \"'\"; --read \"thousands='\""),
      ("p;q\n1 234;x\n5;y\n", "numbers in groups with blanks; --read \"thousands=space\""),
      // Telephone numbers, and commas that may be decimal ones.
      ("p;q\n555 123 456;x\n555 123 457;y\n", nil),
      ("p;q\n1,234;x\n5,123;y\n", nil),
      ("a,b\r\r\n1,2\r\r\n", "lines end with CR CR LF; the first CR belongs to the last value"),
    ] as [(String, String?)]
  )
  func aNoteNamesWhatWouldBeNumbers(text: String, note: String?) throws {
    try folder.write(text, to: "t.csv")
    let run = try folder.run(["t.csv", "-e", "count"])
    if let note { #expect(run.errors.contains(note), "\(run)") } else { #expect(run.errors == "") }
  }

  @Test func aRaggedFileIsRefusedWithItsNumbers() throws {
    try folder.write("a,b\n1,2,5\n3,4,5\n", to: "r.csv")
    let run = try folder.run([
      "memory:", "-e", "entity create t a:integer b:integer", "-e", "import r.csv into t",
    ])
    let reason =
      "r.csv:1:1: t has no field \"column1\"; records have 3 values, but the header has 2"
    #expect(run.errors.contains(reason), "\(run)")
  }
}
