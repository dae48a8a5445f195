import Testing

/// What an import says of JSON that is not an array of objects, or not quite JSON.
@Suite struct ImportedJSONTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func importing(_ text: String) throws -> ProgramRun {
    try folder.write(text, to: "a.json")
    return try folder.run(["memory:", "-e", "import a.json", "-e", "count", "-e", "quit!"])
  }

  @Test(arguments: [
    ("{\"a\":1}\n{\"a\":2}\n", "for an object a line use a name that ends in .jsonl"),
    (
      "{\"a\":1} {\"a\":2}", "put each object on a line of its own, as jq -c . does, and use a name"
    ),
    ("[{\"a\":[1,NaN]}]", "invalid JSON: expected a value"),
    ("[[1,2],[3,4]]", "expected an object for each record; rows without names; make separated"),
  ])
  func whatIsArrangedInAnotherWayNamesTheWay(text: String, hint: String) throws {
    let run = try importing(text)
    #expect(run.status == 1 && run.errors.contains(hint), "\(run)")
  }

  /// A pipe has no name that could tell its format.
  @Test(arguments: [
    ("[[1,2],[3,4]]", "jq -r '.[] | @csv' does"), ("[1,2]\n[3,4]\n", "jq -r @csv does"),
    ("{\"a\":1} {\"a\":2}", "put each object on a line of its own, as jq -c . does"),
  ])
  func aPipeNamesTheWayToo(text: String, hint: String) throws {
    let run = try folder.run(["-", "-e", "count"], input: text)
    #expect(run.status == 4 && run.errors.contains(hint), "\(run)")
  }

  @Test func notANumberIsReadAsMissingAndTold() throws {
    let run = try importing("[{\"a\":NaN,\"b\":-Infinity},{\"a\":1,\"b\":2}]")
    #expect(run.status == 0 && run.output.hasSuffix("2\n"), "\(run)")
    #expect(run.errors.contains("a.json: NaN or Infinity in 2 values: read as missing"), "\(run)")
  }
}
