import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Compares queries over columns with `Query.run(over:of:)` over snapshots.
@Suite struct RecordTableQueryTests {
  private static func filled(_ count: Int, _ random: inout SeededGenerator) -> (
    RecordTable, ReferenceRecords
  ) {
    var table = RecordTable(schema: TableFixture.everything, storeIdentifier: TableFixture.store)
    var reference = ReferenceRecords()
    let changes = ChangeSet(
      inserted: (0..<count).map { number in
        TableFixture.snapshot(
          TableFixture.key(UInt64(number)),
          TableFixture.values(using: &random)
        )
      }
    )
    table.apply(changes)
    reference.apply(changes)
    let updates = reference.snapshots.filter { _ in Int.random(in: 0..<20, using: &random) == 0 }
      .map {
        RecordUpdate(
          before: $0,
          after: TableFixture.snapshot(
            $0.persistentIdentifier,
            TableFixture.values(using: &random)
          )
        )
      }
    table.apply(ChangeSet(updated: updates))
    reference.apply(ChangeSet(updated: updates))
    let deleted = reference.snapshots.filter { _ in Int.random(in: 0..<10, using: &random) == 0 }
    table.apply(ChangeSet(deleted: deleted))
    reference.apply(ChangeSet(deleted: deleted))
    return (table, reference)
  }

  @Test func pagesHoldTheRecordsAndTheTextsOfTheirValues() throws {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for count in [0, 1, 300, 5000] {
      let (table, reference) = Self.filled(count, &random)
      var read: [DefaultSnapshot] = []
      try table.forEachPage(matching: Query("Thing")) { page in
        read += page.snapshots
        Self.checkTexts(of: page, 0..<page.count)
        if page.count > 2 { Self.checkTexts(of: page, 1..<page.count - 1) }
      }
      #expect(read == reference.snapshots)
      let some = reference.snapshots.shuffled(using: &random).prefix(50).sorted {
        $0.persistentIdentifier < $1.persistentIdentifier || Bool.random(using: &random)
      }
      let names = some.map(\.persistentIdentifier) + [TableFixture.key(UInt64(count) + 7)]
      #expect(table.page(for: names).snapshots == some)
    }
  }

  private static func checkTexts(of page: any RecordPage, _ range: Range<Int>) {
    let snapshots = page.snapshots(in: range)
    for slot in page.layout.names.indices {
      var column = TextColumn()
      page.append(range, slot: slot, to: &column)
      var expected = TextColumn()
      for snapshot in snapshots { expected.append(snapshot.orderedValues[slot]) }
      #expect(column.bytes == expected.bytes && column.ends == expected.ends, "\(slot)")
      #expect(column.forms == expected.forms, "\(slot)")
    }
    var keys = TextColumn()
    page.appendIdentifiers(range, to: &keys)
    var expected = TextColumn()
    for snapshot in snapshots { expected.append(snapshot.persistentIdentifier) }
    #expect(keys.bytes == expected.bytes && keys.ends == expected.ends)
  }

  /// A value to compare with: mostly of the type, sometimes of another.
  private static func operand(_ type: AttributeType, _ random: inout SeededGenerator) -> Value {
    let numeric: [AttributeType] = [.integer, .number, .decimal]
    let others: [AttributeType] = [.text, .integer, .boolean, .date, .json, .uuid]
    let chosen =
      type.isNumeric && Bool.random(using: &random)
      ? numeric.randomElement(using: &random) ?? type
      : Int.random(in: 0..<12, using: &random) == 0
        ? others.randomElement(using: &random) ?? type : type
    return TableFixture.value(of: chosen, nullOneIn: 12, using: &random)
  }

  private static func match(_ random: inout SeededGenerator) -> TextMatch {
    let patterns = [
      "", "a", "A", "b", "abc", "é", "e", "SS", "ß", "1", "-", "true", "TRUE", ":", "0.", "i", "2",
      "00", "z", "f", "[", "\"", "本", "000", "12", "*b*", "?", "*", "??", "a*", "*.5", "200?",
    ]
    let operation = TextMatch.Operation.allCases.randomElement(using: &random) ?? .contains
    let pattern = patterns.randomElement(using: &random) ?? ""
    return TextMatch(
      operation,
      operation == .matches
        ? ["a.*", ".*[0-9]+", "é|e", ".*"].randomElement(using: &random) ?? "" : pattern,
      options: TextMatch.Options(rawValue: UInt8.random(in: 0..<4, using: &random))
    )
  }

  private static func filter(_ depth: Int, _ random: inout SeededGenerator) -> Filter {
    let attributes = TableFixture.entity().fields
    guard let attribute = attributes.randomElement(using: &random),
      let other = attributes.randomElement(using: &random),
      let comparison = Filter.Comparison.allCases.randomElement(using: &random)
    else { return .all }
    let name = attribute.name
    switch Int.random(in: 0..<(depth > 0 ? 13 : 10), using: &random) {
    case 0, 1, 2: return .compare(name, comparison, operand(attribute.type, &random))
    case 3: return .compareAttributes(name, comparison, other.name)
    case 4:
      return .between(name, operand(attribute.type, &random), operand(attribute.type, &random))
    case 5:
      let count = Bool.random(using: &random) ? 3 : 40
      return .isIn(name, (0..<count).map { _ in operand(attribute.type, &random) })
    case 6: return .text(name, match(&random))
    case 7: return .anyText(match(&random))
    case 8: return .isNull(name)
    case 9: return .constant(Bool.random(using: &random))
    case 10: return .and((0..<3).map { _ in filter(depth - 1, &random) })
    case 11: return .or((0..<3).map { _ in filter(depth - 1, &random) })
    default: return .not(filter(depth - 1, &random))
    }
  }

  private static func query(_ random: inout SeededGenerator) -> Query {
    let names = TableFixture.entity().fields.map(\.name)
    let sort = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
      SortKey(
        names.randomElement(using: &random) ?? "",
        isDescending: Bool.random(using: &random),
        nullsFirst: Bool.random(using: &random)
      )
    }
    let isNarrow = Int.random(in: 0..<5, using: &random) == 0
    return Query(
      "Thing",
      filter: Int.random(in: 0..<4, using: &random) == 0 ? .all : filter(2, &random),
      sort: sort,
      limit: Bool.random(using: &random) ? Int.random(in: 0..<40, using: &random) : nil,
      offset: Bool.random(using: &random) ? Int.random(in: 0..<30, using: &random) : 0,
      attributes: isNarrow ? ["count", "name"] : nil
    )
  }

  @Test(arguments: [30, 300, 1500])
  func queriesAnswerAsTheReferenceDoes(count: Int) throws {
    let seed = SeededGenerator.testSeed
    print("queriesAnswerAsTheReferenceDoes seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let (table, reference) = Self.filled(count, &random)
    table.checkInvariants()
    for round in 0..<(count > 1000 ? 12 : 100) {
      let query = Self.query(&random)
      let expected = try query.run(over: reference.snapshots, of: TableFixture.entity())
      let found = try table.snapshots(matching: query)
      let note = "seed \(seed) round \(round): \(query)"
      #expect(found == expected, "\(note)")
      #expect(
        try table.identifiers(matching: query) == expected.map(\.persistentIdentifier),
        "\(note)"
      )
      #expect(try table.count(matching: query) == expected.count, "\(note)")
      if found != expected { break }
    }
  }

  /// A moment is compared with a day as the day that it is in UTC, whichever of them the column has.
  @Test(arguments: Filter.Comparison.allCases)
  func daysAndMomentsAreCompared(comparison: Filter.Comparison) throws {
    var random = SeededGenerator(seed: 7)
    let (table, reference) = Self.filled(300, &random)
    let fields = TableFixture.entity().fields.filter { $0.type == .date || $0.type == .datetime }
    #expect(Set(fields.map(\.type)).count == 2)
    for field in fields {
      let other: AttributeType = field.type == .date ? .datetime : .date
      for _ in 0..<20 {
        let value = TableFixture.value(of: other, nullOneIn: 12, using: &random)
        let query = Query("Thing", filter: .compare(field.name, comparison, value))
        let expected = try query.run(over: reference.snapshots, of: TableFixture.entity())
        #expect(try table.snapshots(matching: query) == expected, "\(query)")
      }
    }
  }

  @Test(arguments: TableFixture.entity().fields.map(\.name))
  func everyTypeIsSortedInBothDirections(name: String) throws {
    var random = SeededGenerator(seed: 7)
    let (table, reference) = Self.filled(500, &random)
    for isDescending in [false, true] {
      for limit in [nil, 5, 200] {
        let query = Query(
          "Thing",
          sort: [SortKey(name, isDescending: isDescending), SortKey("name")],
          limit: limit
        )
        let expected = try query.run(over: reference.snapshots, of: TableFixture.entity())
        #expect(try table.snapshots(matching: query) == expected)
      }
    }
  }

  @Test(arguments: ["a", "abcdefg", "E", "é", "ss", "1", "本", "\"", "\0", "zz", "o"])
  func textsAreSearchedTogetherAsOneByOne(pattern: String) throws {
    var random = SeededGenerator(seed: 23)
    let (table, reference) = Self.filled(400, &random)
    for options in 0..<4 as Range<UInt8> {
      let match = TextMatch(.contains, pattern, options: TextMatch.Options(rawValue: options))
      for filter in [Filter.text("name", match), .text("extra", match), .anyText(match)] {
        let query = Query("Thing", filter: filter)
        let expected = try query.run(over: reference.snapshots, of: TableFixture.entity())
        #expect(try table.snapshots(matching: query) == expected, "\(filter)")
      }
    }
  }

  @Test func cellsHaveTheTextOfTheirValues() throws {
    var random = SeededGenerator(seed: 11)
    let (table, _) = Self.filled(900, &random)
    for column in table.tables[0].columns {
      table.tables[0].forEachRow { row in
        guard !column.isNull(row) else { return }
        let expected = column.value(at: row).text
        let isSame = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: CellText.capacity) {
          CellText.withText(of: column, row, $0) {
            String(decoding: $0, as: UTF8.self).utf8.elementsEqual(expected.utf8)
          }
        }
        #expect(isSame, "\(expected)")
      }
    }
  }

  @Test func unknownNamesAreRefused() {
    let table = RecordTable(schema: TableFixture.everything, storeIdentifier: TableFixture.store)
    let queries: [(Query, PersistenceError.Code)] = [
      (Query("Nothing"), .unknownEntity),
      (Query("Thing", filter: .isNull("nothing")), .unknownAttribute),
      (Query("Thing", sort: [SortKey("nothing")]), .unknownAttribute),
      (Query("Thing", attributes: ["nothing"]), .unknownAttribute),
      (Query("Thing", filter: .text("name", TextMatch(.matches, "("))), .invalidFilter),
      (Query("Thing", limit: -1), .invalidFilter), (Query("Thing", offset: -1), .invalidFilter),
    ]
    for (query, code) in queries {
      let errors = [
        #expect(throws: PersistenceError.self) { _ = try table.snapshots(matching: query) },
        #expect(throws: PersistenceError.self) { _ = try table.identifiers(matching: query) },
        #expect(throws: PersistenceError.self) { _ = try table.count(matching: query) },
        #expect(throws: PersistenceError.self) { _ = try table.rows(matching: query) },
      ]
      #expect(errors.allSatisfy { $0?.code == code }, "\(query)")
    }
  }

  @Test func prefixesFindIdentifiersInNaturalOrder() throws {
    var random = SeededGenerator(seed: 5)
    let (table, reference) = Self.filled(200, &random)
    for snapshot in reference.snapshots.prefix(20) {
      let text = snapshot.persistentIdentifier.description
      for length in [0, 1, 2, 12, 13, 16] {
        let prefix = String(text.prefix(length))
        let expected = reference.snapshots.map(\.persistentIdentifier).filter {
          $0.description.hasPrefix(prefix)
        }
        #expect(
          table.identifiers(withPrefix: prefix, entityName: nil, limit: 3)
            == Array(expected.prefix(3))
        )
        #expect(table.identifiers(withPrefix: prefix, entityName: "Other", limit: 3).isEmpty)
      }
    }
    #expect(table.identifiers(withPrefix: "", entityName: "Thing", limit: 0).isEmpty)
    #expect(table.identifiers(withPrefix: "u!", entityName: nil, limit: 9).isEmpty)
  }
}

/// The layout of Foundation's decimals that `CompactDecimal` relies on.
@Suite struct RecordTableDecimalTests {
  @Test(
    arguments: TableFixture.decimals + [
      "150", "1500.2500", "-0.5", "1e100", "-9223372036854775808",
    ]
  )
  func decimalsComeBackAsTheyWere(text: String) throws {
    let decimal = try #require(Decimal(string: text))
    guard let compact = CompactDecimal(decimal) else {
      #expect(decimal.significand > Decimal(Int64.max))
      return
    }
    let sign = decimal.sign == .minus ? -1 : 1
    #expect(Decimal(compact.mantissa) * Decimal(sign) == decimal.significand.magnitude)
    #expect(Int(compact.exponent) == decimal.exponent)
    #expect(compact.decimal == decimal)
    #expect(compact.decimal.description == decimal.description)
    #expect(compact.decimal.hashValue == decimal.hashValue)
    #expect(compact.decimal + 1 == decimal + 1)
  }
}
