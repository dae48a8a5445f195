import OpenSwiftData
import SQL
import Stores
import Testing

@testable import CatalogApp
@testable import CatalogProgram
@testable import SQLiteStores

/// Commands with a predicate on a database to which another program saves between finding and reading records.
@Suite struct OvertakenDatabaseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func session(_ path: String) throws -> Session {
    let services = CatalogServices(
      fileSystem: LocalFileSystem(),
      author: nil,
      output: StandardOutput(1),
      owner: 0,
      recoveryFolder: folder.file("recovery"),
      kinds: StoreKind.standard
    )
    return try services.session(on: path)
  }

  /// A database does not report what others have saved at the moment of each query.
  @Test func recordsThatMatchNoLongerAreFound() throws {
    let other = try folder.database(
      "items.db",
      "CREATE TABLE items (id INTEGER PRIMARY KEY, n INTEGER)",
      "INSERT INTO items VALUES (1, 1), (2, 2)"
    )
    let session = try session(folder.file("items.db"))
    let line = "set items where n = 1 n=5"
    let set = try #require(try session.instruction(from: line) as? SetValues)
    var check = try MatchCheck(set.target, session)
    let found = try session.identifiers(of: set.target)
    #expect(found.count == 1)
    try other.run(SQLText("UPDATE items SET n = 7 WHERE id = 1"))
    let states = try session.context.states(for: found)
    #expect(throws: OvertakenMatches.self) { try check.check(states) }
    _ = try session.perform(line)
    #expect(!session.context.hasChanges)
  }

  /// Neither are those that no longer match together with the row of a file.
  @Test func recordsThatNoLongerMatchWithTheirRowsAreFound() throws {
    let other = try folder.database(
      "items.db",
      "CREATE TABLE items (id INTEGER PRIMARY KEY, n INTEGER)",
      "INSERT INTO items VALUES (1, 1), (2, 2)"
    )
    try folder.write("n,v\n1,5\n7,0\n", to: "f.csv")
    let session = try session(folder.file("items.db"))
    let line = "set items where f.v > n join '\(folder.file("f.csv"))' as f by n n:=f.v"
    let set = try #require(try session.instruction(from: line) as? SetValues)
    var check = try MatchCheck(set.selection, set.failing, session)
    let found = try set.selection.records(failing: set.failing, in: session).found
    #expect(found.count == 1)
    try other.run(SQLText("UPDATE items SET n = 7 WHERE id = 1"))
    let states = try session.context.states(for: found)
    #expect(throws: OvertakenMatches.self) { try check.check(states) }
    _ = try session.perform(line)
    #expect(!session.context.hasChanges)
  }
}
