import CatalogApp
import Foundation
import Testing

/// The page about conditions and values, which `help predicates` prints.
@Suite struct LanguageTests {
  /// The commands of the page, and what each prints.
  private static let examples = HelpText.predicates.compactMap { line -> (String, String)? in
    let parts = line.components(separatedBy: " → ")
    return parts.count == 2 ? (parts[0].trimmingCharacters(in: .whitespaces), parts[1]) : nil
  }

  @Test func eachExamplePrintsWhatThePageSays() throws {
    #expect(Self.examples.count > 12)
    let folder = try TemporaryFolder()
    for (place, example) in Self.examples.enumerated() {
      // Every command sees what those before it have changed.
      let commands = Self.examples[...place].map(\.0)
      let run = try folder.run(
        ["memory:", "--sample"] + commands.flatMap { ["-e", $0] } + ["-e", "quit!"]
      )
      let printed = Self.examples[...place].map(\.1).filter { !$0.isEmpty }.map { $0 + "\n" }
      #expect(run.output == printed.joined() && run.errors == "", "\(example.0): \(run)")
    }
  }

  @Test func helpPrintsThePage() throws {
    let run = try TemporaryFolder().run(["-e", "help predicates"])
    #expect(run.status == 0)
    #expect(run.output == HelpText.predicates.map { $0 + "\n" }.joined(), "\(run)")
  }

  /// The page in docs/scripts.md; `CATALOG_WRITE_DOCS=1` writes it.
  @Test func theGuideHasThePage() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/scripts.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- language -->\n"))
    let end = try #require(text.range(of: "<!-- end of the language -->"))
    let block = "\n```text\n" + HelpText.predicates.map { $0 + "\n" }.joined() + "```\n\n"
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      let written = text[..<start.upperBound] + block + text[end.lowerBound...]
      return try Data(written.utf8).write(to: page)
    }
    #expect(text[start.upperBound..<end.lowerBound] == block)
  }
}
