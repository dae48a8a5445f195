import Testing

/// A save answers with the identifier of a record that an undo restored after an earlier save.
@Suite struct ReturnedRecordAnswerTests {
  private static let commands = [
    "entity create R k:text", "insert k=A", "delete t1", "save", "undo", "save",
  ]

  @Test(arguments: ["memory:", "a.json", "a.catlog", "a.db"])
  func theIdentifierIsAnswered(store: String) throws {
    let folder = try TemporaryFolder()
    let commands = Self.commands.flatMap { ["-e", $0] }
    let answers = try folder.run([store, "--answers", "jsonl"] + commands)
    let last = try #require(answers.output.split(separator: "\n").last)
    #expect(
      withoutIdentifiers(String(last)).contains(
        "\"inserted\":1,\"updated\":0,\"deleted\":0,\"ids\":{\"t1\":\"ID\"}"
      ),
      "\(answers)"
    )
    let printed = try TemporaryFolder().run([store] + commands)
    #expect(
      withoutIdentifiers(printed.output).hasSuffix(
        "saved: 1 inserted, 0 updated, 0 deleted\nt1 -> ID\n"
      ),
      "\(printed)"
    )
  }
}
