import CatalogApp
import Foundation
import Testing

/// The parts of the manual pages that are generated; each page is one file.
@Suite(.serialized) struct ManualTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The commands in the manual page; `CATALOG_WRITE_DOCS=1` writes them.
  @Test func theManualHasTheCommandsOfTheProgram() throws {
    try check("commands", HelpText.manual())
  }

  /// The contract of scripts in the manual page, from docs/scripts.md.
  @Test func theManualHasTheContractOfScripts() throws {
    let page = Self.root.appendingPathComponent("docs/scripts.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "`make pages`. -->\n"))
    let end = try #require(text.range(of: "\n# Recipes\n"))
    try check("scripts", MarkdownManual(text[start.upperBound..<end.lowerBound]).text)
  }

  /// What `help predicates` and `help functions` print, and the terms of the filter, in the page about the language.
  @Test func thePageAboutTheLanguageHasWhatHelpPrints() throws {
    for (part, lines) in [("predicates", HelpText.predicates), ("functions", HelpText.functions)] {
      try check(part, HelpText.manual(of: lines), in: "catalog-language.5")
    }
    try check(
      "terms",
      HelpText.manual(of: HelpText.filterTerms.map { "  \($0)  \($1)" }),
      in: "catalog-language.5"
    )
  }

  /// Compares a generated part of a page, or writes it.
  private func check(_ part: String, _ expected: String, in name: String = "catalog.1") throws {
    let page = Self.root.appendingPathComponent("Resources/\(name)")
    let text = try String(contentsOf: page, encoding: .utf8)
    let begin = ".\\\" The \(part): CATALOG_WRITE_DOCS=1 make test FILTER=ManualTests\n"
    let start = try #require(text.range(of: begin))
    let stop = try #require(text.range(of: ".\\\" End of the \(part).\n"))
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      let written = text[..<start.upperBound] + expected + text[stop.lowerBound...]
      try Data(written.utf8).write(to: page)
      return
    }
    #expect(text[start.upperBound..<stop.lowerBound] == expected)
  }
}

/// Headings, paragraphs, code and tables of Markdown as a part of a manual page, in mdoc.
private struct MarkdownManual {
  private(set) var text = ""
  private var isInCode = false
  private var isInTable = false

  init(_ markdown: some StringProtocol) {
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      add(String(line))
    }
  }

  private mutating func add(_ line: String) {
    if isInTable, !line.hasPrefix("|") {
      text += ".El\n"
      isInTable = false
    }
    if line.hasPrefix("```") {
      isInCode.toggle()
      text += isInCode ? ".Bd -literal\n" : ".Ed\n"
    } else if isInCode {
      text += Self.roff(line) + "\n"
    } else if line.hasPrefix("## ") {
      text += ".Ss \(Self.roff(String(line.dropFirst(3))))\n"
    } else if line.hasPrefix("|") {
      addRow(line)
    } else if line.isEmpty {
      if !text.isEmpty, !text.hasSuffix(".Pp\n"), !isAfterHeading { text += ".Pp\n" }
    } else if !line.hasPrefix("<!--") {
      text += Self.words(line)
    }
  }

  private var isAfterHeading: Bool {
    text.split(separator: "\n").last?.hasPrefix(".Ss") ?? true
  }

  private mutating func addRow(_ line: String) {
    let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    // The heading and the line below it are only for Markdown.
    guard cells.count == 2, cells[0].hasPrefix("`") else { return }
    if !isInTable { text += ".Bl -tag -width Ds\n" }
    isInTable = true
    text += ".It \(Self.roff(cells[0].replacing("`", with: "")))\n" + Self.words(cells[1])
  }

  /// The text of a line, and that of its links.
  private static func words(_ line: String) -> String {
    let text = line.replacing(#/\[([^\]]+)\]\([^)]+\)/#) { $0.1 }
    return roff(text.replacing("`", with: "")) + "\n"
  }

  private static func roff(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("…", with: "...")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
