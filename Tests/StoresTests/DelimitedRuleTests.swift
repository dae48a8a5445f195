import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// How files of separated values are read: 150 files of other programs, and what the rule makes of them.
@Suite struct DelimitedRuleTests {
  /// One line of `Fixtures/reading-cases.jsonl`.
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    struct Expected: Decodable, Sendable {
      var line_end = ""
      var delimiter: String?
      var quote: String?
      var header: Bool?
      var columns: Int?
      var rows: Int?
      var first_row: [String]?
      var told: [String]?
      var refused: String?
      var line: Int?
      var column: Int?
    }

    let name: String
    let file: String
    let bytes: String?
    let base64: String?
    let expect: Expected
    var testDescription: String { name }

    var content: [UInt8] {
      if let bytes { return Array(bytes.utf8) }
      return base64.flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? []
    }
  }

  static let cases: [Case] = {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/reading-cases.jsonl")
    // Without the file the count below fails.
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Case.self, from: Data($0.utf8))
    }
  }()

  @Test func allCasesAreRead() { #expect(Self.cases.count == 150) }

  private func fixture(_ one: Case) throws -> JSONFixture {
    let fixture = try JSONFixture(name: one.file)
    try Data(one.content).write(to: URL(filePath: fixture.path))
    return fixture
  }

  private func open(_ fixture: JSONFixture) throws -> JSONContent {
    let configuration = JSONStoreConfiguration(path: fixture.path, form: .delimited)
    return try JSONOpening(configuration, generator: RecordKeyGenerator()).open().content
  }

  /// The text of the file in UTF-8.
  private func text(_ fixture: JSONFixture, _ dialect: DelimitedDialect) throws -> [UInt8] {
    try dialect.encoding.decode(Array(Data(contentsOf: URL(filePath: fixture.path))))
  }

  /// The texts of a record, and where its fields are in the text.
  private func record(_ row: Int, _ content: JSONContent, _ text: [UInt8]) throws -> (
    texts: [String], ranges: [Range<Int>]
  ) {
    let dialect = try #require(content.document.format.dialect)
    let range = content.document.sections[0].range(ofRow: row)
    return Array(text[range]).withUnsafeBufferPointer { bytes in
      let record = DelimitedRecordText(bytes, dialect.syntax)
      let places = record.fields.indices.prefix(dialect.columns.count)
      return (
        places.map { dialect.text(of: record.field($0)) ?? "" },
        places.map {
          record.fields[$0].lowerBound + range.lowerBound..<record.fields[$0].upperBound
            + range.lowerBound
        }
      )
    }
  }

  /// What the cases do not tell apart: which column has which name, a stray CR in the first line, years as values,
  /// a delimiter in the name of the only column.
  @Test(arguments: [
    ("\"mpg\",\"cyl\"\n\"Mazda RX4\",21,6\n\"Datsun\",22.8,4\n", ["column1", "mpg", "cyl"], true),
    ("a,b\rx,c\n1,2,3\n4,5,6\n", ["a", "b\rx", "c"], true),
    ("1990,x\n1991,y\n1992,z\n", ["column1", "column2"], false),
    ("1990\n1985\n2004\n", ["column1"], false),
    (
      "Oslo,1995,2003,2004\nRome,1990,1999,2001\nBonn,1980,1999,2002\n",
      ["column1", "column2", "column3", "column4"], false
    ),
    ("Name, first\nAnn\nBob\nCid\n", ["Name, first"], true),
  ])
  func columnsHaveTheirNames(text: String, names: [String], hasHeader: Bool) throws {
    let fixture = try JSONFixture(name: "x.csv")
    try Data(text.utf8).write(to: URL(filePath: fixture.path))
    let dialect = try #require(try open(fixture).document.format.dialect)
    #expect(dialect.columns == names && (dialect.header != nil) == hasHeader)
  }

  @Test(arguments: cases) func filesAreReadByTheRule(_ one: Case) throws {
    let fixture = try fixture(one)
    let expected = one.expect
    if let refused = expected.refused {
      let error = #expect(throws: PersistenceError.self) { try open(fixture) }
      let place = "line \(expected.line ?? 0), column \(expected.column ?? 0): "
      let words = refused.hasPrefix("a quote") ? "this quote is closed in line " : refused
      #expect(error?.message.contains("\(place)\(words)") == true, "\(error?.message ?? "")")
      #expect(try Array(Data(contentsOf: URL(filePath: fixture.path))) == one.content)
      return
    }
    let content = try open(fixture)
    let dialect = try #require(content.document.format.dialect)
    let end = dialect.lineEnd == [0x0D, 0x0A] ? "CRLF" : "LF"
    #expect((dialect.syntax.returnEndsLine ? "CR" : end) == expected.line_end)
    #expect(dialect.syntax.quote.map { String(Unicode.Scalar($0)) } == expected.quote)
    #expect((dialect.header != nil) == expected.header)
    #expect(dialect.columns.count == expected.columns)
    let evidence = content.document.evidence
    let isRagged = evidence.shortCount > 0 || evidence.longCount > 0
    let words = Set(dialect.remarks.map(\.word) + (isRagged ? [.ragged] : []))
    #expect(words.map(\.rawValue).sorted() == expected.told)
    guard expected.columns != 0 else { return }
    #expect(dialect.syntax.delimiter.map { String(Unicode.Scalar($0)) } == expected.delimiter)
    let entity = content.table.schema.entities[0].name
    #expect(content.table.table(of: entity)?.liveCount == expected.rows)
    guard let first = expected.first_row else { return }
    let found = try record(0, content, text(fixture, dialect)).texts
    #expect(found + Array(repeating: "", count: dialect.columns.count - found.count) == first)
  }

  @Test(arguments: cases) func filesAreImportedAsTheyAreOpened(_ one: Case) throws {
    let promised = DelimitedText.delimiter(promisedBy: one.file)
    if let refused = one.expect.refused {
      let fault = #expect(throws: DelimitedText.Fault.self) {
        try DelimitedText(reading: one.content, promised: promised)
      }
      #expect(
        fault?.place?.line == one.expect.line && fault?.place?.column == one.expect.column,
        "\(refused)"
      )
      return
    }
    let dialect = try #require(open(fixture(one)).document.format.dialect)
    let text = try DelimitedText(reading: one.content, promised: promised)
    #expect(text.syntax == dialect.syntax)
    #expect(text.columns == dialect.columns)
    #expect(text.hasHeader == (dialect.header != nil))
  }

  /// A value of the type of a field that is not its former one.
  private func other(than value: Value, _ type: AttributeType) throws -> Value {
    switch type {
    case .integer: value == .integer(6) ? .integer(9) : .integer(6)
    case .number, .decimal: try Value(parsing: "6.25", as: type)
    case .boolean: .boolean(value != .boolean(true))
    case .date, .datetime:
      try Value(parsing: type == .date ? "2023-04-05" : "2023-04-05T06:07:08Z", as: type)
    default: value == .text("Zed") ? .text("Zoe") : .text("Zed")
    }
  }

  /// Files in which some edits of the last record would change how the others are read.
  static let refusedEdits: Set = [
    "tsv-one-unknown-escape", "noheader-numbers", "hash-colours", "counts-before-data",
  ]

  /// Each cell of the last record in turn: only its bytes change, and everything is read as before.
  @Test(arguments: cases) func anEditChangesOnlyItsCell(_ one: Case) throws {
    guard one.expect.refused == nil, let rows = one.expect.rows, rows > 0 else { return }
    for place in 0..<(one.expect.columns ?? 0) {
      let fixture = try fixture(one)
      let store = try fixture.open(form: .delimited)
      let before = try open(fixture)
      let dialect = try #require(before.document.format.dialect)
      let field = store.schema.entities[0].fields[place]
      let former = try text(fixture, dialect)
      let fields = try record(rows - 1, before, former)
      guard place < fields.ranges.count else { continue }
      let value = try other(
        than: store.records()[rows - 1].orderedValues[place],
        field.type
      )
      do {
        try store.commit([.set(rows - 1, field.name, value)])
      } catch let error as PersistenceError {
        #expect(error.code == .unsupported && Self.refusedEdits.contains(one.name), "\(error)")
        #expect(try Array(Data(contentsOf: URL(filePath: fixture.path))) == one.content)
        continue
      }
      let after = try text(fixture, dialect)
      let range = fields.ranges[place]
      let isSame =
        after.starts(with: former[..<range.lowerBound])
        && after.reversed().starts(with: former[range.upperBound...].reversed())
      #expect(isSame, "\(place): \(String(decoding: after, as: UTF8.self).debugDescription)")
      let again = try open(fixture)
      #expect(again.document.format.dialect?.columns == dialect.columns)
      for row in 0..<rows {
        var expected = try record(row, before, former).texts
        if row == rows - 1 { expected[place] = value.text }
        #expect(try record(row, again, after).texts == expected, "\(place)")
      }
    }
  }
}
