import Testing

/// Values that are not unique are named in the same words in all stores.
@Suite struct UniqueMessageTests {
  private static let schema = """
    {"entities": [{"name": "P", "attributes": [{"name": "a", "type": "text", "unique": true}]}]}
    """

  private func run(_ store: String, _ folder: TemporaryFolder, _ commands: [String]) throws
    -> ProgramRun
  {
    try folder.write(Self.schema, to: "s.json")
    return try folder.run(["--schema", "s.json", store] + commands.flatMap { ["-e", $0] })
  }

  @Test(arguments: ["a.catlog", "a.db", "c.json"])
  func newRecordsAreNamedByTheirTemporaryIdentifiers(store: String) throws {
    let folder = try TemporaryFolder()
    let both = try run(store, folder, ["insert a=x", "insert a=x", "save"])
    #expect(
      both.errors.contains(
        "not saved: P.a: must be unique; records t1 and t2 would both have \"x\"; t2 was inserted in line 2"
      )
        || both.errors.contains(
          "records t2 and t1 would both have \"x\"; t1 was inserted in line 1"
        ),
      "\(both)"
    )
    let one = try run(store, folder, ["insert a=x", "save", "insert a=x", "save"])
    #expect(
      withoutIdentifiers(one.errors).contains("would both have \"x\"; t2 was inserted in line 3"),
      "\(one)"
    )
  }

  @Test func aRehearsalNamesTheRecords() throws {
    let folder = try TemporaryFolder()
    _ = try run("a.catlog", folder, ["insert a=x", "insert a=y", "save"])
    let rehearsal = try folder.run(
      ["a.catlog", "--dry-run", "-e", "set where true a=z", "-e", "save"]
    )
    #expect(rehearsal.status == 5)
    #expect(
      withoutIdentifiers(rehearsal.errors).contains(
        "P.a: must be unique; records ID and ID would both have \"z\""
      ),
      "\(rehearsal)"
    )
  }

  /// The copy has identifiers of its own, which nobody knows.
  @Test(arguments: ["b.json", "b.catlog", "b.db"]) func aCopyNamesTheRecordsOfTheOpenStore(
    copy: String
  )
    throws
  {
    let folder = try TemporaryFolder()
    _ = try folder.database(
      "q.db",
      "CREATE TABLE P (id INTEGER PRIMARY KEY, a TEXT UNIQUE)",
      "INSERT INTO P VALUES (1, 'x'), (2, 'y')"
    )
    let run = try folder.run(["q.db", "-e", "duplicate 1", "-e", "saveas \(copy)"])
    #expect(
      run.errors.contains("P.a: must be unique; records 1 and t1 would both have \"x\""),
      "\(run)"
    )
  }

  @Test(arguments: ["a.catlog", "a.db", "c.json"])
  func aUniqueFieldWithADefaultIsExplained(store: String) throws {
    let folder = try TemporaryFolder()
    _ = try run(store, folder, ["insert a=x", "insert a=y", "save"])
    try folder.write(
      Self.schema.replacing(
        "\"unique\": true}",
        with:
          "\"unique\": true}, {\"name\": \"b\", \"type\": \"text\", \"unique\": true, \"default\": \"q\"}"
      ),
      to: "new.json"
    )
    let applied = try folder.run([store, "-e", "schema apply new.json", "-e", "save"])
    #expect(applied.status != 0)
    #expect(
      withoutIdentifiers(applied.errors).contains(
        store == "a.db"
          ? "P.b: must be unique; records ID and ID would both have \"q\""
          : "P.b: cannot be unique: 2 records would get the same default"
      ),
      "\(applied)"
    )
  }
}
