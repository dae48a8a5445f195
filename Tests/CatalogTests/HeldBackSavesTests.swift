import Testing

/// Scripts whose saves are held back: what a `save` has accepted stays.
@Suite struct HeldBackSavesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("k,a\n1,x\n2,y\n", to: "a.csv")
  }

  /// The lines of a script, and the records of the file after it.
  private static let scripts = [
    ("set where k=1 a=z|save|rollback|save", "1,z\n2,y\n"),
    ("set where k=1 a=z|save|set where k=1 a=w|insert k=3|rollback|save", "1,z\n2,y\n"),
    ("set where k=1 a=z|save|undo|rollback|save", "1,z\n2,y\n"),
    ("set where k=1 a=z|save|undo|set where k=2 a=w|rollback|save", "1,z\n2,y\n"),
    ("set where k=1 a=z|save|delete where true|rollback|undo|save", ""),
    ("set where k=1 a=z|save|delete where true|rollback|undo|rollback|save", "1,z\n2,y\n"),
    ("set where k=1 a=z|save|delete where k=2|save|rollback|rollback|save", "1,z\n"),
    ("set where k=1 a=z|rollback|save|set where k=2 a=w|rollback|save", "1,x\n2,y\n"),
    ("set where k=1 a=z|save|undo|save", "1,x\n2,y\n"),
    ("set where k=1 a=z|save|delete where k=2|quit!", "1,z\n2,y\n"),
    ("set where k=1 a=z|save|undo|quit!", "1,z\n2,y\n"),
    ("set where k=1 a=z|quit!", "1,x\n2,y\n"),
    (
      "field add b:text|save|set where k=1 b=q|rollback|field drop b|rollback|save",
      "1,x,\n2,y,\n"
    ),
  ]

  @Test(arguments: scripts, [true, false])
  func theResultIsThatOfTheSameScriptWithoutTheOption(
    _ script: (lines: String, records: String),
    isAtomic: Bool
  ) throws {
    let commands = script.lines.split(separator: "|").flatMap { ["-e", String($0)] }
    let run = try folder.run(["a.csv"] + (isAtomic ? ["--atomic"] : []) + commands)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.read("a.csv").drop { $0 != "\n" }.dropFirst() == script.records)
  }

  @Test func aRehearsalShowsWhatIsSaved() throws {
    for last in ["rollback", "quit!"] {
      let run = try folder.run([
        "a.csv", "--dry-run", "-e", "set where k=1 a=z", "-e", "save", "-e", "delete where k=2",
        "-e", last,
      ])
      #expect(run.status == 0, "\(run.errors)")
      let changes = run.output.split(separator: "\n").filter { $0.contains(/^[-+~]\t/) }
      #expect(changes.count == 1 && changes[0].hasPrefix("~"), "\(run.output)")
    }
    let counted = try folder.run([
      "a.csv", "--dry-run", "-e", "set where k=1 a=z", "-e", "save", "-e", "delete where k=2", "-e",
      "rollback", "-e", "insert k=3", "-e", "save",
    ])
    #expect(
      counted.output.contains("\nwould save: 1 inserted, 0 updated, 0 deleted\n"),
      "\(counted)"
    )
  }

  /// The store already has a history: `undo` goes on before the session.
  @Test func aRollbackRestoresAnEarlierSaveThatWasUndone() throws {
    #expect(try folder.run(["a.catlog", "--sample", "-e", "save"]).status == 0)
    let changed = try folder.run(["a.catlog", "-e", "set where title='Up' title=Upp", "-e", "save"])
    #expect(changed.status == 0)
    let run = try folder.run([
      "a.catlog", "--atomic", "-e", "insert title=New", "-e", "save", "-e", "undo", "-e", "undo",
      "-e", "rollback",
    ])
    #expect(run.status == 0, "\(run.errors)")
    let counts = try folder.run(["a.catlog", "-e", "count where title = 'Upp'", "-e", "count"])
    #expect(counts.output == "1\n32\n", "\(counts)")
  }
}
