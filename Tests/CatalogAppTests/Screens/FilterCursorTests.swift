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
}
