import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// One text means one value wherever it is typed, or the table says why not.
///
/// `docs/readers.tsv` has a line for each type and text: what each reader makes of it, and the reason for a difference.
@Suite struct ReaderAgreementTests {
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/readers.tsv")

  /// A Tuesday, as that of `MemoryServices`.
  private static let today = CalendarDate("2026-11-24") ?? CalendarDate(daysSince1970: 0)

  /// A line of the table.
  struct Row: CustomTestStringConvertible, Sendable {
    let type: String
    let text: String
    let outcome: String
    let reason: String

    var testDescription: String { "\(type) \(text)" }
  }

  static let rows: [Row] = {
    // Without the table, `theTableIsWide` fails.
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").dropFirst().map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return Row(
        type: cells[0],
        text: cells.count > 1 ? cells[1].replacing("\\t", with: "\t") : "",
        outcome: cells.count > 2 ? cells[2] : "",
        reason: cells.count > 3 ? cells[3] : ""
      )
    }
  }()

  @Test func theTableIsWide() {
    #expect(Self.rows.count > 150)
    let types = [
      "boolean", "date", "datetime", "decimal", "integer", "json", "number", "text", "uuid",
    ]
    #expect(Set(Self.rows.map(\.type)).sorted() == types)
  }

  @Test(arguments: rows) func theReadersAgreeOrTheTableSaysWhy(_ row: Row) throws {
    let outcome = try Self.outcome(of: row.text, row.type)
    #expect(outcome == row.outcome, "\(row.type)\t\(row.text)\t\(outcome)")
    let isAgreement = !outcome.contains(";")
    #expect(isAgreement == row.reason.isEmpty, "a reason for each difference, and for nothing else")
  }

  // MARK: The readers

  /// The values, each with the readers that read it.
  private static func outcome(of text: String, _ typeName: String) throws -> String {
    guard let (type, _) = AttributeType.reading(typeName) else { return "no type" }
    let readers: [(String, () throws -> String)] = [
      ("cell", { cell(text, type) }), ("form", { form(text, type) }),
      ("filter", { filter(text, type) }), ("where", { condition(text, type) }),
      ("set", { try set(text, typeName) }), ("import", { try imported(text, typeName) }),
      ("conversion", { try converted(text, typeName) }),
    ]
    var found: [(value: String, readers: [String])] = []
    for (name, read) in readers {
      let value = try read()
      if let place = found.firstIndex(where: { $0.value == value }) {
        found[place].readers.append(name)
      } else {
        found.append((value, [name]))
      }
    }
    if found.count == 1 { return found[0].value }
    return found.map { "\($0.value): \($0.readers.joined(separator: " "))" }.joined(separator: "; ")
  }

  private static let refused = "refused"

  private static func shown(_ reading: EntryReading) -> String {
    switch reading {
    case .value(let value): shown(value)
    case .ambiguous(let meanings): meanings.map { shown($0.value) }.joined(separator: " or ")
    case .refused: refused
    }
  }

  private static func shown(_ value: Value) -> String {
    value.isNull ? "null" : value.text.isEmpty ? "empty" : value.text
  }

  private static func cell(_ text: String, _ type: AttributeType) -> String {
    shown(EntryReader(today: today).read(text, as: type))
  }

  private static func form(_ text: String, _ type: AttributeType) -> String {
    var editor = FieldEditor(Schema.Attribute("f", type), .null, today: today)
    editor.insert(text)
    if editor.problem != nil {
      let meanings = editor.meanings.map { shown($0.value) }
      return meanings.isEmpty ? refused : meanings.joined(separator: " or ")
    }
    switch editor.assignment.content {
    case .value(let value): return shown(value)
    case .typed(let text), .parameter(let text), .computed(let text): return text
    }
  }

  private static func entity(_ type: AttributeType) -> Schema.Entity {
    Schema.Entity("E", attributes: [Schema.Attribute("k", .text), Schema.Attribute("f", type)])
  }

  /// The filter of the screen, with a colon as people type it.
  private static func filter(_ text: String, _ type: AttributeType) -> String {
    guard type != .text, type != .json else { return text.isEmpty ? "empty" : text }
    let written = text.contains(where: \.isWhitespace) || text.isEmpty ? "\"\(text)\"" : text
    let input = FilterInput("f:\(written)", for: entity(type), today: today)
    guard input.problem == nil, input.kind == .terms else { return refused }
    return operand(input.filter) ?? "\(input.filter)"
  }

  /// A predicate of a script, with the text in quotes.
  private static func condition(_ text: String, _ type: AttributeType) -> String {
    let literal = "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    guard let filter = try? FilterParser.parse("f = \(literal)", for: entity(type)) else {
      return refused
    }
    return operand(filter) ?? "\(filter)"
  }

  /// The only value that a filter finds; nil for any other filter.
  private static func operand(_ filter: Filter) -> String? {
    switch filter {
    case .isNull: "null"
    case .compare(_, .equal, let value): shown(value)
    // The spellings of a value inside JSON, the first of which is that of the text itself.
    case .isIn(_, let values): values.first.map { shown($0) }
    case .and(let parts): whole(parts)
    default: nil
    }
  }

  /// The day that both ends of a range mean.
  private static func whole(_ parts: [Filter]) -> String? {
    guard parts.count == 2, case .compare(_, .greaterOrEqual, let low) = parts[0] else {
      return nil
    }
    switch (low, parts[1]) {
    case (.date(let first), .compare(_, .lessOrEqual, .date(let last))) where first == last:
      return shown(low)
    case (.datetime(let first), .compare(_, .less, .datetime(let last)))
    where last.timeIntervalSince(first) == 86_400:
      return shown(low)
    default: return nil
    }
  }

  private static func fixture(_ type: String) throws -> ScriptFixture {
    let fixture = try ScriptFixture(Schema([Schema.Entity]()), entityName: "E")
    try fixture.run("entity create E k:text f:\(type)")
    return fixture
  }

  private static func set(_ text: String, _ type: String) throws -> String {
    let fixture = try fixture(type)
    let result = try fixture.run("insert E k=a\nset t1 f=\(quoted(text))")
    return try result.status == 0 ? stored(fixture) : refused
  }

  private static func imported(_ text: String, _ type: String) throws -> String {
    let fixture = try fixture(type)
    let quoted = text.replacing("\"", with: "\"\"")
    fixture.services.files["a.csv"] = Array("k,f\na,\"\(quoted)\"\n".utf8)
    let result = try fixture.run("import a.csv into E")
    return try result.status == 0 ? stored(fixture) : refused
  }

  private static func converted(_ text: String, _ type: String) throws -> String {
    let fixture = try fixture("text")
    try fixture.run("insert E k=a\nset t1 f=\(quoted(text))\nsave")
    let result = try fixture.run(type == "text" ? "count" : "field type E f \(type)")
    return try result.status == 0 ? stored(fixture) : refused
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\"'\"'") + "'"
  }

  private static func stored(_ fixture: ScriptFixture) throws -> String {
    let records = try fixture.session.context.fetchSnapshots(matching: Query("E"))
    return records.first?["f"].map(shown) ?? "none"
  }
}
