import Foundation
import Testing

/// The code on the pages is copied from tests and examples.
@Suite struct DocumentedCodeTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The lines without indentation, because an example may be nested deeper in a test than on a
  /// page.
  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  private static func swiftBlocks(_ page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
  }

  /// The code that is on a page but in no source; `…` stands for omitted lines.
  private static func strangers(on page: String, in sources: [String]) -> [String] {
    let source = "\n" + sources.flatMap { lines($0) }.joined(separator: "\n") + "\n"
    return swiftBlocks(page).flatMap { block in
      block.components(separatedBy: "…")
        .map { "\n" + lines($0).joined(separator: "\n") + "\n" }
        .filter { $0 != "\n\n" && !source.contains($0) }
    }
  }

  private static let documentation = "Tests/OpenSwiftDataTests/Documentation/"

  private static let pages: [(page: String, sources: [String], blockCount: Int)] = [
    (
      "Sources/OpenSwiftData/OpenSwiftData.docc/WriteYourOwnStore.md",
      ["JSONFormat", "NotebookStore", "JournalStore", "WriteYourOwnStoreTests"].map {
        "\(documentation)\($0).swift"
      }
        + [
          "MarkdownNotes/Package.swift", "MarkdownNotes/Sources/MarkdownNotes/MarkdownFormat.swift",
          "MarkdownNotes/Tests/MarkdownNotesTests/MarkdownNotesTests.swift",
          "RevisionStore/Sources/RevisionStore/RevisionSnapshot.swift",
          "RevisionStore/Sources/RevisionStore/RevisionStore.swift",
          "ServiceStore/Sources/ServiceStore/ServiceStore.swift",
        ].map { "Examples/\($0)" },
      12
    ),
    ("README.md", ["\(documentation)ReadmeExample.swift"], 1),
    (
      "docs/first-program.md",
      [
        "Package.swift", "Sources/books/Models.swift", "Sources/books/Library.swift",
        "Sources/books/main.swift",
      ].map { "Examples/FirstProgram/\($0)" },
      5
    ),
    ("docs/add-a-store.md", ["Examples/MarkdownNotes/Sources/catalog-notes/main.swift"], 1),
    (
      "Sources/DataStoreTesting/DataStoreTesting.docc/DataStoreTesting.md",
      ["Examples/MarkdownNotes/Tests/MarkdownNotesTests/MarkdownNotesTests.swift"], 1
    ),
  ]

  /// The examples are built and tested by `make examples`.
  @Test(arguments: pages.map(\.page))
  func theCodeOfAPageIsCompiled(_ path: String) throws {
    let (_, sources, count) = try #require(Self.pages.first { $0.page == path })
    let page = try Self.text(path)
    let strangers = Self.strangers(on: page, in: try sources.map(Self.text))
    #expect(strangers == [])
    #expect(Self.swiftBlocks(page).count >= count, "the page has lost its code")
  }

  @Test func codeThatIsNowhereElseIsFound() {
    let page = "```swift\nlet a = 1\n…\nlet b = 3\n```"
    #expect(Self.strangers(on: page, in: ["  let a = 1\n  let b = 2"]) == ["\nlet b = 3\n"])
  }

  /// The tests that a page names, as `Suite.function`, or a suite alone.
  private static func testNames(_ page: String) -> [String] {
    page.split(separator: "`").map(String.init)
      .filter { $0.wholeMatch(of: /[A-Z][A-Za-z0-9]*Tests(\.[a-z][A-Za-z0-9]*)?/) != nil }
  }

  /// The suites and the functions of all tests.
  private static let declared = Result {
    let files = FileManager.default.enumerator(atPath: root.appending(path: "Tests").path)
    var names: (suites: Set<Substring>, functions: Set<Substring>) = ([], [])
    for file in files?.compactMap({ $0 as? String }) ?? [] where file.hasSuffix(".swift") {
      let source = try text("Tests/\(file)")
      names.suites.formUnion(words(after: "struct ", in: source))
      names.functions.formUnion(words(after: "func ", in: source))
    }
    return names
  }

  private static func words(after keyword: String, in source: String) -> [Substring] {
    source.components(separatedBy: keyword).dropFirst()
      .map { $0.prefix { $0.isLetter || $0.isNumber } }
  }

  @Test(arguments: [("from-swiftdata", 50), ("test-cases", 150)])
  func documentedTestsExist(page: String, least: Int) throws {
    let names = Self.testNames(try Self.text("docs/\(page).md"))
    #expect(names.count > least)
    let declared = try Self.declared.get()
    for name in Set(names).sorted() {
      let parts = name.split(separator: ".")
      #expect(declared.suites.contains(parts[0]), "\(name): there is no such suite")
      if parts.count > 1 {
        #expect(declared.functions.contains(parts[1]), "\(name): there is no such test")
      }
    }
  }
}
