import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Tables with a primary key of several columns, of which rows may lack a part.
@Suite struct IncompleteKeyTests {
  /// The identifiers of all records would change once such a row was read.
  @Test(arguments: [("a", true), ("b", true), ("v", false)])
  func rowsWithoutAPartAreFoundAtTheOpening(_ column: String, _ lacksKey: Bool) throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "keys.db",
      "CREATE TABLE t (a TEXT, c INT NOT NULL, b TEXT, v INT, PRIMARY KEY (a, c, b))",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) \
      INSERT INTO t SELECT 'a' || i, i, 'b', i FROM n
      """,
      "UPDATE t SET \(column) = NULL WHERE c = 300"
    )
    let store = try SQLiteStore(at: path)
    #expect(store.identifiesByPlace("t") == lacksKey)
    let schema = store.schema
    let first = try #require(try store.snapshots(matching: Query("t", limit: 1)).first)
    #expect(first.persistentIdentifier.description == (lacksKey ? "1" : "a1/1/b"))
    #expect(try store.all("t").count == 600)
    #expect(store.schema === schema)
  }
}
