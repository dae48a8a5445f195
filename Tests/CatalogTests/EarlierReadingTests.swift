import Testing

/// Undoing saves of earlier runs in a file that is read in another way now.
@Suite struct EarlierReadingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ reading: String?, _ commands: String...) throws -> ProgramRun {
    let read = reading.map { ["--read", $0] } ?? []
    return try folder.run(["u.csv"] + read + commands.flatMap { ["-e", $0] })
  }

  /// Formerly 1,125 came back as 1.125, which the first reading takes for another number.
  @Test(arguments: [
    (["set 1 v=5"], "undo"), (["delete 1"], "undo"), (["set 1 v=5"], "revert all to 0"),
  ])
  func isRefusedWithTheWayToReadIt(edits: [String], command: String) throws {
    let text = "k;v\na;1,125\nb;2,75\n"
    let reading = "decimal=comma thousands=."
    try folder.write(text, to: "u.csv")
    let edited = try folder.run(
      ["u.csv", "--read", reading] + (edits + ["save"]).flatMap { ["-e", $0] }
    )
    #expect(edited.status == 0, "\(edited)")
    let saved = try folder.read("u.csv")
    let refused = try run(nil, command, "save")
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.errors.contains("with --read \"\(reading)\" to undo it"), "\(refused)")
    #expect(try folder.read("u.csv") == saved)
    let undone = try run(reading, "undo", "save")
    #expect(undone.status == 0, "\(undone)")
    #expect(
      try folder.read("u.csv").split(separator: "\n").sorted()
        == text.split(separator: "\n").sorted()
    )
  }

  @Test func aSaveByTheRuleIsUndoneWithoutOptions() throws {
    try folder.write("k,v\na,NA\nb,NA\nc,x\n", to: "u.csv")
    #expect(try run(nil, "set 1 v=y", "save").status == 0)
    let refused = try run("missing=NA", "undo")
    #expect(refused.status == 1 && refused.errors.contains("open it without --read"), "\(refused)")
    #expect(try run(nil, "undo", "save").status == 0)
    #expect(try folder.read("u.csv") == "k,v\na,NA\nb,NA\nc,x\n")
  }

  /// Without another value, the type of a column is text, and a former value would be written as people elsewhere write it.
  @Test(arguments: [
    ("k;d\na;1,234\nb;\n", "decimal=comma thousands=."), ("k;d\na;31.12.2023\nb;\n", "dates=dmy"),
  ])
  func aValueThatWouldBeReadAsAnotherOneStays(text: String, reading: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "q.csv")
    let saved = try folder.run(["q.csv", "--read", reading, "-e", "set 1 d=", "-e", "save"])
    #expect(saved.status == 0, "\(saved)")
    let bytes = try folder.read("q.csv")
    let undone = try folder.run(["q.csv", "--read", reading, "-e", "undo", "-e", "save"])
    #expect(undone.status == 1 && undone.errors.contains("would be a text now"), "\(undone)")
    #expect(try folder.read("q.csv") == bytes)
  }
}
