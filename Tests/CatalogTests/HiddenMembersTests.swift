import Testing

/// Members of a JSON file that are no fields, which copies in another place lack.
@Suite struct HiddenMembersTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let film = ["c.json", "-e", "entity create Film title:text", "-e", "insert title=Up"]
    #expect(try folder.run(film + ["-e", "insert title=Soul", "-e", "save"]).status == 0)
    let text = try folder.read("c.json")
    let more = text.replacing("\"title\": \"Up\"", with: "\"title\": \"Up\", \"x\": 2, \"a\": {}")
    try folder.write(more.replacing("\n}", with: ",\n  \"note\": 1\n}"), to: "c.json")
  }

  private static let records = "1 Film record has members outside the schema: a, x\n"
  private static let file = "the file has members that are not records: note\n"

  private static let exportNotes = [records, file].map { "catalog: note: not exported: " + $0 }
    .joined()

  @Test(arguments: ["o.json", "o.catlog", "o.db"]) func aCopySaysWhatItLacks(target: String) throws
  {
    let run = try folder.run(["c.json", "--to", target])
    let notes = [Self.records, Self.file].map { "catalog: note: not copied: " + $0 }.joined()
    #expect(run.status == 0 && run.errors == notes, "\(run)")
    let copy = try folder.run(["c.json", "-e", "saveas further.\(target)"])
    #expect(
      copy.output.hasSuffix("not copied: " + Self.records + "not copied: " + Self.file),
      "\(copy)"
    )
  }

  @Test(arguments: ["export o.csv", "export - Film", "export o.json"])
  func anExportSaysWhatItLacks(line: String) throws {
    let run = try folder.run(["c.json", "-e", line])
    #expect(run.errors == Self.exportNotes, "\(run)")
    let chosen = try folder.run(["c.json", "--replace", "-e", line + " fields title"])
    #expect(chosen.status == 0 && chosen.errors == "", "\(chosen)")
  }

  @Test func aConversionToSeparatedValuesSaysIt() throws {
    let run = try folder.run(["c.json", "--to", "o.csv"])
    #expect(run.errors == Self.exportNotes, "\(run)")
  }

  @Test func aPipeNamesThem() throws {
    let run = try folder.run(["-", "--to", "o.json"], input: try folder.read("c.json"))
    #expect(
      run.errors.contains("not copied: Film records have members outside the schema: a, x\n"),
      "\(run)"
    )
  }

  /// What a document has beside its records.
  @Test func aDocumentWithMoreThanRecordsSaysIt() throws {
    try folder.write(#"{"count": 1, "rows": [{"x": 1}], "next": null}"#, to: "d.json")
    let run = try folder.run(["d.json", "--to", "o.json"])
    #expect(
      run.errors
        == "catalog: note: not copied: the file has members that are not records: count, next\n",
      "\(run)"
    )
  }

  @Test func anEmptyNameIsShown() throws {
    try folder.write(
      try folder.read("c.json").replacing("\"x\": 2", with: "\"\": 2").replacing(
        "\"note\"",
        with: "\"\""
      ),
      to: "e.json"
    )
    let run = try folder.run(["e.json", "--to", "o.json"])
    #expect(run.errors.contains("members outside the schema: \"\", a\n"), "\(run)")
    #expect(run.errors.contains("members that are not records: \"\"\n"), "\(run)")
  }
}
