import SQL
import Testing

@testable import SQLiteStores

/// A table that another program drops while the screen shows it.
@Suite struct DroppedTableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let creation: [SQLText] = [
    "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT)", "INSERT INTO a VALUES (1, 'first')",
  ]

  @Test func unsavedChangesOfItAreKept() throws {
    let other = try folder.database("x.db", "CREATE TABLE b (id INTEGER PRIMARY KEY, y TEXT)")
    for statement in Self.creation { try other.run(statement) }
    let run = try ScreenRun([folder.file("x.db")])
    #expect(run.shows("first"))
    run.type(":set x=mine\r")
    #expect(run.shows("set x of 1"))
    try other.run("DROP TABLE a")
    // The other table is shown.
    #expect(run.shows("conflict"))
    run.type(":save\r")
    #expect(run.shows("removed"))
    let kept = try #require(try folder.names().first { $0.contains("catalog-recovery") })
    #expect(try folder.read(kept).contains("mine"))
    run.type("q:quit!\r")
    #expect(run.wait() == .exited(0))
    #expect(try other.rows("SELECT name FROM sqlite_schema") == [[.text("b")]])
  }
}
