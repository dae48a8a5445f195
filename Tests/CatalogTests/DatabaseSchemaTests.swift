import Foundation
import Testing

/// Changes of the schema of SQLite databases: unsaved like any other change, and refused in those of other programs.
@Suite struct DatabaseSchemaTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String], _ commands: String...) throws -> ProgramRun {
    try folder.run(arguments + commands.flatMap { ["-e", $0] })
  }

  @Test func aScriptThatFailsLeavesNothing() throws {
    try folder.write("name,size\na,1\nb,2\n", to: "items.csv")
    let failed = try run(["new.db"], "import items.csv into Item", "set where size = 1 size=x")
    #expect(failed.status == 1)
    #expect(failed.errors.contains("schema: create items") || failed.errors.contains("create Item"))
    #expect(try folder.names() == ["items.csv"])
    #expect(try run(["new.db"], "import items.csv into Item", "save").status == 0)
    let second = try run(["new.db"], "import items.csv into Other", "nonsense")
    #expect(second.status == 1)
    #expect(try run(["new.db"], "entities").output.contains("Item"))
    #expect(try run(["new.db"], "entities").output.contains("Other") == false)
  }

  @Test(arguments: ["--atomic", "--dry-run"])
  func changesOfTheSchemaAreSavedOrNotAsAllOthers(option: String) throws {
    #expect(try run(["a.db"], "entity create A x:text", "insert A x=1", "save").status == 0)
    let done = try run(
      [option, "a.db"],
      "field add A size:integer=3",
      "field rename A x y",
      "entity create B z:text",
      "insert B z=1"
    )
    #expect(done.status == 0, "\(done.errors)")
    let list = try run(["a.db"], "list A fields y,size")
    #expect(list.status == (option == "--atomic" ? 0 : 1), "\(list.errors)")
    if option == "--atomic" { #expect(list.output == "y\tsize\n1\t3\n") }
  }

  @Test func theHistoryNamesEachChangeOfTheSchema() throws {
    let made = try run(
      ["a.db"],
      "entity create A x:text",
      "insert A x=1",
      "save",
      "field add A n:integer",
      "field drop A x",
      "save",
      "undo",
      "list A fields x",
      "save",
      "history"
    )
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("x\n1\n"))
    #expect(made.output.contains("add") && made.output.contains("drop"), "\(made.output)")
  }

  @Test(arguments: [
    ("field add t size:integer", #"ALTER TABLE "t" ADD COLUMN "size" INTEGER"#),
    ("field rename t b c", #"ALTER TABLE "t" RENAME COLUMN "b" TO "c""#),
    ("field drop t b", #"ALTER TABLE "t" DROP COLUMN "b""#),
    ("entity create N x:text", #"CREATE TABLE "N""#),
    ("field type t b integer", "saveas"),
    ("view write mine", "has no room for views"),
  ])
  func tablesOfOthersAreNotChanged(command: String, hint: String) throws {
    try folder.database(
      "o.db",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b)",
      "INSERT INTO t VALUES (1, '2')"
    )
    let before = try folder.read("o.db")
    for options in [[], ["--atomic"], ["--dry-run"]] {
      let refused = try run(options + ["o.db"], command)
      #expect(refused.status == 1, "\(options) \(refused.errors)")
      #expect(refused.errors.contains(hint), "\(refused.errors)")
      #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
    }
    #expect(try folder.read("o.db") == before)
    #expect(try folder.names() == ["o.db"])
  }
}
