import Testing

/// Identifiers on standard input, one a line: every one must be the record that was meant.
@Suite struct PipedIdentifiersTests {
  private let folder: TemporaryFolder
  private static let keys = [
    "AB12", "AB 12", " lead", "trail ", "a\tb", "a\\tb", "a\nb", "a,\"b\"", "é",
  ]

  init() throws {
    folder = try TemporaryFolder()
    let rows = Self.keys.map { "('\($0)', 0)" }.joined(separator: ", ")
    try folder.database(
      "a.db",
      "CREATE TABLE u (k TEXT PRIMARY KEY, n INTEGER)",
      "INSERT INTO u VALUES \(rows)"
    )
  }

  private func left() throws -> Int? {
    let run = try folder.run(["a.db", "-e", "count where n = 0"])
    return Int(run.output.dropLast())
  }

  /// Formerly all white space was removed, and `delete -` deleted another record.
  @Test(arguments: keys, ["tsv", "csv"])
  func aListedIdentifierIsThatRecord(key: String, format: String) throws {
    let listed = try folder.run(
      ["a.db", "--format", format, "--arg", "k", key, "-e", "list where k = $k fields id"]
    )
    let set = try folder.run(
      ["a.db", "-e", "set - n=1 expect 1", "-e", "save", "--format", format],
      input: listed.output
    )
    #expect(set.status == 0, "\(listed) \(set)")
    let found = try folder.run(["a.db", "--format", "jsonl", "-e", "list where n = 1 fields k"])
    let expected = try folder.run(
      ["a.db", "--format", "jsonl", "--arg", "k", key, "-e", "list where k = $k fields k"]
    )
    #expect(found.output == expected.output, "\(found)")
    #expect(try left() == Self.keys.count - 1)
  }

  @Test func allIdentifiersOfAListAreRead() throws {
    for format in ["tsv", "csv"] {
      let list = try folder.run(["a.db", "--format", format, "-e", "list fields id"])
      let named = try folder.run(
        ["a.db", "-e", "delete - expect \(Self.keys.count)"],
        input: list.output
      )
      #expect(named.errors.contains("discarded"), "\(named)")
    }
  }

  @Test(arguments: [
    (" AB12\n", "-:1: record \" AB12\" not found"), ("A B12\n", "-:1: record \"A B12\" not found"),
    ("id\r\n\"AB12\n", "-:2: unclosed quote"),
  ])
  func otherWhiteSpaceIsNotRemoved(input: String, message: String) throws {
    let run = try folder.run(["a.db", "-e", "delete -", "-e", "save"], input: input)
    #expect(run.status == 1 && run.errors.contains(message), "\(run)")
    #expect(try left() == Self.keys.count)
  }

  /// Formerly the values of a field `id` were taken for the row numbers that identify the records of a file.
  @Test func theValuesOfAFieldAreNotIdentifiers() throws {
    try folder.write("id,v\n2,a\n1,b\n3,c\n", to: "f.csv")
    let list = try folder.run(["f.csv", "-e", "list where v = 'a' fields id"])
    let refused = try folder.run(["f.csv", "-e", "delete -", "-e", "save"], input: list.output)
    #expect(
      refused.errors
        == "catalog: 1: -:1: \"id\" is a field of f, not the identifier; use \"fields _id\"\n",
      "\(refused)"
    )
    #expect(try folder.read("f.csv") == "id,v\n2,a\n1,b\n3,c\n")
    let right = try folder.run(["f.csv", "-e", "list where v = 'a' fields _id"])
    let deleted = try folder.run(["f.csv", "-e", "delete -", "-e", "save"], input: right.output)
    #expect(deleted.status == 0, "\(deleted)")
    #expect(try folder.read("f.csv") == "id,v\n1,b\n3,c\n")
    // Without a heading nothing tells that it is no number of a row, nor of which file it was.
    let bare = try folder.run(["f.csv", "-e", "delete -", "-e", "save"], input: "1\n")
    #expect(bare.status == 1 && bare.errors.contains("record 1 is a row number"), "\(bare)")
    #expect(try folder.read("f.csv") == "id,v\n1,b\n3,c\n")
  }
}
