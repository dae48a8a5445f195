import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

/// A clock that a test moves.
private final class StoppedClock: Sendable {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

/// The program with its session on a thread of its own.
@Suite struct LiveRunnerTests {
  private static let size = Size(columns: 80, rows: 24)

  private func items(_ count: Int, _ store: (any DataStoreConfiguration)? = nil) throws
    -> ScriptFixture
  {
    let entity = Schema.Entity(
      "Item",
      attributes: [Schema.Attribute("number", .integer), Schema.Attribute("name", .text)]
    )
    let fixture = try ScriptFixture(Schema(entity), store: store)
    for number in 1...count {
      let record = Record(entity: entity)
      try record.set(.integer(Int64(number)), for: "number")
      try record.set(.text("item \(number)"), for: "name")
      fixture.session.context.insert(record)
    }
    try fixture.session.context.save()
    return fixture
  }

  private func slowItems(_ gate: Gate, count: Int = 50) throws -> ScriptFixture {
    let entity = Schema.Entity(
      "Item",
      attributes: [Schema.Attribute("number", .integer), Schema.Attribute("name", .text)]
    )
    return try items(count, GatedStoreConfiguration(schema: Schema(entity), gate: gate))
  }

  private func runner(_ fixture: ScriptFixture) -> LiveRunner {
    LiveRunner(session: fixture.session, size: Self.size, wake: {})
  }

  /// A runner that shows its first screen.
  private func started(_ fixture: ScriptFixture) throws -> LiveRunner {
    let runner = runner(fixture)
    runner.start()
    try rest(runner)
    return runner
  }

  /// Waits until everything was answered.
  private func rest(_ runner: LiveRunner) throws {
    let isAtRest = runner.takeAnswers { runner.isAtRest || runner.shouldQuit }
    try #require(isAtRest, "all work ends")
  }

  /// Presses keys; `isPatient` waits for the results of each.
  private func press(_ keys: String, _ runner: LiveRunner, isPatient: Bool = false) throws {
    for event in try KeyFile.parse(keys) {
      runner.handle(event)
      if isPatient { try rest(runner) }
    }
  }

  private func message(_ runner: LiveRunner) -> String {
    runner.canvas.plainLines().last ?? ""
  }

  private static let scripts = [
    "j j Space j d y", "/ i t e m Space 4 Enter n n N", "s S $ s G k k PgUp e x y z Enter u",
    "f n u m b e r Space < Space 9 Enter G d y u C-r w",
    "* : set Space name=x Enter y u", "F j Enter Escape", "V G d y w y", "a 7 Tab new Enter u",
    ": import Space nothing.csv Enter", ": sort Space -number Enter 3G e C-u 5 Enter w",
    "Enter Tab changed Enter . j .", ": delete Space where Space number Space > Space 5 Enter y u",
    "v j k H Escape ? Escape C-p c o u n t Enter",
    "l Q e C-u x Enter j Q 5@ 2u k 3@", ": \"bind X = 'set name=q' save\" Enter X j X . u",
  ]

  @Test(arguments: scripts) func liveAndDirectRunnerShowTheSame(keys: String) throws {
    let expected = AppRunner(session: try items(40).session, size: Self.size)
    let fixture = try items(40)
    let patient = try started(fixture)
    for event in try KeyFile.parse(keys) {
      expected.handle(event)
      patient.handle(event)
      try rest(patient)
      #expect(patient.canvas.plainText() == expected.canvas.plainText())
    }
    patient.finish()
    let hasty = runner(try items(40))
    hasty.start()
    try press(keys, hasty)
    try rest(hasty)
    hasty.finish()
    #expect(hasty.canvas.plainText() == expected.canvas.plainText(), "typed without waiting")
  }

  @Test func typingAFilterNeverWaitsForTheStore() throws {
    let gate = Gate()
    let runner = try started(slowItems(gate))
    gate.shut()
    let before = gate.queries
    try press("f i t e m Space 4 9", runner)
    #expect(message(runner).contains("filter: item 49"), "every letter is on the screen")
    #expect(runner.canvas.plainText().contains("item 2\n"), "the former list stays meanwhile")
    #expect(message(runner).contains("… of 50"))
    gate.open()
    try rest(runner)
    #expect(message(runner).contains("1 of 50"))
    #expect(!runner.canvas.plainText().contains("item 2\n"))
    let after = gate.queries
    // How many of the others begin before they are stopped depends on the machine.
    #expect(after.ended - before.ended <= 4, "a newer filter replaces those that wait")
    try press("Enter d", runner)
    try rest(runner)
    runner.finish()
    #expect(runner.canvas.plainText().contains("1 deleted"))
  }

  @Test func typingGoesOnWhileACompletionIsRead() throws {
    let gate = Gate()
    let runner = try started(slowItems(gate))
    try press("f n a m e Space = Space", runner, isPatient: true)
    gate.shut()
    try press("Tab x y", runner)
    #expect(message(runner).contains("filter: name = xy"), "\(message(runner))")
    gate.open()
    try rest(runner)
    #expect(message(runner).contains("filter: name = xy"), "the completion is not inserted")
    try press("BSpace BSpace Tab Enter", runner)
    try rest(runner)
    runner.finish()
    #expect(runner.canvas.plainText().contains("1 of 50"), "Enter waits for a completion")
  }

  @Test func tableKeysWaitForPendingResults() throws {
    let gate = Gate()
    let fixture = try slowItems(gate)
    let runner = try started(fixture)
    gate.shut()
    try press("f i t e m Space 4 9 Enter d", runner)
    runner.settle(for: .milliseconds(20))
    #expect(!runner.canvas.plainText().contains("deleted"))
    gate.open()
    try rest(runner)
    runner.finish()
    let deleted = fixture.session.context.pendingChanges.deleted
    #expect(deleted.map { $0.orderedValues[1] } == [.text("item 49")])
  }

  @Test(arguments: ["C-c", "Escape"]) func interruptStopsTheWorkKeysWaitFor(key: String) throws {
    let gate = Gate()
    let fixture = try slowItems(gate)
    let clock = StoppedClock()
    let runner = LiveRunner(
      session: fixture.session,
      size: Self.size,
      now: { clock.now },
      wake: {}
    )
    runner.start()
    try rest(runner)
    let before = runner.canvas.plainLines().dropLast()
    gate.shut()
    let begun = gate.queries.begun
    try press("s d d", runner)
    #expect(runner.takeAnswers { gate.queries.begun > begun })
    clock.advance(by: .milliseconds(300))
    runner.settle(for: .milliseconds(1))
    #expect(message(runner).contains("listing 0.3 s · ^C stop · typed: dd"), "\(message(runner))")
    if key == "C-c" { runner.handle(.interrupt) } else { try press(key, runner) }
    try rest(runner)
    #expect(message(runner).contains("canceled; the list is unchanged"))
    #expect(runner.canvas.plainLines().dropLast() == before)
    gate.open()
    try press("j", runner)
    try rest(runner)
    runner.finish()
    #expect(!fixture.session.context.hasChanges, "the keys that waited are discarded")
  }

  /// Waits until the message line contains a text; false if it never does.
  private func shows(_ text: String, _ runner: LiveRunner) -> Bool {
    runner.takeAnswers { message(runner).contains(text) }
  }

  @Test(arguments: ["C-c", "Escape"]) func interruptStopsPlaying(key: String) throws {
    let runner = try started(items(50))
    try press("Q j k Q", runner, isPatient: true)
    try press("900000000@", runner)
    try press("d", runner)
    try press(key, runner)
    try rest(runner)
    runner.finish()
    #expect(message(runner).hasPrefix("stopped in round "), "\(message(runner))")
    #expect(message(runner).hasSuffix(" of 900000000: interrupted"))
    #expect(!runner.canvas.plainText().contains("deleted"), "the keys that waited are discarded")
  }

  @Test func progressIsShownWhileRecordsAreChanged() throws {
    let gate = Gate()
    let fixture = try slowItems(gate, count: 12_000)
    let runner = runner(fixture)
    runner.start()
    try rest(runner)
    gate.shutRecords(after: 2)
    try press(": set Space where Space number Space > Space 0 Space name=x Enter", runner)
    #expect(shows("set: 4,096 of 12,000 · ^C stop", runner), "\(message(runner))")
    runner.handle(.interrupt)
    gate.shutRecords(after: .max)
    try rest(runner)
    runner.finish()
    #expect(message(runner).contains("canceled"), "\(message(runner))")
    #expect(!fixture.session.context.hasChanges)
  }

  /// Commands that only read are stopped by every key that asks for it; the key that quits does so after that.
  @Test(arguments: [": status Enter", ": entities Enter"], ["C-c", "Escape", "q"])
  func readingIsStopped(keys: String, stop: String) throws {
    let gate = Gate()
    let runner = try started(slowItems(gate))
    gate.shut()
    try press(keys, runner)
    #expect(shows("^C stop", runner), "\(message(runner))")
    if stop == "C-c" { runner.handle(.interrupt) } else { try press(stop, runner) }
    try rest(runner)
    #expect(runner.shouldQuit == (stop == "q"))
    if stop != "q" { #expect(message(runner).contains("canceled"), "\(message(runner))") }
    runner.finish()
    gate.open()
  }

  @Test func escapeDoesNotStopACommand() throws {
    let gate = Gate()
    let fixture = try slowItems(gate, count: 12_000)
    let runner = try started(fixture)
    gate.shutRecords(after: 2)
    try press(": set Space where Space number Space > Space 0 Space name=x Enter", runner)
    #expect(shows("set: 4,096 of 12,000", runner), "\(message(runner))")
    try press("f Escape", runner)
    #expect(shows("typed: f Esc", runner), "\(message(runner))")
    gate.shutRecords(after: .max)
    try rest(runner)
    runner.finish()
    #expect(fixture.session.context.pendingCounts.updated == 12_000)
    #expect(!message(runner).contains("canceled"), "it closed the prompt: \(message(runner))")
  }

  /// Esc for a filter that was cleared is Esc for what is cleared next; that of a sorted list is stopped.
  @Test(arguments: [false, true]) func escapeAfterAClearedFilter(isSorted: Bool) throws {
    let gate = Gate()
    let runner = try started(slowItems(gate))
    try press("f \"item 1\" Enter" + (isSorted ? " s" : ""), runner, isPatient: true)
    try rest(runner)
    gate.shut()
    let begun = gate.queries.begun
    try press("Escape", runner)
    #expect(runner.takeAnswers { gate.queries.begun > begun })
    try press("Escape", runner)
    if !isSorted { gate.open() }
    try rest(runner)
    gate.open()
    try rest(runner)
    runner.finish()
    let text = runner.canvas.plainText()
    #expect(text.contains("filter item 1") == isSorted, "\(text)")
    #expect(
      message(runner)
        == (isSorted ? "canceled; the list is unchanged" : "nothing to clear; press q to quit")
    )
  }

  @Test(arguments: ["C-c", "Escape"]) func countingValuesCanBeCanceled(key: String) throws {
    let gate = Gate()
    let runner = try started(slowItems(gate))
    gate.shut()
    try press("F", runner)
    #expect(shows("counting values", runner), "\(message(runner))")
    #expect(runner.canvas.plainText().contains("number: counting …"))
    if key == "C-c" { runner.handle(.interrupt) } else { try press(key, runner) }
    try rest(runner)
    #expect(message(runner).contains("canceled"), "\(message(runner))")
    #expect(!runner.canvas.plainText().contains("counting …"), "the popup is closed")
    gate.open()
    try press("j", runner)
    try rest(runner)
    runner.finish()
    #expect(runner.canvas.plainText().contains("row 2"), "the table gets the keys")
  }

  @Test func aCanceledListingKeepsTheResultOfTheCommandBefore() throws {
    let gate = Gate()
    let runner = try started(slowItems(gate))
    // The save of a restored record puts it back to its place, which lists the records again.
    try press("d w u", runner, isPatient: true)
    gate.shut()
    try press("w", runner)
    #expect(shows("listing", runner), "\(message(runner))")
    runner.handle(.interrupt)
    try rest(runner)
    let text = message(runner)
    gate.open()
    runner.finish()
    #expect(text.contains("; listing canceled; the list is unchanged"), "\(text)")
    #expect(text.hasPrefix("saved: 1 inserted"), "\(text)")
  }

  /// The answer to the command that made the edit comes after the attempt to keep it, and must not hide its failure.
  @Test func aRecoveryFileThatCannotBeWrittenIsReportedUntilTheNextKey() throws {
    let fixture = try items(3)
    let disk = MemoryRecoveryStorage.Disk()
    let storage = MemoryRecoveryStorage(disk)
    disk.isFull = true
    fixture.session.store.recovery = Recovery(storage)
    let runner = try started(fixture)
    try press("l c 7 Enter", runner, isPatient: true)
    let warning = "cannot write the recovery file, a crash would lose"
    #expect(runner.canvas.plainText().contains(warning), "\(runner.canvas.plainText())")
    try press("j", runner, isPatient: true)
    #expect(!runner.canvas.plainText().contains(warning))
    try press(": status Enter", runner, isPatient: true)
    #expect(runner.canvas.plainText().contains("recovery: " + warning))
    disk.isFull = false
    try press("Escape : status Enter", runner, isPatient: true)
    #expect(!runner.canvas.plainText().contains("recovery: "), "\(runner.canvas.plainText())")
    runner.finish()
    #expect(storage.ownLines?.count == 2, "a header and the edit, once there is room")
  }

  @Test func terminationDoesNotWaitForTheStore() throws {
    let gate = Gate()
    let runner = try started(slowItems(gate))
    gate.shut()
    try press("s", runner)
    runner.handle(.terminate(15))
    #expect(runner.exitStatus == 143)
    runner.finish()
  }

  /// Whatever is typed, and however fast, all work ends and the list matches its filter.
  @Test(arguments: 0..<6) func randomKeysAtRandomSpeedEndInAConsistentScreen(_ seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let fixture = try items(200)
    let runner = runner(fixture)
    runner.start()
    let keys = [
      "j", "k", "G", "g g", "PgDn", "Space", "s", "f 1 Enter", "f i t e m Space 7", "BSpace",
      "Enter",
      "Escape", "/ 1 2", "n", "N", "u", "C-r", "d", "y", "e 9 Enter", "F", "*", "Y", "C-c", "w",
    ]
    for _ in 0..<300 where !runner.shouldQuit {
      let chosen = keys[Int(random.next() % UInt64(keys.count))]
      if chosen == "C-c" { runner.handle(.interrupt) } else { try press(chosen, runner) }
      if random.next() % 4 == 0 { runner.settle(for: .milliseconds(2)) }
      _ = runner.takeRequests()
    }
    try rest(runner)
    if !runner.shouldQuit {
      for _ in 0..<4 { runner.handle(.key(.escape)) }
      try rest(runner)
    }
    runner.finish()
    let shown = runner.canvas.plainText()
    let answer = try fixture.session.context.fetchCount(matching: Query("Item"))
    let deleted = fixture.session.context.pendingChanges.deleted.count
    #expect(shown.contains("of \(answer + deleted)"), "seed \(seed)\n\(shown)")
  }
}
