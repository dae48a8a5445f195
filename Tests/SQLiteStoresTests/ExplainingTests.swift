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
