import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Values of other types outside of the rows that are read at opening, before all records are read in parts.
@Suite struct SettledTypesTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A table of which only the row in the middle has a value of another type.
  private func database(_ type: String, _ odd: String, _ normal: String, count: Int = 1200) throws
    -> String
  {
    try folder.database(
      "loose.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v \(type))",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < \(count)) \
      INSERT INTO t SELECT i, CASE i WHEN \(count / 2) THEN \(odd) ELSE \(normal) END FROM c
      """
    )
  }

  private func type(_ store: SQLiteStore) throws -> AttributeType {
    try store.schema.entity(named: "t").attribute(named: "v").type
  }

  @Test(arguments: [
    ("INTEGER", "'abc'", "i", AttributeType.integer), ("BOOLEAN", "2", "1", .boolean),
    ("REAL", "x'00'", "i + 0.5", .number), ("DATE", "'soon'", "'2020-01-01'", .date),
    ("DATETIME", "5", "'2020-01-01 10:00:00'", .datetime), ("TEXT", "x'42'", "'a'", .text),
    ("TEXT", "CAST(x'ff' AS TEXT)", "'a'", .text), ("BLOB", "'text'", "x'01'", .text),
    ("NUMERIC", "9007199254740993", "i + 0.5", .number),
    ("INTEGER REFERENCES t", "'abc'", "1", .link("t")),
  ])
  func eachValueIsOfTheTypeOfItsField(
    _ declared: String,
    _ odd: String,
    _ normal: String,
    _ proposed: AttributeType
  ) throws {
    let store = try SQLiteStore(at: database(declared, odd, normal))
    #expect(try type(store) == proposed)
    let former = store.schema
    try store.settleTypes(for: Query("t"))
    #expect(store.schema != former || proposed == .text)
    let settled = store.schema
    var count = 0
    try store.forEachSnapshot(matching: Query("t")) { snapshot in
      count += 1
      #expect(store.schema === settled)
      if case .text = snapshot["v"] { return }
      Issue.record("\(snapshot)")
    }
    #expect(count == 1200)
    #expect(try !store.schema.entity(named: "t").attribute(named: "v").isBlob)
  }

  @Test func recordsAreReadWithTheSameType() throws {
    let store = try SQLiteStore(at: database("BLOB", "'text'", "x'01'"))
    var values: Set<Value> = []
    try store.forEachSnapshot(matching: Query("t")) { values.insert($0["v"] ?? .null) }
    #expect(values == [.text("x'01'"), .text("text")])
  }

  /// A look at the whole table would take long, and tell nothing about the records of the query.
  @Test func onlyTheRecordsOfTheQueryAreLookedAt() throws {
    let store = try SQLiteStore(at: database("INTEGER", "'abc'", "i"))
    try store.settleTypes(for: Query("t", filter: .compare("v", .greater, .integer(100))))
    try store.settleTypes(for: Query("t", attributes: ["id"]))
    #expect(try type(store) == .integer)
    try store.settleTypes(for: Query("t", filter: .compare("id", .greater, .integer(100))))
    #expect(try type(store) == .text)
  }

  @Test func aValueThatIsWrittenMeanwhileEndsTheReading() throws {
    let path = try database("INTEGER", "7", "i")
    let store = try SQLiteStore(at: path)
    var values: [Value] = []
    let error = #expect(throws: PersistenceError.self) {
      try store.forEachSnapshot(matching: Query("t")) { snapshot in
        if values.isEmpty { try otherProgram(path).run("UPDATE t SET v = 'abc' WHERE id = 1100") }
        values.append(snapshot["v"] ?? .null)
      }
    }
    #expect(error?.code == .conflict)
    #expect(error?.message == "another program changed t while its records were read; try again")
    #expect(values.allSatisfy { if case .integer = $0 { true } else { false } })
    // The value of another program is looked for again.
    var texts = 0
    try store.forEachSnapshot(matching: Query("t")) { if case .text = $0["v"] { texts += 1 } }
    #expect(texts == 1200)
  }
}
