import Foundation
import Testing

/// The texts that users of the program and the library read, and the rules of docs/style.md that can be checked.
@Suite struct MessageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let targets = [
    "CatalogProgram", "CatalogApp", "Terminal", "OpenSwiftData", "Stores", "StoreFiles",
    "DefaultStorage",
  ]

  /// Calls whose strings are for programmers, or are not text.
  private static let ignoredCalls: Set<String> = [
    "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError", "put",
    "UInt8", "starts", "contains",
  ]

  /// The texts of at least two words, by target.
  private static let messages: [(target: String, texts: [SwiftLiterals.Literal])] = targets.map {
    target in
    let folder = root.appendingPathComponent("Sources/\(target)")
    let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var found: [String: SwiftLiterals.Literal] = [:]
    for case let url as URL in paths ?? .init()
    where url.pathExtension == "swift" && url.lastPathComponent != "ShellCompletions.swift" {
      guard let source = try? String(contentsOf: url, encoding: .utf8) else {
        Issue.record("\(url.path) cannot be read")
        continue
      }
      let literals = SwiftLiterals(in: source) { ignoredCalls.contains($0) }.literals
      for literal in literals where isProse(literal.text) {
        // Of two literals with the same text, the one used in an error.
        if !(found[literal.text].map(isError) ?? false) { found[literal.text] = literal }
      }
    }
    return (target, found.values.sorted { $0.text < $1.text })
  }

  /// True for the text of an error or of a message in the message line.
  private static func isError(_ literal: SwiftLiterals.Literal) -> Bool {
    literal.calls.contains {
      $0.hasSuffix("Error") || $0.hasSuffix("Damage") || $0.hasSuffix("Failure")
        || ["fail", "failed", "warn", "say", "wrong", "complain"].contains($0)
    }
  }

  private static func isProse(_ text: String) -> Bool {
    let words = text.split(separator: " ").filter { word in
      word.utf8.allSatisfy { ($0 | 0x20) &- 97 < 26 || ",;:.!?'\"()".utf8.contains($0) }
        && word.utf8.contains { $0 &- 97 < 26 }
    }
    return words.count > 1 || (words.count == 1 && text.contains("{…}") && words[0].count > 3)
  }

  /// The words that docs/style.md rules out.
  ///
  /// A text is compared with a space at each end.
  private static let ruledOut = [
    " is no ", " are no ", " is none", " are none ", "there is no", "there was no", "there is a",
    " is there ", " behind", "beside ", "nothing holds", "nothing to take", "take back",
    "takes back",
    "taken back", "took back", "bring back", "brings back", "brought back", "came back",
    "put aside", "puts it away", "any more", " at once", "for good", "left out",
    "settle", "somebody", "nobody", "too many", "meanwhile", " stands ", " lies ",
    "nonsense", "newcomer", "as of ", "cannot stand", "must lie", " edits", "colour", "behaviour",
    "optimis", "neighbour", "may not be", "open for reading", "do again", "did again",
  ]

  @Test(arguments: messages.map(\.target))
  func messagesFollowTheStyle(target: String) {
    let texts = Self.messages.first { $0.target == target }?.texts ?? []
    #expect(texts.count > 1)
    for literal in texts {
      let text = literal.text
      let spaced = " \(text) ".replacing(" is no longer ", with: " ")
      for words in Self.ruledOut where spaced.localizedCaseInsensitiveContains(words) {
        Issue.record("\"\(text)\" has \"\(words)\"; see docs/style.md")
      }
      guard Self.isError(literal) else { continue }
      #expect(!text.hasSuffix("."), "an error has no period; see docs/style.md")
      #expect(!text.contains("\n"), "an error is one line; see docs/style.md")
    }
  }

  @Test func literalsAreFound() {
    let source = #"""
      // "a comment"
      throw E("one \(name("x y")) two; "
        + "three \"four\"")
      assert(x, "for programmers only")
      let r = text.replacing(/"(a|b)"/, with: "")
      """#
    let found = SwiftLiterals(in: source) { $0 == "assert" }.texts
    #expect(found == ["one {…} two; three \"four\"", "x y", ""], "\(found)")
  }
}
