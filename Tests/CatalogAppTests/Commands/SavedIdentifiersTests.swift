import CatalogApp
import OpenSwiftData
import Testing

/// The identifiers that a save prints.
@Suite struct SavedIdentifiersTests {
  @Test func aSaveListsAtMostAHundredIdentifiers() throws {
    let fixture = try ScriptFixture()
    let inserts = (1...103).map { "insert title=\($0)" }.joined(separator: "\n")
    try fixture.run(inserts)
    let lines = try fixture.run("save").output.split(separator: "\n")
    #expect(lines.count == 102)
    #expect(lines.first == "saved: 103 inserted, 0 updated, 0 deleted")
    #expect(lines[1].starts(with: "t1 -> ") && lines[100].starts(with: "t100 -> "))
    #expect(lines.last == "… and 3 more")
  }

  @Test func statusListsThemAll() throws {
    let fixture = try ScriptFixture()
    for number in 1...103 { try fixture.run("insert title=\(number)") }
    try fixture.run("save")
    let lines = try fixture.run("status --ids").output.split(separator: "\n")
    #expect(lines.count { $0.contains(" -> ") } == 103)
    #expect(try !fixture.run("status").output.contains(" -> "))
  }

  @Test func anImportPrintsNone() throws {
    let fixture = try ScriptFixture()
    fixture.services.files["films.csv"] = Array("title\nUp\nSoul\n".utf8)
    try fixture.run("import films.csv")
    #expect(try fixture.run("save").output == "saved: 2 inserted, 0 updated, 0 deleted\n")
  }

  @Test func onlyPrintedIdentifiersAreListed() throws {
    let fixture = try ScriptFixture()
    fixture.services.files["films.csv"] = Array("title\nUp\nSoul\n".utf8)
    try fixture.run("import films.csv\ninsert title=Coco")
    let output = try fixture.run("save").output.normalised
    #expect(output == "saved: 3 inserted, 0 updated, 0 deleted\nt3 -> ID\n")
  }
}
