import DataStoreTesting
import Foundation
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// Filters in SQL have the results that `Query.run(over:of:)` has in Swift.
@Suite struct FilterEquivalenceTests {
  /// The number of filters; 10,000 if the environment asks for long runs.
  static var count: Int {
    ProcessInfo.processInfo.environment["CATALOG_TEST_ROUNDS"] == nil ? 400 : 10_000
  }

  private static let texts = [
    "", "a", "A", "ä", "Ä", "a\u{308}", "ab", "b%_*?", "Straße", "STRASSE", "K", "\u{212A}", "ſ",
    "z\u{0}z", "\u{7F}x", "ā", "\u{FB01}", "10", "9.5", "true", "2009-05-29", "😀", "x'00'", "MIT",
    "é",
  ]

  /// Texts that a column of numbers keeps as texts.
  private static let clocks = ["09:00:00", "11:00:00", "9:30", "1e5x", "-", "", "x", "2009-05-29"]

  private static let json = [
    "1", "\"1\"", "\"MIT\"", "{\"a\":\"MIT\"}", "[1, 2]", "\"caf\\u00e9\"", "\"é \\\"x\\\"\"",
    "true",
  ]

  /// Texts that a column of numbers would turn into numbers.
  private static let numbers = ["0", "1", "9", "-1", "1e1", " 10", ".5", "9.", "1e400", "0x10"]

  private static func databaseOfAnother(
    _ folder: TestFolder,
    _ random: inout SeededGenerator,
    _ encoding: String
  ) throws -> SQLiteStore {
    let path = try folder.database(
      "other.db",
      "PRAGMA encoding = '\(encoding)'",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b VARCHAR(9), i INTEGER, \
      r REAL, n NUMERIC, f BOOLEAN, d DATE, m DATETIME, z TIMESTAMP, x, l INTEGER REFERENCES t, \
      c TIME, s STRING, k DECIMAL(5), o INT)
      """,
      "CREATE INDEX ti ON t (i)",
      "CREATE INDEX ta ON t (a)"
    )
    let other = try otherProgram(path)
    for number in 1...60 {
      func some(_ values: [SQLValue]) -> SQLValue { random.pick(values + [.null]) }
      let day = random.pick(["2009-05-29", "2010-01-01", "1999-12-31"])
      let clock = random.pick(["00:00:00", "10:00:00", "10:00:00.5"])
      let values: [SQLValue] = [
        some(texts.map { .text($0) }), some(texts.map { .text($0) }),
        some([.integer(0), .integer(-5), .integer(9_007_199_254_740_993), .integer(7)]),
        some([.real(0.5), .real(-2), .real(.infinity), .real(1e300)]),
        some([.integer(3), .real(2.5), .integer(-1)]), some([.integer(0), .integer(1)]),
        some([.text(day)]), some([.text("\(day) \(clock)")]), some([.text("\(day)T\(clock)Z")]),
        some([.integer(1), .text("1"), .real(1.5), .bytes([1, 2]), .text("x'0102'"), .text("b")]),
        some([.integer(Int64(random.below(60) + 1))]),
        some(clocks.map { .text($0) }), some(clocks.map { .text($0) }),
        some(clocks.map { .text($0) }),
        some([.text("09:00"), .integer(10), .text("x"), .real(9.5), .text("")]),
      ]
      try other.run("INSERT INTO t VALUES (\(number), \(values))")
    }
    return try SQLiteStore(at: path)
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
      if type == .text, random.below(3) == 0 {
        return .text(random.pick(Self.texts + Self.numbers))
      }
      let found = random.pick(records)[field] ?? .null
      return random.below(8) == 0 ? .null : found
    }
    func match() -> TextMatch {
      let operation = random.pick(TextMatch.Operation.allCases.filter { $0 != .matches })
      let options = TextMatch.Options(rawValue: UInt8(random.below(16)))
      return TextMatch(operation, random.pick(Self.texts + Self.numbers), options: options)
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

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func filtersAndOrdersInSQLEqualThoseInSwift(_ encoding: String) throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    var store = try Self.databaseOfAnother(folder, &random, encoding)
    for round in 0..<Self.count {
      if round > 0, round.isMultiple(of: 500) {
        store = try Self.databaseOfAnother(folder, &random, encoding)
      }
      let entity = try store.schema.entity(named: "t")
      let records = try store.all("t")
      var query = Query("t", filter: filter(&random, entity, records))
      if random.below(2) == 0 {
        query.sort = [
          SortKey(
            random.pick(entity.fields.filter { !$0.isBlob }.map(\.name)),
            isDescending: random.below(2) == 0,
            nullsFirst: random.below(2) == 0
          )
        ]
      }
      if random.below(4) == 0 { (query.limit, query.offset) = (random.below(20), random.below(9)) }
      let expected = try query.run(over: records, of: entity).map(\.persistentIdentifier)
      let found = try store.identifiers(matching: query)
      try #require(found == expected, "seed \(seed), round \(round): \(query)")
      #expect(try store.count(matching: query) == expected.count)
      let listing = try store.listing(matching: query)
      #expect(try listing.identifiers(in: 0..<100) == expected)
      let field = random.pick(entity.fields.map(\.name))
      query.sort = []
      (query.limit, query.offset) = (nil, 0)
      let counts = try query.run(over: records, of: entity).reduce(into: [Value: Int]()) {
        $0[$1[field] ?? .null, default: 0] += 1
      }
      #expect(try store.valueCounts(of: field, matching: query) == counts, "\(query)")
    }
  }

  /// A function in C searches texts of ASCII, eight bytes at a time.
  @Test func textsOfASCIIAreSearchedInAnyCase() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let letters = Array("abAB@[`{nN é")
    func text(_ count: Int) -> String {
      String((0..<count).map { _ in letters[random.below(random.below(9) == 0 ? 12 : 11)] })
    }
    let folder = try TestFolder()
    let path = try folder.database("ascii.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    let other = try otherProgram(path)
    let texts = (0..<300).map { text($0 % 41) }
    for text in texts { try other.run("INSERT INTO t (a) VALUES (\(.text(text)))") }
    try other.run("INSERT INTO t (a) VALUES (NULL), ('x' || char(0) || 'AB')")
    let store = try SQLiteStore(at: path)
    let entity = try store.schema.entity(named: "t")
    let records = try store.all("t")
    for round in 0..<Self.count {
      let start = random.below(30)
      let part = String(random.pick(texts).dropFirst(start).prefix(random.below(20)))
      let pattern = round % 2 == 0 ? text(random.below(6)) : part
      for options in [.caseInsensitive, [.caseInsensitive, .diacriticInsensitive]]
        as [TextMatch.Options]
      {
        let query = Query("t", filter: .text("a", TextMatch(.contains, pattern, options: options)))
        let expected = try query.run(over: records, of: entity).map(\.persistentIdentifier)
        let found = try store.identifiers(matching: query)
        try #require(found == expected, "seed \(seed), round \(round): \(pattern)")
      }
    }
  }

  /// Only tables of our own have JSON fields; in those of other programs they are text.
  @Test func filtersOfJSONInSQLEqualThoseInSwift() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    let schema = Schema(
      Schema.Entity("t", attributes: [.init("j", .json), .init("b", .text), .init("k", .json)])
    )
    let store = try SQLiteStore(at: folder.newPath("own.db"), schema: schema)
    let values = Self.json.map { Value.json($0) } + [.null]
    for _ in 1...30 {
      let text = random.pick(Self.texts.filter { !$0.contains("\0") })
      try store.insert("t", ["j": random.pick(values), "b": .text(text), "k": random.pick(values)])
    }
    let entity = try store.schema.entity(named: "t")
    let records = try store.all("t")
    for round in 0..<Self.count {
      var condition = filter(&random, entity, records)
      if random.below(2) == 0 {
        let text = random.pick(Self.texts + ["1", "café", "é \"x\""])
        let comparison = random.pick(Filter.Comparison.allCases)
        condition = .or([condition, .json("j", comparison, text)])
      }
      let query = Query("t", filter: condition)
      let expected = try query.run(over: records, of: entity).map(\.persistentIdentifier)
      let found = try store.identifiers(matching: query)
      try #require(found == expected, "seed \(seed), round \(round): \(query)")
    }
  }

  /// SQLite turned the constant into a number, which is less than every text.
  @Test func textsInAColumnOfNumbersAreComparedAsTexts() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "shift.db",
      "CREATE TABLE shift (id INTEGER PRIMARY KEY, start TIME, day DATE)",
      "CREATE INDEX days ON shift (day)",
      "INSERT INTO shift (start, day) VALUES ('09:00:00', '2020-01-01'), ('11:00:00', '2021-01-01')",
      "CREATE TABLE k (d TIME PRIMARY KEY NOT NULL)",
      "INSERT INTO k VALUES ('09:00'), ('0a'), ('11:00')"
    )
    let store = try SQLiteStore(at: path)
    func count(_ filter: Filter) throws -> Int {
      try store.count(matching: Query("shift", filter: filter))
    }
    #expect(try count(.compare("start", .less, .text("10"))) == 1)
    #expect(try count(.compare("start", .greater, .text("10"))) == 1)
    #expect(try count(.between("start", .text("0"), .text("10"))) == 1)
    #expect(try count(.text("start", TextMatch(.beginsWith, "0"))) == 1)
    #expect(try count(.compare("start", .notEqual, .text("10"))) == 2)
    #expect(try store.identifiers(withPrefix: "0", entityName: "k", limit: 9).count == 2)
    let plan = try store.session.withLock { session in
      let table = try session.table("shift")
      let filter = Filter.compare("day", .greater, .date(try #require(CalendarDate("2020-06-01"))))
      let condition = try session.reader.condition(filter, table)
      let sql = SQLText("EXPLAIN QUERY PLAN ") + table.count(where: condition)
      return try session.connection.rows(sql).map { $0[3].literal }
    }
    #expect(plan.contains { $0.contains("INDEX days (day>") }, "\(plan)")
  }

  /// Found by random queries: such links were in the order of the stored values.
  @Test func linksToTextKeysAreInTheOrderOfTheirIdentifiers() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "links.db",
      "CREATE TABLE u (id TEXT PRIMARY KEY NOT NULL)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, u REFERENCES u)",
      """
      INSERT INTO t (u) VALUES ('b'), (x'0102'), (10), (1.5), (2), (''), ('x''0102'''), ('"q"'), \
      (NULL), ('a')
      """
    )
    let store = try SQLiteStore(at: path)
    let entity = try store.schema.entity(named: "t")
    #expect(entity.fields[1].type == .link("u"))
    let records = try store.all("t")
    for isDescending in [false, true] {
      let query = Query("t", sort: [SortKey("u", isDescending: isDescending)])
      let expected = try query.run(over: records, of: entity)
      #expect(try store.snapshots(matching: query) == expected)
    }
  }
}

extension SeededGenerator {
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
