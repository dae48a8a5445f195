import CatalogApp
import Foundation
import Testing

/// The parts of the documentation that are generated from the list of commands.
@Suite struct ManualTests {
  private static let begin =
    ".\\\" The commands: CATALOG_WRITE_DOCS=1 make test FILTER=ManualTests\n"
  private static let end = ".\\\" End of the commands.\n"

  /// The commands in the manual page; `CATALOG_WRITE_DOCS=1` writes them.
  @Test func theManualHasTheCommandsOfTheProgram() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = root.appendingPathComponent("Resources/catalog.1")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: Self.begin))
    let stop = try #require(text.range(of: Self.end))
    let expected = HelpText.manual()
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      let written = text[..<start.upperBound] + expected + text[stop.lowerBound...]
      try Data(written.utf8).write(to: page)
      return
    }
    #expect(text[start.upperBound..<stop.lowerBound] == expected)
  }
}
