import DataStoreTesting
import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import PostgresStores

extension PostgresServerTests {
  /// Filters and orders on the server have the results that `Query.run(over:of:)` has in Swift.
  @Suite struct QueryTests {
    /// The number of queries; 10,000 if the environment asks for long runs.
    static var count: Int {
      ProcessInfo.processInfo.environment["CATALOG_TEST_ROUNDS"] == nil ? 1000 : 10_000
    }

    private static let texts = [
      "", "a", "A", "ä", "Ä", "a\u{308}", "ab", "b%_*?", "Straße", "STRASSE", "K", "\u{212A}", "ſ",
      "\u{7F}x", "ā", "\u{FB01}", "10", "9.5", "true", "2009-05-29", "😀", "x'00'", "MIT", "é",
      "\\x", "[a",
      "fi", "s\r\ns", "$1",
    ]

    private func schema(_ random: inout SeededGenerator) throws -> TestSchema {
      let schema = try TestSchema(
        """
        CREATE TYPE mood AS ENUM ('b', 'a', 'A'); CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
        CREATE TABLE t (id int PRIMARY KEY, a text, b varchar(9) COLLATE "de-DE-x-icu", c text COLLATE loose, \
        i int, s int2, g int8, r float4, n float8, x numeric, f boolean, d date, m timestamp, z timestamptz, \
        u uuid, e mood, j jsonb, y bytea, q char(5), v inet, l int REFERENCES t)
        """
      )
      for number in 1...60 {
        func some(_ values: [String]) -> String {
          let value = random.pick(values + ["NULL"])
          return value == "NULL" ? value : SQLText.constant(value)
        }
        let day = random.pick(["2009-05-29", "2010-01-01", "1999-12-31"])
        let clock = random.pick(["00:00:00", "10:00:00", "10:00:00.5", "10:00:00.000001"])
        let values = [
          "\(number)", some(Self.texts), some(Self.texts.filter { $0.count < 9 }), some(Self.texts),
          some(["0", "-5", "7", "2147483647"]), some(["1", "2"]),
          some(["9007199254740993", "0", "7"]),
          some(["0.1", "0.5", "NaN", "Infinity"]),
          some(["0.5", "-2", "NaN", "Infinity", "1e300", "7", "9007199254740992"]),
          some(["1.50", "7", "0.1", "-2"]), some(["true", "false"]), some([day]),
          some(["\(day) \(clock)"]),
          some(["\(day)T\(clock)Z"]),
          some(["11111111-2222-3333-4444-555555555555", "21111111-2222-3333-4444-555555555555"]),
          some(["a", "A", "b"]), some(["1", "\"1\"", "{\"a\": \"MIT\"}", "[1, 2]"]),
          some(["\\x0102", "\\x61"]),
          some(["a", "ab", "ä"]), some(["10.0.0.1", "9.0.0.0/8"]),
          some(["\(random.below(number) + 1)"]),
        ]
        try schema.run("INSERT INTO t VALUES (\(values.joined(separator: ", ")))")
      }
      return schema
    }

    private func filter(
      _ random: inout SeededGenerator,
      _ entity: Schema.Entity,
      _ records: [DefaultSnapshot],
      depth: Int = 0
    ) -> Filter {
      let field = random.pick(entity.fields.map(\.name))
      let type = entity.fields.first { $0.name == field }?.type
      func value() -> Value {
        if type == .text, random.below(3) == 0 { return .text(random.pick(Self.texts)) }
        if type?.isNumeric ?? false, random.below(3) == 0 {
          return random.pick([
            .integer(7), .integer(.max), .number(0.5), .number(-.infinity), .number(7),
            .decimal(7.5),
          ])
        }
        return random.below(8) == 0 ? .null : random.pick(records)[field] ?? .null
      }
      func match() -> TextMatch {
        let operation = random.pick(TextMatch.Operation.allCases.filter { $0 != .matches })
        let options = TextMatch.Options(rawValue: UInt8(random.below(16)))
        return TextMatch(operation, random.pick(Self.texts), options: options)
      }
      let comparison = random.pick(Filter.Comparison.allCases)
      switch random.below(depth > 2 ? 8 : 11) {
      case 0, 1: return .compare(field, comparison, value())
      case 2: return .between(field, value(), value())
      case 3: return .isIn(field, (0..<random.below(4)).map { _ in value() })
      case 4: return .isNull(field)
      case 5: return .compareAttributes(field, comparison, random.pick(entity.fields.map(\.name)))
      case 6: return .text(field, match())
      case 7: return .anyText(match())
      case 8: return .not(filter(&random, entity, records, depth: depth + 1))
      default:
        let parts = (0..<(1 + random.below(3))).map { _ in
          filter(&random, entity, records, depth: depth + 1)
        }
        return random.below(2) == 0 ? .and(parts) : .or(parts)
      }
    }

    @Test func filtersAndOrdersOnTheServerEqualThoseInSwift() throws {
      let seed = SeededGenerator.testSeed
      var random = SeededGenerator(seed: seed)
      let schema = try schema(&random)
      let store = try schema.open()
      let entity = try store.schema.entity(named: "t")
      let records = try store.all("t")
      #expect(records.count == 60)
      // The server orders JSON by its own spelling.
      let sortable = entity.fields.filter { !$0.isBlob && $0.type != .json }.map(\.name)
      for round in 0..<Self.count {
        var query = Query("t", filter: filter(&random, entity, records))
        if random.below(2) == 0 {
          query.sort = [
            SortKey(
              random.pick(sortable),
              isDescending: random.below(2) == 0,
              nullsFirst: random.below(2) == 0
            )
          ]
        }
        if random.below(4) == 0 {
          (query.limit, query.offset) = (random.below(20), random.below(9))
        }
        let expected = try query.run(over: records, of: entity).map(\.persistentIdentifier)
        let found = try store.identifiers(matching: query)
        try #require(found == expected, "seed \(seed), round \(round): \(query)")
        #expect(try store.count(matching: query) == expected.count)
        let listing = try store.listing(matching: query)
        #expect(try listing.identifiers(in: 0..<100) == expected)
        let place = try listing.position(matching: .isNull("a"), from: 0, isForward: true)
        let wanted = try store.snapshots(matching: query).firstIndex { $0["a"] == .null }
        #expect(place == wanted)
        let field = random.pick(entity.fields.map(\.name))
        (query.sort, query.limit, query.offset) = ([], nil, 0)
        let all = try query.run(over: records, of: entity)
        let counts = all.reduce(into: [:]) { $0[$1[field] ?? .null, default: 0] += 1 }
        #expect(try store.valueCounts(of: field, matching: query) == counts)
      }
    }
  }
}

extension SeededGenerator {
  /// One of the values.
  fileprivate mutating func pick<Element>(_ values: [Element]) -> Element {
    values[below(values.count)]
  }
}
