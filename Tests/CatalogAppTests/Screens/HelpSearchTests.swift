import Testing

@testable import CatalogApp

/// The search in the help.
@Suite struct HelpSearchTests {
  static let words: [(typed: String, line: String)] = [
    ("mouse", "click header"), ("drag", "drag border"), ("freeze column", "column"),
    ("wheel", "scroll three lines"),
  ]

  @Test func helpShowsWhatAFoundCommandDoes() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("? / bind Enter")
    #expect(fixture.text.contains("unbind KEY\n"), "\(fixture.text)")
    #expect(fixture.text.contains("take the commands or the action from a key"), "\(fixture.text)")
  }

  @Test(arguments: words)
  func helpFindsTheMouseAndTheNamesOfCommands(typed: String, line: String) throws {
    let fixture = try ScreenFixture.films(size: Size(columns: 90, rows: 30))
    try fixture.press("? /")
    for character in typed { fixture.runner.handle(.key(.character(character))) }
    #expect(fixture.lines.dropFirst().dropLast(2).contains { $0.contains(line) })
  }
}
