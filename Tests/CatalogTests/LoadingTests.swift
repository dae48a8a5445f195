import Foundation
import Glibc
import Testing

/// Stores whose opening takes long, here because another program holds their lock.
@Suite struct LoadingTests {
  /// A saved log with one record, and a lock that another program seems to hold.
  private final class LockedLog {
    let folder = try? TemporaryFolder()
    let path: String
    private var lock: Int32

    init() throws {
      let folder = try #require(folder)
      path = folder.file("items.catlog")
      let made = try folder.run([
        path, "-e", "entity create Item name:text", "-e", "insert Item name=first", "-e", "save",
      ])
      try #require(made.status == 0, "\(made.errors)")
      lock = open(folder.file(".items.catlog.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      var region = Glibc.flock(
        l_type: Int16(F_WRLCK),
        l_whence: Int16(SEEK_SET),
        l_start: 0,
        l_len: 1,
        l_pid: 0
      )
      try #require(lock >= 0 && fcntl(lock, F_SETLK, &region) == 0)
    }

    deinit { unlock() }

    /// Closes the lock file once: its number may be that of another test's file afterwards.
    func unlock() {
      if lock >= 0 { close(lock) }
      lock = -1
    }
  }

  @Test(arguments: [
    ("q", ScreenRun.Ending.exited(0)), ("\u{1B}", .exited(0)), ("\u{3}", .killed(SIGINT)),
  ])
  func loadingCanBeLeft(key: String, ending: ScreenRun.Ending) throws {
    let log = try LockedLog()
    let run = try ScreenRun([log.path])
    #expect(run.shows("loading items.catlog 0."))
    #expect(run.shows("^C quit"))
    run.type(key)
    #expect(run.wait() == ending)
    #expect(run.modes == run.modesAtStart)
  }

  @Test func keysTypedMeanwhileAreForTheStore() throws {
    let log = try LockedLog()
    let run = try ScreenRun([log.path])
    #expect(run.shows("loading items.catlog"))
    run.type("?")
    log.unlock()
    #expect(run.shows("Help"))
    run.type("\u{1B}")
    #expect(run.shows("first"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  @Test func aSmallStoreShowsNoLoading() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    run.type("q")
    #expect(run.wait() == .exited(0))
    #expect(!run.received.contains("loading"))
  }

  @Test func scriptsCanBeStoppedWhileTheyOpenAStore() throws {
    let log = try LockedLog()
    let folder = try #require(log.folder)
    let run = try ScreenRun([log.path, "-e", "count"], redirecting: [1: folder.file("out")])
    #expect(run.shows("loading items.catlog 0."))
    kill(run.process, SIGINT)
    #expect(run.wait() == .killed(SIGINT))
    #expect(try folder.read("out") == "")
  }

  @Test func aStoreThatCannotBeOpenedIsReportedAfterLoading() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "[" + String(repeating: "{\"a\": 1},\n", count: 1_500_000) + "oops",
      to: "broken.json"
    )
    let run = try ScreenRun([folder.file("broken.json")])
    #expect(run.wait(milliseconds: 60_000) == .exited(4))
    #expect(run.received.contains("line 1500001"), "\(run.received.suffix(300))")
    #expect(run.modes == run.modesAtStart)
  }
}
