import Testing

/// Names of files that cannot be what they are used for.
@Suite struct FileNameTests {
  @Test func aNameThatEndsWithASlashIsRefused() throws {
    let folder = try TemporaryFolder()
    try folder.write("a,b\n1,2\n", to: "a.csv")
    for arguments in [
      ["a.csv", "--to", "new/"], ["a.csv", "-e", "saveas new/"],
      ["a.csv", "-e", "saveas csv:new/"],
      ["new/", "-e", "entity create E k:text", "-e", "save"],
    ] {
      let run = try folder.run(arguments)
      #expect(run.status != 0 && run.errors.contains("a name that ends in / is a folder"), "\(run)")
      #expect(try folder.names() == ["a.csv"])
    }
  }

  @Test func aMissingFileOfAnotherFormatIsNotFound() throws {
    let run = try TemporaryFolder().run(["memory:", "--sample", "-e", "import x.yaml"])
    #expect(run.status == 1 && run.errors == "catalog: 1: x.yaml: not found\n", "\(run)")
  }

  @Test func anEmptyFileForOneEntityIsNotTheTargetOfAnother() throws {
    let folder = try TemporaryFolder()
    try folder.write("a,b\n1,2\n", to: "a.csv")
    try folder.write("", to: "x.jsonl")
    for arguments in [["a.csv", "--to", "x.jsonl"], ["a.csv", "-e", "saveas x.jsonl"]] {
      let run = try folder.run(arguments)
      #expect(run.status == 1, "\(run)")
      #expect(
        run.errors == "catalog: 1: \"x.jsonl\" already exists, with the entity x; "
          + "remove it, or choose another location\n",
        "\(run)"
      )
    }
  }
}
