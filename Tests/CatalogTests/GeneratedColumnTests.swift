import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Columns whose values the database computes.
@Suite struct GeneratedColumnTests {
  private let folder: TemporaryFolder
  private let other: SQLiteConnection

  init() throws {
    folder = try TemporaryFolder()
    other = try folder.database(
      "g.db",
      """
      CREATE TABLE g (id INTEGER PRIMARY KEY, u INT, gv INT GENERATED ALWAYS AS (u * 2), \
      gs INT GENERATED ALWAYS AS (u + 1) STORED UNIQUE)
      """,
      "INSERT INTO g (u) VALUES (1), (2), (3)"
    )
  }

  private func run(_ lines: String...) throws -> (status: Int32, output: String, errors: String) {
    let run = try folder.run(["g.db"] + lines.flatMap { ["-e", $0] })
    return (run.status, run.output, run.errors)
  }

  private func rows() throws -> [[SQLValue]] {
    try other.rows("SELECT id, u, gv, gs FROM g ORDER BY id")
  }

  /// The new record gets the number of the deleted one, so that both steps together are an update.
  @Test func anUndoWritesNoComputedValue() throws {
    let former = try rows()
    let run = try run(
      "delete 3",
      "save",
      "insert u=9",
      "save",
      "undo",
      "undo",
      "save",
      "list fields u,gv,gs"
    )
    #expect(run.status == 0, "\(run)")
    #expect(!run.output.contains("not undone") && !run.errors.contains("not undone"), "\(run)")
    #expect(try rows() == former)
  }

  @Test func anUndoOfAValueUndoesWhatIsComputedFromIt() throws {
    let former = try rows()
    let run = try run("set 1 u=5", "save", "set 2 u=7", "save", "undo", "undo", "save")
    #expect(run.status == 0, "\(run)")
    #expect(!(run.output + run.errors).contains("trigger"), "\(run)")
    #expect(try rows() == former)
  }
}
