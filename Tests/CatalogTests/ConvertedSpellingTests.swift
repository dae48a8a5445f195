import Testing

/// A value that becomes text keeps the spelling that it has in the file.
@Suite struct ConvertedSpellingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ name: String, _ commands: String...) throws -> ProgramRun {
    let run = try folder.run([name, "--no-header"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    return run
  }

  @Test func cellsOfACSVFileStay() throws {
    let text = "n,x,y\n1,1.50,TRUE\n2,1E5,false\n3,7,True\n"
    try folder.write(text, to: "a.csv")
    let run = try run("a.csv", "field type x text", "field type y text", "list fields x,y", "save")
    #expect(run.output.hasPrefix("1.50\tTRUE\n1E5\tfalse\n7\tTrue\n"), "\(run)")
    #expect(try folder.read("a.csv") == text)
  }

  @Test func numbersOfAJSONFileBecomeTheirTexts() throws {
    try folder.write("[{\"x\":1.50},{\"x\" : 1E5},{\"x\":7}]", to: "a.json")
    _ = try run("a.json", "field type x text", "save")
    #expect(try folder.read("a.json") == "[{\"x\":\"1.50\"},{\"x\" : \"1E5\"},{\"x\":\"7\"}]")
    _ = try run("a.json", "field type x number", "save")
    #expect(try folder.read("a.json").contains("100000"))
  }

  @Test func unsavedValuesHaveTheirOwnText() throws {
    try folder.write("n,x\n1,1.50\n2,1E5\n3,7.0\n", to: "a.csv")
    let run = try run(
      "a.csv",
      "set where n = 2 x=2.5",
      "field rename x z",
      "field type z text",
      "save"
    )
    #expect(run.errors.contains("note"), "\(run)")
    #expect(try folder.read("a.csv") == "n,z\n1,1.50\n2,2.5\n3,7.0\n")
  }

  @Test func decimalsKeepTheirZerosAndTextsBecomeNumbersAsWritten() throws {
    let text = "n,x\n1,1.50\n2,1E2\n3,7\n"
    try folder.write(text, to: "a.csv")
    _ = try run("a.csv", "field type x decimal", "save")
    #expect(try folder.read("a.csv") == text)
    _ = try run("a.csv", "field type x text", "save", "undo", "save")
    #expect(try folder.read("a.csv") == text)
    _ = try run("a.csv", "field type x text", "save", "field type x number", "save")
    #expect(try folder.read("a.csv") == text)
  }

  @Test func numbersOfAJSONFileThatStayTheSameKeepTheirBytes() throws {
    let text = "[{\"x\":1.50, \"y\":1e2},{\"x\" : 2.0, \"y\":2.5},{\"x\":-7.250, \"y\":-0.50}]"
    try folder.write(text, to: "a.json")
    _ = try run("a.json", "field type x text", "field type x number", "save")
    #expect(try folder.read("a.json") == text)
    _ = try run(
      "a.json",
      "field type y decimal",
      "field type y number",
      "set where x = 2 y=3.5",
      "save"
    )
    #expect(try folder.read("a.json") == text.replacing("2.5}", with: "3.5}"))
  }
}
