import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

/// Long work on the screen that the user cancels.
@Suite struct InterruptionTests {
  @Test func aFilterThatIsStoppedLeavesTheListAsItWas() throws {
    let screen = try ScreenFixture.numbered(5000)
    try screen.press("f number Space < Space 10 Enter")
    let before = screen.lines
    #expect(screen.text.contains("item 9"))
    screen.runner.isCancelled = { true }
    try screen.press("f Space and Space name Space matches Space \"'.*7'\" Enter")
    #expect(screen.message.contains("canceled; the list is unchanged"))
    #expect(screen.lines.dropLast(3) == before.dropLast(3))
    // The filter that is shown matches the list.
    screen.runner.isCancelled = { false }
    try screen.press("f Space and Space number Space > Space 8 Enter")
    #expect(screen.text.contains("item 9") && !screen.text.contains("item 7"))
  }

  @Test(arguments: [
    "s", "/ zzzz Enter n", "F", ": stats Space number Enter",
    ": set Space where Space number Space > Space 1 Space name=x Enter",
    ": delete Space where Space number Space > Space 1 Enter",
    ": export Space out.csv Enter", ": count Space where Space name Space contains Space 'x' Enter",
  ])
  func canceledWorkChangesNothing(keys: String) throws {
    let screen = try ScreenFixture.numbered(5000)
    let asked = Mutex(0)
    screen.runner.isCancelled = {
      asked.withLock { $0 += 1 }
      return true
    }
    try screen.press(keys)
    #expect(asked.withLock { $0 } >= 1, "\(keys) asks whether to stop")
    #expect(screen.message.contains("canceled"), "\(screen.message)")
    #expect(!screen.script.session.context.hasChanges)
    #expect(screen.script.services.files.isEmpty)
  }

  /// The list of the former entity is still valid, unlike the one that was stopped.
  @Test func aListOfAnotherEntityThatIsStoppedLeavesTheFormerOne() throws {
    let screen = try ScreenFixture.numbered(5000)
    try screen.press("s : entity Space create Space Other Space a:text Enter")
    let before = screen.lines
    screen.runner.isCancelled = { true }
    try screen.press("Tab")
    #expect(screen.message == "canceled; Item is not listed", "\(screen.text)")
    #expect(screen.lines.dropLast(3) == before.dropLast(3))
    screen.runner.isCancelled = { false }
    try screen.press("Tab")
    #expect(screen.text.contains("item 1"), "\(screen.text)")
  }

  /// What was counted until then is not the number of all matches.
  @Test func matchesAreCountedAgainAfterTheirCountWasStopped() throws {
    let screen = try ScreenFixture.numbered(5000)
    let stopped = Mutex(false)
    screen.runner.isCancelled = { stopped.withLock { $0 } }
    try screen.press("/ item Space 4999")
    stopped.withLock { $0 = true }
    try screen.press("Enter n")
    stopped.withLock { $0 = false }
    try screen.press("n")
    #expect(screen.chips.contains("1 of 1"), "\(screen.text)")
  }

  @Test func workGoesOnWhileNobodyStopsIt() throws {
    let screen = try ScreenFixture.numbered(5000)
    let asked = Mutex(0)
    screen.runner.isCancelled = {
      asked.withLock { $0 += 1 }
      return false
    }
    try screen.press("f number Space < Space 3 Enter")
    #expect(asked.withLock { $0 } > 1)
    #expect(screen.text.contains("item 2") && !screen.text.contains("item 3"))
  }

  @Test func scriptsAreNotAsked() throws {
    let fixture = try ScreenFixture.numbered(5000).script
    #expect(try fixture.run("count where number > 10\n").output == "4990\n")
  }
}
