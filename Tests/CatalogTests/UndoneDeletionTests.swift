import Testing

/// Deletions that were saved and then undone.
@Suite struct UndoneDeletionTests {
  @Test func undoingASavedDeletionRestoresTheOrder() throws {
    let folder = try TemporaryFolder()
    try folder.write(#"[{"a":1},{"a":2},{"a":3},{"a":4}]"#, to: "a.json")
    let run = try folder.run([
      "a.json", "-e", "delete where a < 4", "-e", "save", "-e", "undo", "-e", "save",
    ])
    #expect(run.status == 0, "\(run.errors)")
    let numbers = try folder.read("a.json").filter(\.isNumber)
    #expect(numbers == "1234")
    let listed = try folder.run(["a.json", "-e", "list fields a"]).output
    #expect(listed == "a\n1\n2\n3\n4\n")
  }

  @Test(arguments: ["j d w u w", "j d w u : save Enter", "j d w u s w Escape"])
  func theScreenShowsTheRecordAtItsPlaceAfterTheSave(keys: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("name\na\nb\nc\n", to: "a.csv")
    let screen = try folder.run(["a.csv", "--size", "60x12", "--keys", "-"], input: keys).output
    let lines = screen.split(separator: "\n").map(String.init)
    #expect(lines[1].hasSuffix(" a") && lines[3].hasSuffix(" c"), "\(screen)")
    #expect(lines[2].hasPrefix(">   b"), "\(screen)")
    #expect(screen.contains("saved: 1 inserted") || screen.contains("cleared"), "\(screen)")
  }
}
