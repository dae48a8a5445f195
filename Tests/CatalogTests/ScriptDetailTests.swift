import Testing

/// Places, names and answers in scripts.
@Suite struct ScriptDetailTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let sample = ["memory:", "--sample"]

  @Test func aFilterInAScriptHasItsColumn() throws {
    try folder.write("count\n\nfilter q = 1\n", to: "sc")
    let run = try folder.run(Self.sample + ["--script", "sc"])
    #expect(run.errors.hasPrefix("catalog: sc:3:8: Film has no field \"q\""), "\(run)")
    let answered = try folder.run(Self.sample + ["--answers", "jsonl", "-e", "  filter  q = 1"])
    #expect(answered.output.contains(#""column":11,"#), "\(answered)")
  }

  /// Formerly the message offered two names that were the same.
  @Test func aKeyLikeATemporaryIdentifierIsExplained() throws {
    try folder.database(
      "u.db",
      "CREATE TABLE u (k TEXT PRIMARY KEY, n INTEGER)",
      "INSERT INTO u VALUES ('t1', 1)"
    )
    let run = try folder.run(["u.db", "-e", "insert k=x", "-e", "set t1 n=2"])
    #expect(
      run.errors.hasPrefix(
        "catalog: 2: identifier \"t1\" is ambiguous: a new record and a saved one have it; "
          + "save first, or use \"where\" to select by a field\n"
      ),
      "\(run)"
    )
  }

  @Test func statusListsTheIdentifiersAsSaveDoes() throws {
    let run = try folder.run(
      Self.sample + ["--answers", "jsonl", "-e", "insert title=a", "-e", "insert title=b"]
        + ["-e", "save", "-e", "status --ids"]
    )
    let lines = run.output.split(separator: "\n")
    let ids = try lines.suffix(2).map { try #require($0.firstMatch(of: /"ids":(\{[^}]*\})/)).1 }
    #expect(ids[0] == ids[1] && ids[0].contains("\"t2\":"), "\(run)")
  }

  @Test func eachPrintsOneJSONValue() throws {
    try folder.write("title\n", to: "none.csv")
    try folder.write("title\nUp\nNo\n", to: "two.csv")
    for (command, output) in [
      ("each none.csv list where title = $title", "[]\n"), ("each none.csv show $title", "[]\n"),
      ("each none.csv count where title = $title", "[]\n"),
      ("each two.csv count where title = $title", "[1,0]\n"),
    ] {
      let run = try folder.run(Self.sample + ["--format", "json", "-e", command])
      #expect(run.output == output, "\(command): \(run)")
    }
    let lines = try folder.run(
      Self.sample + ["--format", "jsonl", "-e", "each two.csv count where title = $title"]
    )
    #expect(lines.output == "1\n0\n", "\(lines)")
  }

  /// Both tables have records with these keys.
  @Test func aParameterStandsAfterAnEntity() throws {
    try folder.database(
      "u.db",
      "CREATE TABLE A (k INTEGER PRIMARY KEY, t TEXT)",
      "CREATE TABLE B (k INTEGER PRIMARY KEY, t TEXT)",
      "INSERT INTO A VALUES (1, 'a'), (2, 'b')",
      "INSERT INTO B VALUES (1, 'a'), (2, 'b')"
    )
    try folder.write("k,t\n1,x\n2,y\n", to: "e.csv")
    let run = try folder.run([
      "u.db", "--arg", "n", "2", "-e", "each e.csv set B/$k t=$t", "-e", "delete A/$n", "-e",
      "save",
    ])
    #expect(run.status == 0, "\(run.errors)")
    let listed = try folder.run(["u.db", "-e", "list B fields t", "-e", "list A fields k,t"])
    #expect(listed.output == "t\nx\ny\nk\tt\n1\ta\n", "\(listed)")
    let unknown = try folder.run(["u.db", "-e", "each e.csv set B/$q t=$t"])
    #expect(unknown.errors.contains("unknown parameter \"$q\""), "\(unknown.errors)")
    let quoted = try folder.run(["u.db", "--arg", "n", "2", "-e", "show 'B/$n'"])
    #expect(quoted.errors.contains("not found"), "\(quoted.errors)")
  }

  /// Formerly the second save of a rehearsal counted the changes of the first one, too.
  @Test func eachSaveOfARehearsalCountsItsOwnChanges() throws {
    let commands = [
      "insert title=a", "save", "insert title=b", "set where title='Up' releaseYear=1", "save",
      "set where title='a' releaseYear=2", "set where title='Up' releaseYear=2", "save",
      "delete where title='a'", "set where title='Up' releaseYear=2009", "save", "save",
      "delete where title='Up'", "save", "undo", "save", "field add x:text", "save", "save",
    ]
    let arguments = commands.flatMap { ["-e", $0] }
    func counts(_ run: ProgramRun) -> [String] {
      run.output.split(separator: "\n").compactMap {
        $0.firstMatch(of: /(?:would save|saved): (.*)/).map { String($0.1) }
      }
    }
    _ = try folder.run(["a.catlog", "--sample", "-e", "save"])
    let rehearsed = try folder.run(["a.catlog", "--dry-run"] + arguments)
    let real = try folder.run(["a.catlog"] + arguments)
    #expect(counts(rehearsed) == counts(real), "\(rehearsed) \(real)")
    #expect(counts(real).count == 9, "\(real)")
    #expect(rehearsed.output.split(separator: "schema: add x to Film").count == 2, "\(rehearsed)")
  }
}
