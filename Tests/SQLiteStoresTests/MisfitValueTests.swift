import DataStoreTesting
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// Values of other types than their column, outside of the rows that are read when a database is opened.
@Suite struct MisfitValueTests {
  private static let texts = ["", "a", "b", "-", "0a", "x", "x'0", "y", "Ä", "9:30", "z"]
  private static let misfits: [SQLValue] = [
    .integer(5), .integer(-3), .real(2.5), .real(.infinity), .bytes([1, 2]), .bytes([]), .null,
  ]

  /// The columns whose values are texts in the rows that are read at opening.
  private static let names = ["a", "b", "d", "m", "c", "x", "s", "e"]

  /// A table of which only the rows in the middle have values of other types.
  private static func database(
    _ folder: TestFolder,
    _ random: inout SeededGenerator,
    _ encoding: String
  ) throws -> String {
    let path = try folder.database(
      "loose.db",
      "PRAGMA encoding = '\(encoding)'",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b TEXT, d DATE, m DATETIME, \
      c TIME, x, s STRING, e)
      """,
      "CREATE INDEX tb ON t (b)",
      "CREATE INDEX td ON t (d)",
      "CREATE INDEX te ON t (e, s)"
    )
    let other = try otherProgram(path)
    for number in 1...240 {
      let isLoose = (101...140).contains(number)
      let values = names.map { name -> SQLValue in
        if isLoose, random.below(3) == 0 { return random.pick(misfits) }
        let day = random.pick(["2009-05-29", "2010-01-01", "1999-12-31"])
        switch name {
        case "d": return .text(day)
        case "m": return .text("\(day) 10:00:00")
        default: return .text(random.pick(texts))
        }
      }
      try other.run("INSERT INTO t VALUES (\(number), \(values))")
    }
    return path
  }

  private func filter(
    _ random: inout SeededGenerator,
    _ records: [DefaultSnapshot],
    depth: Int = 0
  ) -> Filter {
    let name = random.pick(Self.names)
    func value() -> Value {
      let stored = random.pick(records)[name] ?? .null
      guard !["d", "m"].contains(name), random.below(2) == 0 else { return stored }
      return .text(
        random.pick(Self.texts + ["5", "-3", "2", "x'0102'", "x''", "9e999", "5.0", "-"])
      )
    }
    let comparison = random.pick(Filter.Comparison.allCases)
    let patterns = Self.texts + ["5", "-", "x'", "2.5", "2009", "9e"]
    switch random.below(depth > 1 ? 6 : 9) {
    case 0, 1: return .compare(name, comparison, value())
    case 2: return .between(name, value(), value())
    case 3: return .isIn(name, (0..<random.below(4)).map { _ in value() })
    case 4:
      // A moment has another text as long as the column is known to have moments only.
      let name = random.pick(Self.names.filter { $0 != "m" })
      let operations = TextMatch.Operation.allCases.filter { $0 != .matches }
      let options = TextMatch.Options(rawValue: UInt8(random.below(4)))
      return .text(
        name,
        TextMatch(random.pick(operations), random.pick(patterns), options: options)
      )
    case 5: return .compareAttributes("a", comparison, random.pick(["b", "c", "s"]))
    case 6: return .not(filter(&random, records, depth: depth + 1))
    default:
      let parts = (0..<(1 + random.below(3))).map { _ in
        filter(&random, records, depth: depth + 1)
      }
      return random.below(2) == 0 ? .and(parts) : .or(parts)
    }
  }

  /// The columns of `texts` keep their types until a number or bytes among them are found.
  @Test(arguments: ["UTF-8", "UTF-16le"])
  func aFilterFindsValuesThatWereNotRead(_ encoding: String) throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    let path = try Self.database(folder, &random, encoding)
    let known = try SQLiteStore(at: path)
    let records = try known.all("t")
    let entity = try known.schema.entity(named: "t")
    #expect(entity.fields.dropFirst().allSatisfy { $0.type == .text })
    let first = try SQLiteStore(at: path).snapshots(matching: Query("t", limit: 90))
    for round in 0..<FilterEquivalenceTests.count {
      let store = try SQLiteStore(at: path)
      #expect(try store.schema.entity(named: "t").attribute(named: "d").type == .date)
      var query = Query("t", filter: filter(&random, first))
      if random.below(4) == 0 { (query.limit, query.offset) = (random.below(90), random.below(90)) }
      var read = query
      read.filter = try known.session.withLock {
        $0.reader.converted(query.filter, try $0.table("t"))
      }
      let expected = try read.run(over: records, of: entity).map(\.persistentIdentifier)
      let comment: Comment = "seed \(seed), round \(round): \(query)"
      switch round % 3 {
      case 0: try #require(store.count(matching: query) == expected.count, comment)
      case 1: try #require(store.identifiers(matching: query) == expected, comment)
      default:
        let listing = try store.listing(matching: query)
        try #require(listing.identifiers(in: 0..<240) == expected, comment)
      }
      store.close()
    }
  }

  private static func looseStore(_ folder: TestFolder, _ change: String? = nil) throws
    -> SQLiteStore
  {
    let path = try folder.database(
      "loose.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, v TEXT, w TEXT, x, d DATE, e DATE)",
      "CREATE INDEX tn ON t (n)",
      "CREATE INDEX tv ON t (v)",
      "CREATE INDEX twx ON t (w, x)",
      "CREATE INDEX td ON t (d)",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1000) \
      INSERT INTO t SELECT i, i, 'v' || i, 'w' || i, 'x' || i, '2020-01-01', '2020-01-01' FROM c
      """
    )
    if let change { try otherProgram(path).run(SQLText(change)) }
    return try SQLiteStore(at: path)
  }

  private static func count(_ store: SQLiteStore, _ filter: Filter) throws -> Int {
    try store.count(matching: Query("t", filter: filter))
  }

  /// A number is compared with numbers: as texts, 1000 would be less than 997.
  @Test func aComparisonOfNumbersLeavesOutTexts() throws {
    let folder = try TestFolder()
    let store = try Self.looseStore(folder, "UPDATE t SET n = 'many' WHERE id = 500")
    #expect(try Self.count(store, .compare("n", .greater, .integer(997))) == 3)
    #expect(try Self.count(store, .between("n", .integer(998), .integer(5000))) == 3)
    #expect(try Self.count(store, .compareAttributes("n", .greater, "id")) == 0)
    #expect(try store.schema.entity(named: "t").attribute(named: "n").type == .integer)
    #expect(try Self.count(store, .text("n", TextMatch(.contains, "any"))) == 1)
    #expect(try store.schema.entity(named: "t").attribute(named: "n").type == .text)
  }

  @Test func aComparisonOfTextsFindsNumbersAndBytes() throws {
    let folder = try TestFolder()
    let store = try Self.looseStore(
      folder,
      "UPDATE t SET v = x'ffff', x = 5, d = 2021, e = 2021 WHERE id = 500"
    )
    let day = Value.date(try #require(CalendarDate("2020-06-01")))
    #expect(try Self.count(store, .compare("x", .less, .text("x10"))) == 2)
    #expect(try Self.count(store, .isIn("x", [.text("5"), .text("x7")])) == 2)
    #expect(try Self.count(store, .text("x", TextMatch(.contains, "5"))) == 271)
    #expect(try Self.count(store, .compare("v", .greaterOrEqual, .text("v999"))) == 2)
    #expect(try Self.count(store, .compare("d", .greater, day)) == 1)
    #expect(try Self.count(store, .compare("e", .greater, day)) == 1)
    #expect(try Self.count(store, .not(.compare("e", .greater, day))) == 999)
  }

  /// As by typing on in the filter of the screen: the column changed, but not its table.
  @Test func aQueryThatIsStoppedChangesNothing() throws {
    let folder = try TestFolder()
    let store = try Self.looseStore(folder, "UPDATE t SET e = 2021 WHERE id = 500")
    let day = Value.date(try #require(CalendarDate("2020-06-01")))
    var stopCount = 0
    for limit in 1..<1000 {
      let asked = Atomic(0)
      do {
        let count = try Interruption.allowed(by: {
          asked.add(1, ordering: .relaxed).newValue >= limit
        }) { try Self.count(store, .compare("e", .greater, day)) }
        #expect(count == 1)
        break
      } catch is Interruption.Stopped {
        stopCount += 1
      }
    }
    #expect(stopCount > 0)
    #expect(try store.schema.entity(named: "t").attribute(named: "e").type == .text)
  }

  /// Values of other types are at the ends of an index, so that no condition on each value is needed.
  @Test(arguments: [
    (Filter.compare("n", .greater, .integer(997)), "INDEX tn (n>"),
    (.compare("v", .greater, .text("v5")), "INDEX tv (v>"),
    (.compare("v", .less, .text("z")), "INDEX tv (v<"),
    (
      .between(
        "d",
        .date(CalendarDate(daysSince1970: 18_263)),
        .date(CalendarDate(daysSince1970: 20_000))
      ),
      "INDEX td (d>"
    ),
    (.compare("w", .less, .text("w5")), "INDEX twx (w<"),
    (
      .and([.compare("w", .equal, .text("w5")), .compare("x", .greater, .text("x"))]), "(w=? AND x>"
    ),
    (.text("w", TextMatch(.beginsWith, "w5")), "(w>? AND w<?)"),
  ])
  func aComparisonOfTextsUsesAnIndex(_ filter: Filter, _ use: String) throws {
    let folder = try TestFolder()
    let store = try Self.looseStore(folder)
    let plan = try store.session.withLock { session in
      let table = try session.table("t")
      let sql =
        SQLText("EXPLAIN QUERY PLAN ")
        + table.count(where: try session.reader.condition(filter, table))
      return try session.connection.rows(sql).map { $0[3].literal }
    }
    #expect(plan.contains { $0.contains(use) }, "\(plan)")
  }
}
