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
}
