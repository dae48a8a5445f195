import Testing

/// Where messages about files point to.
@Suite struct ImportPlaceTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let made = try folder.run(
      ["a.catlog", "-e", "entity create Item sku:text! n:integer! j:json", "-e", "save"]
    )
    try #require(made.status == 0)
  }

  private static let files: [(name: String, text: String, command: String, message: String)] = [
    (
      "f.csv", "sku,j,n\nA,x,1\nB,word,\n", "import f.csv by sku",
      "f.csv:3:8: n: a value is required"
    ),
    (
      "f.jsonl", "{\"sku\":\"A\",\"n\":1}\n{\"sku\":\"A1\",\"n\":null}\n", "import f.jsonl by sku",
      "f.jsonl:2:17: n: a value is required"
    ),
    (
      "f.jsonl", "{\"sku\":\"A\",\"n\":1}\n{\"sku\":\"A1\",\"n\":\n{\"sku\":\"A2\",\"n\":1}\n",
      "import f.jsonl",
      "f.jsonl:2:17: invalid JSON: expected the rest of the record, found the end of the line"
    ),
    (
      "f.csv", "sku,n,j\nA,1,\"{\"\"a\"\":}\"\n", "import f.csv",
      "f.csv:2:5: j: invalid JSON at byte 6: expected a value"
    ),
    (
      "f.csv", "sku,n,j\nA,1,\"[1,\"\n", "import f.csv by sku",
      "f.csv:2:5: j: invalid JSON at byte 4: expected a value"
    ),
    ("f.csv", "sku,n,j\nA,1,{bad\n", "import f.csv", "f.csv:2:5: j: invalid JSON at byte 2"),
    ("f.csv", "sku,n,j\nA,1,[x]\n", "import f.csv by sku", "f.csv:2:5: j: invalid JSON at byte 2"),
    (
      "f.json", "[{\"sku\":\"A1\",\"n\":1},", "import f.json",
      "f.json:1:21: invalid JSON: the text ends early; expected a further record or ]"
    ),
    (
      "f.json", "[{\"sku\":\"A1\",\"n\":1},\n", "import f.json",
      "f.json:2:1: invalid JSON: the text"
    ),
    (
      "s.json", "{\n  \"entities\": [,]\n}\n", "schema apply s.json",
      "s.json:2:16: invalid JSON: expected a value"
    ),
    (
      "f.csv", "sku,n\nA,1\n", "each f.csv insert {\"sku\":$sku}",
      "catalog: 1: each: the object in the command is not JSON; use FIELD=$NAME\n"
    ),
  ]

  @Test(arguments: files)
  func theMessageNamesTheCause(name: String, text: String, command: String, message: String) throws
  {
    try folder.write(text, to: name)
    let run = try folder.run(["a.catlog", "-e", command])
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains(message), "\(run)")
  }

  @Test func textThatIsNotLikeJSONStaysText() throws {
    try folder.write(
      "sku,n,j\nA,1,x [draft]\nB,2,\"\"\"{see} y\"\"\"\nC,3,\"{\"\"a\"\": 1}\"\nD,4,word\n",
      to: "f.csv"
    )
    let run = try folder.run([
      "a.catlog", "-e", "import f.csv", "-e", "list fields j", "--format", "jsonl",
    ])
    #expect(
      run.output.hasSuffix(
        "{\"j\": \"x [draft]\"}\n{\"j\": \"{see} y\"}\n{\"j\": {\"a\":1}}\n{\"j\": \"word\"}\n"
      ),
      "\(run)"
    )
  }

  @Test func aSchemaFileOfTheCommandLineIsNamedWithThePlace() throws {
    try folder.write("{\n  \"entities\": [,]\n}\n", to: "s.json")
    let run = try folder.run(["new.catlog", "--schema", "s.json", "-e", "count"])
    #expect(run.status == 2)
    #expect(run.errors.contains("--schema: s.json:2:16: invalid JSON: expected a value"), "\(run)")
  }

  @Test func commasOnStandardInputAreRecognized() throws {
    let run = try folder.run(
      ["a.catlog", "--format", "tsv", "-e", "import -", "-e", "list fields sku,n"],
      input: "sku,n\nA,1\n"
    )
    #expect(run.output.hasSuffix("sku\tn\nA\t1\n"), "\(run)")
  }
}
