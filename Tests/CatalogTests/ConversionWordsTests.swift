import Testing

/// A converted field is one change wherever changes are told and counted.
@Suite struct ConversionWordsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("n,x\n1,10\n2,20\n", to: "q.csv")
  }

  private func run(_ commands: String..., options: [String] = []) throws -> ProgramRun {
    try folder.run(["q.csv"] + options + commands.flatMap { ["-e", $0] })
  }

  @Test func answersTellOneChange() throws {
    let answers = ["--answers", "jsonl"]
    let saved = try run("field type x text", "status", "save", "undo", "save", options: answers)
    let lines = saved.output.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[1].contains("\"unsaved\":3,"), "\(saved)")
    for line in [lines[1], lines[2]] {
      #expect(line.contains("\"schema\":[\"field type q x: integer → text\"]"), "\(saved)")
    }
    #expect(lines[4].contains("\"schema\":[\"field type q x: back to integer\"]"), "\(saved)")
  }

  @Test func discardedAndRehearsedConversionsAreOneChange() throws {
    let discarded = try run("field type x text")
    #expect(discarded.errors.contains("discarded 3 unsaved changes"), "\(discarded)")
    #expect(discarded.errors.contains("; schema: field type q x: integer → text)"), "\(discarded)")
    let rehearsed = try run("field type x text", "save", options: ["--dry-run"])
    #expect(rehearsed.output.contains("\nschema: field type q x: integer → text\n"), "\(rehearsed)")
  }

  @Test func undoneConversionsAreOneChange() throws {
    let changes = try run("field type x text", "save", "undo", "changes", "save", "history")
    #expect(changes.output.contains("\tfield type q x: back to integer (2 values)\n"), "\(changes)")
    #expect(!changes.output.contains("rename"), "\(changes)")
  }

  @Test func checkTellsOnlyMembersThatAreInTheFile() throws {
    #expect(try folder.run(["q.csv", "-e", "saveas a.json"]).status == 0)
    let text = try folder.read("a.json").replacing("\"n\": 1", with: "\"mine\": 5, \"n\": 1")
    try folder.write(text, to: "a.json")
    let run = try folder.run(["a.json", "-e", "delete where n = 1", "-e", "save", "-e", "check"])
    #expect(run.status == 0 && run.output.hasSuffix("ok\n"), "\(run)")
    try folder.write(text, to: "a.json")
    let before = try folder.run(["a.json", "-e", "check"])
    #expect(before.errors.contains("members not in the schema, kept as they are: mine"))
  }
}
