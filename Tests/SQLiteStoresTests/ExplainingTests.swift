import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// What a database would do: plans of queries, statements of saves, and those that change tables.
@Suite struct ExplainingTests {
  private func database(_ folder: TestFolder) throws -> String {
    try folder.database(
      "plans.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c INTEGER)",
      "CREATE INDEX tb ON t (b)",
      "INSERT INTO t VALUES (1, 'it''s', 2, 3)"
    )
  }

  @Test func plansNameTheIndexesOfAListing() throws {
    let folder = try TestFolder()
    let store = try SQLiteStore(at: try database(folder))
    let cases: [(Query, [String])] = [
      (Query("t"), ["reads all rows of t"]),
      (
        Query("t", filter: .compare("b", .equal, .integer(2))),
        ["finds rows of t with index tb: b=?"]
      ),
      (
        Query("t", filter: .compare("id", .equal, .integer(1))),
        ["finds rows of t by the key: rowid=?"]
      ),
      (
        Query("t", sort: [SortKey("b", nullsFirst: true)]),
        ["reads all rows of t in the order of index tb"]
      ),
      (Query("t", sort: [SortKey("c")]), ["reads all rows of t", "sorts the rows"]),
    ]
    for (query, steps) in cases {
      #expect(try store.explanation(of: query).steps == steps, "\(query)")
    }
    let found = try store.explanation(
      of: Query("t", filter: .compare("b", .greater, .integer(2)), limit: 5)
    )
    #expect(found.statement.hasPrefix("SELECT \"id\" FROM main.\"t\" WHERE "))
    #expect(found.statement.hasSuffix("LIMIT 5 OFFSET 0"))
    #expect(!found.statement.contains("?"))
    #expect(throws: PersistenceError.self) { try store.explanation(of: Query("none")) }
  }

  /// The key of an import is compared as the column is, and the index of the column finds it.
  @Test func anIndexThatIgnoresTheCaseFindsTexts() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "case.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE UNIQUE, b INTEGER)",
      "INSERT INTO t VALUES (1, 'Abc', 1), (2, 'STRASSE', 2), (3, 'straße', 3), (4, 'É', 4)"
    )
    let store = try SQLiteStore(at: path)
    let folding = { (text: String) in
      Filter.text("a", TextMatch(.equals, text, options: .asciiCaseInsensitive))
    }
    let cases: [(Filter, [Int64])] = [
      (folding("aBC"), [1]), (folding("strasse"), [2]), (folding("STRAßE"), [3]),
      (folding("é"), []),
      (folding("É"), [4]), (.compare("a", .equal, .text("Abc")), [1]),
      (.compare("a", .equal, .text("abc")), []),
    ]
    for (filter, found) in cases {
      let query = Query("t", filter: filter)
      let steps = try store.explanation(of: query).steps
      #expect(steps.contains { $0.hasPrefix("finds rows of t with index ") }, "\(steps)")
      let rows = try store.snapshots(matching: query)
      #expect(rows.map { $0["id"] ?? .null } == found.map { .integer($0) }, "\(filter)")
      let bound = try BoundFilter(filter, layout: SnapshotLayout(["id", "a", "b"]))
      let all = try store.snapshots(matching: Query("t"))
      #expect(all.filter { bound.matches($0) }.count == found.count, "\(filter)")
    }
  }

  /// SQLite numbers queries without names, and says of a join only that it is one.
  @Test func plansOfViewsAreWords() throws {
    let views = [
      (
        "SELECT t.a, o.b FROM t LEFT JOIN t AS o ON o.id = t.c",
        ["finds rows of o by the key: rowid=?, or none for a row without any"]
      ),
      (
        "SELECT t.a, o.b FROM t LEFT JOIN t AS o ON o.b = t.c",
        ["finds rows of o with index tb: b=?, or none for a row without any"]
      ),
      (
        "SELECT c, count(*) n, count(DISTINCT a) m FROM t GROUP BY c",
        ["sorts the rows into groups", "keeps equal values once"]
      ),
      ("SELECT DISTINCT a FROM t", ["keeps equal rows once"]),
      (
        "SELECT a FROM t UNION SELECT 'x' UNION ALL SELECT a FROM t",
        [
          "combines several queries:", "the rows of the first query:",
          "and the rows of the next one, each once:", "makes one row without a table",
          "and the rows of the next one:",
        ]
      ),
      ("SELECT a FROM t EXCEPT SELECT 'x'", ["without the rows of the next one:"]),
      ("SELECT a FROM t INTERSECT SELECT 'x'", ["and of these the rows of the next one:"]),
      (
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n",
        ["begins with:", "continues from each row with:"]
      ),
      (
        "SELECT a FROM t WHERE c IN (SELECT c + 1 FROM t) AND a = (SELECT max(a) FROM t AS o WHERE o.b = t.b)",
        ["makes a list once:", "finds a value for each row:"]
      ),
      (
        "SELECT t.a, q.n FROM t JOIN (SELECT c, count(*) AS n FROM t GROUP BY c) AS q ON q.c = t.c",
        ["makes all rows of q first:"]
      ),
    ]
    let folder = try TestFolder()
    let path = try database(folder)
    let other = try otherProgram(path)
    for (number, view) in views.enumerated() {
      try other.run(SQLText("CREATE VIEW v\(number) AS \(view.0)"))
    }
    let store = try SQLiteStore(at: path)
    let raw = ["SUBQUERY", "subquery-", "CO-ROUTINE", "JOIN", "B-TREE", "MATERIALIZE", "QUERY"]
    for (number, view) in views.enumerated() {
      let steps = try store.explanation(of: Query("v\(number)")).steps
      for step in view.1 { #expect(steps.contains(step), "\(view.0): \(steps)") }
      for step in steps {
        #expect(!raw.contains(where: step.contains) && step.first?.isLowercase == true, "\(step)")
      }
    }
  }

  @Test(arguments: [
    (
      "SEARCH q USING AUTOMATIC COVERING INDEX (a=?) LEFT-JOIN",
      "finds rows of q with an index made for this query: a=?, or none for a row without any"
    ),
    ("SCAN f VIRTUAL TABLE INDEX 64:", "reads rows of the virtual table f"),
    ("SCAN 3 CONSTANT ROWS", "makes rows without a table"),
    ("RIGHT-JOIN t", "adds the rows of t that were not found:"),
    ("INDEX 2", "search 2:"),
    ("BLOOM FILTER ON t (a=?)", "prepares a quick test for the rows of t (a=?)"),
    ("USING INDEX i FOR IN-OPERATOR", "takes the list from index i"),
    ("WHAT IS NEW", "WHAT IS NEW"), ("CO-ROUTINE (subquery-3)", nil), ("SCAN (subquery-3)", nil),
  ]) func linesOfPlansAreWords(_ line: String, _ words: String?) {
    #expect(PlanWords.words(line) == words)
  }

  @Test func statementsOfASaveCanBeRunElsewhere() throws {
    let folder = try TestFolder()
    let path = try database(folder)
    let store = try SQLiteStore(at: path)
    let before = try store.all("t")[0]
    var after = before
    after.orderedValues[1] = .text("what's?")
    let layout = before.layout
    let new = DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: "t").temporaryIdentifier(
        1,
        context: 7
      ),
      layout: layout,
      orderedValues: [.null, .text("new"), .null, .integer(9)]
    )
    let changes = ChangeSet(
      inserted: [new],
      updated: [RecordUpdate(before: before, after: after)]
    )
    let statements = try store.statements(of: changes)
    #expect(statements == (try store.statements(of: changes)))
    #expect(
      statements == [
        "UPDATE main.\"t\" SET \"a\" = 'what''s?' WHERE \"id\" = 1",
        "INSERT INTO main.\"t\" (\"id\", \"a\", \"b\", \"c\") VALUES (2, 'new', NULL, 9)",
      ]
    )
    #expect(try store.all("t") == [before])
    let copy = try database(folder)
    for statement in statements { try otherProgram(copy).run(SQLText(statement)) }
    _ = try store.commit(changes, author: nil)
    let rows = SQLText("SELECT * FROM t ORDER BY id")
    #expect(try otherProgram(copy).rows(rows) == (try otherProgram(path).rows(rows)))
  }

  @Test func refusedChangesOfTablesComeWithStatementsThatMakeThem() throws {
    let folder = try TestFolder()
    let path = try database(folder)
    let store = try SQLiteStore(at: path)
    let changes: [(SchemaChange, String)] = [
      (
        .addAttribute(entity: "t", .init("x", .integer)),
        "ALTER TABLE \"t\" ADD COLUMN \"x\" INTEGER"
      ),
      (
        .addAttribute(
          entity: "t",
          .init("y", .text, isOptional: false, isUnique: true, defaultValue: .text("o'"))
        ),
        "ALTER TABLE \"t\" ADD COLUMN \"y\" TEXT NOT NULL DEFAULT 'o'''; "
          + "CREATE UNIQUE INDEX \"t_y\" ON \"t\" (\"y\")"
      ),
      (
        .createEntity(
          Schema.Entity(
            "zz",
            attributes: [
              .init("a", .text, isOptional: false), .init("ID", .decimal),
              .init("other", .link("t")), .init("at", .datetime),
            ]
          )
        ),
        "CREATE TABLE \"zz\" (\"_id\" INTEGER PRIMARY KEY, \"a\" TEXT NOT NULL, \"ID\" NUMERIC, "
          + "\"other\" INTEGER REFERENCES \"t\" (\"id\"), \"at\" DATETIME)"
      ),
      (
        .renameAttribute(entity: "t", from: "x", to: "w"),
        "ALTER TABLE \"t\" RENAME COLUMN \"x\" TO \"w\""
      ),
      (.dropAttribute(entity: "t", name: "w"), "ALTER TABLE \"t\" DROP COLUMN \"w\""),
    ]
    let other = try otherProgram(path)
    for (change, statements) in changes {
      let error = #expect(throws: PersistenceError.self) { try store.apply(change, author: nil) }
      #expect(error?.code == .unsupported)
      #expect(error?.message.hasSuffix("with sqlite3: " + statements) == true, "\(error as Any)")
      for statement in statements.split(separator: "; ") {
        try other.run(SQLText(String(statement)))
      }
      try store.refresh()
    }
    let entity = try store.schema.entity(named: "zz")
    #expect(entity.fields.dropFirst().map(\.name) == ["a", "ID", "other", "at"])
    #expect(try entity.attribute(named: "other").type == .link("t"))
    #expect(try entity.attribute(named: "at").type == .datetime)
  }

  @Test func aFullCheckComparesIndexesWithTables() throws {
    let folder = try TestFolder()
    let path = try database(folder)
    let other = try otherProgram(path)
    for number in 2...50 { try other.run(SQLText("INSERT INTO t VALUES (\(number), 'x', 1, 1)")) }
    let page = Int(try other.number("SELECT rootpage FROM sqlite_schema WHERE name = 'tb'"))
    let size = Int(try other.number("PRAGMA page_size"))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // The last entry of the index gets another key: the page is well-formed, but not what the table says.
    bytes[page * size - 1] ^= 0x40
    try bytes.write(to: URL(fileURLWithPath: path))
    let store = try SQLiteStore(at: path)
    #expect(try store.check(isThorough: true) != [])
    let sound = try SQLiteStore(at: try database(folder))
    for isThorough in [true, false] { #expect(try sound.check(isThorough: isThorough) == []) }
  }
}
