import Testing

/// Commands for many rows that delete what they have found before.
@Suite struct DiscardedRecordTests {
  /// A new record that is deleted again is not found by the index of the later rows.
  @Test func aNewRecordIsDeletedOnce() throws {
    let folder = try TemporaryFolder()
    let keys = (1...18).map(String.init)
    try folder.write("k,v\n" + keys.map { "\($0),x\n" }.joined(), to: "new.csv")
    try folder.write("k\n" + (keys + ["18"]).map { "\($0)\n" }.joined(), to: "gone.csv")
    let run = try folder.run([
      "memory:", "-e", "import new.csv into T", "-e", "each gone.csv delete T where k = $k", "-e",
      "count T", "-e", "quit!",
    ])
    #expect(run.status == 0 && run.output.hasSuffix("0\n"), "\(run)")
  }
}
