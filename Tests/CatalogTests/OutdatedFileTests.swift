import Foundation
import Testing

/// Another file replaces the open one.
@Suite struct OutdatedFileTests {
  @Test func itIsSaidOnceAndThenInTheStatusLine() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("films.json")
    #expect(try folder.run([store, "--sample", "-e", "save"]).status == 0)
    let run = try ScreenRun([store], columns: 160)
    #expect(run.shows("Toy Story"))
    try folder.write(#"[{"x":1}]"#, to: "films.json")
    #expect(run.shows("file not reloaded"))
    #expect(run.shows("replaced by a different file"))
    run.type("u")
    #expect(run.shows("nothing to undo"))
    #expect(
      run.received.ranges(of: "replaced by a different file").count == 1,
      "told once"
    )
    run.type("\u{1B}:q!\r")
    #expect(run.wait() == .exited(0))
  }

  @Test(arguments: ["films.json", "films.catlog"])
  func unsavedValuesOfAFieldThatIsGoneAreNotForgotten(name: String) throws {
    let folder = try TemporaryFolder()
    let store = folder.file(name)
    #expect(try folder.run([store, "--sample", "-e", "save"]).status == 0)
    let run = try ScreenRun([store], columns: 160)
    #expect(run.shows("Toy Story"))
    run.type(":set director=Nobody\r")
    #expect(run.shows("Nobody"))
    #expect(try folder.run([store, "-e", "field drop director", "-e", "save"]).status == 0)
    #expect(run.shows("Film.director: removed by another program"))
    run.type("w")
    #expect(run.shows("cannot be saved"))
    run.type("\u{1B}:q!\r")
    #expect(run.wait() == .exited(0))
  }
}
