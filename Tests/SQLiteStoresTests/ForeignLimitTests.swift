import Foundation
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// Databases of other programs that are large, wide, or cannot be changed.
@Suite struct ForeignLimitTests {
  /// A body that kept failing for the same reason was once repeated for ever.
  @Test func aKeyIsGivenUpOnlyOnce() throws {
    let folder = try TestFolder()
    let path = try folder.database("key.db", "CREATE TABLE t (a TEXT PRIMARY KEY)")
    let store = try SQLiteStore(at: path)
    var count = 0
    let error = #expect(throws: PersistenceError.self) {
      try store.reading { _ in
        count += 1
        if count > 5 { throw CancellationError() }
        throw MissingKey(table: "t")
      }
    }
    #expect(error?.code == .conflict && count == 2)
  }

  @Test func aReadOnlyFieldSaysWhy() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "reasons.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT AS (a || '!'))",
      "CREATE TABLE bare (a TEXT)",
      "CREATE TABLE hidden (rowid TEXT, _rowid_ TEXT, oid TEXT)",
      "CREATE VIEW v AS SELECT a FROM t",
      "CREATE VIRTUAL TABLE f USING fts5(a)"
    )
    let store = try SQLiteStore(at: path)
    func cause(_ entity: String, _ field: String) throws -> String? {
      try store.schema.entity(named: entity).attribute(named: field).readOnlyCause
    }
    #expect(try cause("t", "a") == nil && cause("bare", "a") == nil)
    #expect(try cause("t", "b") == "the database computes its value")
    #expect(try cause("v", "a") == "the table is a view")
    #expect(try cause("f", "a") == "the table is a virtual table")
    #expect(try cause("hidden", "oid") == "the rows of the table have no key")
    #expect(
      store.entityNotes == [
        "bare": "rows have no key", "v": "read-only: view", "f": "read-only: virtual table",
        "hidden": "read-only: rows have no key",
      ]
    )
    #expect(store.openingNotes.isEmpty)
  }

  @Test(arguments: ["k INTEGER PRIMARY KEY", "k TEXT PRIMARY KEY NOT NULL", "k INTEGER"])
  func aTableOf2000ColumnsIsReadAndSearched(_ key: String) throws {
    let columns = (1..<2000).map { "c\($0) TEXT" }.joined(separator: ", ")
    let folder = try TestFolder()
    let path = try folder.database(
      "wide.db",
      "CREATE TABLE wide (\(key), \(columns))",
      "INSERT INTO wide (k, c7, c1998) VALUES (1, 'Seven', 'Last'), (2, 'x', 'y')",
      "CREATE VIEW shown AS SELECT * FROM wide"
    )
    let store = try SQLiteStore(at: path)
    for entity in ["wide", "shown"] {
      let all = try store.all(entity)
      #expect(all.map { $0["c1998"] } == [.text("Last"), .text("y")])
      #expect(all.map { $0["k"]?.text } == ["1", "2"])
      for text in ["LAST", "seven"] {
        let filter = Filter.anyText(TextMatch(.contains, text, options: .caseInsensitive))
        #expect(try store.count(matching: Query(entity, filter: filter)) == 1)
      }
      let listing = try store.listing(matching: Query(entity))
      #expect(try listing.records(in: 0..<5, attributes: nil).count == 2)
    }
    try store.set(try store.all("wide")[0], ["c1998": .text("changed")])
    #expect(try otherProgram(path).value("SELECT c1998 FROM wide") == .text("changed"))
  }

  @Test func aRecordWithAColumnThatIsNotShownIsNotDeleted() throws {
    let columns = (1...2000).map { "c\($0)" }.joined(separator: ", ")
    let folder = try TestFolder()
    let path = try folder.database(
      "wide.db",
      "CREATE TABLE wide (\(columns))",
      "INSERT INTO wide (c1, c2000) VALUES ('x', 'hidden')"
    )
    let store = try SQLiteStore(at: path)
    let record = try store.all("wide")[0]
    let error = #expect(throws: PersistenceError.self) {
      try store.commit(ChangeSet(deleted: [record]), author: nil)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("\"c2000\"") == true)
    try store.set(record, ["c1": .text("y")])
    #expect(try otherProgram(path).value("SELECT c1 || c2000 FROM wide") == .text("yhidden"))
  }

  @Test func samplesOfLargeValuesAreShort() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "large.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a BLOB, b TEXT, c)",
      "INSERT INTO t VALUES (1, zeroblob(100000), printf('%.*c', 100000, 'x'), x'00')",
      "CREATE VIEW v AS SELECT * FROM t"
    )
    let store = try SQLiteStore(at: path)
    for entity in ["t", "v"] {
      let found = try store.session.withLock { session in
        var table = ForeignTable(entity)
        table.kind = entity == "v" ? "view" : "table"
        table.columns = ["a", "b", "c"].map { ForeignColumn($0, "") }
        try (session.database as? ForeignDatabase)?.addSamples(&table)
        return table.columns.map { $0.samples[0] }
      }
      #expect(
        found == [
          .bytes(Array(repeating: 0, count: 256)), .text(String(repeating: "x", count: 256)),
          .bytes([0]),
        ]
      )
      #expect(try store.schema.entity(named: entity).attribute(named: "a").isBlob)
      #expect(try store.all(entity)[0]["b"]?.text.count == 100_000)
    }
  }

  @Test func aViewIsListedInFewStatements() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "view.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER)",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 30000) \
      INSERT INTO t SELECT i, 2 * i FROM c
      """,
      "CREATE VIEW v AS SELECT a FROM t"
    )
    let store = try SQLiteStore(at: path)
    let listing = try store.listing(matching: Query("v"))
    #expect(listing.count == .atLeast(256))
    try listing.countOn()
    #expect(listing.count == .exact(30_000))
    let last = try listing.records(in: 29_998..<30_000, attributes: nil)
    #expect(last.map { $0.snapshot?["a"] } == [.integer(59_998), .integer(60_000)])
    let some = [3, 29_000].map {
      IdentifierScope(store: store.identifier, entity: "v").identifier(number: $0)
    }
    #expect(try store.snapshots(for: some)[some[1]]?["a"] == .integer(58_000))
    #expect(try store.snapshots(for: some)[some[0]]?["a"] == .integer(6))
    let even = Query("v", filter: .compare("a", .greater, .integer(59_990)))
    #expect(try store.listing(matching: even).records(in: 0..<9, attributes: nil).count == 5)
  }

  @Test(arguments: [true, false]) func readsOfAFileThatWasReplacedOrRemovedFail(isReplaced: Bool)
    throws
  {
    let folder = try TestFolder()
    let path = try folder.database("old.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    let store = try SQLiteStore(at: path)
    try FileManager.default.removeItem(atPath: path)
    if isReplaced {
      let other = try folder.database("new.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (2)")
      try FileManager.default.moveItem(atPath: other, toPath: path)
    }
    let reads: [(SQLiteStore) throws -> Void] = [
      { _ = try $0.all("t") }, { _ = try $0.count(matching: Query("t")) },
      { _ = try $0.listing(matching: Query("t")) },
    ]
    for read in reads {
      let error = #expect(throws: PersistenceError.self) { try read(store) }
      #expect(error?.code == .conflict)
      #expect(error?.message.contains("replaced or removed") == true)
    }
  }
}
