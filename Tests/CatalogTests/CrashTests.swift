import Foundation
import Glibc
import Testing

/// Fatal signals while the screen is open.
@Suite struct CrashTests {
  static let fatal = [SIGSEGV, SIGABRT, SIGTRAP, SIGILL, SIGBUS, SIGFPE]

  // Covers I10.
  @Test(arguments: fatal, ["", "SWIFT_BACKTRACE=enable=yes"])
  func aFatalSignalEndsTheProgramAtOnce(signal: Int32, backtrace: String) throws {
    let run = try ScreenRun(
      ["--store", "memory", "--sample"],
      environment: backtrace.isEmpty ? [] : [backtrace]
    )
    let before = run.modesAtStart
    #expect(run.shows("Toy Story"))
    let start = ContinuousClock.now
    kill(try #require(run.child), signal)
    #expect(run.wait() == .killed(signal), "the guard ends as the program did")
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(run.modes == before)
    let last = try #require(run.received.ranges(of: /\u{1B}\[\?1049l(\u{1B}\[[0-9;]*t)?/).last)
    #expect(HostileNamesTests.isHarmless(String(run.received[last.upperBound...])))
  }

  /// The shell only sees the guard process.
  ///
  /// Covers I10.
  @Test(arguments: [SIGABRT, SIGSEGV, SIGQUIT])
  func aSignalToTheGuardEndsBoth(signal: Int32) throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    let program = try #require(run.child)
    kill(run.process, signal)
    #expect(run.wait() == .killed(signal))
    #expect(ScreenRun.isGone(program))
    #expect(run.modes == run.modesAtStart)
    #expect(run.shows("\u{1B}[?1049l"))
  }
}
