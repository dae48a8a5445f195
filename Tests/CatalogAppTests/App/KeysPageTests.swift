import CatalogApp
import Foundation
import Testing

@Suite struct KeysPageTests {
  /// The key page of the documentation; `CATALOG_WRITE_DOCS=1` writes it.
  @Test func keysPageIsCurrent() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = root.appendingPathComponent("docs/keys.md")
    let expected = HelpText.markdown(.standard)
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      try Data(expected.utf8).write(to: page)
    }
    #expect(String(decoding: try Data(contentsOf: page), as: UTF8.self) == expected)
  }
}
