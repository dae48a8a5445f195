import CatalogApp
import Foundation
import Testing

/// The pages about conditions and values, and about expressions, which `help predicates` and `help functions` print.
@Suite struct LanguageTests {
  /// A page, the word that shows it, and its mark in docs/scripts.md.
  private struct Page: Sendable, CustomTestStringConvertible {
    let topic: String
    let mark: String
    let lines: [String]
    let leastExamples: Int

    var testDescription: String { topic }

    /// The commands of the page, and what each prints.
    var examples: [(String, String)] {
      lines.compactMap { line in
        let parts = line.components(separatedBy: " → ")
        return parts.count == 2 ? (parts[0].trimmingCharacters(in: .whitespaces), parts[1]) : nil
      }
    }
  }

  private static let pages = [
    Page(topic: "predicates", mark: "language", lines: HelpText.predicates, leastExamples: 13),
    Page(topic: "functions", mark: "functions", lines: HelpText.functions, leastExamples: 4),
  ]

  @Test(arguments: pages) private func eachExamplePrintsWhatThePageSays(page: Page) throws {
    let examples = page.examples
    #expect(examples.count >= page.leastExamples)
    let folder = try TemporaryFolder()
    for (place, example) in examples.enumerated() {
      // Every command sees what those before it have changed.
      let commands = examples[...place].map(\.0)
      let run = try folder.run(
        ["memory:", "--sample"] + commands.flatMap { ["-e", $0] } + ["-e", "quit!"]
      )
      let printed = examples[...place].map(\.1).filter { !$0.isEmpty }.map { $0 + "\n" }
      #expect(
        run.output == printed.joined()
          && (run.errors.isEmpty || commands.contains { $0.hasSuffix("skip") }),
        "\(example.0): \(run)"
      )
    }
  }

  @Test(arguments: pages) private func eachListOfThePageHasRows(page: Page) throws {
    let lists = page.lines.filter { $0.hasPrefix("  list ") }
    for list in lists {
      let run = try TemporaryFolder().run(["memory:", "--sample", "-e", list])
      #expect(run.status == 0 && run.output.split(separator: "\n").count > 1, "\(list): \(run)")
    }
    #expect(page.topic == "predicates" || lists.count > 4)
  }

  /// Each term of the filter that the manual page lists, with the number of sample films that it shows.
  @Test func eachTermOfTheFilterFindsWhatItSays() throws {
    let counts = [1, 5, 3, 4, 18, 1, 0, 31, 26, 16]
    #expect(counts.count == HelpText.filterTerms.count)
    for ((term, _), count) in zip(HelpText.filterTerms, counts) {
      let typed = term.replacing("\"", with: "\\\"")
      let run = try TemporaryFolder().run(
        ["memory:", "--sample", "--keys", "-"],
        input: "f \"\(typed)\" Enter"
      )
      #expect(
        run.output.contains(" \(count) of 31 ") && run.output.contains("filter "),
        "\(term): \(run)"
      )
    }
  }

  @Test(arguments: pages) private func helpPrintsThePage(page: Page) throws {
    let run = try TemporaryFolder().run(["-e", "help \(page.topic)"])
    #expect(run.status == 0)
    #expect(run.output == page.lines.map { $0 + "\n" }.joined(), "\(run)")
  }

  /// The pages in docs/scripts.md; `CATALOG_WRITE_DOCS=1` writes them.
  @Test func theGuideHasThePages() throws {
    for page in Self.pages { try check(page) }
  }

  private func check(_ page: Page) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/scripts.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- \(page.mark) -->\n"))
    let end = try #require(text.range(of: "<!-- end of the \(page.mark) -->"))
    let block = "\n```text\n" + page.lines.map { $0 + "\n" }.joined() + "```\n\n"
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      let written = text[..<start.upperBound] + block + text[end.lowerBound...]
      return try Data(written.utf8).write(to: file)
    }
    #expect(text[start.upperBound..<end.lowerBound] == block)
  }
}
