import OpenSwiftData
import Testing

@testable import CatalogApp

/// What the screen tells about a file that is not quite right.
@Suite struct OpeningNoteTests {
  @Test func severalNotesAreCounted() {
    #expect(Check.summary(of: []) == nil)
    #expect(Check.summary(of: ["line 2: odd"]) == "note: line 2: odd")
    #expect(Check.summary(of: ["a", "b"]) == "note: a · 1 of 2 notes; :check lists them")
    #expect(
      Check.summary(of: ["a", "b"], hiddenValues: "2 records have more values")
        == "2 records have more values, which are not shown · 1 of 2 notes; :check lists them"
    )
    #expect(
      Check.summary(of: ["a"], hiddenValues: "1 record has more values")
        == "1 record has more values, which are not shown; see :check"
    )
  }

  static let findings: [(lines: [String], isListed: Bool)] = [
    (["line 2: odd"], false), (["line 2: odd", "line 4: even"], true),
  ]

  @Test(arguments: findings)
  func severalFindingsAreListed(lines: [String], isListed: Bool) throws {
    let fixture = try ScreenFixture.films()
    var state = fixture.runner.state
    let failure = Findings(lines)
    let report = CommandReport(
      request: nil,
      answer: .failed(failure.description),
      status: state.status,
      extent: nil,
      appearedAt: nil,
      remapped: IdentifierMap(),
      findings: lines
    )
    _ = state.update(.ran(report))
    #expect(state.draw().plainText().contains("line 2: odd"))
    #expect(state.screens.last is TextScreen == isListed)
    // The program still ends with a failure.
    #expect(state.shared.messages.failures == [failure.description])
  }
}
