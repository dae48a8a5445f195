import Testing

/// The places of errors in JSON that is written on one line.
@Suite struct OneLineJSONTests {
  private static let files: [(name: String, text: String, command: String, place: String)] = [
    ("f.json", #"[{"k":"a","n":1},{"k":"b","n":"x"}]"#, "import f.json by k", "f.json:1:31: n:"),
    ("f.json", #"[{"k":"a","n":1},{"k":"b","n":"x"}]"#, "import f.json", "f.json:1:31: n:"),
    (
      "f.json", #"{"E":[{"k":"a","n":1},{"k":"b","n":"x"}]}"#, "import f.json by k",
      "f.json:1:36: n:"
    ),
    ("f.json", #"{"E":[{"k":"a","n":1},{"k":"b","n":"x"}]}"#, "import f.json", "f.json:1:36: n:"),
    ("f.json", #"[{"k":"a"},{"k":"a"}]"#, "import f.json by k", "f.json:1:17: duplicate key"),
    ("f.json", #"[{"k":"a"},{"k":"b","z":1}]"#, "import f.json by k", "f.json:1:25: E has no"),
    ("f.json", #"[{"k":"a"},{"k":"b","z":1}]"#, "import f.json", "f.json:1:25: E has no"),
    ("f.json", #"[{"k":"a"},{"n":1}]"#, "import f.json by k", "f.json:1:17: missing key"),
    ("f.json", #"[{"k":"a"},{}]"#, "import f.json by k", "f.json:1:12: missing key"),
    ("f.json", #"[{"k":"a"},{"k":null}]"#, "import f.json by k", "f.json:1:17: k: missing key"),
    ("f.jsonl", #"{"k":"a","n":1} {"k":"b","n":"x"}"#, "import f.jsonl by k", "f.jsonl:1:30: n:"),
    ("f.jsonl", #"{"k":"a","n":1} {"k":"b","n":"x"}"#, "import f.jsonl", "f.jsonl:1:30: n:"),
    (
      "f.json", "[\n  {\"k\":\"a\"},\n  {\"k\":\n    1, \"n\":true}\n]", "import f.json",
      "f.json:4:5: k:"
    ),
  ]

  @Test(arguments: files)
  func theColumnIsThatOfTheRecord(name: String, text: String, command: String, place: String) throws
  {
    let folder = try TemporaryFolder()
    try folder.write(text, to: name)
    let run = try folder.run(["memory:", "-e", "entity create E k:text n:integer", "-e", command])
    #expect(run.status == 1 && run.errors.contains(place), "\(run)")
  }
}
