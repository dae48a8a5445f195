import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Compares the formats, which are written as bytes from columns of text, with strings made cell by cell.
@Suite struct RowEncoderTests {
  private static let formats: [OutputFormat] = [.csv, .tsv, .psv, .json, .jsonl]

  @Test func everyFormatMatchesTheReference() throws {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<testRounds(120, withoutSeed: 30) {
      let names = (0...Int(random.next() % 4)).map { "\($0)" + random.text() }
      let rows = (0..<Int(random.next() % 40)).map { _ in names.map { _ in random.value() } }
      for format in Self.formats {
        let marksEmptyText = random.next() % 2 == 0
        let expected = Self.reference(rows, names, format, marksEmptyText)
        for isPaged in [false, true] {
          let found = try Self.written(rows, names, format, marksEmptyText, isPaged: isPaged)
          guard found != Array(expected.utf8) else { continue }
          Issue.record(
            "seed \(seed) round \(round) \(format): \(String(decoding: found, as: UTF8.self).debugDescription) is not \(expected.debugDescription)"
          )
          return
        }
      }
    }
  }

  @Test(arguments: [1 << 15, 1 << 17, (1 << 20) + 7])
  func writesLongTextsCompletely(count: Int) throws {
    let text = String(repeating: "a\u{202E}\"é\n", count: count / 8)
    let rows = [[Value.text(text), .integer(1)], [.text(""), .null], [.text(text), .null]]
    for format in Self.formats {
      let expected = Self.reference(rows, ["a", "b"], format, true)
      #expect(
        try Self.written(rows, ["a", "b"], format, true, isPaged: true) == Array(expected.utf8)
      )
    }
  }

  private static func written(
    _ rows: [[Value]],
    _ names: [String],
    _ format: OutputFormat,
    _ marksEmptyText: Bool,
    isPaged: Bool
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var writer = TableWriter(
      format: format,
      isTerminal: false,
      width: nil,
      columns: names,
      numeric: [],
      marksEmptyText: marksEmptyText,
      write: { bytes += $0 }
    )
    if isPaged {
      let layout = SnapshotLayout(names)
      let scope = IdentifierScope(store: "s", entity: "E")
      let snapshots = rows.enumerated().map { number, values in
        DefaultSnapshot(
          persistentIdentifier: scope.identifier(number: number),
          layout: layout,
          orderedValues: values
        )
      }
      try SnapshotPage.forEach(snapshots) { try writer.add($0, names.indices.map { .slot($0) }) }
    } else {
      for row in rows { try writer.add(row) }
    }
    try writer.finish()
    return bytes
  }

  // MARK: The reference

  private static func reference(
    _ rows: [[Value]],
    _ names: [String],
    _ format: OutputFormat,
    _ marksEmptyText: Bool
  ) -> String {
    let objects = rows.map { row in
      let members = zip(names, row).map { "\(JSONText.quoted($0)): \($1.jsonText)" }
      return "{" + members.joined(separator: ", ") + "}"
    }
    switch format {
    case .json:
      return objects.isEmpty ? "[]\n" : "[\n  " + objects.joined(separator: ",\n  ") + "\n]\n"
    case .jsonl, .table, .md, .html, .sql: return objects.map { $0 + "\n" }.joined()
    case .csv, .psv:
      let mark = format == .csv ? "," : "|"
      let lines = [names.map { quoted($0, mark) }] + rows.map { $0.map { quoted($0, mark) } }
      return lines.map { $0.joined(separator: mark) + "\r\n" }.joined()
    case .tsv:
      let cells = rows.map { $0.map { tabSeparated($0, marksEmptyText) } }
      return ([names.map(tabSeparated)] + cells).map { $0.joined(separator: "\t") + "\n" }.joined()
    }
  }

  private static func quoted(_ value: Value, _ mark: String) -> String {
    value == .text("") ? "\"\"" : quoted(value.text, mark)
  }

  private static func quoted(_ text: String, _ mark: String) -> String {
    let scalars = text.unicodeScalars
    let needsQuotes = scalars.contains { "\"\(mark)\r\n".unicodeScalars.contains($0) }
    guard needsQuotes || scalars.first == " " || scalars.last == " " else { return text }
    return "\"" + scalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
  }

  private static func tabSeparated(_ value: Value, _ marksEmptyText: Bool) -> String {
    if marksEmptyText, value == .text("") { return "\"\"" }
    let text = tabSeparated(value.text)
    let rest = text.unicodeScalars.drop { $0 == " " }
    guard marksEmptyText, rest.first == "\"" else { return text }
    return String(text.unicodeScalars.prefix { $0 == " " }) + "\\" + String(rest)
  }

  private static func tabSeparated(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\t": "\\t"
      case "\n": "\\n"
      case "\r": "\\r"
      case "\\": "\\\\"
      default: String(scalar)
      }
    }.joined()
  }
}

extension SeededGenerator {
  /// A value of any kind; texts are difficult to quote.
  fileprivate mutating func value() -> Value {
    let scope = IdentifierScope(store: "s", entity: "E")
    func key(_ number: UInt64) -> PersistentIdentifier {
      switch number % 3 {
      case 0: scope.identifier(number: Int(number % 1000))
      case 1: scope.identifier(key: RecordKey(milliseconds: number % 99999, sequence: number))
      default: scope.identifier(text: "a \"key\", \(number % 100)")
      }
    }
    switch next() % 13 {
    case 0: return .null
    case 1: return .boolean(next() % 2 == 0)
    case 2: return .integer(Int64(bitPattern: next()))
    case 3: return .number([0.5, -0.0, .nan, -.infinity, 1e300, 7][Int(next() % 6)])
    case 4: return .decimal(Decimal(Int64(bitPattern: next()) % 100_000) / 100)
    case 5: return .date(CalendarDate(daysSince1970: Int32(next() % 20000)))
    case 6: return .datetime(Date(timeIntervalSince1970: Double(next() % 4_000_000_000) / 2))
    case 7: return .uuid(UUID(high: next(), low: next()))
    case 8: return .json(JSONText.quoted(text()).replacing("\\u202e", with: "\u{202E}"))
    case 9: return .link(key(next()))
    case 10: return .links((0..<next() % 3).map { _ in key(next()) })
    case 11:
      return .text(
        ["", "\"\"", " a", "a ", "a,b", "\"", "\\", "\t", "\u{7F}", "\u{E0001}"][Int(next() % 10)]
      )
    default: return .text(text() + text())
    }
  }
}
