import DataStoreTesting
import Foundation
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import PostgresStores

extension PostgresServerTests {
  /// Types, keys and names of tables of other programs.
  @Suite struct ReadingTests {
    private func row(_ columns: String, _ values: String) throws -> [Value] {
      let schema = try TestSchema("CREATE TABLE t (\(columns)); INSERT INTO t VALUES (\(values))")
      let store = try schema.open()
      return try #require(store.all("t").first).orderedValues
    }

    @Test(
      arguments: [
        ("int2", "-7", Value.integer(-7)), ("int4", "2147483647", .integer(2_147_483_647)),
        ("int8", "-9223372036854775808", .integer(.min)), ("float4", "0.5", .number(0.5)),
        ("float8", "'-Infinity'", .number(-.infinity)), ("float8", "1e300", .number(1e300)),
        ("boolean", "true", .boolean(true)), ("boolean", "false", .boolean(false)),
        ("numeric", "0", .decimal(0)), ("numeric(10,2)", "1.005", .decimal(1.01)),
        (
          "numeric", "-12345678901234567890.000120",
          .decimal(Decimal(string: "-12345678901234567890.00012") ?? 0)
        ),
        ("numeric", "0.00001234", .decimal(Decimal(string: "0.00001234") ?? 0)),
        ("numeric", "100000000", .decimal(100_000_000)), ("text", "'a''ä😀'", .text("a'ä😀")),
        ("varchar(9)", "'abc'", .text("abc")), ("char(5)", "'ab'", .text("ab")),
        (
          "uuid", "'11111111-2222-3333-4444-555555555555'",
          .uuid(UUID(uuidString: "11111111-2222-3333-4444-555555555555") ?? UUID())
        ),
        ("json", "'{ \"b\": 1, \"a\" : [1, 2]}'", .json("{\"b\":1,\"a\":[1,2]}")),
        ("jsonb", "'{\"a\": 1}'", .json("{\"a\":1}")), ("bytea", "'\\x0001ff'", .text("AAH/")),
        ("inet", "'10.0.0.1/8'", .text("10.0.0.1/8")), ("int4[]", "'{1,2}'", .text("{1,2}")),
        ("interval", "'1 day'", .text("1 day")), ("time", "'10:00'", .text("10:00:00")),
        ("money", "NULL", .null), ("int4range", "'[1,5)'", .text("[1,5)")),
        ("numeric", "'NaN'", .text("NaN")),
        ("numeric", "1e50", .text("1" + String(repeating: "0", count: 50))),
        ("date", "'infinity'", .text("infinity")),
        ("timestamptz", "'-infinity'", .text("-infinity")),
      ]
    )
    func everyTypeHasAValue(_ type: String, _ literal: String, _ value: Value) throws {
      #expect(try row("id int PRIMARY KEY, x \(type)", "1, \(literal)")[1] == value)
    }

    /// Whoever passes many records on asks for the types of all of them first.
    @Test(
      arguments: [
        ("timestamptz", "'infinity'"), ("timestamp", "'-infinity'"), ("date", "'infinity'"),
        ("date", "'10000-01-01'"), ("numeric", "'NaN'"), ("numeric", "1e38"),
        ("timestamp", "'1901-02-03 04:05:06.123457'"),
        ("timestamp", "'0200-02-03 04:05:06.123457'"),
        ("timestamptz", "'2100-02-03 04:05:06.1'"),
        ("timestamp", "'2290-02-03 04:05:06.123457'"), ("int4", "7"), ("float8", "'NaN'"),
        ("numeric", "-0.1234567890123456789012345678901234567"),
      ]
    )
    func valuesWithoutAFormAreFoundBeforeAnyIsPassedOn(type: String, literal: String) throws {
      let schema = try TestSchema(
        "CREATE TABLE t (id int PRIMARY KEY, ok date, x \(type))",
        "INSERT INTO t SELECT n, '2000-01-01', CASE WHEN n = 500 THEN \(literal)::\(type) END "
          + "FROM generate_series(1, 600) AS n"
      )
      let store = try schema.open()
      try store.settleTypes(for: Query("t"))
      var count = 0
      try store.forEachSnapshot(matching: Query("t")) { count += $0["x"] == .null ? 0 : 1 }
      #expect(count == 1)
      #expect(try store.schema.entities[0].attribute(named: "ok").type == .date)
      // A filter that the program finishes, and one that leaves the value out.
      let other = try schema.open()
      let near = Filter.compare("id", .less, .integer(100))
      try other.settleTypes(for: Query("t", filter: near))
      try other.settleTypes(for: Query("t", attributes: ["id"]))
      try other.forEachSnapshot(matching: Query("t", filter: near)) { #expect($0["x"] == .null) }
    }

    @Test func momentsAreInUTCWhateverTheSettings() throws {
      let values = try row(
        "id int PRIMARY KEY, d date, m timestamp, z timestamptz, old date",
        "1, '2009-05-29', '2009-05-29 10:00:00.123456', '2009-05-29 12:00:00.5+02', '0001-01-01 BC'"
      )
      #expect(
        Array(values.dropFirst()).map(\.text) == [
          "2009-05-29", "2009-05-29T10:00:00.123456Z", "2009-05-29T10:00:00.500Z", "0000-01-01",
        ]
      )
    }

    @Test func enumerationsAndDomainsAreShownAsTheirValues() throws {
      let schema = try TestSchema(
        "CREATE TYPE mood AS ENUM ('ok', 'bad'); CREATE DOMAIN size AS int CHECK (VALUE > 0)",
        "CREATE TABLE t (id int PRIMARY KEY, m mood, s size)",
        "INSERT INTO t VALUES (1, 'ok', 5), (2, 'bad', 6)"
      )
      let store = try schema.open()
      // By their texts, not by their order in the declaration.
      let query = Query("t", filter: .compare("m", .less, .text("c")), sort: [SortKey("m")])
      #expect(
        try store.snapshots(matching: query).map(\.orderedValues) == [
          [.integer(2), .text("bad"), .integer(6)]
        ]
      )
    }

    @Test(
      arguments: [
        ("id text PRIMARY KEY", "'a/b'", "a/b"),
        ("id int8 PRIMARY KEY", "9000000000", "9000000000"),
        (
          "id uuid PRIMARY KEY", "'11111111-2222-3333-4444-555555555555'",
          "11111111-2222-3333-4444-555555555555"
        ),
        ("a int, b text, PRIMARY KEY (a, b)", "1, 'x/y'", "1/x%2Fy"),
        ("a int, b text, c text NOT NULL UNIQUE", "1, 'x', 'k'", "k"),
        ("a int", "1", "(0,1)"), ("d date PRIMARY KEY", "'2009-05-29'", "2009-05-29"),
      ]
    )
    func keysOfEveryKindFindTheirRecord(_ columns: String, _ values: String, _ key: String) throws {
      let schema = try TestSchema("CREATE TABLE t (\(columns)); INSERT INTO t VALUES (\(values))")
      let store = try schema.open()
      let record = try #require(store.all("t").first)
      #expect(record.persistentIdentifier.description == key)
      let parsed = store.identifier(parsing: key, of: "t")
      #expect(parsed == record.persistentIdentifier)
      #expect(try store.snapshots(for: [parsed], attributes: nil)[parsed] == record)
      #expect(
        try store.identifiers(withPrefix: String(key.prefix(4)), entityName: nil, limit: 9) == [
          parsed
        ]
      )
      let missing = ["abc", "999", "zz/1", ""].map { store.identifier(parsing: $0, of: "t") }
      #expect(try store.snapshots(for: missing, attributes: nil).isEmpty)
      let listing = try store.listing(matching: Query("t"))
      #expect(try listing.position(of: parsed) == 0)
    }

    @Test func partitionsAreOneTableAndViewsAreShown() throws {
      let schema = try TestSchema(
        "CREATE TABLE t (id int, y int, PRIMARY KEY (id, y)) PARTITION BY RANGE (y)",
        "CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10)",
        "INSERT INTO t VALUES (1, 1), (2, 2)",
        "CREATE VIEW v AS SELECT id * 10 AS ten FROM t ORDER BY id DESC",
        "CREATE MATERIALIZED VIEW m AS SELECT id FROM t"
      )
      let store = try schema.open()
      #expect(store.schema.entities.map(\.name) == ["m", "t", "v"])
      #expect(try store.all("v").map(\.orderedValues) == [[.integer(20)], [.integer(10)]])
      let query = Query("v", filter: .compare("ten", .equal, .integer(10)))
      let found = try store.snapshots(matching: query)
      #expect(found.map(\.persistentIdentifier.description) == ["2"])
      let identifiers = found.map(\.persistentIdentifier)
      #expect(
        try store.snapshots(for: identifiers, attributes: nil).values.map(\.orderedValues) == [
          [.integer(10)]
        ]
      )
      #expect(store.entityNotes["v"] == "read-only: view")
    }

    @Test func hostileNamesAreNames() throws {
      let name = "a\"b'c\\d.e$1 ü"
      let quoted = name.quotedName
      let schema = try TestSchema(
        "CREATE TABLE \(quoted) (id int PRIMARY KEY, \(quoted) text)",
        "INSERT INTO \(quoted) VALUES (1, 'x')"
      )
      let store = try schema.open()
      let query = Query(name, filter: .compare(name, .equal, .text("x")), sort: [SortKey(name)])
      #expect(try store.identifiers(matching: query).count == 1)
      #expect(try store.valueCounts(of: name, matching: query) == [.text("x"): 1])
    }

    @Test func linksLeadToTheirRecords() throws {
      let schema = try TestSchema(
        "CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE k (code text PRIMARY KEY)",
        "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p, k text REFERENCES k)",
        "INSERT INTO p VALUES (7); INSERT INTO k VALUES ('x'); INSERT INTO c VALUES (1, 7, 'x')"
      )
      let store = try schema.open()
      let parent = store.identifier(parsing: "7", of: "p")
      let code = store.identifier(parsing: "x", of: "k")
      #expect(try store.all("c").first?.orderedValues.dropFirst() == [.link(parent), .link(code)])
      for filter in [Filter.compare("p", .equal, .link(parent)), .isIn("k", [.link(code)])] {
        #expect(try store.count(matching: Query("c", filter: filter)) == 1)
      }
    }

    @Test func changedTablesAreDescribedAgain() throws {
      let schema = try TestSchema(
        "CREATE TABLE t (id int PRIMARY KEY, a int)",
        "INSERT INTO t VALUES (1, 2)"
      )
      let store = try schema.open()
      #expect(try store.all("t").count == 1)
      try schema.run("ALTER TABLE t ALTER a TYPE float4")
      #expect(try store.all("t").first?.orderedValues == [.integer(1), .number(2)])
      try schema.run("ALTER TABLE t RENAME a TO b")
      #expect(throws: PersistenceError.self, "the former names have no values") {
        try store.all("t")
      }
      #expect(try store.all("t").first?.layout.names == ["id", "b"])
      try schema.run("DROP TABLE t")
      #expect(throws: PersistenceError.self) { try store.all("t") }
      #expect(store.schema.entities.isEmpty)
    }

    /// The keys of a table that others inherit from occur twice, and `bytea` has no text that names it.
    @Test func rowsWithoutANameOfTheirOwnAreAllThere() throws {
      let schema = try TestSchema(
        "CREATE TABLE p (id int PRIMARY KEY, a text); CREATE TABLE c () INHERITS (p)",
        "INSERT INTO p SELECT g, 'p' FROM generate_series(1, 300) g",
        "INSERT INTO c SELECT g, 'c' FROM generate_series(1, 300) g",
        "CREATE TABLE k (k bytea PRIMARY KEY); INSERT INTO k VALUES ('\\x00'), ('\\x01ff')",
        "CREATE TABLE f (k float8 PRIMARY KEY); INSERT INTO f VALUES ('Infinity'), (1)"
      )
      let store = try schema.open()
      for (name, count) in [("p", 600), ("k", 2), ("f", 2)] {
        let listing = try store.listing(matching: Query(name))
        let records = try listing.records(in: 0..<1000, attributes: nil)
        #expect(Set(records.map(\.identifier)).count == count, "\(name)")
        #expect(records.allSatisfy { $0.snapshot != nil }, "\(name)")
      }
      let parents = try store.count(matching: Query("p", filter: .compare("a", .equal, .text("p"))))
      #expect(parents == 300)
    }

    /// A `Date` has no room for them, so that they would be rounded to other moments.
    @Test func microsecondsFarFromNowAreShownAsTexts() throws {
      let schema = try TestSchema(
        "CREATE TABLE t (id int PRIMARY KEY, a timestamp, b timestamp)",
        "INSERT INTO t VALUES (1, '5000-01-01 00:00:00.000001', '5000-01-01 00:00:01')"
      )
      let store = try schema.open()
      let record = try #require(try store.all("t").first)
      #expect(record["a"] == .text("5000-01-01 00:00:00.000001"))
      #expect(record["b"]?.kind == .datetime)
    }

    @Test func workThatIsStoppedLeavesAUsableConnection() throws {
      let schema = try TestSchema(
        "CREATE VIEW v AS SELECT n FROM generate_series(1, 1000000000) AS s(n) WHERE n < 0",
        "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)"
      )
      let store = try schema.open()
      let isStopped = Mutex(false)
      let stopper = Thread {
        Thread.sleep(forTimeInterval: 0.1)
        isStopped.withLock { $0 = true }
      }
      stopper.start()
      #expect(throws: Interruption.Stopped.self) {
        try Interruption.allowed(by: { isStopped.withLock { $0 } }) { try store.all("v") }
      }
      #expect(try store.all("t").count == 1)
      let count =
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%\(schema.name)%catalog_row%' AND pid <> pg_backend_pid()"
      // The server ends it soon, not at once.
      let end = ContinuousClock.now + .seconds(60)
      while try schema.other.simple(count)[0].number(0, 0) > 0, ContinuousClock.now < end {
        Thread.sleep(forTimeInterval: 0.05)
      }
      #expect(try schema.other.simple(count)[0].number(0, 0) == 0)
    }

    @Test func lostConnectionsAreMadeAgain() throws {
      let schema = try TestSchema("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
      let store = try schema.open()
      try schema.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%conrelid%\(schema.name)%' AND pid <> pg_backend_pid()"
      )
      #expect(try store.all("t").count == 1)
    }

    @Test func longListsAreReadInParts() throws {
      let schema = try TestSchema(
        "CREATE TABLE t (id text PRIMARY KEY, n int)",
        "INSERT INTO t SELECT 'k' || n, n % 1000 FROM generate_series(1, 20000) AS s(n)"
      )
      let store = try schema.open()
      for query in [
        Query("t"), Query("t", sort: [SortKey("n")]), Query("t", sort: [SortKey("n")], limit: 300),
      ] {
        let expected = try store.identifiers(matching: query)
        let listing = try store.listing(matching: query)
        #expect(!listing.count.isExact)
        #expect(try listing.identifiers(in: 0..<20_001) == expected)
        #expect(listing.count == .exact(expected.count))
        #expect(try listing.position(of: expected[250]) == 250)
        let filter = Filter.compare("n", .equal, .integer(7))
        let all = try store.snapshots(matching: query)
        let place = all.firstIndex { $0.orderedValues[1] == .integer(7) }
        #expect(try listing.position(matching: filter, from: 0, isForward: true) == place)
      }
    }

    @Test func aListingKeepsItsFirstRecordsWhenOthersChange() throws {
      let schema = try TestSchema(
        "CREATE TABLE t (id int PRIMARY KEY, n int)",
        "INSERT INTO t SELECT n, n FROM generate_series(1, 1000) AS s(n)"
      )
      let store = try schema.open()
      let listing = try store.listing(matching: Query("t", sort: [SortKey("n")]))
      let first = try listing.identifiers(in: 0..<256)
      try schema.run("UPDATE t SET n = 5000 WHERE id < 100")
      let all = try listing.identifiers(in: 0..<2000)
      #expect(Array(all.prefix(256)) == first)
      #expect(Set(all).count == 1000 && all.count == 1000)
    }

    @Test func aContainerReadsManyRecords() throws {
      let schema = try TestSchema(
        "CREATE TABLE t (id int PRIMARY KEY)",
        "INSERT INTO t SELECT n FROM generate_series(1, 5000) AS s(n)"
      )
      let store = try schema.open()
      // The checks of a container ask for the schema while records are passed on.
      let container = try ModelContainer(configurations: store.configuration)
      let context = ModelContext(container)
      var count = 0
      try context.forEachPage(matching: Query("t")) { count += $0.snapshots.count }
      #expect(count == 5000)
    }

    @Test func explanationsNameTheStatementAndThePlan() throws {
      let schema = try TestSchema("CREATE TABLE t (id int PRIMARY KEY, a text)")
      let store = try schema.open()
      let match = TextMatch(.contains, "x'", options: .caseInsensitive)
      let found = try store.explanation(of: Query("t", filter: .text("a", match)))
      #expect(found.statement.contains("WHERE"))
      #expect(found.steps.first?.contains("t") ?? false)
      #expect(found.steps.last == "the program excludes what the filter does not match")
    }

    @Test(
      arguments: [
        ("postgres://127.0.0.1:1/films", "connection refused; is the server running there?"),
        ("URL#nothing", "unknown schema or table \"nothing\""),
        ("service=x", "write postgres://?service=x"),
      ]
    )
    func badLocationsAreRefusedInOneLine(_ location: String, _ words: String) throws {
      let url = location.replacing("URL", with: try #require(TestServer.url))
      let error = #expect(throws: PersistenceError.self) {
        try PostgresStore(PostgresConfiguration(url))
      }
      let message = error?.message ?? ""
      #expect(message.contains(words), "\(message)")
      #expect(!message.contains("\n"))
    }
  }
}
