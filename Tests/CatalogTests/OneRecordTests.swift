import Testing

/// A single object on a pipe, which is a record of JSON Lines or a document.
@Suite struct OneRecordTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let order = #"{"no": 7, "items": [{"sku":"A"}]}"# + "\n"
  private static let openingNote =
    "catalog: note: standard input: read as a JSON document; if it is a record of JSON Lines, "
    + "use --store jsonl\n"
  private static let importNote =
    "catalog: note: -: read as a JSON document; if it is a record of JSON Lines, use --format jsonl\n"

  @Test func anObjectWithRecordsIsADocumentAndSaysSo() throws {
    let run = try folder.run(["-", "-e", "list fields sku"], input: Self.order)
    #expect(run.output == "sku\nA\n" && run.errors == Self.openingNote, "\(run)")
    let named = try folder.run(
      ["-", "--store", "json", "-e", "list fields sku"],
      input: Self.order
    )
    #expect(named.output == "sku\nA\n" && named.errors == "", "\(named)")
  }

  @Test(arguments: [order, order + order]) func linesAreRecordsIfTheStoreSaysSo(_ text: String)
    throws
  {
    let run = try folder.run(["-", "--store", "jsonl", "-e", "list fields no,items"], input: text)
    let count = text.split(separator: "\n").count
    let rows = String(repeating: "7\t[{\"sku\":\"A\"}]\n", count: count)
    #expect(run.output == "no\titems\n" + rows && run.errors == "", "\(run)")
    let copy = try folder.run(
      ["-", "--store", "jsonl", "--to", "-", "--format", "jsonl"],
      input: text
    )
    #expect(copy.output == text && copy.errors == "", "\(copy)")
  }

  @Test func aFileUnderAnyNameHasLines() throws {
    try folder.write(Self.order, to: "orders.log")
    let run = try folder.run(["jsonl:orders.log", "-e", "set 1 no=8", "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("orders.log") == Self.order.replacing("7", with: "8"))
  }

  /// Objects, and the number of records that an import has.
  @Test(arguments: [
    (#"{"a":[1,2],"b":{"c":1}}"#, "imported 1 record into E\n", ""),
    (#"{"a":[1,2]}"#, "imported 1 record into E\n", ""),
    (#"{"a":{"x":1},"b":{"x":2}}"#, "imported 1 record into E\n", ""),
    (#"{"no":7,"items":[{"sku":"A"},{"sku":"B"}]}"#, "imported 1 record into E\n", arrayNote),
    (#"{"items":[{"sku":"A"},{"sku":"B"}]}"#, "imported 2 records into E\n", importNote),
    ("{\n\"items\":[{\"sku\":\"A\"},{\"sku\":\"B\"}]\n}", "imported 2 records into E\n", ""),
  ])
  func anImportedObjectIsARecordUnlessAllOfItIsRecords(
    text: String,
    output: String,
    errors: String
  ) throws {
    let run = try folder.run(["memory:", "-e", "import - into E", "-e", "quit!"], input: text)
    #expect(run.output == output && run.errors == errors, "\(run)")
    let lines = try folder.run(
      ["memory:", "--format", "jsonl", "-e", "import - into E", "-e", "quit!"],
      input: text.replacing("\n", with: "")
    )
    #expect(lines.output == "imported 1 record into E\n" && lines.errors == "", "\(lines)")
  }

  private static let arrayNote =
    "catalog: note: -: one record was read; for the objects in \"items\", import \"-#items\"\n"
  private static let recordNote =
    "catalog: note: standard input: read as a record of JSON Lines; if it is a JSON document, "
    + "use --store json\n"

  /// Texts, and the note about them on a pipe.
  @Test(arguments: [
    (#"{"rows":[]}"#, recordNote), (#"{"rows":[],"count":0}"#, recordNote),
    (#"{"x":{"a":1},"y":{"a":2}}"#, ""), ("{}", ""), (#"{"a":1}"#, ""), (#"[{"a":1}]"#, ""),
    ("{\"a\":1}\n{\"a\":2}\n", ""),
  ])
  func aPipeWithANamedStoreIsWhatTheFileIs(text: String, note: String) throws {
    try folder.write(text, to: "f.json")
    let commands = ["-e", "list"]
    for format in ["tsv", "json"] {
      let options = ["--format", format] + commands
      let file = try folder.run(["f.json"] + options)
      let pipe = try folder.run(["-", "--store", "json"] + options, input: text)
      #expect(pipe.output == file.output && pipe.status == file.status, "\(file) \(pipe)")
    }
    let pipe = try folder.run(["-"] + commands, input: text)
    #expect(pipe.errors == note, "\(pipe)")
  }
}
