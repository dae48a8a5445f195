import Foundation
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// Databases of other programs: only edited cells are written, and nothing is added.
@Suite struct ForeignDatabaseTests {
  private func dump(_ path: String) throws -> [String] {
    let connection = try otherProgram(path)
    var lines = try connection.rows("SELECT sql FROM sqlite_schema").map { $0[0].literal }
    lines.append(try connection.value("PRAGMA journal_mode")?.literal ?? "")
    for row in try connection.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"
    ) {
      guard case .text(let name) = row[0] else { continue }
      for row in try connection.rows(SQLText("SELECT * FROM \(name.quotedName)")) {
        lines.append(name + ": " + row.map(\.literal).joined(separator: ", "))
      }
    }
    return lines
  }

  private func changedLines(_ path: String, _ body: () throws -> Void) throws -> [String] {
    let before = try dump(path)
    try body()
    let after = try dump(path)
    #expect(before.count == after.count, "no table, index or row was added")
    return zip(before, after).filter { $0 != $1 }.map { "\($0) -> \($1)" }
  }

  @Test func onlyTheEditedCellIsWritten() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "music.db",
      "CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL, rank)",
      """
      CREATE TABLE album (id INTEGER PRIMARY KEY, title VARCHAR(40) COLLATE NOCASE, price NUMERIC(10,2), \
      cover BLOB, artist INTEGER REFERENCES artist, added DATETIME)
      """,
      "INSERT INTO artist VALUES (1, 'Björk', 1), (2, 'x'||char(0)||'y', 'two'), (3, CAST(x'ff41' AS TEXT), 9e999)",
      """
      INSERT INTO album VALUES (7, 'Debut', 9.5, x'00ff', 1, '1993-07-05 00:00:00'), \
      (8, 'debut', 12, NULL, NULL, '1995-06-13 10:00:00.125')
      """
    )
    let store = try SQLiteStore(at: path)
    let lines = try changedLines(path) {
      let albums = try store.all("album")
      #expect(albums[0]["artist"]?.text == "1")
      #expect(albums[0]["price"] == .number(9.5))
      #expect(albums[1]["price"] == .number(12))
      #expect(albums[1]["added"]?.text == "1995-06-13T10:00:00.125Z")
      try store.set(albums[1], ["title": .text("Post")])
    }
    #expect(
      lines == [
        "album: 8, 'debut', 12, NULL, NULL, '1995-06-13 10:00:00.125' -> "
          + "album: 8, 'Post', 12, NULL, NULL, '1995-06-13 10:00:00.125'"
      ]
    )
    let artists = try store.all("artist")
    #expect(artists.map { $0["rank"] } == [.text("1"), .text("two"), .text("9e999")])
    let other = try changedLines(path) { try store.set(artists[2], ["rank": .text("3")]) }
    #expect(
      other == ["artist: 3, CAST(x'ff41' AS TEXT), 9e999 -> artist: 3, CAST(x'ff41' AS TEXT), 3"]
    )
  }

  /// SQLite calls the functions of JSON unsafe in a schema that it does not trust, in some versions.
  @Test func checksIndexesAndViewsMayUseJSON() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "json.db",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, m TEXT CHECK (json_valid(m) OR m IS NULL), \
      k TEXT GENERATED ALWAYS AS (json_extract(m, '$.a')))
      """,
      "CREATE INDEX i ON t (json_extract(m, '$.a'))",
      "CREATE VIEW v AS SELECT id, json_extract(m, '$.a') AS a FROM t",
      "INSERT INTO t (id, m) VALUES (1, '{\"a\": 4}')"
    )
    let store = try SQLiteStore(at: path)
    let lines = try changedLines(path) {
      let record = try #require(store.all("t").first)
      #expect(record["k"]?.text == "4")
      try store.set(record, ["m": .text("{\"a\": 5}")])
    }
    #expect(lines.count == 1, "\(lines)")
    #expect(try store.all("v").map { $0["a"]?.text } == ["5"])
  }

  @Test func eachKindOfKeyIsFound() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "keys.db",
      "CREATE TABLE number (n INTEGER PRIMARY KEY, v)",
      "CREATE TABLE descending (n INTEGER PRIMARY KEY DESC, v TEXT)",
      "CREATE TABLE plain (n INT NOT NULL PRIMARY KEY, v TEXT)",
      "CREATE TABLE word (w TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID",
      "CREATE TABLE both (a TEXT NOT NULL, b INTEGER NOT NULL, v TEXT, PRIMARY KEY (a, b))",
      "CREATE TABLE missing (w TEXT PRIMARY KEY, v TEXT)",
      "CREATE TABLE none (v TEXT, rowid TEXT)",
      "CREATE TABLE hidden (rowid TEXT, _rowid_ TEXT, oid TEXT)",
      "CREATE VIEW shown AS SELECT v FROM number",
      "INSERT INTO number VALUES (1, 'a'), (5, 'b')",
      "INSERT INTO descending VALUES (1, 'a'), (5, 'b')",
      "INSERT INTO plain VALUES (1, 'a'), (5, 'b')",
      "INSERT INTO word VALUES ('5', 'a'), ('x/y%', 'b')",
      "INSERT INTO both VALUES ('x/y', 5, 'a'), ('x', 6, 'b')",
      "INSERT INTO missing VALUES (NULL, 'a'), (NULL, 'b')",
      "INSERT INTO none VALUES ('a', 'r'), ('b', 's')",
      "INSERT INTO hidden VALUES ('a', 'b', 'c'), ('d', 'e', 'f')"
    )
    let store = try SQLiteStore(at: path)
    func keys(_ entity: String) throws -> [String] {
      try store.identifiers(matching: Query(entity)).map(\.description)
    }
    #expect(try keys("number") == ["1", "5"])
    #expect(try keys("plain") == ["1", "5"])
    #expect(try keys("word") == ["5", "x/y%"])
    #expect(try keys("both") == ["x/6", "x%2Fy/5"])
    #expect(try keys("missing") == ["1", "2"])
    #expect(try keys("shown") == ["1", "2"])
    for entity in ["number", "descending", "plain", "word", "both", "missing", "none"] {
      let last = try #require(try store.all(entity).last)
      try store.set(last, ["v": .text("changed")])
      #expect(try store.all(entity).last?["v"] == .text("changed"), "\(entity)")
      let page = try store.snapshots(for: [last.persistentIdentifier])
      #expect(page[last.persistentIdentifier]?["v"] == .text("changed"), "\(entity)")
      let found = try store.identifiers(
        withPrefix: last.persistentIdentifier.description,
        entityName: entity,
        limit: 9
      )
      #expect(found.contains(last.persistentIdentifier), "\(entity)")
    }
    for entity in ["shown", "hidden"] {
      #expect(try store.schema.entity(named: entity).fields.allSatisfy(\.isReadOnly))
      let record = try #require(try store.all(entity).first)
      #expect(throws: PersistenceError.self) {
        try store.set(record, [record.layout.names[0]: .text("no")])
      }
    }
  }

  @Test func aRowWithoutAKeyIsComparedAsAWhole() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "people.db",
      "CREATE TABLE person (name TEXT, town TEXT)",
      "INSERT INTO person VALUES ('Ann', 'Rome'), ('Bo', 'Rome'), ('Cy', 'Rome')"
    )
    let store = try SQLiteStore(at: path)
    let bo = try store.all("person")[1]
    let other = try otherProgram(path)
    try other.run("DELETE FROM person WHERE name = 'Ann'")
    try other.run("VACUUM")
    #expect(throws: PersistenceError.self) { try store.set(bo, ["town": .text("Oslo")]) }
    #expect(try other.rows("SELECT town FROM person").allSatisfy { $0 == [.text("Rome")] })
  }

  @Test func aTriggerThatSwallowsAWriteUndoesTheSave() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "trigger.db",
      "CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT, log TEXT)",
      "CREATE TABLE b (id INTEGER PRIMARY KEY, v TEXT)",
      "CREATE TRIGGER t BEFORE UPDATE ON b BEGIN SELECT RAISE(IGNORE); END",
      "CREATE TRIGGER u AFTER UPDATE OF v ON a BEGIN UPDATE a SET log = 'was ' || old.v WHERE id = new.id; END",
      "INSERT INTO a VALUES (1, 'x', NULL)",
      "INSERT INTO b VALUES (1, 'x')"
    )
    let store = try SQLiteStore(at: path)
    let (a, b) = (try store.all("a")[0], try store.all("b")[0])
    var changed = [a, b]
    for place in changed.indices { changed[place].orderedValues[1] = .text("y") }
    let updates = zip([a, b], changed).map { RecordUpdate(before: $0, after: $1) }
    let error = #expect(throws: PersistenceError.self) {
      try store.commit(ChangeSet(updated: updates), author: nil)
    }
    #expect(error?.code == .storeViolation)
    #expect(try store.all("a")[0]["v"] == .text("x"))
    let result = try store.commit(ChangeSet(updated: [updates[0]]), author: nil)
    #expect(result.reregistered.first?["log"] == .text("was x"))
  }

  /// SQLite accepts these by default, so programs rely on them.
  @Test func triggersAndViewsRunAsInSQLite() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("triggers.db")
    let other = try SQLiteConnection(path, isReadOnly: false, canCreate: true)
    other.knownSchemaVersion = try other.number("PRAGMA schema_version")
    for statement in [
      "CREATE TABLE d (id INTEGER PRIMARY KEY, title TEXT)",
      "CREATE VIRTUAL TABLE f USING fts5(title, content='d', content_rowid='id')",
      """
      CREATE TRIGGER au AFTER UPDATE ON d BEGIN INSERT INTO f(f, rowid, title) \
      VALUES ('delete', old.id, old.title); INSERT INTO f(rowid, title) VALUES (new.id, new.title); END
      """,
      "CREATE TRIGGER ai AFTER INSERT ON d BEGIN INSERT INTO f(rowid, title) VALUES (new.id, new.title); END",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)",
      "CREATE TABLE log (x TEXT)",
      "CREATE TRIGGER tr AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (\"changed\"); END",
      "INSERT INTO t VALUES (1, 'a')",
    ] {
      try other.run(SQLText(statement))
      other.knownSchemaVersion = try other.number("PRAGMA schema_version")
    }
    try other.run("INSERT INTO d VALUES (1, 'hello')")
    let store = try SQLiteStore(at: path)
    try store.set(try store.all("d")[0], ["title": .text("bye")])
    try store.set(try store.all("t")[0], ["v": .text("b")])
    #expect(try other.value("SELECT x FROM log") == .text("changed"))
    #expect(try other.value("SELECT count(*) FROM f WHERE f MATCH 'bye'") == .integer(1))
  }

  @Test func aTableWithAnUnknownCollationDoesNotHideTheOthers() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "collation.db",
      "CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT)",
      "CREATE TABLE b (id TEXT COLLATE catalog_bytes NOT NULL PRIMARY KEY, v TEXT)",
      "INSERT INTO a VALUES (1, 'x')",
      "INSERT INTO b VALUES ('p', 'x')"
    )
    var content = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(content.range(of: Data("catalog_bytes".utf8)))
    content.replaceSubrange(place, with: Data("unknown_bytes".utf8))
    try content.write(to: URL(fileURLWithPath: path))
    let store = try SQLiteStore(at: path)
    #expect(try store.identifiers(withPrefix: "1", entityName: nil, limit: 5).count == 1)
    try store.set(try store.all("a")[0], ["v": .text("y")])
    #expect(throws: PersistenceError.self) {
      try store.identifiers(withPrefix: "p", entityName: "b", limit: 5)
    }
  }

  @Test func hostileNamesAndManyColumnsWork() throws {
    let folder = try TestFolder()
    let names = [
      "\"; DROP TABLE x", "a\nb", "", "😀", "rowid", "select", "catalog_n", "n", "t", "l",
    ]
    let list = names.map { $0.quotedName + " TEXT" }.joined(separator: ", ")
    let many = (0..<1990).map { "c\($0) INTEGER" }.joined(separator: ", ")
    let path = try folder.database(
      "names.db",
      "CREATE TABLE \("a \"b\" 'c'".quotedName) (k INTEGER PRIMARY KEY, \(list))",
      "CREATE TABLE many (k INTEGER PRIMARY KEY, \(many))",
      "INSERT INTO many (k, c1989) VALUES (1, 9007199254740993)",
      "INSERT INTO \("a \"b\" 'c'".quotedName) (k) VALUES (1)"
    )
    let store = try SQLiteStore(at: path)
    let entity = try #require(store.schema.entities.first { $0.name.hasPrefix("a ") })
    for field in entity.fields.dropFirst() {
      let record = try store.all(entity.name)[0]
      try store.set(record, [field.name: .text("v")])
    }
    #expect(try store.all(entity.name)[0].orderedValues.dropFirst().allSatisfy { $0 == .text("v") })
    let listing = try store.listing(
      matching: Query(entity.name, sort: [SortKey("catalog_n"), SortKey("n", isDescending: true)])
    )
    #expect(
      try listing.position(
        matching: .text("t", TextMatch(.contains, "v")),
        from: 0,
        isForward: true
      ) == 0
    )
    #expect(try store.all("many")[0]["c1989"] == .integer(9_007_199_254_740_993))
  }

  /// SQLite ignores the case of ASCII letters only, and compares names by their bytes.
  @Test func namesThatDifferInOtherWaysThanSQLiteIgnoresAreDifferentTables() throws {
    let folder = try TestFolder()
    let names = ["Ä", "ä", "\u{E9}", "e\u{301}"]
    let columns = names.map { "\($0.quotedName) TEXT" }.joined(separator: ", ")
    let path = try folder.database(
      "names.db",
      "CREATE TABLE columns (id INTEGER PRIMARY KEY, \(columns))"
    )
    let other = try otherProgram(path)
    for name in names {
      try other.run(SQLText("CREATE TABLE \(name.quotedName) (id INTEGER PRIMARY KEY, v TEXT)"))
      try other.run("INSERT INTO \(name.quotedName) VALUES (1, \(.text("in " + name)))")
    }
    try other.run("INSERT INTO columns VALUES (1, 'a', 'b', 'c', 'd')")
    let store = try SQLiteStore(at: path)
    #expect(Set(store.schema.entities.map(\.name)).count == 5)
    var found: Set<String> = []
    for entity in store.schema.entities where entity.name != "columns" {
      let record = try store.all(entity.name)[0]
      found.insert(record["v"]?.text ?? "")
      try store.set(record, ["v": .text("edited \(entity.name)")])
    }
    // Two of the texts are equal in Swift.
    #expect(found.count == 3)
    for name in names {
      let value = try other.value(SQLText("SELECT v FROM \(name.quotedName)"))
      #expect(value?.literal.hasPrefix("'edited \(name)") == true)
    }
    let record = try store.all("columns")[0]
    for (place, field) in try store.schema.entity(named: "columns").fields.enumerated().dropFirst()
    {
      try store.set(try store.all("columns")[0], [field.name: .text("\(place)")])
    }
    #expect(record.orderedValues.dropFirst() == [.text("a"), .text("b"), .text("c"), .text("d")])
    #expect(
      try other.rows("SELECT * FROM columns") == [
        [.integer(1), .text("1"), .text("2"), .text("3"), .text("4")]
      ]
    )
  }

  @Test func aValueOfAnotherTypeTurnsTheColumnIntoText() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "mixed.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 900) \
      INSERT INTO t SELECT i, i FROM c
      """,
      "UPDATE t SET n = 'many' WHERE id = 450"
    )
    let store = try SQLiteStore(at: path)
    #expect(try store.schema.entity(named: "t").attribute(named: "n").type == .integer)
    #expect(try store.all("t")[449]["n"] == .text("many"))
    #expect(try store.schema.entity(named: "t").attribute(named: "n").type == .text)
    try store.set(try store.all("t")[0], ["n": .text("77")])
    #expect(
      try otherProgram(path).value("SELECT typeof(n) FROM t WHERE id = 1") == .text("integer")
    )
  }

  @Test(arguments: ["decimal(30,2)", "numeric", "integer", "json"])
  func aNumberThatAColumnOfSeveralTypesWouldChangeIsRejected(type: String) throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "several.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v \(type))",
      "INSERT INTO t VALUES (1, 'n/a'), (2, 1.5)"
    )
    let store = try SQLiteStore(at: path)
    for text in ["12345678901234567890.12", "02139", "1e400"] {
      let error = #expect(throws: PersistenceError.self) {
        try store.set(try store.all("t")[1], ["v": .text(text)])
      }
      #expect(error?.code == .invalidValue)
    }
    try store.set(try store.all("t")[1], ["v": .text("2.5")])
    #expect(try otherProgram(path).rows("SELECT v FROM t") == [[.text("n/a")], [.real(2.5)]])
  }

  @Test func aStrictColumnOfAnyTypeTellsTextFromNumbers() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "any.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a ANY) STRICT",
      "INSERT INTO t VALUES (1, '1'), (2, 1), (3, 2.5)"
    )
    let store = try SQLiteStore(at: path)
    #expect(try store.all("t").map { $0["a"] } == [.text("'1'"), .text("1"), .text("2.5")])
    try store.set(try store.all("t")[1], ["a": .text("5")])
    try store.set(try store.all("t")[0], ["a": .text("'02'")])
    #expect(
      try otherProgram(path).rows("SELECT a FROM t") == [
        [.text("02")], [.integer(5)], [.real(2.5)],
      ]
    )
  }

  @Test func savesOfOtherProgramsAreSeenAndConflictsFound() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "live.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT)",
      "INSERT INTO t VALUES (1, 'a', 'b')"
    )
    let store = try SQLiteStore(at: path)
    let record = try store.all("t")[0]
    let seen = Counter()
    let subscription = store.changeFeed.observe { _ in seen.add() }
    defer { subscription.cancel() }
    store.startWatching()
    try otherProgram(path).run("UPDATE t SET a = 'theirs'")
    let start = ContinuousClock.now
    while seen.count == 0, ContinuousClock.now - start < .seconds(10) { usleep(1000) }
    #expect(seen.count > 0)
    try store.set(record, ["b": .text("mine")])
    let error = #expect(throws: PersistenceError.self) {
      try store.set(record, ["a": .text("mine")])
    }
    #expect(error?.code == .conflict)
    #expect(try store.all("t")[0]["a"] == .text("theirs"))
    #expect(try store.all("t")[0]["b"] == .text("mine"))
    store.close()
  }

  @Test(arguments: [
    (Int32(776), PersistenceError.Code.readOnly, "without --read-only"),
    (1544, .inaccessible, "folder cannot be written"),
    (8, .readOnly, "the database is read-only"),
  ]) func aDatabaseThatCannotBeWrittenSaysWhy(
    code: Int32,
    expected: PersistenceError.Code,
    text: String
  ) {
    let error = SQLiteFailure(code: code, description: "attempt to write").error("x.db")
    #expect(error.code == expected)
    #expect(error.message.contains(text))
  }

  @Test(arguments: [true, false]) func aFileThatWasReplacedOrRemovedIsReported(isReplaced: Bool)
    throws
  {
    let folder = try TestFolder()
    let path = try folder.database("old.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    let store = try SQLiteStore(at: path)
    let failures = Mutex<[String]>([])
    let subscription = store.changeFeed.observe { change in
      failures.withLock { $0 += change.failure.map { [$0] } ?? [] }
    }
    defer { subscription.cancel() }
    store.refreshOrSendFailure()
    try FileManager.default.removeItem(atPath: path)
    if isReplaced {
      let other = try folder.database("new.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (2)")
      try FileManager.default.moveItem(atPath: other, toPath: path)
    }
    store.refreshOrSendFailure()
    #expect(failures.withLock { $0.first?.contains("replaced or removed") } == true)
    #expect(throws: PersistenceError.self) {
      try store.set(try store.all("t")[0], ["a": .integer(3)])
    }
  }

  @Test func wrongFilesAreRefusedInOneLine() throws {
    let folder = try TestFolder()
    let text = try folder.newPath("text.db")
    try Data("not a database, but long enough".utf8).write(to: URL(fileURLWithPath: text))
    let busy = try folder.database("busy.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    let newer = try folder.database(
      "newer.db",
      "PRAGMA application_id = \(OwnTables.applicationID)",
      "PRAGMA user_version = 99",
      "CREATE TABLE t (a)"
    )
    for (path, code) in [
      (text, PersistenceError.Code.notAStore), (folder.path, .notAStore), (newer, .notAStore),
    ] {
      let error = #expect(throws: PersistenceError.self) { try SQLiteStore(at: path) }
      #expect(error?.code == code)
      #expect(error?.message.contains("\n") == false)
    }
    let store = try SQLiteStore(at: busy)
    let record = try store.all("t")[0]
    let other = try otherProgram(busy)
    try other.run("BEGIN IMMEDIATE")
    let error = #expect(throws: PersistenceError.self) { try store.set(record, ["a": .integer(2)]) }
    #expect(error?.code == .busy)
    try other.run("ROLLBACK")
    try store.set(record, ["a": .integer(2)])
    try FileManager.default.removeItem(atPath: busy)
    let gone = #expect(throws: PersistenceError.self) {
      try store.set(try store.all("t")[0], ["a": .integer(3)])
    }
    #expect(gone?.code == .conflict)
    let schemaError = #expect(throws: PersistenceError.self) {
      try store.apply(.dropAttribute(entity: "t", name: "a"), author: nil)
    }
    #expect(schemaError != nil)
  }
}

/// A number that several threads change.
private final class Counter: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}
