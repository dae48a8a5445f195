import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// Lists of a store that finds its records page by page, while the test holds it back.
@Suite struct CountingTests {
  private static let size = Size(columns: 80, rows: 24)

  private struct Screen {
    let gate = Gate()
    let runner: LiveRunner
    let fixture: ScriptFixture

    /// Opens a store with items, whose names end with their numbers.
    init(_ count: Int, estimate: Int? = nil) throws {
      let entity = Schema.Entity(
        "Item",
        attributes: [Schema.Attribute("number", .integer), Schema.Attribute("name", .text)]
      )
      let configuration = GatedStoreConfiguration(
        schema: Schema(entity),
        gate: gate,
        pageCount: 300,
        estimate: estimate
      )
      fixture = try ScriptFixture(Schema(entity), store: configuration)
      for number in 1...count {
        let record = Record(entity: entity)
        try record.set(.integer(Int64(number)), for: "number")
        try record.set(.text("item \(number)"), for: "name")
        fixture.session.context.insert(record)
      }
      try fixture.session.context.save()
      runner = LiveRunner(session: fixture.session, size: CountingTests.size, wake: {})
      gate.shut()
      runner.start()
      try showRows()
    }

    var text: String { runner.canvas.plainText() }
    var message: String { runner.canvas.plainLines().last ?? "" }

    func press(_ keys: String) throws {
      for event in try KeyFile.parse(keys) { runner.handle(event) }
    }

    /// Waits until everything was answered.
    func rest() throws {
      let isAtRest = runner.takeAnswers { runner.isAtRest }
      try #require(isAtRest, "all work ends")
    }

    /// Waits until a condition holds.
    func wait(_ what: String, until holds: () -> Bool) throws {
      let hasHappened = runner.takeAnswers(until: holds)
      try #require(hasHappened, "\(what)\n\(text)")
    }

    /// Waits until the rows of the list are on the screen.
    func showRows() throws { try wait("rows") { text.contains("item ") } }
  }

  @Test func aLongSearchTellsThatItGoesOn() throws {
    let screen = try Screen(1000)
    try screen.press("/ \"item 900\"")
    try screen.wait("progress in the prompt") { screen.message.contains("searching") }
    screen.gate.open()
    try screen.rest()
    #expect(!screen.message.contains("searching"), "\(screen.text)")
  }

  @Test func theFirstScreenfulIsThereBeforeAllAreCounted() throws {
    let screen = try Screen(1000)
    #expect(screen.text.contains("item 1 ") || screen.text.contains("item 1\n"))
    #expect(screen.text.contains("300+ of 300+"), "\(screen.text)")
    try screen.press("j j PgDn")
    try screen.wait("keys among the known rows") { screen.text.contains("row 2") }
    screen.gate.open()
    try screen.rest()
    screen.runner.finish()
    #expect(screen.text.contains("1000 of 1000"), "\(screen.text)")
  }

  @Test func anEstimateIsMarked() throws {
    let screen = try Screen(1000, estimate: 1_000_000)
    #expect(screen.text.contains("~1,000,000 of ~1,000,000"), "\(screen.text)")
    try screen.press("j 1 2 0 G")
    try screen.wait("a row of the first page") { screen.text.contains("row 120") }
    screen.gate.open()
    try screen.rest()
    screen.runner.finish()
    #expect(screen.text.contains("1000 of 1000"), "\(screen.text)")
  }

  @Test(arguments: ["G", "End"]) func theLastRowIsShownOnceAllAreCounted(key: String) throws {
    let screen = try Screen(1000)
    try screen.press("\(key) k")
    screen.runner.settle(for: .milliseconds(20))
    #expect(!screen.text.contains("item 300"), "not the last of the known rows")
    screen.gate.open()
    try screen.rest()
    screen.runner.finish()
    #expect(screen.text.contains("item 1000"))
    #expect(screen.text.contains("row 999"), "the next key waits: \(screen.text)")
  }

  @Test func aRowBeyondTheKnownOnesIsCountedTo() throws {
    let screen = try Screen(2000)
    screen.gate.open()
    try screen.press("7 5 0 G")
    try screen.rest()
    #expect(screen.text.contains("row 750") && screen.text.contains("item 750"))
    screen.runner.finish()
  }

  @Test func pagesEndOnlyAtTheLastRow() throws {
    let screen = try Screen(700)
    screen.gate.open()
    for _ in 0..<50 { try screen.press("PgDn") }
    try screen.rest()
    screen.runner.finish()
    #expect(screen.text.contains("row 700") && screen.text.contains("item 700"), "\(screen.text)")
  }

  @Test func countingCanBeStopped() throws {
    let screen = try Screen(1000)
    try screen.press("G")
    screen.runner.handle(.interrupt)
    try screen.wait("the end of the work") { screen.message.contains("canceled") }
    #expect(screen.text.contains("item 2\n") || screen.text.contains("item 2 "))
    screen.gate.open()
    try screen.rest()
    screen.runner.finish()
    #expect(screen.text.contains("1000 of 1000"), "it is counted later: \(screen.text)")
  }

  @Test func aFilterShowsItsFirstRowsAndCountsOn() throws {
    let screen = try Screen(2000)
    screen.gate.open()
    try screen.rest()
    screen.gate.shut()
    try screen.press("f n u m b e r Space > Space 9 0 0 Enter")
    try screen.wait("the filter") { screen.text.contains("item 901") }
    #expect(screen.text.contains("300+ of "), "\(screen.text)")
    screen.gate.open()
    try screen.rest()
    screen.runner.finish()
    #expect(screen.text.contains("1100 of 2000"), "\(screen.text)")
  }

  /// The matches of a long list are not counted when it is shown; each letter is answered, or only the last one.
  ///
  /// The record is looked for only for a while, which a busy machine may use up.
  @Test func theCursorDoesNotDependOnTheTextsInBetween() throws {
    for isPasted in [false, true] {
      let screen = try Screen(2000)
      screen.gate.open()
      try screen.rest()
      try screen.press("1 5 0 0 G f")
      try screen.rest()
      let letters = "number > 900".map { String($0) }
      for text in isPasted ? [letters.joined()] : letters {
        screen.runner.handle(.paste(text))
        try screen.rest()
      }
      let isFound = screen.text.contains("item 1500") && screen.text.contains("row 600 ")
      let isFirst = screen.text.contains("item 901") && screen.text.contains("row 1 ")
      #expect(isFound || isFirst, "\(screen.text)")
      try screen.press("Escape")
      try screen.rest()
      screen.runner.finish()
      #expect(screen.text.contains("row 1500") && screen.text.contains("item 1500"))
    }
  }

  @Test func newRecordsComeAfterTheLastOne() throws {
    let screen = try Screen(1000)
    screen.gate.open()
    try screen.press("a 7 Tab new Enter")
    try screen.rest()
    #expect(screen.text.contains("row 1001"), "\(screen.text)")
    try screen.press("k")
    try screen.rest()
    screen.runner.finish()
    #expect(screen.text.contains("item 1000") && screen.text.contains("1001 of 1001"))
  }

  @Test func everythingIsMarkedOnceItIsCounted() throws {
    let screen = try Screen(1000)
    screen.gate.open()
    try screen.press("*")
    try screen.rest()
    screen.runner.finish()
    #expect(screen.text.contains("1000 marked"), "\(screen.text)")
  }

  @Test func aSearchGoesBeyondTheKnownRows() throws {
    let screen = try Screen(1000)
    screen.gate.open()
    try screen.press("/ i t e m Space 8 8 8 Enter")
    try screen.rest()
    #expect(screen.text.contains("row 888"), "\(screen.text)")
    try screen.press("g g N")
    try screen.rest()
    screen.runner.finish()
    #expect(screen.text.contains("row 888"), "backward from the first row")
  }

  @Test func theRunnerWithoutThreadsCountsEverything() throws {
    let screen = try Screen(1000)
    screen.gate.open()
    screen.runner.finish()
    let runner = AppRunner(session: screen.fixture.session, size: Self.size)
    #expect(runner.canvas.plainText().contains("1000 of 1000"))
    for event in try KeyFile.parse("G") { runner.handle(event) }
    #expect(runner.canvas.plainText().contains("item 1000"))
  }
}
