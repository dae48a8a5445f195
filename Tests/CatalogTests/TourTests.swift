import CatalogApp
import Foundation
import Glibc
import Testing

/// The tour inside the program, and its steps in docs/first-steps.md.
@Suite struct TourTests {
  private static let steps = TourStep.all

  /// The screen of the tour after some keys.
  private func tour(_ keys: String, size: String = "80x24") throws -> ProgramRun {
    try TemporaryFolder().run(["--tour", "--keys", "-", "--size", size], input: keys)
  }

  /// The keys that do all steps before one.
  private func keys(before place: Int) -> String {
    Self.steps[..<place].map(\.keys).joined(separator: "\n") + "\n"
  }

  private func heading(_ place: Int) -> String { "Tour: step \(place + 1) of \(Self.steps.count)" }

  @Test(arguments: steps.indices)
  func aStepIsDoneByItsKeysAndNotByOthers(place: Int) throws {
    let keys = keys(before: place)
    #expect(try tour(keys).output.contains(heading(place)))
    #expect(try tour(keys + "C-g C-l").output.contains(heading(place)))
  }

  @Test func tabSkipsAStepAndEscEndsTheTourWhenNothingIsLeftToClear() throws {
    #expect(try tour("Tab Tab").output.contains(heading(2)))
    let cleared = try tour("/ nemo Enter Escape")
    #expect(cleared.output.contains(heading(1)), "the cursor has moved")
    let ended = try tour("/ nemo Enter Escape Escape")
    #expect(!ended.output.contains("Tour:"))
    #expect(ended.output.contains("the tour has ended"))
    #expect(ended.output.split(separator: "\n", omittingEmptySubsequences: false).count == 25)
  }

  /// A heading and two lines at 80 columns, more where there is less room; never half a text.
  @Test(arguments: ["80x24", "120x36", "40x20"]) func everyStepIsShownInFull(size: String) throws {
    for (place, step) in Self.steps.enumerated() {
      let lines = try tour(keys(before: place), size: size).output.split(
        separator: "\n",
        omittingEmptySubsequences: false
      )
      let start = try #require(lines.firstIndex { $0.contains(heading(place)) })
      let shown = lines[(start + 1)...].joined(separator: " ").split(separator: " ")
      #expect(shown == step.text(.standard) { $0 }.split(separator: " "))
      #expect(size != "80x24" || start == 21)
    }
  }

  @Test func aNumberBelongsToTheNextKeyOfTheTable() throws {
    let canceled = try tour("1 2 Escape")
    #expect(canceled.output.contains(heading(0)) && !canceled.output.contains("the tour has ended"))
    #expect(try tour("1 2 Escape j").output.contains("row 2"))
  }

  @Test func theTourLeavesNothingOnDisk() throws {
    let home = try TemporaryFolder()
    let run = try ScreenRun(["--tour"], environment: ["HOME=\(home.path)"])
    #expect(run.shows("step 1 of"))
    run.type("/nemo\rc1000\r")
    #expect(run.shows("set "))
    run.type("w")
    #expect(run.shows("inserted, 1 updated"))
    run.type("c2000\r")
    #expect(run.shows("unsaved:"))
    run.type("q")
    #expect(run.wait() == .exited(0), "nobody is asked about the films of the tour")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
  }

  @Test func theStoreIsAsItWasAfterATourInside() throws {
    let folder = try TemporaryFolder()
    try folder.write("a,b\n1,x\n2,y\n", to: "t.csv")
    let inside = try folder.run(
      [folder.file("t.csv"), "--keys", "-"],
      input: #"j l e z Enter ":tour" Enter"#
    )
    #expect(inside.status == 3 && inside.errors.contains("discarded 1 unsaved change"), "\(inside)")
    for ending in ["q", "Escape Escape", #"":q" Enter"#] {
      let keys = #"j l e z Enter ":tour" Enter / nemo Enter c Escape \#(ending)"#
      let run = try folder.run([folder.file("t.csv"), "--keys", "-"], input: keys)
      #expect(run.output.contains("t.csv · 2 of 2 · row 2 · unsaved: 1 changed"), "\(run)")
      #expect(run.output.contains("the tour has ended; this is t.csv as you left it"))
      #expect(run.errors.contains("discarded 1 unsaved change"))
      #expect(try folder.names() == ["t.csv"], "\(ending)")
    }
    let saved = try folder.run(
      [folder.file("t.csv"), "--keys", "-"],
      input: #"j l e z Enter ":tour" Enter c 7 Enter w q u"#
    )
    #expect(saved.status == 0 && !saved.output.contains("unsaved:"), "\(saved)")
    #expect(try folder.read("t.csv") == "a,b\n1,x\n2,y\n")
  }

  @Test func whatWasUnsavedBeforeTheTourSurvivesASignal() throws {
    let films = try EditedFilms()
    let run = try films.onScreen()
    run.type(":tour\r")
    #expect(run.shows("step 1 of"))
    kill(run.process, SIGTERM)
    #expect(run.wait() == .killed(SIGTERM))
    let told = try films.folder.run([films.store, "-e", "count"])
    #expect(told.errors.contains("1 unsaved change from "))
  }

  @Test(arguments: [
    (["x.csv"], "--tour takes no LOCATION"), (["-e", "count"], "combined with -e"),
    (["--plain"], "combined with --plain"), ([], "must be a terminal"),
  ])
  func whatTheTourCannotDoIsRefused(others: [String], message: String) throws {
    let run = try TemporaryFolder().run(["--tour"] + others)
    #expect(run.status == 2 && run.errors.contains(message), "\(run)")
  }

  /// `CATALOG_WRITE_DOCS=1` writes the steps.
  @Test func thePageHasTheSteps() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "docs/first-steps.md"
      )
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- The steps of the tour: make pages. -->\n"))
    let end = try #require(text.range(of: "<!-- End of the steps. -->"))
    let steps = Self.steps.enumerated().map { place, step in
      "\(place + 1). " + step.text(.standard) { "`\($0)`" } + "\n"
    }
    let block = "\n" + steps.joined() + "\n"
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      let written = text[..<start.upperBound] + block + text[end.lowerBound...]
      return try Data(written.utf8).write(to: page)
    }
    #expect(text[start.upperBound..<end.lowerBound] == block)
  }
}
