import Foundation
import Glibc
import Testing

/// The real program on a pseudo-terminal.
@Suite struct PseudoTerminalTests {
  @Test func theScreenOpensShowsFilmsAndLeavesTheTerminalAsItWas() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    let before = run.modes
    #expect(run.shows("Toy Story"))
    #expect(run.modes != before, "the screen takes keys one by one")
    run.type("/Nemo\r")
    #expect(run.shows("Nemo"))
    run.type("q")
    #expect(run.wait() == .exited(0))
    #expect(run.modes == before)
    #expect(run.received.contains("\u{1B}[?1049l"), "the first screen comes back")
  }

  /// Terminals with eight or sixteen colors, or none; the entry of the console names no size.
  @Test(arguments: ["linux", "screen", "vt100", "xterm-16color"])
  func theScreenOpensOnOlderTerminals(type: String) throws {
    let run = try ScreenRun(["--store", "memory", "--sample"], environment: ["TERM=\(type)"])
    #expect(run.shows("Toy Story"))
    let isDescribed = ["/lib", "/usr/share", "/etc"].contains {
      access("\($0)/terminfo/\(type.prefix(1))/\(type)", R_OK) == 0
    }
    // A type without a description is treated as one with 256 colors.
    #expect(run.received.contains("38;5;") != isDescribed)
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  /// On the table, in a cell, a form, prompts, help and the palette.
  ///
  /// Covers I07.
  @Test(
    arguments: [SIGTERM, SIGHUP, SIGQUIT],
    ["", "ex", "\rx", ":del", "/x", "f", "?", " ", "ae\tx"]
  )
  func aSignalRestoresTheTerminalAndIsTheStatus(signal: Int32, keys: String) throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    let before = run.modesAtStart
    #expect(run.shows("Toy Story"))
    run.type(keys)
    kill(run.process, signal)
    #expect(run.wait() == .killed(signal))
    #expect(run.modes == before)
    #expect(run.received.contains("\u{1B}[?1049l"))
  }

  // Covers I12.
  @Test(arguments: [[], ["--plain"]])
  func aTerminalThatIsGoneEndsTheProgram(options: [String]) throws {
    for keys in options.isEmpty ? ["", "ex", ":insert title=x\r"] : ["insert title=x\n"] {
      let run = try ScreenRun(["--store", "memory", "--sample"] + options)
      #expect(run.shows(options.isEmpty ? "Toy Story" : "catalog> "))
      run.type(keys)
      let start = ContinuousClock.now
      run.hangUp()
      #expect(run.wait(milliseconds: 5000) != .running, "\(keys)")
      #expect(ContinuousClock.now - start < .seconds(2), "\(keys)")
    }
  }

  // Covers I06.
  @Test func withoutATerminalOnBothSidesItIsAScript() throws {
    let folder = try TemporaryFolder()
    let options = ["--store", "memory", "--sample"]
    let silent = try ScreenRun(options, redirecting: [0: "/dev/null"])
    #expect(silent.wait() == .exited(0))
    #expect(silent.received == "")
    let typing = try ScreenRun(options, redirecting: [1: folder.file("out")])
    typing.type("count\nlist limit 1 fields id,title\nquit\n")
    #expect(typing.wait() == .exited(0))
    #expect(withoutIdentifiers(try folder.read("out")).hasPrefix("31\nid\ttitle\nID\t"))
    #expect(!typing.received.contains("\u{1B}"))
    let quiet = try ScreenRun(options, redirecting: [2: folder.file("errors")])
    #expect(quiet.shows("Toy Story"))
    quiet.type("q")
    #expect(quiet.wait() == .exited(0))
    #expect(try folder.read("errors") == "")
  }

  // Covers H13.
  @Test(arguments: [("", "TERM is not set"), ("dumb", "cannot show a screen")])
  func unusableTerminalExitsWith2(type: String, message: String) throws {
    let run = try ScreenRun(["--store", "memory", "--sample"], environment: ["TERM=\(type)"])
    #expect(run.wait() == .exited(2))
    #expect(run.received.hasPrefix("catalog: ") && run.received.contains(message))
    #expect(run.received.filter { $0 == "\r\n" }.count == 1)
    #expect(run.modes == run.modesAtStart)
    let script = try ScreenRun(
      ["--store", "memory", "--sample", "-e", "count"],
      environment: ["TERM=\(type)"]
    )
    #expect(script.wait() == .exited(0))
    #expect(script.received == "31\r\n")
  }

  /// An empty description, garbage, a truncated one, and one with capabilities but no content.
  ///
  /// Covers H13.
  @Test(arguments: [0, 1, 2, 3])
  func aBrokenDescriptionOfTheTerminalIsNoTrap(kind: Int) throws {
    let folder = try TemporaryFolder()
    let content: [UInt8] =
      switch kind {
      case 0: []
      case 1: (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
      case 2: [0x1A, 0x01, 0xFF, 0x7F]
      default: [0x1A, 0x01] + [UInt8](repeating: 0xFF, count: 3000)
      }
    for name in ["x", "78"] {
      let path = folder.file(name)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try Data(content).write(to: URL(fileURLWithPath: path + "/xterm-256color"))
    }
    let run = try ScreenRun(
      ["--store", "memory", "--sample"],
      environment: ["TERMINFO=\(folder.path)"]
    )
    let isShown = run.shows("Toy Story", seconds: 3)
    if isShown { run.type("q") }
    #expect(run.wait() == .exited(isShown ? 0 : 2))
    #expect(run.modes == run.modesAtStart)
  }

  // Covers I09.
  @Test func anAbsurdWindowShowsTheScreen() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"], columns: 65_535, rows: 65_535)
    #expect(run.shows("Toy Story"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  /// The screen of `--pick` on a file, whose standard output is another file.
  private func picking(
    from source: String,
    to output: String,
    in folder: TemporaryFolder,
    environment: [String] = []
  ) throws -> ScreenRun {
    try ScreenRun(
      [folder.file(source), "--pick", "--format", "csv"],
      environment: environment,
      redirecting: [1: folder.file(output)],
      leadsSession: true
    )
  }

  /// The filter of one run is that of the next one, unless records are picked.
  @Test func pickingStartsWithoutAFilter() throws {
    let folder = try TemporaryFolder()
    try folder.write(#"[{"a":1},{"a":2}]"#, to: "n.json")
    let state = ["XDG_STATE_HOME=\(folder.file("state"))"]
    let first = try ScreenRun([folder.file("n.json")], environment: state)
    #expect(first.shows("2 of 2"))
    first.type("fa>1\r")
    #expect(first.shows("clears filter"))
    first.type("q")
    #expect(first.wait() == .exited(0))
    let second = try picking(from: "n.json", to: "out", in: folder, environment: state)
    #expect(second.shows("2 of 2"))
    second.type("q")
    #expect(second.wait() == .exited(0))
    #expect(try folder.read("out") == "a\r\n1\r\n2\r\n")
    let canceled = try picking(from: "n.json", to: "none", in: folder, environment: state)
    #expect(canceled.shows("press ^C to cancel"))
    canceled.type(" \u{3}")
    #expect(canceled.wait() == .exited(1))
    #expect(try folder.read("none") == "")
    let third = try ScreenRun([folder.file("n.json")], environment: state)
    #expect(third.shows("1 of 2"), "the filter is still kept")
    third.type("q")
    #expect(third.wait() == .exited(0))
  }

  /// What was discarded is not printed, and the columns are the same for no records.
  @Test(arguments: [
    (":insert k=z\r", "k\r\na1\r\n"), ("cX\r", "k\r\na1\r\n"), ("dy", "k\r\na1\r\n"),
    ("fb\r", "k\r\n"),
  ])
  func pickingPrintsWhatIsInTheStore(keys: String, output: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("k\na1\n", to: "n.csv")
    let run = try picking(from: "n.csv", to: "out", in: folder)
    #expect(run.shows("1 of 1"))
    run.type(keys)
    let isChanged = !keys.hasPrefix("f")
    #expect(run.shows(isChanged ? "unsaved: 1" : "no record matches"), "\(run.received)")
    run.type("q")
    if isChanged {
      #expect(run.shows("quit with unsaved changes?"))
      run.type("d")
    }
    #expect(run.wait() == .exited(0))
    #expect(try folder.read("out") == output)
  }

  /// The keys, and the columns of the output: those of the screen if they were arranged.
  @Test(arguments: [
    ("", "k,name,v\r\n1,a,2\r\n"), ("-", "name,v\r\na,2\r\n"), ("$|", "v,k,name\r\n2,1,a\r\n"),
    (">", "name,k,v\r\na,1,2\r\n"), ("]", "k,name,v\r\n1,a,2\r\n"),
  ])
  func pickingPrintsTheColumnsOfTheScreen(keys: String, output: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("k,name,v\n1,a,2\n", to: "n.csv")
    let run = try picking(from: "n.csv", to: "out", in: folder)
    #expect(run.shows("name"))
    run.type(keys + "q")
    #expect(run.wait() == .exited(0))
    #expect(try folder.read("out") == output)
  }

  /// A file that another program has removed can be written again under its name.
  @Test(arguments: ["r.csv", "r.json", "r.catlog"])
  func aRemovedFileIsWrittenAgain(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("k,v\na,1\n", to: "k.csv")
    #expect(try folder.run(["k.csv", "-e", "saveas \(name)"]).status == 0)
    let run = try ScreenRun([folder.file(name)])
    #expect(run.shows("1 of 1"))
    run.type("cnew\r")
    #expect(run.shows("unsaved: 1"))
    try FileManager.default.removeItem(atPath: folder.file(name))
    run.type("w")
    #expect(run.shows("not saved: "), "\(run.received)")
    run.type(":saveas \(folder.file(name))\r")
    #expect(run.shows("opened "), "\(run.received)")
    #expect(try folder.run([name, "-e", "list fields k,v"]).output.contains("new"))
    run.type("w")
    #expect(run.shows("no unsaved changes"), "\(run.received)")
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  // Covers I07.
  @Test func interruptStopsWorkAndNotTheProgram() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    run.type("\u{3}")
    run.type(":count\r")
    #expect(run.shows("31"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  @Test func escapeAloneLeavesAtOnce() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    run.type("?")
    #expect(run.shows("Help"))
    run.type("\u{1B}")
    #expect(run.shows("A Bug's Life"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  // Covers I13.
  @Test func aPasteIsTextAndRunsNothing() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    run.type(":\u{1B}[200~delete where true\nquit!\n\u{1B}[201~")
    #expect(run.shows("delete where true"))
    run.type("\u{15}count\r")
    #expect(run.shows("31"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  // Covers I13.
  @Test(arguments: [
    ("f", "Nemo\nqq\n:q!\n", "Nemo"), ("/", "Nemo\nq\n", "Nemo"), ("e", "A\nB\nq\u{3}", "A"),
    ("", "ddq\n:q!\n", ""),
  ])
  func aPasteWithLineEndsDoesNothingAnywhere(place: String, paste: String, shown: String) throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    run.type(place + "\u{1B}[200~\(paste)\u{1B}[201~")
    #expect(shown.isEmpty || run.shows(shown))
    run.type("\u{1B}")
    #expect(run.wait(milliseconds: 200) == .running)
    run.type("\u{1B}:status\r")
    #expect(run.shows("Film: 31"))
    #expect(run.shows("unsaved: 0"))
    run.type("\u{1B}:q!\r")
    #expect(run.wait() == .exited(0))
  }

  @Test func noColorSendsNoColor() throws {
    let colored = try ScreenRun(["--store", "memory", "--sample"])
    #expect(colored.shows("Toy Story"))
    colored.type("q")
    #expect(colored.wait() == .exited(0))
    let plain = try ScreenRun(["--store", "memory", "--sample"], environment: ["NO_COLOR=1"])
    #expect(plain.shows("Toy Story"))
    plain.type("q")
    #expect(plain.wait() == .exited(0))
    let color = try Regex("\u{1B}\\[([0-9;]*;)?[34][0-8](;[0-9;]*)?m")
    #expect(colored.received.contains(color))
    #expect(!plain.received.contains(color))
  }

  @Test func plainPromptsWithoutAScreen() throws {
    let run = try ScreenRun(["--store", "memory", "--sample", "--plain"])
    #expect(run.shows("catalog> "))
    run.type("count where releaseYear = 2009\n")
    #expect(run.shows("\n1\r\n"))
    run.type("insert title=x\nquit\n")
    #expect(run.shows("unsaved changes"))
    run.type("quit!\n")
    #expect(run.wait() == .exited(0))
    #expect(!run.received.contains("\u{1B}"))
  }

  @Test func wrongArgumentsTouchNoTerminal() throws {
    let run = try ScreenRun(["--fromat", "x"])
    #expect(run.wait() == .exited(2))
    #expect(run.received == "catalog: unknown option --fromat; did you mean --format?\r\n")
  }
}
