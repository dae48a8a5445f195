import Testing

/// Changes of other programs that the history does not know in detail.
@Suite struct UnknownChangesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ store: String, _ commands: String...) throws -> ProgramRun {
    try folder.run([store, "--answers", "jsonl"] + commands.flatMap { ["-e", $0] })
  }

  private func expectRefusal(_ run: ProgramRun, _ token: Int) {
    #expect(run.status == 1 && run.output.contains(#""code":"history-expired""#), "\(run)")
    #expect(run.output.contains("revert to \(token) or later"), "\(run)")
  }

  /// Formerly values of the other program were restored as if they were the earlier ones.
  @Test(arguments: ["x.csv", "x.json"])
  func aFileIsNotRevertedToBeforeThem(name: String) throws {
    let texts =
      name == "x.csv"
      ? ["name,size\na,1\nb,2\nc,3\n", "name,size\na,1\nb,8\nc,4\n"]
      : [
        #"[{"name":"a","size": 1},{"name":"b","size": 2},{"name":"c","size": 3}]"#,
        #"[{"name":"a","size": 1},{"name":"b","size": 8},{"name":"c","size": 4}]"#,
      ]
    try folder.write(texts[0], to: name)
    _ = try run(name, "set where name='b' size=7", "save")
    try folder.write(texts[1], to: name)
    _ = try run(name, "set where name='a' size=5", "save")
    try expectRefusal(run(name, "revert all to 1"), 2)
    try expectRefusal(run(name, "revert all to 0"), 2)
    try expectRefusal(run(name, "revert 2 to 1"), 2)
    let later = try run(name, "revert all to 2", "list fields size", "quit!")
    #expect(later.output.contains(#"[{"size": 1},{"size": 8},{"size": 4}]"#), "\(later)")
    let one = try run(name, "revert 1 to 2", "list fields size", "quit!")
    #expect(one.output.contains(#"[{"size": 1},{"size": 8},{"size": 4}]"#), "\(one)")
  }

  /// The history has the row that the save of a catalog adds if it was open during the change.
  @Test func aRecordWhoseEarlierValuesAreKeptIsReverted() throws {
    _ = try run(
      "s.db",
      "entity create E k:text n:integer",
      "insert k=A n=1",
      "insert k=B n=2",
      "save"
    )
    _ = try run("s.db", "set where k='A' n=3", "save")
    try folder.database(
      "s.db",
      "UPDATE E SET n = 22 WHERE k = 'B'",
      """
      INSERT INTO catalog_history (token, id, at, changes)
      SELECT 3, '6ba7b810-9dad-11d1-80b4-00c04fd430c8', at, x'' FROM catalog_history WHERE token = 2
      """
    )
    let last = try run("s.db", "set where k='A' n=4", "save")
    #expect(last.status == 0, "\(last)")
    try expectRefusal(run("s.db", "revert all to 1"), 3)
    let all = try run("s.db", "revert all to 3", "list sort k fields n", "quit!")
    #expect(all.output.contains(#"[{"n": 3},{"n": 22}]"#), "\(all)")
    for (key, token, values) in [
      ("A", 2, #"[{"n": 3},{"n": 22}]"#), ("A", 1, #"[{"n": 1},{"n": 22}]"#),
      ("B", 1, #"[{"n": 4},{"n": 2}]"#), ("B", 2, #"[{"n": 4},{"n": 2}]"#),
    ] {
      let id = try folder.run(["s.db", "--no-header", "-e", "list where k='\(key)' fields id"])
      let one = try run(
        "s.db",
        "revert \(id.output.dropLast()) to \(token)",
        "list sort k fields n",
        "quit!"
      )
      #expect(one.output.contains(values), "\(key) \(token): \(one)")
    }
  }
}
