import Foundation
import Glibc
import Testing

/// The real program is killed with unsaved changes, and starts again.
@Suite struct RecoveryTests {
  private let films: EditedFilms
  private var folder: TemporaryFolder { films.folder }
  private var store: String { films.store }
  private static let journal = EditedFilms.journal

  init() throws { films = try EditedFilms() }

  // Covers I11.
  @Test func editsAndTerminalSurviveKill() throws {
    let run = try films.onScreen()
    let program = try #require(run.child)
    let before = run.modesAtStart
    kill(program, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL), "the guard ends as the program did")
    #expect(run.modes == before)
    #expect(run.received.hasSuffix("\u{1B}[?1049l\r") || run.received.contains("\u{1B}[?1049l"))
    #expect(run.received.contains("\u{1B}[?2004l"), "pastes come without brackets again")
    #expect(try folder.names() == [Self.journal, "films.json"])

    let told = try folder.run([store, "-e", "count where title = 'Up and away'"])
    #expect(told.output == "0\n" && told.status == 0)
    #expect(told.errors.contains("1 unsaved change from "))

    let next = try ScreenRun([store])
    #expect(next.shows("recover (as unsaved changes)"))
    next.type("r")
    #expect(next.shows("recovered changes to 1 record"))
    next.type("w")
    #expect(next.shows("1 updated"))
    next.type("q")
    #expect(next.wait() == .exited(0))
    #expect(try folder.names() == ["films.json"])
    #expect(try folder.read("films.json").contains("Up and away"))
  }

  @Test func editsLineByLineSurviveKill() throws {
    let run = try films.lineByLine()
    kill(run.process, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL))
    let told = try folder.run([store, "-e", "recover", "-e", "save"])
    #expect(told.errors.contains("1 unsaved change from "))
    #expect(told.output.contains("1 updated"))
    let other = try ScreenRun([store, "--plain"])
    #expect(other.shows("catalog> "))
    other.type("set where title='Up and away' title='Down'\n")
    #expect(other.shows("set title of"))
    other.type("quit!\n")
    #expect(other.wait() == .exited(0))
    #expect(try folder.names() == ["films.json"], "left on purpose")
  }

  @Test func theEndOfTheInputIsAskedForTwiceLineByLine() throws {
    for answer in ["save\n", "\u{4}"] {
      let run = try films.lineByLine()
      run.type("\u{4}")
      #expect(run.shows("unsaved changes"))
      #expect(run.shows("catalog> "))
      run.type(answer)
      if answer == "save\n" {
        #expect(run.shows("saved: "))
        run.type("\u{4}")
        #expect(run.wait() == .exited(0))
        #expect(
          try folder.run([store, "-e", "set where title='Up and away' title=Up", "-e", "save"])
            .status == 0
        )
      } else {
        #expect(run.wait() == .exited(3), "nobody said what becomes of the edits")
        #expect(try folder.names() == [Self.journal, "films.json"])
      }
    }
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func aSignalKeepsTheEditsAndSaysWhere(signal: Int32) throws {
    let run = try films.onScreen()
    kill(run.process, signal)
    #expect(run.wait() == .killed(signal))
    #expect(run.received.contains("1 unsaved change kept in "))
    #expect(run.modes == run.modesAtStart)
    let back = try folder.run([store, "-e", "recover", "-e", "save"])
    #expect(back.status == 0 && back.output == "saved: 0 inserted, 1 updated, 0 deleted\n")
    #expect(try folder.names() == ["films.json"])
  }

  // Covers I07.
  @Test(arguments: [SIGTERM, SIGHUP, SIGQUIT])
  func aSignalBehindASaveLeavesNoEdits(signal: Int32) throws {
    let run = try films.onScreen()
    let program = try #require(run.child)
    run.type("w")
    let end = ContinuousClock.now + .seconds(10)
    while try !folder.read("films.json").contains("Up and away"), ContinuousClock.now < end {}
    kill(program, signal)
    #expect(run.wait() == .killed(signal))
    #expect(!run.received.contains("kept in"))
    #expect(try folder.names() == ["films.json"])
    #expect(try folder.run([store, "-e", "count"]).errors == "")
  }

  @Test func aSignalBehindAnUndoLeavesNoEdits() throws {
    let run = try films.onScreen()
    run.type("u")
    #expect(run.shows("undone"))
    kill(run.process, SIGTERM)
    #expect(run.wait() == .killed(SIGTERM))
    #expect(try folder.names() == ["films.json"])
  }

  // Covers I11.
  @Test func theGuardsDeathEndsTheProgramInOrder() throws {
    let run = try films.onScreen()
    let program = try #require(run.child)
    kill(run.process, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL))
    #expect(ScreenRun.isGone(program))
    #expect(run.modes == run.modesAtStart)
    #expect(try folder.names().contains(Self.journal))
  }

  /// The program itself runs for another moment, and locks the file until it has kept everything.
  @Test func theEditsAreThereAtOnceAfterTheGuardWasKilled() throws {
    for round in 1...5 {
      let run = try films.onScreen()
      kill(run.process, SIGKILL)
      let told = try folder.run([store, "-e", "recover", "-e", "status"])
      #expect(told.output.contains("updated: 1"), "round \(round): \(told)")
      _ = run.wait()
      #expect(try folder.run([store, "-e", "recover discard"]).status == 0)
    }
  }

  @Test func leavingOnPurposeLeavesNothingBehind() throws {
    let run = try films.onScreen()
    #expect(try folder.names().contains(Self.journal))
    run.type("q")
    #expect(run.shows("discard the changes and quit"))
    run.type("d")
    #expect(run.wait() == .exited(0))
    #expect(try folder.names() == ["films.json"])
  }

  @Test func aLivingProgramsEditsAreNotOffered() throws {
    let run = try films.onScreen()
    let other = try folder.run([store, "-e", "recover"])
    #expect(other.status == 1)
    #expect(other.errors == "catalog: 1: nothing to recover\n")
    #expect(try folder.names().contains(Self.journal))
    run.type(":q!\r")
    #expect(run.wait() == .exited(0))
  }

  @Test func aScriptThatDoesNotSaveKeepsTheFile() throws {
    let run = try films.onScreen()
    kill(try #require(run.child), SIGKILL)
    _ = run.wait()
    let tried = try folder.run([store, "-e", "recover", "-e", "status"])
    #expect(tried.status == 3 && tried.output.contains("updated: 1"))
    #expect(try folder.names().contains(Self.journal))
    let discarded = try folder.run([store, "-e", "recover discard"])
    #expect(discarded.status == 0)
    #expect(try folder.names() == [Self.journal + ".discarded", "films.json"])
  }

  @Test func aTornEndCostsOnlyTheLastLine() throws {
    let run = try films.onScreen()
    run.type(":set where title='Soul' title='Zzyzx'\r")
    #expect(run.shows("(Soul)"))
    kill(try #require(run.child), SIGKILL)
    _ = run.wait()
    let text = try folder.read(Self.journal)
    try folder.write(String(text.dropLast(9)), to: Self.journal)
    let back = try folder.run([store, "-e", "recover", "-e", "save"])
    #expect(back.output == "saved: 0 inserted, 1 updated, 0 deleted\n")
    #expect(try folder.read("films.json").contains("Up and away"))
    #expect(try folder.names().contains { $0.contains(".conflicts-") }, "the torn file is kept")
  }

  @Test func aStoreThatWasNeverSavedComesBackWithItsSample() throws {
    let first = try ScreenRun([], environment: ["XDG_DATA_HOME=\(folder.path)/data"])
    #expect(first.shows("sample records, not saved yet"))
    #expect(
      try !FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/catalog").contains {
        $0.contains("recovery")
      },
      "a sample is no edit"
    )
    first.type(":set where title='Up' title='Up and away'\r")
    #expect(first.shows("set title of"))
    kill(try #require(first.child), SIGKILL)
    _ = first.wait()
    let environment = ["XDG_DATA_HOME": folder.path + "/data"]
    let back = try folder.run(
      [
        "--sample", "-e", "recover", "-e", "save", "-e", "count", "-e",
        "count where title='Up and away'",
      ],
      environment: environment
    )
    #expect(back.output.hasSuffix("\n31\n1\n"))
    #expect(back.status == 0)
  }

  // Covers I08.
  @Test func stoppingAndGoingOnPassThroughTheGuard() throws {
    let run = try films.onScreen()
    run.type("\u{1A}")
    #expect(run.wait(untilStopped: true) == .stopped)
    #expect(run.modes == run.modesAtStart)
    kill(try #require(run.child), SIGCONT)
    kill(run.process, SIGCONT)
    #expect(run.shows("Up and away"))
    run.type(":q!\r")
    #expect(run.wait() == .exited(0))
  }
}
