import Foundation
import Glibc
import Testing

/// How far long work is on standard error, and signals that stop it.
@Suite struct ProgressTests {
  private static let erased = "\r\u{1B}[K"

  /// Optimized code reads ten times as many in the same time.
  private static let count = TemporaryFolder.isProgramOptimized ? 2_000_000 : 200_000

  /// A file whose import takes long enough to be seen, in a folder.
  private func rows(in folder: TemporaryFolder) throws -> String {
    let rows = (1...Self.count).map { "\($0),item \($0)\n" }.joined()
    try folder.write("number,name\n" + rows, to: "rows.csv")
    return folder.file("rows.csv")
  }

  @Test func scriptsShowOnATerminalHowFarTheyAre() throws {
    let folder = try TemporaryFolder()
    let run = try ScreenRun(
      ["memory:", "-e", "import '\(rows(in: folder))' into Item"],
      redirecting: [1: folder.file("out")]
    )
    #expect(run.shows("\rimport: reading "))
    #expect(run.shows(" · ^C stop\u{1B}[K"))
    #expect(run.wait(milliseconds: 60_000) == .exited(3))
    #expect(run.received.contains(Self.erased + "catalog: "), "\(run.received.suffix(200))")
    let last = run.received.components(separatedBy: Self.erased + "catalog: ").last ?? ""
    #expect(!last.contains("import"), "nothing is shown after the end: \(last)")
    #expect(try folder.read("out") == "imported \(Self.count) records into Item\n")
  }

  @Test func resultsOnTheTerminalFollowAnErasedLine() throws {
    let folder = try TemporaryFolder()
    let run = try ScreenRun(["memory:", "-e", "import '\(rows(in: folder))' into Item"])
    #expect(run.shows("\rimport: reading "))
    #expect(run.shows(Self.erased + "imported \(Self.count) records into Item", seconds: 60))
    #expect(run.wait() == .exited(3))
  }

  @Test(arguments: [["2"], ["0", "2"]]) func whatIsNoTerminalGetsNoProgress(_ names: [String])
    throws
  {
    let folder = try TemporaryFolder()
    let source = try rows(in: folder)
    let paths = names.map { (Int32($0) ?? 0, $0 == "0" ? source : folder.file("errors")) }
    let run = try ScreenRun(
      ["memory:", "-e", "import '\(source)' into Item", "-e", "rollback"],
      redirecting: Dictionary(uniqueKeysWithValues: paths)
    )
    #expect(run.wait(milliseconds: 60_000) == .exited(0))
    #expect(try folder.read("errors") == "")
    #expect(!run.received.contains("reading"))
  }

  // Covers I07.
  @Test(arguments: [SIGINT, SIGTERM]) func aSignalStopsACommandAndTheScript(_ signal: Int32) throws
  {
    let folder = try TemporaryFolder()
    let run = try ScreenRun(
      [
        "memory:", "--keep-going", "-e", "import '\(rows(in: folder))' into Item", "-e",
        "entity create Later name:text",
      ],
      redirecting: [1: folder.file("out")]
    )
    #expect(run.shows("import: reading "))
    kill(run.process, signal)
    #expect(run.wait() == .killed(signal))
    #expect(run.received.contains(Self.erased + "catalog: 1: canceled"), "\(run.received)")
    #expect(!run.received.contains("discarded"), "nothing was changed, and no further line runs")
  }

  @Test func aStoppedCopyLeavesNoFile() throws {
    let folder = try TemporaryFolder()
    let source = try rows(in: folder)
    let run = try ScreenRun(
      ["memory:", "-e", "import '\(source)' into Item", "-e", "saveas '\(folder.file("c.json"))'"],
      redirecting: [1: folder.file("out")]
    )
    #expect(run.shows("saveas: ", seconds: 60))
    kill(run.process, SIGINT)
    #expect(run.wait() == .killed(SIGINT))
    #expect(try folder.names() == ["out", "rows.csv"])
  }

  @Test func interruptAtThePromptStopsTheCommandAlone() throws {
    let folder = try TemporaryFolder()
    let run = try ScreenRun(["--plain", "memory:"])
    #expect(run.shows("catalog> "))
    run.type("import '\(try rows(in: folder))' into Item\n")
    // The terminal echoes the line before the program has read it.
    #expect(ProgressTests.isBusy(run.process))
    kill(run.process, SIGINT)
    #expect(run.shows("canceled"))
    run.type("entities\nquit\n")
    #expect(run.wait() == .exited(0))
    #expect(!run.received.contains("Item  "), "no entity was created")
    #expect(!run.received.contains("reading"), "no line is rewritten where a screen reader reads")
  }

  /// Waits until the process has used some processor time for its command; false after ten seconds.
  private static func isBusy(_ process: pid_t) -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
      if let ticks = ticks(of: process), ticks >= 20 { return true }
      usleep(1000)
    }
    return false
  }

  private static func ticks(of process: pid_t) -> Int? {
    // Nil for a process that has ended.
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let words = text?.split(separator: ")").last?.split(separator: " ") ?? []
    return words.count > 11 ? Int(words[11]) : nil
  }
}
