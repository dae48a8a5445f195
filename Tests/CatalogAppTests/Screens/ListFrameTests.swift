import CatalogApp
import Testing

/// What lists and texts share: the position in the title and the filter.
@Suite struct ListFrameTests {
  /// The first line on the screen with one of the words.
  private func title(_ fixture: ScreenFixture, _ word: String) -> String {
    fixture.lines.first { $0.contains(word) } ?? ""
  }

  @Test func theHelpShowsItsPositionAndIsFiltered() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("?")
    let all = try #require(title(fixture, "Help").firstMatch(of: /([0-9]+)\/([0-9]+)/))
    #expect(Int(all.1) ?? 0 < Int(all.2) ?? 0)
    try fixture.press("PgDn")
    #expect(!title(fixture, "Help").contains(all.0))
    try fixture.press("Home / \"REDO\"")
    #expect(fixture.text.contains("redo the last undone change"))
    #expect(!fixture.text.contains("go to the next record"))
    #expect(title(fixture, "Help").contains(" of "))
    try fixture.press("Escape")
    #expect(fixture.text.contains("go to the next record"), "Esc clears the filter")
    #expect(title(fixture, "Help").contains("Help"), "and does not close the help")
  }

  @Test func aListShowsItsPositionAndIsFiltered() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("F")
    #expect(title(fixture, "3 values").contains("1/3"))
    try fixture.press("Down")
    #expect(title(fixture, "3 values").contains("2/3"))
    try fixture.press("/ \"nemo\" Enter")
    #expect(title(fixture, "3 values").contains("1/1 of 3"))
    try fixture.press("Enter")
    #expect(fixture.text.contains("Finding Nemo"))
    #expect(!fixture.text.contains("Soul"))
  }
}
