import Foundation
import Testing

/// Reverting a record reports the links that cannot be restored.
@Suite struct LinksLeftEmptyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let beginning = """
    entity create A name:text
    entity create B title:text a:link:A all:links:A
    insert A name=ada
    insert A name=bob
    insert B title=one a=t1 all=t1,t2
    save

    """

  @Test(arguments: ["s.catlog", "memory:"])
  func revertNamesTheLinksThatStayEmpty(store: String) throws {
    let script =
      Self.beginning + """
        set t3 title=two a= all=
        delete t1
        save
        revert t3 to 1
        list B fields id,title,a,all
        save
        check

        """
    let run = try folder.run([store], input: script)
    let lines = run.output.split(separator: "\n").map(String.init)
    let said = try #require(lines.first { $0.contains("left empty") }, "\(run)")
    #expect(said.contains("a, all") && said.contains("no longer exists"), "\(said)")
    #expect(lines.last == "ok" && run.status == 0, "\(run)")
  }

  @Test func revertWithAllItsLinksSaysNothing() throws {
    let script = Self.beginning + "set t3 a=\nsave\nrevert t3 to 1\nsave\n"
    let run = try folder.run(["s.catlog"], input: script)
    #expect(run.status == 0 && !run.output.contains("left empty"), "\(run)")
  }

  @Test func theScreenSaysItToo() throws {
    let script =
      Self.beginning + "set t3 title=two a= all=\ndelete t1\nsave\n"
    #expect(try folder.run(["s.catlog"], input: script).status == 0)
    let run = try folder.run(
      ["s.catlog", "--entity", "B", "--keys", "-"],
      input: "H j j j j Enter"
    )
    #expect(run.output.contains("left empty"), "\(run)")
    let field = try folder.run(["s.catlog", "--entity", "B", "--keys", "-"], input: "H j j Enter")
    #expect(field.output.contains("no longer exists"), "\(field)")
  }
}
