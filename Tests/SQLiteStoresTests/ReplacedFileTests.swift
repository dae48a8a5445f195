import Foundation
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// Another file takes the place of an open database: nothing of the new one is touched.
@Suite struct ReplacedFileTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private static let rows: SQLText = """
    INSERT INTO t WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000) \
    SELECT i, hex(zeroblob(200)) FROM c
    """

  private func open() throws -> (SQLiteStore, path: String) {
    let path = try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "INSERT INTO t VALUES (1, 'a')"
    )
    return (try SQLiteStore(at: path), path)
  }

  private func expectReplaced(_ store: SQLiteStore, _ record: DefaultSnapshot) {
    let uses: [(SQLiteStore) throws -> Void] = [
      { _ = try $0.all("t") }, { try $0.refresh() }, { _ = try $0.check() },
      { _ = try $0.listing(matching: Query("t")) }, { _ = try $0.set(record, ["a": .text("b")]) },
    ]
    for use in uses {
      let error = #expect(throws: PersistenceError.self) { try use(store) }
      #expect(error?.code == .conflict)
      #expect(error?.message.contains("replaced or removed") == true)
    }
  }

  /// SQLite finds a journal by its name, and takes that of a save in progress for that of an interrupted one.
  @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST"])
  func theJournalOfTheNewFileStays(mode: String) throws {
    let (store, path) = try open()
    let record = try store.all("t")[0]
    let new = try folder.database("new.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    try otherProgram(new).run(Self.rows)
    #expect(rename(new, path) == 0)
    let writer = try otherProgram(path)
    _ = try writer.value(SQLText("PRAGMA journal_mode = \(mode)"))
    try writer.run("PRAGMA cache_size = 1")
    try writer.run("BEGIN")
    try writer.run("UPDATE t SET a = a || '!'")
    let journal = path + "-journal"
    let size = try #require(FileManager.default.contents(atPath: journal)).count
    #expect(size > 4096)
    expectReplaced(store, record)
    store.close()
    #expect(FileManager.default.contents(atPath: journal)?.count ?? 0 >= size)
    try writer.run("ROLLBACK")
    #expect(try writer.number("SELECT count(*) FROM t WHERE a LIKE '%!'") == 0)
  }

  @Test func theLogOfTheNewFileStays() throws {
    let (former, path) = try open()
    former.close()
    _ = try otherProgram(path).value("PRAGMA journal_mode = WAL")
    let store = try SQLiteStore(at: path)
    let record = try store.all("t")[0]
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + ending)
    }
    let writer = try SQLiteConnection(path, isReadOnly: false, canCreate: true)
    _ = try writer.value("PRAGMA journal_mode = WAL")
    try writer.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    try writer.run(Self.rows)
    expectReplaced(store, record)
    store.close()
    #expect(FileManager.default.contents(atPath: path + "-wal")?.isEmpty == false)
    #expect(try otherProgram(path).number("SELECT count(*) FROM t") == 3000)
  }

  /// A store of our own with a file or without one yet, and another database to put in its place.
  private func makeOwn(isWritten: Bool) throws -> (SQLiteStore, new: String) {
    let schema = Schema(Schema.Entity("t", attributes: [.init("a", .text)]))
    let store = try SQLiteStore(at: try folder.newPath("own.db"), schema: schema)
    if isWritten { try store.insert("t", ["a": .text("x")]) }
    let new = try folder.database(
      "new.db",
      "CREATE TABLE other (id INTEGER PRIMARY KEY, b TEXT)",
      "INSERT INTO other VALUES (7, 'theirs')"
    )
    return (store, new)
  }

  private func expectTheirs(_ path: String) throws {
    #expect(try otherProgram(path).number("SELECT id FROM other WHERE b = 'theirs'") == 7)
  }

  @Test(arguments: [true, false]) func aFileThatIsReplacedDuringASaveIsNotSaved(isWritten: Bool)
    throws
  {
    let (store, new) = try makeOwn(isWritten: isWritten)
    let path = store.configuration.path
    let layout = try store.schema.entity(named: "t").layout
    let record = DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: "t")
        .temporaryIdentifier(1, context: 7),
      layout: layout,
      orderedValues: [.text("y")]
    )
    let error = #expect(throws: PersistenceError.self) {
      let changes = ChangeSet(inserted: [record])
      _ = try store.commit(
        CommitRequest(.changes(changes)) { _ in #expect(rename(new, path) == 0) }
      )
    }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains("nothing was saved") == true)
    try expectTheirs(path)
  }

  @Test func aFileThatIsReplacedAtTheEndOfASaveIsReported() throws {
    let (store, new) = try makeOwn(isWritten: true)
    let path = store.configuration.path
    let record = try store.all("t")[0]
    store.session.withLock { session in
      session.connection.commit = { connection in
        try connection.run("COMMIT")
        #expect(rename(new, path) == 0)
      }
    }
    let error = #expect(throws: PersistenceError.self) {
      try store.set(record, ["a": .text("y")])
    }
    #expect(error?.code == .outcomeUnknown)
    try expectTheirs(path)
  }
}
