import Foundation
import Testing

/// Duplicate clauses and fields, renames to the same name, and tokens beyond the last.
@Suite struct RepeatedClausesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ commands: String...) throws -> ProgramRun {
    try folder.run(["memory:", "--sample"] + commands.flatMap { ["-e", $0] })
  }

  @Test(arguments: [
    ("list limit 1 limit 2", "column 14: duplicate \"limit\""),
    ("list Film offset 1 limit 2 OFFSET 2", "column 28: duplicate \"offset\""),
    ("list fields title fields director", "column 19: duplicate \"fields\""),
    ("export x.csv limit 1 limit 1", "column 22: duplicate \"limit\""),
    ("list limit 1 fields title,title", "column 27: duplicate field \"title\""),
    ("list fields title,`title`", "column 19: duplicate field \"title\""),
    ("list fields 'title,director,title'", "column 13: duplicate field \"title\""),
    ("export x.json fields title,title", "column 28: duplicate field \"title\""),
  ])
  func duplicateOptionsAreRejected(command: String, message: String) throws {
    let result = try run(command)
    #expect(result.status == 1 && result.output == "", "\(result)")
    #expect(result.errors == "catalog: 1: \(message)\n")
    #expect(try folder.names() == [])
  }

  @Test(arguments: [
    "list where releaseYear > 2000 where title contains 'a' limit 1",
    "list sort title,-title limit 1",
    "list sort title sort director limit 1",
  ])
  func filtersAndSortsMayBeSeveral(command: String) throws {
    #expect(try run(command).status == 0)
  }

  @Test func aFieldIsNotRenamedToItself() throws {
    let result = try run("save", "field rename director director")
    #expect(result.errors == "catalog: 2: field \"director\" already has this name\n", "\(result)")
    let after = try folder.run(
      ["memory:", "--sample", "--keep-going"]
        + ["save", "field rename director director", "undo", "status"].flatMap { ["-e", $0] }
    )
    #expect(!after.errors.contains("schema"), "\(after)")
    #expect(try run("field rename nothing nothing").errors.contains("no field \"nothing\""))
  }

  @Test(arguments: ["a.catlog", "a.json"])
  func aTokenThatNoSaveHadIsUnknown(store: String) throws {
    for token in ["9", "1000000", "9223372036854775807", "0", "-1"] {
      let script = """
        entity create E a:text
        insert E a=x
        save
        set t1 a=y
        save
        revert t1 to \(token)

        """
      let result = try TemporaryFolder().run([store], input: script)
      #expect(
        result.errors.hasPrefix(
          "catalog: 6: unknown transaction \"\(token)\"; run \"history\" to list them\n"
        ),
        "\(result)"
      )
    }
  }

  @Test func anEmptyKeyIsNoSlipOfTheFinger() throws {
    try folder.write(#"[{"a":1,"":2}]"#, to: "e.json")
    let run = try folder.run(["e.json", "-e", "set 1 \"\"=8"])
    #expect(
      run.errors
        == "catalog: 1: column 7: e has no field \"\"; a field name cannot be empty\n"
    )
  }
}
