import OpenSwiftData
import Testing

@testable import CatalogApp

/// Where the cursor is after the list was filtered.
@Suite struct FilterCursorTests {
  static let filters: [(row: Int, filter: String, number: Int64)] = [
    (15, "number:1-20", 15), (15, "name:\"item 2\"", 20), (39, "number:1-20", 1),
    (39, "number>35", 39), (30, "number:5,38,40", 38),
  ]

  private func number(_ fixture: ScreenFixture) -> Value? {
    fixture.runner.state.shared.table.currentRow?.values.first
  }

  private func type(_ text: String, _ fixture: ScreenFixture) {
    for character in text { fixture.runner.handle(.key(.character(character))) }
  }

  @Test(arguments: filters)
  func theCursorStaysOnItsRecordOrTheNextMatch(row: Int, filter: String, number: Int64) throws {
    let fixture = try ScreenFixture.numbered(40)
    try fixture.press(String(row).map { "\($0) " }.joined() + "g f")
    type(filter, fixture)
    try fixture.press("Enter")
    #expect(self.number(fixture) == .integer(number))
    try fixture.press("f C-u Enter")
    #expect(self.number(fixture) == .integer(number))
  }

  /// The former list has none of the records.
  @Test(arguments: [("number:10-20", 21), ("number:5,15,25", 16), ("number:15-40", 1)])
  func theCursorGoesToTheNextMatchOfTheInvertedFilter(filter: String, number: Int64) throws {
    let fixture = try ScreenFixture.numbered(40)
    try fixture.press("1 5 g f")
    type(filter, fixture)
    try fixture.press("Enter !")
    #expect(self.number(fixture) == .integer(number), "\(fixture.text)")
  }

  /// A text to type, and the number under the cursor, which was on 15.
  static let typed: [(text: String, number: Int64)] = [
    // `number:1` matches nothing after 15, and `number:15` only 15 itself.
    ("number:15,40", 15), ("number:150", 15), ("number:1", 1), ("number:2", 2), ("number:16", 16),
    ("number>15", 16), ("number:5,20,39", 20), ("name:\"item 3\"", 30), ("item 1", 15),
  ]

  /// Each letter arrives after the answer to the one before, or the text arrives at once.
  @Test(arguments: typed)
  func theCursorDoesNotDependOnTheTextsInBetween(text: String, number: Int64) throws {
    var views: [String] = []
    for isPasted in [false, true] {
      let fixture = try ScreenFixture.numbered(40)
      try fixture.press("1 4 j f")
      if isPasted { fixture.runner.handle(.paste(text)) } else { type(text, fixture) }
      let list = fixture.lines.dropLast(2)
      views.append(list.joined(separator: "\n"))
      if text == "number:150" { continue }
      #expect(self.number(fixture) == .integer(number), "\(fixture.text)")
      try fixture.press("Enter")
      #expect(self.number(fixture) == .integer(number), "\(fixture.text)")
    }
    #expect(views[0] == views[1])
  }

  @Test(arguments: ["number>35", "number:7", "nothing at all"])
  func escapePutsBackTheCursorAndTheRowsAroundIt(text: String) throws {
    let fixture = try ScreenFixture.numbered(100)
    try fixture.press("f number:30-90 Enter G 1 5 k")
    let before = fixture.lines.dropLast()
    try fixture.press("f C-u")
    type(text, fixture)
    try fixture.press("Escape")
    #expect(fixture.lines.dropLast() == before, "\(fixture.text)")
  }

  @Test(arguments: ["json", "catlog"])
  func theCursorKeepsItsRecordWhenAnotherProgramDeletesOneBefore(ending: String) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press("j f")
    let record = screen.runner.state.shared.table.cursorRecord
    try films.changeAndTell(nil)
    try screen.press("n o n e Escape")
    #expect(screen.runner.state.shared.table.cursorRecord == record, "\(screen.text)")
    #expect(screen.status.contains("row 1"), "\(screen.text)")
  }
}
