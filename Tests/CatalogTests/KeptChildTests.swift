import OpenSwiftData
import SQL
import Stores
import Testing

@testable import CatalogApp
@testable import CatalogProgram
@testable import SQLiteStores

/// A record that another program has changed while the record that it belongs to was deleted here, in a database that
/// would delete both.
@Suite struct KeptChildTests {
  private let folder: TemporaryFolder
  private let other: SQLiteConnection

  init() throws {
    folder = try TemporaryFolder()
    other = try folder.database(
      "t.db",
      "CREATE TABLE P (id INTEGER PRIMARY KEY, name TEXT)",
      """
      CREATE TABLE C (id INTEGER PRIMARY KEY, p INTEGER REFERENCES P ON DELETE CASCADE, name TEXT)
      """,
      "CREATE TABLE G (id INTEGER PRIMARY KEY, c INTEGER REFERENCES C ON DELETE CASCADE, name TEXT)",
      "INSERT INTO P VALUES (1, 'p1'), (2, 'p2')",
      "INSERT INTO C VALUES (1, 1, 'c1'), (2, 1, 'c2')",
      "INSERT INTO G VALUES (1, 2, 'g1')"
    )
  }

  private func session() throws -> Session {
    let services = CatalogServices(
      fileSystem: LocalFileSystem(),
      author: nil,
      output: StandardOutput(1),
      owner: 0,
      recoveryFolder: folder.file("recovery"),
      kinds: StoreKind.standard
    )
    return try services.session(on: folder.file("t.db"))
  }

  private func count(_ table: String) throws -> Int64 {
    try other.number(SQLText("SELECT count(*) FROM \(table)"))
  }

  @Test(arguments: [
    ("C", "resolve all theirs", "UPDATE C SET name = 'other' WHERE id = 1"),
    ("C", "", "INSERT INTO C VALUES (3, 1, 'new')"),
    ("G", "", "INSERT INTO G VALUES (2, 1, 'new')"),
  ])
  func aSaveThatWouldDeleteItIsRefused(table: String, resolve: String, change: String) throws {
    let session = try session()
    _ = try session.perform("delete P where id = 1")
    try other.run(SQLText(change))
    let before = try (count("P"), count("C"), count("G"))
    _ = try session.perform("conflicts")
    if !resolve.isEmpty { _ = try session.perform(resolve) }
    let error = #expect(throws: (any Error).self) { _ = try session.perform("save") }
    #expect("\(error.map { "\($0)" } ?? "")".contains("another program has saved \(table) "))
    #expect(try (count("P"), count("C"), count("G")) == before)
  }

  @Test func aDeletionWithoutSuchAChangeIsSaved() throws {
    let session = try session()
    _ = try session.perform("delete P where id = 1")
    try other.run("UPDATE P SET name = 'other' WHERE id = 2")
    _ = try session.perform("save")
    #expect(try (count("P"), count("C"), count("G")) == (1, 0, 0))
  }

  /// A record that moves to another parent stays.
  @Test func aRecordThatMovesAwayStays() throws {
    let session = try session()
    _ = try session.perform("set C where id = 1 p=P/2")
    _ = try session.perform("delete P where id = 1")
    try other.run("UPDATE P SET name = 'other' WHERE id = 2")
    _ = try session.perform("save")
    #expect(try (count("P"), count("C"), count("G")) == (1, 1, 0))
  }
}
