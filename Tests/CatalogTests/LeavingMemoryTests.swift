import Foundation
import Testing

/// Quitting asks if records exist only in memory.
@Suite struct LeavingMemoryTests {
  private let folder: TemporaryFolder
  private let memory = ["--store", "memory", "--sample"]
  private static let question = "quit? the records are in memory only"

  init() throws { folder = try TemporaryFolder() }

  private func press(_ keys: String) throws -> ProgramRun {
    try folder.run(memory + ["--keys", "-"], input: keys)
  }

  @Test(arguments: [
    "w q", "q", #"":q" Enter"#, #"":wq" Enter"#, #"w ":wq" Enter"#, #"w ":x" Enter"#,
    #"w ":quit" Enter"#,
  ])
  func leavingAsks(keys: String) throws {
    let run = try press(#"":set where title='Up' title=X" Enter "# + keys)
    #expect(run.output.contains(Self.question), "\(run)")
    #expect(run.output.contains("31 records"), "\(run)")
    #expect(run.output.contains("s  save"), "\(run)")
  }

  @Test func openingAnotherStoreAsks() throws {
    let run = try press(#"":set where title='Up' title=X" Enter w ":e a.json" Enter y"#)
    #expect(run.output.contains("open another store? the records are in memory only"), "\(run)")
  }

  @Test(arguments: ["q", #"":e a.json" Enter y"#, #"":wq" Enter"#, #"j Enter Escape q"#])
  func unchangedSampleQuitsWithoutAQuestion(keys: String) throws {
    let run = try press(keys)
    #expect(!run.output.contains("in memory only") && run.status == 0, "\(run)")
  }

  @Test func copiedStoresQuitWithoutAQuestion() throws {
    let edit = #"":set where title='Up' title=X" Enter "#
    let kept = try press(edit + #"":saveas a.json" Enter q"#)
    #expect(!kept.output.contains("in memory only"), "\(kept)")
    #expect(try folder.read("a.json").contains("\"X\""))
    let more = try press(edit + #"":saveas b.json" Enter w ":set where title='X' title=Y" Enter q"#)
    #expect(try !press(edit + #"":saveas c.json" Enter w q"#).output.contains("in memory only"))
    #expect(more.output.contains(Self.question), "\(more)")
  }

  @Test func theQuestionLeadsToSaveas() throws {
    let edit = #"":set where title='Up' title=X" Enter w q "#
    let asked = try press(edit + "s")
    #expect(asked.output.hasSuffix(":saveas\n"), "\(asked)")
    let saved = try press(edit + "s new.json Enter")
    #expect(saved.output.contains("saved 31 records to new.json"), "\(saved)")
    #expect(try !press(edit + "d").output.contains(Self.question))
  }

  @Test func savingSaysThatItIsInMemoryOnly() throws {
    let run = try press(#"":set where title='Up' title=X" Enter w"#)
    #expect(run.output.contains("1 updated, 0 deleted; in memory only; use :saveas FILE"), "\(run)")
    let none = try press(#"":set where title='Up' title=X" Enter w w"#)
    #expect(none.output.contains("nothing to save; use :saveas FILE"), "\(none)")
  }

  @Test func lineByLineItIsAskedToo() throws {
    let run = try ScreenRun(memory + ["--plain"])
    #expect(run.shows("catalog> "))
    run.type("set where title='Up' title=X\nsave\nquit\n")
    #expect(run.shows("31 records are in memory only"))
    #expect(run.shows("saveas"))
    #expect(run.shows("catalog> "))
    run.type("quit!\n")
    #expect(run.wait() == .exited(0))
    let untouched = try ScreenRun(memory + ["--plain"])
    #expect(untouched.shows("catalog> "))
    untouched.type("quit\n")
    #expect(untouched.wait() == .exited(0))
  }

  @Test func scriptsEndAsBefore() throws {
    let run = try folder.run(memory + ["-e", "set where title='Up' title=X", "-e", "save"])
    #expect(run.status == 0 && run.errors == "", "\(run)")
  }
}
