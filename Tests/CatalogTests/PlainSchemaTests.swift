import Foundation
import Testing

/// What a save reports about schema changes, and about those that the file cannot keep.
@Suite struct PlainSchemaTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"[{"a":1},{"a":2}]"# + "\n", to: "a.json")
    try folder.write(#"{"F":[{"a":1}],"G":[{"b":1}]}"# + "\n", to: "o.json")
    try folder.write(#"{"a":1}"# + "\n", to: "l.jsonl")
  }

  private static let warning = "keeps no types"

  @Test(arguments: [
    ("a.json", "field add z:text"), ("o.json", "entity create H q:text"),
    ("o.json", "field add F z:integer!=1"), ("l.jsonl", "field add z:date"),
  ])
  func aFileOfOthersSaysThatItCannotKeepASchema(file: String, line: String) throws {
    let screen = try folder.run(
      [file, "--keys", "-", "--size", "150x24"],
      input: ": \"\(line)\" Enter"
    )
    #expect(screen.output.contains(Self.warning), "\(screen)")
    let run = try folder.run([file, "-e", line, "-e", "save"])
    #expect(run.status == 0)
    #expect(run.errors.contains("note: \(file) keeps no types"), "\(run)")
    #expect(run.errors.contains("saveas NEW.json"), "\(run)")
  }

  @Test func whatAFileKeepsIsNotWarnedOf() throws {
    let renamed = try folder.run(["a.json", "-e", "field rename a b", "-e", "save"])
    #expect(renamed.status == 0 && renamed.errors == "", "\(renamed)")
    for own in ["s.json", "s.catlog"] {
      let run = try folder.run([own, "-e", "entity create E k:text", "-e", "save"])
      #expect(run.status == 0 && run.errors == "", "\(run)")
    }
  }

  @Test(arguments: ["s.json", "s.catlog", "memory:"])
  func aSaveTellsWhatItDidToTheSchema(store: String) throws {
    let run = try folder.run(
      [store, "-e", "entity create E k:text", "-e", "field add x:integer", "-e", "save"]
        + ["-e", "insert k=a", "-e", "field drop x", "-e", "save"]
    )
    let saved = """
      saved: 0 inserted, 0 updated, 0 deleted
      schema: create E; add x to E
      t1
      saved: 1 inserted, 0 updated, 0 deleted
      t1 -> ID

      """
    #expect(withoutIdentifiers(run.output) == saved, "\(run)")
    let screen = try folder.run(
      [store, "--keys", "-"],
      input: #"":entity create Z k:text" Enter w"#
    )
    #expect(screen.output.contains("0 deleted; schema: create Z"), "\(screen)")
  }

  /// The identifiers of new records in such files are numbers, which occur in many texts.
  @Test func aRefusedSaveNamesTheFieldAsItIs() throws {
    let run = try folder.run(
      ["a.json", "-e", "field add z3:text!=x", "-e", "insert a=3 z3=", "-e", "save"]
    )
    #expect(run.errors.contains("a.z3: a value is required (record t1)"), "\(run)")
    #expect(run.errors.contains("t1 was inserted in line 2"), "\(run)")
  }

  @Test func theUntouchedSampleIsNamedWhenItIsDiscarded() throws {
    let run = try folder.run(["--sample", "-e", "count"])
    #expect(run.status == 3 && run.output == "31\n")
    #expect(run.errors.hasPrefix("catalog: discarded 31 unsaved changes (31 inserted"))
    #expect(run.errors.contains("the sample records"), "\(run)")
    #expect(run.errors.contains("to write them to"), "\(run)")
    #expect(run.errors.split(separator: "\n").count == 1)
    let edited = try folder.run(["--sample", "-e", "set where title='Up' title=X"])
    #expect(edited.status == 3 && !edited.errors.contains("bundled sample"), "\(edited)")
  }
}
