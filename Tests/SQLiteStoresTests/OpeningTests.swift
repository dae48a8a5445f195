import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Openings that fail, and databases of our own whose tables another program changes.
@Suite struct OpeningTests {
  private let folder: TestFolder
  private static let schema = Schema([
    Schema.Entity("Film", attributes: [Schema.Attribute("title", .text)])
  ])

  init() throws { folder = try TestFolder() }

  private func own() throws -> String {
    let path = try folder.newPath("own.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try store.insert("Film", ["title": .text("Up")])
    store.close()
    return path
  }

  private func files(besides path: String) throws -> [String] {
    let url = URL(fileURLWithPath: path)
    return try FileManager.default.contentsOfDirectory(
      atPath: url.deletingLastPathComponent().path
    ).filter { $0 != url.lastPathComponent }
  }

  @Test(
    arguments: [
      "DELETE FROM catalog_schema", "DELETE FROM catalog_meta", "DROP TABLE catalog_meta",
      "DROP TABLE Film", "PRAGMA user_version = 99",
    ],
    [true, false]
  )
  func anOpeningThatFailsLeavesNoFile(statement: String, isReadOnly: Bool) throws {
    let path = try own()
    var other: SQLiteConnection? = try otherProgram(path)
    try other?.run(SQLText(statement))
    other = nil
    #expect(try files(besides: path).isEmpty)
    let error = #expect(throws: PersistenceError.self) {
      try SQLiteStore(at: path, isReadOnly: isReadOnly)
    }
    #expect(try files(besides: path).isEmpty)
    #expect(error?.message.contains("no such") == false, "\(error?.message ?? "")")
  }

  @Test func theFirstSaveIsFollowedByTheSwitchToALog() throws {
    let path = try own()
    #expect(try otherProgram(path).value("PRAGMA journal_mode") == .text("wal"))
    #expect(try SQLiteStore(at: path).transactions(after: nil, touching: nil).count == 1)
  }

  @Test(arguments: [true, false]) func aLinkIsFollowed(exists: Bool) throws {
    let path = exists ? try own() : try folder.newPath("own.db")
    let link = try folder.newPath("link.db")
    let relative =
      "../" + URL(fileURLWithPath: path).pathComponents.suffix(2).joined(separator: "/")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: relative)
    let store = try SQLiteStore(at: link, schema: Self.schema)
    try store.insert("Film", ["title": .text("Heat")])
    #expect(try files(besides: link).isEmpty)
    store.close()
    #expect(try SQLiteStore(at: path).all("Film").count == (exists ? 2 : 1))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == relative)
  }

  @Test func aForeignKeyToAMissingTableIsNamed() throws {
    let path = try folder.database(
      "missing.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, p INTEGER REFERENCES gone)"
    )
    let store = try SQLiteStore(at: path)
    let error = #expect(throws: PersistenceError.self) { try store.insert("t", ["p": .integer(1)]) }
    #expect(
      error?.message.hasSuffix(
        "table \"gone\" is missing, to which a foreign key refers; nothing was saved"
      ) == true,
      "\(error?.message ?? "")"
    )
  }

  /// A file that a program was creating, with some pages written, of which the first one may be lost, and the journal
  /// beside it.
  private func interruptedCreation(losesStart: Bool = true) throws -> String {
    let path = try folder.newPath("new.db")
    let writer = try SQLiteConnection(path, isReadOnly: false, canCreate: true)
    try writer.run("PRAGMA cache_size = 1")
    try writer.run("BEGIN")
    try writer.run("CREATE TABLE t (a)")
    for _ in 0..<200 { try writer.run("INSERT INTO t VALUES (zeroblob(2000))") }
    let copy = try folder.newPath("copy.db")
    for ending in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
    }
    guard losesStart else { return copy }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: copy))
    try file.write(contentsOf: Data(count: 4096))
    try file.close()
    return copy
  }

  @Test(arguments: [true, false]) func anInterruptedCreationIsReversed(losesStart: Bool) throws {
    try beginsEmpty(try interruptedCreation(losesStart: losesStart))
  }

  @Test(arguments: ["journal_mode = WAL", "application_id = 0"])
  func aDatabaseWithoutTablesIsANewOne(pragma: String) throws {
    let path = try folder.newPath("blank.db")
    let writer = try SQLiteConnection(path, isReadOnly: false, canCreate: true)
    try writer.run(SQLText("PRAGMA \(pragma)"))
    try writer.run("VACUUM")
    try beginsEmpty(path)
  }

  /// Another program's tables, and its marks.
  @Test(arguments: ["CREATE VIEW v AS SELECT 1 AS a", "PRAGMA user_version = 3"])
  func aDatabaseOfAnotherProgramIsNoNewOne(statement: String) throws {
    let path = try folder.database("other.db", statement)
    #expect(try SQLiteStore(at: path, schema: Self.schema).schema.entitiesByName["Film"] == nil)
  }

  @Test func tablesThatAnotherProgramCreatesMeanwhileStay() throws {
    let path = try folder.newPath("blank.db")
    let other = try SQLiteConnection(path, isReadOnly: false, canCreate: true)
    try other.run("VACUUM")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try other.run("CREATE TABLE t (a)")
    let error = #expect(throws: PersistenceError.self) {
      try store.insert("Film", ["title": .text("Up")])
    }
    let message = error?.message ?? ""
    #expect(message.contains("created by another program"), "\(message)")
    #expect(try other.number("SELECT count(*) FROM sqlite_schema") == 1)
  }

  private func beginsEmpty(_ path: String) throws {
    let store = try SQLiteStore(at: path, schema: Self.schema)
    #expect(try store.all("Film").isEmpty)
    try store.insert("Film", ["title": .text("Up")])
    #expect(try store.all("Film").count == 1)
    store.close()
    #expect(try SQLiteStore(at: path).all("Film").count == 1)
  }

  @Test(arguments: [true, false])
  func aFileThatIsNoDatabaseStaysAsItIs(isReadOnly: Bool) throws {
    let path = isReadOnly ? try interruptedCreation() : try folder.newPath("text.db")
    if !isReadOnly {
      try "no database".write(toFile: path, atomically: false, encoding: .utf8)
      try "no journal".write(toFile: path + "-journal", atomically: false, encoding: .utf8)
    }
    let contents = try ["", "-journal"].map { ending in
      try Data(contentsOf: URL(fileURLWithPath: path + ending))
    }
    let error = #expect(throws: PersistenceError.self) {
      try SQLiteStore(at: path, isReadOnly: isReadOnly)
    }
    #expect(error?.code == .notAStore)
    for (ending, content) in zip(["", "-journal"], contents) {
      #expect(try Data(contentsOf: URL(fileURLWithPath: path + ending)) == content)
    }
  }

  @Test func aChangeOfTheTablesIsNamedInPlainWords() throws {
    let path = try own()
    let store = try SQLiteStore(at: path)
    let film = try store.all("Film")[0]
    let other = try otherProgram(path)
    try other.run("ALTER TABLE Film RENAME COLUMN title TO name")
    let reading = #expect(throws: PersistenceError.self) { try store.all("Film") }
    #expect(reading?.code == .storeViolation)
    #expect(
      reading?.message
        == "\(path): column \"title\" is missing: another program changed the tables; restore them, "
        + "or a copy of the file"
    )
    let saving = #expect(throws: PersistenceError.self) {
      try store.set(film, ["title": .text("x")])
    }
    #expect(saving?.message.contains("nothing was saved") == true)
    try other.run("ALTER TABLE Film RENAME COLUMN name TO title")
    try store.set(film, ["title": .text("x")])
    #expect(try store.all("Film")[0]["title"] == .text("x"))
  }

  @Test func aFormatThatBecomesNewerIsNotWritten() throws {
    let path = try own()
    let store = try SQLiteStore(at: path)
    let film = try store.all("Film")[0]
    try otherProgram(path).run("PRAGMA user_version = 99")
    let error = #expect(throws: PersistenceError.self) {
      try store.set(film, ["title": .text("x")])
    }
    #expect(error?.code == .notAStore)
    #expect(try otherProgram(path).value("SELECT title FROM Film") == .text("Up"))
  }

  @Test func aTriggerThatUsesAMissingTableIsNamed() throws {
    let path = try folder.database(
      "other.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "INSERT INTO t VALUES (1, 'x')",
      "CREATE TRIGGER c BEFORE UPDATE ON t BEGIN INSERT INTO gone VALUES (1); END"
    )
    let store = try SQLiteStore(at: path)
    let record = try store.all("t")[0]
    let error = #expect(throws: PersistenceError.self) {
      try store.set(record, ["a": .text("y")])
    }
    #expect(
      error?.message
        == "\(path): table \"gone\" is missing, which a trigger or a view of the database "
        + "uses; nothing was saved"
    )
  }
}
