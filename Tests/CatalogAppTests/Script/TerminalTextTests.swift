import DataStoreTesting
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Printed names and values can only be seen on a terminal, and never control it.
///
/// Covers H01.
@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("a\tb\nc\r\nd", "a\tb\nc\r\nd"), ("\u{1B}[2J\u{9B}2J\u{7}", "^[[2J<U+009B>2J^G"),
    ("a\rb\r\r\n", "a␍b␍\r\n"), ("\u{0}\u{202E}x", "^@<U+202E>x"), ("", ""), ("\n\n", "\n\n"),
    ("漢字\té\n", "漢字\té\n"), ("^[[2J ↵ …", "^[[2J ↵ …"),
  ])
  func lineEndsAndTabsStayAndTheRestIsMadeVisible(text: String, shown: String) {
    #expect(Array(TerminalText.safe(text).utf8) == Array(shown.utf8))
  }

  // Covers H11.
  @Test func nothingPrintedCanDriveTheTerminal() throws {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<800 {
      let columns = (0..<3).map { _ in random.text() + "\u{1B}" }
      let rows = (0..<2).map { _ in columns.map { _ in Value.text(random.text() + "\r\u{9B}") } }
      for format in OutputFormat.allCases {
        var printed = ""
        var writer = TableWriter(
          format: format,
          isTerminal: true,
          width: 40,
          columns: columns,
          numeric: [],
          write: { printed += String(decoding: $0, as: UTF8.self) }
        )
        for row in rows { try writer.add(row) }
        try writer.finish()
        let sent = TerminalText.safe(printed)
        guard Self.isSafe(sent), format.isObject ? Self.hidesNothing(printed) : Self.isSafe(printed)
        else {
          Issue.record("seed \(seed), \(format): \(printed.debugDescription)")
          return
        }
        // Safe text stays unchanged, except for marks after the symbol that replaces others.
        if !format.isObject, !printed.contains("…") { #expect(sent == printed) }
      }
    }
  }

  // Covers H11.
  @Test func everyWayToPrintIsSafeOnATerminal() throws {
    let evil = "\u{1B}]0;x\u{7}\u{202E}\n\t"
    let entity = Schema.Entity(
      evil,
      attributes: [
        Schema.Attribute("a" + evil, .text), Schema.Attribute("b" + evil, .integer),
        Schema.Attribute("c" + evil, .json),
      ]
    )
    let fixture = try ScriptFixture(Schema(entity))
    let record = Record(entity: entity)
    try record.set(.text(evil), for: "a" + evil)
    try record.set(.json("\"\u{202E}\""), for: "c" + evil)
    fixture.session.context.insert(record)
    for line in [
      "list", "show t1", "entities", "schema", "status", "freq \"a\(Self.escaped)\"", "save",
    ] {
      for format in OutputFormat.allCases where line != "save" || format == .tsv {
        let outcome = try fixture.session.perform(line)
        var printed = ""
        let printer = ResultPrinter(format, isTerminal: true, width: 60) { printed += $0 }
        try printer.print(outcome, context: fixture.session.context)
        let isSafe = Self.isSafe(printed)
        #expect(isSafe, "\(line) as \(format): \(printed.debugDescription)")
        #expect(!printed.isEmpty)
      }
    }
  }

  private static let escaped = #"\u{1b}]0;x\u{7}\u{202e}\n\t"#

  /// Only visible characters, line ends and tabs.
  private static func isSafe(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      "\n\r\t".unicodeScalars.contains(scalar) || TextWidth.classify(scalar) != .hidden
    }
      && !text.replacing("\r\n", with: "").unicodeScalars.contains("\r")
  }

  /// JSON escapes characters that could control a terminal or hide text.
  private static func hidesNothing(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0 != "\n" && JSONText.mustEscape($0) }
  }
}

extension OutputFormat {
  fileprivate var isObject: Bool { self == .json || self == .jsonl }
}
