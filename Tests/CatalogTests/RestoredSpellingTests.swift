import Foundation
import Testing

/// A saved change that is undone brings back the bytes of the record.
@Suite struct RestoredSpellingTests {
  private static let files: [(name: String, text: String)] = [
    ("y.csv", "n,v\na,1.50\nb,2.00\n"),
    ("y.json", "[{\"n\":\"a\", \"v\":1.50, \"b\":1e3, \"c\":\"\\u00e9x\"},\n {\"n\":\"b\"}]"),
    ("y.jsonl", "{\"n\":\"a\", \"v\":1e3, \"c\":\"\\u00e9x\"}\n{\"v\" : 2.0, \"n\":\"b\"}\n"),
  ]

  @Test(arguments: files)
  func undoAndRedoRestoreTheBytes(file: (name: String, text: String)) throws {
    let folder = try TemporaryFolder()
    try folder.write(file.text, to: file.name)
    let changes = ["set where n = \"a\" v=10", "save", "set where n = \"a\" n=c", "save"]
    let all = changes + ["set where n = \"c\" v=7", "save"]
    func run(_ commands: [String]) throws -> String {
      let run = try folder.run([file.name] + commands.flatMap { ["-e", $0] })
      #expect(run.status == 0, "\(run)")
      return try folder.read(file.name)
    }
    let undone = ["undo", "save"]
    #expect(try run(all + undone + undone + undone) == file.text)
    let after = try run(changes)
    try folder.write(file.text, to: file.name)
    #expect(try run(all + undone + undone + undone + ["redo", "save", "redo", "save"]) == after)
  }

  /// Numbers and truth values in a field of mixed values are not turned into texts, and numbers keep their digits.
  @Test func recordsOfMixedValuesReturnAsTheyWere() throws {
    let text =
      "{\"a\": 1,\"b\": -0,\"c\":3e0}\n{\"a\" : 1.00 , \"b\":\"é\" , \"c\" : true}\n{\"a\":2,\"b\" : true,\"c\":\"x\"}\n"
    let folder = try TemporaryFolder()
    try folder.write(text, to: "m.jsonl")
    let commands = [
      "set where true a=7 b=z c=w", "save", "delete where true", "save", "undo", "save", "undo",
      "save",
    ]
    let run = try folder.run(["m.jsonl"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("m.jsonl") == text)
  }

  /// A conversion writes its own form, and not what the record had as a text.
  @Test(
    arguments: [
      ["delete 1", "save", "undo", "save", "field type b boolean", "save"],
      ["set 1 b=no", "save", "undo", "save", "field type b boolean", "save"],
      ["set 1 b=x", "save", "set 1 b=0", "field type b boolean", "save"],
      [
        "set where true b=no", "save", "set where true b=yes", "save", "field type b boolean",
        "save",
        "set where true b=false", "save",
      ],
    ],
    [true, false]
  )
  func aConversionDoesNotBringBackTheFormerText(commands: [String], oneRun: Bool) throws {
    let folder = try TemporaryFolder()
    try folder.write("a,b\nx,0\ny,1\nz,no\nu,yes\n", to: "x.csv")
    let parts = oneRun ? [commands[...]] : [commands[..<2], commands[2...]]
    for part in parts {
      let run = try folder.run(["x.csv"] + part.flatMap { ["-e", $0] })
      #expect(run.status == 0, "\(run)")
    }
    #expect(try folder.read("x.csv").contains("x,false\n"))
  }

  /// A later run has the text from the history.
  @Test(arguments: files)
  func aLaterRunRestoresTheBytes(file: (name: String, text: String)) throws {
    let folder = try TemporaryFolder()
    try folder.write(file.text, to: file.name)
    for commands in [["set where n = \"a\" v=10.5", "save"], ["undo", "save"]] {
      let run = try folder.run([file.name] + commands.flatMap { ["-e", $0] })
      #expect(run.status == 0, "\(run)")
    }
    #expect(try folder.read(file.name) == file.text)
  }

  /// The order of the fields is that in which they occur, which the change itself can alter.
  @Test(arguments: [("b=7", "a = 2"), ("b=7", "a = 1"), ("c=1", "a = 1")])
  func aLaterRunRestoresTheBytesUnderAnotherOrderOfFields(values: String, record: String) throws {
    let text = #"[{"a":1},{"a":2},{"a":3,"c":1},{"a":4,"c":2,"b":1}]"#
    let folder = try TemporaryFolder()
    try folder.write(text, to: "f.json")
    for commands in [["set where \(record) \(values)", "save"], ["undo", "save"]] {
      let run = try folder.run(["f.json"] + commands.flatMap { ["-e", $0] })
      #expect(run.status == 0, "\(run)")
      #expect((try folder.read("f.json") == text) == (commands[0] == "undo"))
    }
  }
}
