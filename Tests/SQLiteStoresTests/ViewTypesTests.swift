import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// The types of the fields of views, which are computed when they are used.
@Suite struct ViewTypesTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A view that has no row, and takes for ever to find out.
  private static let endless = """
    CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) \
    SELECT x FROM c WHERE x < 0
    """

  @Test func aViewWithoutEndBlocksNoOtherTable() throws {
    let path = try folder.database(
      "v.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "INSERT INTO t VALUES (1, 'x')",
      Self.endless
    )
    let store = try SQLiteStore(at: path)
    #expect(store.schema.entities.map(\.name) == ["endless", "t"])
    try store.set(try #require(try store.all("t").first), ["a": .text("y")])
    // Other programs may change the tables: then all are described again.
    try otherProgram(path).run("CREATE TABLE u (id INTEGER PRIMARY KEY)")
    #expect(try store.all("t").map { $0["a"] } == [.text("y")])
    #expect(store.schema.entities.map(\.name) == ["endless", "t", "u"])
    let checkCount = Mutex(0)
    let isEnough: @Sendable () -> Bool = {
      checkCount.withLock { count in
        count += 1
        return count > 100
      }
    }
    let work = Interruption.allowed(by: isEnough) { Result { try store.all("endless") } }
    #expect(throws: Interruption.Stopped.self) { _ = try work.get() }
    #expect(try store.all("t").count == 1)
  }

  @Test func theFirstUseFindsTheTypes() throws {
    let path = try folder.database(
      "v.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a REAL)",
      "INSERT INTO t VALUES (1, 1.5), (2, 2.5)",
      "CREATE VIEW v AS SELECT id, a * 2 AS twice, count(*) OVER () AS n, 'x' || id AS name FROM t"
    )
    let store = try SQLiteStore(at: path)
    func types() throws -> [AttributeType] {
      try store.schema.entity(named: "v").fields.map(\.type)
    }
    let isAbove = Query("v", filter: .compare("twice", .greater, .number(3)))
    #expect(try store.snapshots(matching: isAbove).map { $0["n"] } == [.integer(2)])
    #expect(try types() == [.integer, .number, .integer, .text])
    #expect(try store.readTypes(of: "v") == false)
    let again = try SQLiteStore(at: path)
    #expect(try again.readTypes(of: "v"))
    #expect(try again.readTypes(of: "t") == false)
    #expect(try again.schema.entity(named: "v") == store.schema.entity(named: "v"))
    let counted = try SQLiteStore(at: path)
    #expect(
      try counted.listing(matching: isAbove).identifiers(in: 0..<9).map(\.description) == ["2"]
    )
  }

  /// A view is only read, so that whole numbers among others need not be kept apart.
  @Test func wholeNumbersAndOthersAreNumbers() throws {
    let path = try folder.database(
      "v.db",
      "CREATE VIEW near AS SELECT 10 AS x UNION ALL SELECT 2.5 UNION ALL SELECT 9",
      """
      CREATE VIEW far AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 300) \
      SELECT CASE i WHEN 250 THEN 0.5 ELSE i END AS x FROM c
      """,
      "CREATE VIEW other AS SELECT 10 AS x UNION ALL SELECT 2.5 UNION ALL SELECT 'a'"
    )
    let store = try SQLiteStore(at: path)
    func least(_ view: String) throws -> [Value] {
      try store.snapshots(matching: Query(view, sort: [SortKey("x")], limit: 2))
        .map(\.orderedValues[0])
    }
    #expect(try least("near") == [.number(2.5), .number(9)])
    #expect(
      try least("far") == [.number(0.5), .number(1)],
      "the number with a point is read later"
    )
    #expect(try least("other") == [.text("10"), .text("2.5")])
  }

  /// SQLite takes a name in double quotes for a text if there is no such column.
  @Test func textsInDoubleQuotesAreTexts() throws {
    let path = try folder.database(
      "v.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY)",
      "INSERT INTO t VALUES (1)",
      "CREATE VIEW v AS SELECT id, \"hello\" AS h FROM t"
    )
    let store = try SQLiteStore(at: path)
    #expect(try store.all("v").map { $0["h"] } == [.text("hello")])
    #expect(store.openingNotes.isEmpty)
  }

  @Test func aViewOfATableThatIsGoneIsNamedAtTheOpening() throws {
    let path = try folder.database(
      "v.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY)",
      "CREATE TABLE u (id INTEGER PRIMARY KEY)",
      "CREATE VIEW v AS SELECT u.id, missing(u.id) AS f FROM u"
    )
    let store = try SQLiteStore(at: path)
    #expect(store.schema.entities.map(\.name) == ["t", "u"])
    #expect(store.openingNotes.first?.contains("view \"v\" is not shown") == true)
  }

  /// The test would need 20 GB and minutes if the values were written out, or computed for each row that is counted.
  @Test func valuesThatNobodyReadsAreNotComputed() throws {
    let path = try folder.database(
      "v.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY)",
      """
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100) \
      INSERT INTO t SELECT x FROM c
      """,
      "CREATE VIEW v AS SELECT id AS k, zeroblob(200000000) AS b FROM t"
    )
    let store = try SQLiteStore(at: path)
    try store.settleTypes(for: Query("v", attributes: ["k"]))
    let listing = try store.listing(matching: Query("v", attributes: ["k"]))
    let page = try listing.records(in: 0..<100, attributes: ["k"])
    #expect(page.compactMap { $0.snapshot?["k"] } == (1...100).map { .integer($0) })
    #expect(try store.count(matching: Query("v", filter: .compare("k", .less, .integer(11)))) == 10)
    #expect(try store.schema.entity(named: "v").attribute(named: "b").isBlob)
  }
}
