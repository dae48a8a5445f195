import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Damaged files: what is intact is shown, and nothing is written.
@Suite struct DamageTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A database whose table t has a page of noise in its middle.
  private func damaged() throws -> String {
    let path = try folder.database(
      "damaged.db",
      "CREATE TABLE g (id INTEGER PRIMARY KEY, v TEXT)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)",
      "INSERT INTO g VALUES (1, 'a')",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000) \
      INSERT INTO t SELECT i, printf('%.500c', 'x') FROM c
      """
    )
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    let pages = try #require(try otherProgram(path).value("PRAGMA page_count"))
    guard case .integer(let count) = pages else { return path }
    try file.seek(toOffset: UInt64(count / 2) * 4096)
    try file.write(contentsOf: Data(repeating: 0xA7, count: 4096))
    try file.close()
    return path
  }

  @Test func theDamagedTableIsNamedAndNothingIsWritten() throws {
    let path = try damaged()
    let store = try SQLiteStore(at: path)
    let record = try store.all("g")[0]
    let error = #expect(throws: PersistenceError.self) { try store.all("t") }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("table \"t\" is damaged") == true)
    let content = try Data(contentsOf: URL(fileURLWithPath: path))
    let refusal = #expect(throws: PersistenceError.self) {
      try store.set(record, ["v": .text("b")])
    }
    #expect(refusal?.code == .damaged)
    #expect(refusal?.message.contains("nothing is saved") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
    #expect(try store.all("g").count == 1)
  }

  /// The end of the transaction that reads the tables reports the damage once more.
  @Test(arguments: [true, false]) func otherTablesAreShownAfterDamageAtTheOpening(isReadOnly: Bool)
    throws
  {
    let path = try folder.database(
      "zero.db",
      "CREATE TABLE g (id INTEGER PRIMARY KEY, v TEXT)",
      "INSERT INTO g VALUES (1, 'a')",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)",
      """
      INSERT INTO t WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000) \
      SELECT i, 'value ' || i FROM c
      """
    )
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: 3 * 4096)
    try file.write(contentsOf: Data(count: 4096))
    try file.close()
    let store = try SQLiteStore(at: path, isReadOnly: isReadOnly)
    #expect(try store.all("g").count == 1)
    #expect(store.openingNotes.count == 1)
    #expect(store.openingNotes[0].contains("zero.db: table \"t\" is not shown: "))
    #expect(try !store.check().isEmpty)
  }

  @Test func theCheckReportsInvalidJSONAndTransactionsThatCannotBeRead() throws {
    let path = try folder.newPath("own.db")
    let schema = Schema([Schema.Entity("E", attributes: [Schema.Attribute("j", .json)])])
    let store = try SQLiteStore(at: path, schema: schema)
    for text in ["[1]", "{}"] { try store.insert("E", ["j": .json(text)]) }
    #expect(try store.check().isEmpty)
    let other = try otherProgram(path)
    try other.run("UPDATE E SET j = 'not JSON' WHERE j = '{}'")
    try other.run("UPDATE catalog_history SET changes = x'FFFF' WHERE token = 1")
    let lines = try store.check()
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.contains { $0.contains("j: \"not JSON\" is not a valid json") }, "\(lines)")
    #expect(lines.contains { $0.contains("transaction 1 cannot be read: ") }, "\(lines)")
    #expect(try store.check(isThorough: true) == lines)
  }

  @Test func theCheckReportsWhatTheDatabaseSays() throws {
    let store = try SQLiteStore(at: try damaged())
    let lines = try store.check()
    #expect(lines.contains { $0.contains("malformed") || $0.contains("Page") })
    #expect(lines.allSatisfy { !$0.contains("run \"check\"") })
  }
}
