import Foundation
import Testing

/// Reverting saves in files without identifiers whose fields have changed since.
@Suite struct RevertedFieldsTests {
  private let folder: TemporaryFolder
  private static let texts = [
    "csv": "k,v,w\na,1,x\nb,2,y\n",
    "jsonl": "{\"k\": \"a\", \"v\": 1, \"w\": \"x\"}\n{\"k\": \"b\", \"v\": 2, \"w\": \"y\"}\n",
  ]

  init() throws { folder = try TemporaryFolder() }

  /// The names of fields that change are those of other fields, or of the changed one itself.
  @Test(
    arguments: ["csv", "jsonl"],
    [
      "field drop v", "field rename v V", "field rename w W", "field add z:text",
    ]
  )
  func changesBeforeThoseOfTheFieldsAreReverted(form: String, step: String) throws {
    let name = "g.\(form)"
    try folder.write(try #require(Self.texts[form]), to: name)
    _ = try folder.run([name, "-e", "set where k=\"b\" w=wrong", "-e", "save"])
    _ = try folder.run([name, "-e", step, "-e", "save"])
    #expect(try folder.run([name, "-e", "history 2"]).output.contains("wrong"))
    let run = try folder.run([name, "-e", "revert all to 0", "-e", "save"])
    #expect(run.status == 0 && run.output.contains("reverted: 0 inserted, 1 updated"), "\(run)")
    let text = try folder.read(name)
    #expect(!text.contains("wrong") && text.contains("y"), "\(text)")
  }

  /// Without the field that is gone it cannot be known which of two records it was.
  @Test func recordsThatAreEqualWithoutAFieldAreNotMistaken() throws {
    try folder.write("k,v\na,1\na,2\nb,3\n", to: "g.csv")
    _ = try folder.run(["g.csv", "-e", "set 2 k=wrong", "-e", "save"])
    _ = try folder.run(["g.csv", "-e", "set 1 k=wrong", "-e", "save"])
    _ = try folder.run(["g.csv", "-e", "field drop v", "-e", "save"])
    let run = try folder.run(["g.csv", "-e", "revert all to 0", "-e", "save"])
    #expect(run.status == 1 && run.errors.contains("cannot revert: g record"), "\(run)")
  }

  /// The only record with a member has been deleted, so the file shows no such field.
  @Test(arguments: [
    ["undo"], ["revert all to 0"], ["field add note:text", "save", "revert all to 0"],
  ])
  func aMemberThatNoRecordHasComesBack(commands: [String]) throws {
    let text = """
      [
        {"name": "Ada", "age": 36},
        {"name": "Bob", "note": "paid 50"},
        {"name": "Cid", "age": 7}
      ]

      """
    try folder.write(text, to: "j.json")
    _ = try folder.run(["j.json", "-e", "delete where name=\"Bob\"", "-e", "save"])
    let run = try folder.run(["j.json"] + (commands + ["save"]).flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    let written = try folder.read("j.json")
    let line = written.split(separator: "\n").first { $0.contains("Bob") }
    #expect(line?.contains("\"note\": \"paid 50\"") == true, "\(written)")
    #expect(line?.contains("age") == false)
  }
}
