import Foundation
import Glibc
import Testing

/// Every way to end the program with an unsaved change: only the user's decision discards it.
@Suite struct WaysOutTests {
  private let films: EditedFilms
  private var folder: TemporaryFolder { films.folder }
  private var store: String { films.store }
  private static let journal = EditedFilms.journal

  init() throws { films = try EditedFilms() }

  private func expectKept(_ comment: Comment) throws {
    #expect(try folder.names() == [Self.journal, "films.json"], comment)
    let back = try folder.run([store, "-e", "recover", "-e", "status", "-e", "recover discard"])
    #expect(back.output.contains("updated: 1"), comment)
    // Removes the discarded file before the next round.
    try? FileManager.default.removeItem(atPath: folder.file(Self.journal + ".discarded"))
    try? FileManager.default.removeItem(atPath: folder.file(Self.journal))
  }

  /// The terminal of a window that is closed: the end of the input and a signal arrive in any
  /// order.
  @Test(arguments: [false, true])
  func aTerminalThatGoesAwayKeepsTheEditsLineByLine(leadsSession: Bool) throws {
    for round in 1...10 {
      let run = try films.lineByLine(leadsSession: leadsSession)
      run.hangUp()
      #expect(run.wait() == .killed(SIGHUP), "round \(round)")
      try expectKept("round \(round)")
    }
  }

  /// The input ends after a change that was not confirmed yet.
  @Test func aTerminalThatGoesAwayBehindALineKeepsWhatWasDone() throws {
    let run = try films.lineByLine()
    run.type("set where title='Soul' title='Zzyzx'\n")
    #expect(run.shows("set title of"))
    run.hangUp()
    #expect(run.wait() == .killed(SIGHUP))
    let back = try folder.run([store, "-e", "recover", "-e", "save"])
    #expect(back.output == "saved: 0 inserted, 2 updated, 0 deleted\n")
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGKILL])
  func aSignalKeepsTheEditsLineByLine(signal: Int32) throws {
    let run = try films.lineByLine()
    kill(run.process, signal)
    #expect(run.wait() == .killed(signal))
    try expectKept("signal \(signal)")
  }

  @Test func theEndOfTheInputKeepsTheEditsAndSaysWhere() throws {
    let run = try films.lineByLine()
    run.type("\u{4}")
    #expect(run.shows("unsaved changes"))
    #expect(run.shows("catalog> "))
    run.type("\u{4}")
    #expect(run.wait() == .exited(3))
    #expect(run.received.contains("1 unsaved change kept in \(folder.path)/\(Self.journal)"))
    #expect(run.received.contains("reopen the store to recover them"))
    #expect(!run.received.contains("discarded"))
    try expectKept("end of input")
  }

  @Test(arguments: [
    "quit!\n", "q!\n", "save\nquit\n", "save\n\u{4}", "undo\n\u{4}", "rollback\nq\n",
  ])
  func whatWasDecidedLeavesNothingBehind(answer: String) throws {
    let run = try films.lineByLine()
    run.type(answer)
    #expect(run.wait() == .exited(0))
    #expect(try folder.names() == ["films.json"])
  }

  @Test func aScreenWhoseTerminalGoesAwayKeepsTheEdits() throws {
    // On the table, in a prompt, and while the program asks before quitting.
    for keys in ["", ":set", "q", "e"] {
      let run = try films.onScreen()
      run.type(keys)
      run.hangUp()
      #expect(run.wait() == .killed(SIGHUP), "\(keys)")
      try expectKept("\(keys)")
    }
  }

  /// Scripts exit with status 3 and report what was discarded; there is no user to ask.
  @Test func scriptsKeepNoEdits() throws {
    let edit = "set where title='Up' title='Up and away'"
    try folder.write(edit + "\n", to: "script")
    try folder.write(": \"\(edit)\" Enter", to: "keys")
    for (arguments, input) in [
      (["-e", edit], ""), ([], edit), (["--script", folder.file("script")], ""),
      (["--keys", folder.file("keys")], ""),
    ] {
      let run = try folder.run([store] + arguments, input: input)
      #expect(run.status == 3, "\(arguments)")
      #expect(run.errors.contains("discarded 1 unsaved change"), "\(arguments)")
      #expect(try folder.names().filter { $0.hasPrefix(".f") } == [], "\(arguments)")
    }
    #expect(try folder.run([store, "-e", edit, "-e", "quit!"]).status == 0)
    #expect(try folder.names().filter { $0.hasPrefix(".f") } == [])
  }
}
