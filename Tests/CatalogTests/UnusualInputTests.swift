import Testing

/// Input that few people have, and that must not be misread all the same.
@Suite struct UnusualInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Characters that combine with the equals sign before them.
  @Test(arguments: ["\u{301}", "\u{301}=x", "\u{200D}", "\u{FE0F}y", "\u{E33}"])
  func aParameterBeginsWithAnyCharacter(text: String) throws {
    try folder.write("[{\"t\":\"a\"}]", to: "t.json")
    let line = "set where t=\"a\" t=$T"
    let option = try folder.run(["t.json", "--arg", "T", text, "-e", line, "-e", "save"])
    #expect(option.status == 0, "\(option)")
    #expect(try folder.read("t.json") == "[{\"t\":\"\(text)\"}]")
    try folder.write("[{\"t\":\"a\"}]", to: "t.json")
    let variable = try folder.run(
      ["t.json", "--args-env", "T", "-e", line, "-e", "save"],
      environment: ["T": text]
    )
    #expect(variable.status == 0, "\(variable)")
    #expect(try folder.read("t.json") == "[{\"t\":\"\(text)\"}]")
  }

  @Test func recordsWithoutFieldsAreWrittenAsEmptyObjects() throws {
    try folder.write("[{},{}]", to: "empty.json")
    let json = try folder.run(["empty.json", "-e", "export out.json", "-e", "export out.jsonl"])
    #expect(json.status == 0, "\(json)")
    #expect(try folder.read("out.json") == "[\n  {},\n  {}\n]\n")
    #expect(try folder.read("out.jsonl") == "{}\n{}\n")
    let answer = try folder.run(["empty.json", "--answers", "jsonl", "-e", "export -"])
    #expect(answer.output.contains("\"records\":[{},{}]"), "\(answer)")
  }

  @Test func tabSeparatedValuesFromAPipeHaveTheirEscapes() throws {
    try folder.write("a\tb,c\nx\\ty\t1\n", to: "t.tsv")
    let open = "--to - --format jsonl"
    let piped = try folder.inShell("cat t.tsv | \"$catalog\" - \(open)")
    #expect(piped.output == "{\"a\": \"x\\ty\", \"b,c\": 1}\n", "\(piped)")
    let named = try folder.inShell("\"$catalog\" t.tsv \(open)")
    #expect(named.output == piped.output)
    let again = try folder.inShell(
      "cat t.tsv | \"$catalog\" - --to - --format tsv | \"$catalog\" - --to - --format tsv"
    )
    #expect(again.output == "a\tb,c\nx\\ty\t1\n", "\(again)")
  }

  /// The key of a record begins with the name of another entity.
  @Test func aKeyWithASlashIsTheRecordOfTheOpenEntity() throws {
    _ = try folder.database(
      "p.db",
      "CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT)",
      "INSERT INTO film VALUES (5, 'Up')",
      "CREATE TABLE tag (kind TEXT NOT NULL, ref INTEGER NOT NULL, name TEXT, PRIMARY KEY (kind, ref))",
      "INSERT INTO tag VALUES ('film', 5, 'good')",
      "CREATE TABLE k (k TEXT PRIMARY KEY NOT NULL, v INTEGER)",
      "INSERT INTO k VALUES ('k/x', 1), ('x', 2)"
    )
    func output(_ arguments: String...) throws -> String {
      let run = try folder.run(["p.db", "--quiet"] + arguments + ["-e", "quit!"])
      return run.output + run.errors
    }
    #expect(
      try output("--entity", "tag", "-e", "delete film/5", "-e", "count", "-e", "count film")
        == "0\n1\n"
    )
    #expect(try output("--entity", "film", "-e", "delete film/5", "-e", "count tag") == "1\n")
    let unclear = try output("-e", "delete film/5")
    #expect(unclear.contains("ambiguous (film/5, tag/film/5)"), "\(unclear)")
    let listed = "\"$catalog\" p.db --entity k -e 'list where v=1 fields id'"
    let piped = try folder.inShell(
      "\(listed) | \"$catalog\" p.db --entity k -e 'delete -' -e 'list fields id'"
    )
    #expect(piped.output.hasSuffix("id\nx\n"), "\(piped)")
  }
}
