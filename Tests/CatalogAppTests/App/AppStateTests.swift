import DataStoreTesting
import OpenSwiftData
import Testing

@testable import CatalogApp

@Suite struct AppStateTests {
  static let places: [String] = [
    "", "e", "Enter", "a", "/ x", "f x", ":", "C-p", "F", "H", "?", "d q", "* d", "v",
  ]
  static let sizes = [(1, 1), (2, 1), (10, 3), (39, 24), (40, 6), (41, 7), (200, 60), (0, 0)]

  // Covers I09.
  @Test(arguments: places) func everyScreenSurvivesEverySize(_ keys: String) throws {
    for (columns, rows) in Self.sizes {
      let fixture = try ScreenFixture.films()
      try fixture.press(keys)
      fixture.runner.handle(.resize(Size(columns: columns, rows: rows)))
      #expect(fixture.runner.canvas.plainLines().count == rows)
      try fixture.press("Down Up Left Right PgDn PgUp Tab S-Tab Home End")
      #expect(fixture.runner.canvas.plainLines().count == rows)
      fixture.runner.handle(.resize(Size(columns: 80, rows: 24)))
      #expect(fixture.runner.canvas.plainLines().count == 24)
    }
  }

  @Test func tinyScreenSaysWhatItNeeds() throws {
    let fixture = try ScreenFixture.films(size: Size(columns: 30, rows: 5))
    #expect(fixture.lines[0...2] == ["terminal too small", "30×5", "needs at least 40×6"])
  }

  @Test func keysDoNothingWhileTheScreenIsTooSmall() throws {
    let fixture = try ScreenFixture.films()
    fixture.runner.handle(.resize(Size(columns: 30, rows: 5)))
    try fixture.press("d y")
    fixture.runner.handle(.resize(Size(columns: 80, rows: 24)))
    #expect(fixture.text.contains("Up") && fixture.runner.state.status.unsaved == 0)
    fixture.runner.handle(.resize(Size(columns: 30, rows: 5)))
    try fixture.press("q")
    #expect(fixture.runner.exitStatus == 0)
  }

  @Test func updateIsPure() throws {
    let fixture = try ScreenFixture.films()
    for keys in ["j", "e x", "l s", "f nemo", "? j", "V", ": set", "d"] {
      var left = fixture.runner.state
      var right = fixture.runner.state
      for event in try KeyFile.parse(keys) {
        #expect(left.update(.input(event)) == right.update(.input(event)))
      }
      #expect(left.draw().plainText() == right.draw().plainText())
    }
  }

  @Test func movingAsksForTheRowsOnTheScreenOnly() throws {
    var state = try ScreenFixture.films().runner.state
    let spec = QuerySpec(entityName: try #require(state.entityName))
    let question = QueryList(spec: spec, kept: nil)
    let extent = ListExtent(count: 1_000_000, total: 1_000_000)
    _ = state.update(.answer(AnyAnswer(.listed(extent, cursor: 0), to: question)))
    for keys in ["j", "G", "k", "PgUp", "500000G", "C-d", "Home", "$", "Space"] {
      for event in try KeyFile.parse(keys) {
        for effect in state.update(.input(event)) {
          guard case .ask(let question) = effect, let range = (question.value as? ReadRows)?.rows
          else {
            Issue.record("\(keys) asked for \(effect)")
            continue
          }
          #expect(range.count <= 20)
        }
      }
    }
  }

  @Test func scrollingThroughManyRecordsShowsTheRightOnes() throws {
    let fixture = try ScreenFixture.numbered(3000)
    try fixture.press("2500G")
    #expect(fixture.status.contains("row 2500"))
    #expect(fixture.lines[20].contains("2500  item 2500"))
    try fixture.press("PgDn PgDn")
    #expect(fixture.status.contains("row 2540"))
    try fixture.press("/ \"item 77\" Enter")
    #expect(fixture.status.contains("row 77"), "\(fixture.status)")
    try fixture.press("/ \"no such\" Escape G")
    #expect(fixture.status.contains("row 3000"))
  }

  @Test func storeWithoutEntitiesSaysWhatToDo() throws {
    let screen = ScreenFixture(try ScriptFixture(Schema()))
    #expect(screen.lines[0].contains("entity create"))
    try screen.press("j e s F d Enter a f / n v Escape")
    try screen.press(": \"entity create Book title:text! year:integer\" Enter")
    #expect(screen.status.contains("Book · 0 of 0"))
    try screen.press("a Emma Enter w")
    #expect(screen.status.contains("Book · 1 of 1"))
  }

  @Test func openingAnotherStoreAsksFirst() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("d : \"e other\" Enter")
    #expect(fixture.text.contains("open another store? there are unsaved changes"))
    try fixture.press("d")
    #expect(fixture.status.hasPrefix(" other"))
    #expect(fixture.message == "opened other")
  }

  @Test func endingSignalsGiveTheirStatus() throws {
    for (event, status) in [(InputEvent.terminate(15), Int32(143)), (.hangup, 129)] {
      let fixture = try ScreenFixture.films()
      fixture.runner.handle(event)
      #expect(fixture.runner.exitStatus == status)
    }
  }

  @Test func interruptStopsWorkAndNotTheProgram() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("C-c e C-c Enter C-c : C-c")
    #expect(!fixture.runner.shouldQuit)
    #expect(fixture.lines[0].hasPrefix("   id"))
  }

  // Covers I14.
  @Test func randomKeysNeverTrap() throws {
    let seed = SeededGenerator.testSeed
    var generator = SeededGenerator(seed: seed)
    let names =
      Set(KeyCommand.all.flatMap(\.keys)).sorted { $0.description < $1.description }
      + "abz019 =\"'<,-:?éß漢".map { Key.character($0) }
    var fixture = try ScreenFixture.films()
    for number in 0..<10_000 {
      let choice = Int.random(in: 0..<100, using: &generator)
      switch choice {
      case 0:
        let columns = Int.random(in: 0...120, using: &generator)
        let rows = Int.random(in: 0...40, using: &generator)
        fixture.runner.handle(.resize(Size(columns: columns, rows: rows)))
      case 1: fixture.runner.handle(.paste("x\ny\u{1B}"))
      case 2:
        let point = Point(
          x: Int.random(in: 0..<90, using: &generator),
          y: Int.random(in: 0..<26, using: &generator)
        )
        fixture.runner.handle(.mouse(MouseEvent(kind: .press, point: point)))
      default:
        fixture.runner.handle(.key(names[Int.random(in: 0..<names.count, using: &generator)]))
      }
      if number % 5 == 0 { _ = fixture.runner.canvas.plainText() }
      if fixture.runner.shouldQuit { fixture = try ScreenFixture.films() }
      for request in fixture.runner.takeRequests() {
        if case .edit(let text, _) = request { fixture.runner.finishEditing(text + "!") }
      }
      let unsaved = fixture.script.session.store.unsavedCounts
      let total = unsaved.inserted + unsaved.updated + unsaved.deleted
      try #require(fixture.runner.state.status.unsaved == total, "seed \(seed)")
    }
    print("random keys: seed \(seed)")
  }
}
