import Testing

/// A rehearsal of a script that would not save.
@Suite struct RehearsalNoteTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("a,n\nx,1\n", to: "f.csv")
  }

  private static let none =
    "catalog: note: no \"save\" in the script: without --dry-run these changes would be discarded\n"
  private static let last =
    "catalog: note: no \"save\" after the last changes: without --dry-run they would be discarded\n"

  @Test(arguments: [
    (["set 1 a=y"], none), (["set 1 a=y", "save"], ""), (["count"], ""),
    (["set 1 a=y", "quit!"], ""),
    (["set 1 a=y", "save", "insert a=z"], last), (["set 1 a=y", "save", "count"], ""),
    (["insert a=z", "undo"], ""), (["set 1 a=y", "save", "insert a=z", "quit!"], ""),
    (["set 1 a=y", "save", "set 1 a=x"], last),
  ])
  func aMissingSaveIsTold(lines: [String], note: String) throws {
    let run = try folder.run(["f.csv", "--dry-run"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0 && run.errors == note, "\(run)")
    #expect(try folder.read("f.csv") == "a,n\nx,1\n")
  }

  @Test func theLastAnswerHasTheNote() throws {
    let run = try folder.run(["f.csv", "--dry-run", "--answers", "jsonl", "-e", "set 1 a=y"])
    #expect(
      run.errors == "" && run.output.contains(#""notes":["no \"save\" in the script: "#),
      "\(run)"
    )
  }
}
