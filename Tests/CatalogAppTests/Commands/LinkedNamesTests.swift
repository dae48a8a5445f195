import CatalogApp
import OpenSwiftData
import Testing

/// Identifiers that are the same in several entities.
@Suite struct LinkedNamesTests {
  private static let schema = Schema(
    Schema.Entity(
      "A",
      attributes: [Schema.Attribute("t", .text), Schema.Attribute("l", .link("B"))]
    ),
    Schema.Entity("B", attributes: [Schema.Attribute("t", .text)])
  )

  @Test func aPrefixNamesARecordOfTheEntityThatTheFieldLinksTo() throws {
    let fixture = try ScriptFixture(Self.schema)
    let result = try fixture.run(
      "insert B t=b\ninsert A t=a l=t1\nsave\nlist B fields id\nlist A fields l"
    )
    let lines = result.output.split(separator: "\n").map(String.init)
    let link = try #require(lines.last)
    #expect(lines.filter { $0 == link }.count == 2, "the link leads to B: \(result)")
    // The records differ in the first character only.
    let set = try fixture.run("set A where t = 'a' l=\(link)\nset A where t = 'a' l=B/\(link)")
    #expect(set.status == 0, "\(set)")
    let wrong = try fixture.run("set A where t = 'a' l=A/\(link)")
    #expect(wrong.status == 1 && wrong.errors.contains("not found"), "\(wrong)")
  }

  @Test func resolvingWithoutConflictsSaysSo() throws {
    let fixture = try ScriptFixture(Self.schema)
    #expect(try fixture.run("resolve all mine", echoesNotes: true).output == "no conflicts\n")
  }
}
