import DataStoreTesting
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Unsaved changes of records whose keys other programs give to other records.
@Suite struct ReusedKeyTests {
  private static let columns = "name TEXT, city TEXT, qty INTEGER, price REAL"

  /// A database with eight rows, open here and in another program.
  private struct Shared {
    let folder: TestFolder
    let other: SQLiteConnection
    let context: ModelContext

    init(key: String = "id INTEGER PRIMARY KEY") throws {
      folder = try TestFolder()
      let path = try folder.database("t.db", "CREATE TABLE t (\(key), \(ReusedKeyTests.columns))")
      other = try otherProgram(path)
      for n in 1...8 {
        try other.run("INSERT INTO t VALUES (\(n), 'N\(n)', 'C\(n % 3)', \(2 * n), \(n) + 0.5)")
      }
      context = ModelContext(try ModelContainer(configurations: SQLiteConfiguration(path: path)))
    }

    func record(_ key: String) throws -> Record {
      let found = try context.fetchIdentifiers(matching: Query("t"))
        .filter { $0.description == key }
      return try #require(context.records(for: found).first)
    }

    func rows() throws -> [String] {
      try other.rows(
        "SELECT id || name || ' ' || coalesce(city, '-') || ' ' || qty FROM t ORDER BY id"
      )
      .map { $0[0].asText ?? "" }
    }
  }

  /// What the other program does after the `qty` of record 5 was changed, and the merged row or the doubt.
  private static let changes: [(sql: String, merged: String?, doubt: String?)] = [
    ("REPLACE INTO t VALUES (5, 'Zed', 'Rome', 10, 9)", nil, "only id 5 agrees"),
    ("REPLACE INTO t VALUES (5, 'N5', 'Rome', 10, 9)", "5N5 Rome 99", nil),
    ("UPDATE t SET name = 'Zed', price = 9 WHERE id = 5", "5Zed C2 99", nil),
    ("UPDATE t SET city = NULL, price = 9 WHERE id = 5", "5N5 - 99", nil),
    ("UPDATE t SET name = 'X', city = 'Rome', price = 9 WHERE id <> 5", "5N5 C2 99", nil),
    (
      "UPDATE t SET id = 50 WHERE id = 5", nil,
      "no record has id 5 now; another one has all other values"
    ),
    (
      """
      UPDATE t SET id = -id - 1; UPDATE t SET id = -id; \
      UPDATE t SET qty = 10, city = 'C2', price = 5.5 WHERE id = 5
      """, nil, "id 5 is on a record with other values"
    ),
  ]

  @Test(arguments: changes.indices, ["id INTEGER PRIMARY KEY", "id INT PRIMARY KEY NOT NULL"])
  func anEditStaysOnItsRecord(place: Int, key: String) throws {
    let (sql, merged, doubt) = Self.changes[place]
    let shared = try Shared(key: key)
    try shared.record("5").set(.integer(99), for: "qty")
    for statement in sql.split(separator: ";") { try shared.other.run(SQLText(String(statement))) }
    let before = try shared.rows()
    guard let doubt else {
      try shared.context.save()
      #expect(try shared.rows()[4] == merged)
      return
    }
    let error = #expect(throws: PersistenceError.self) { try shared.context.save() }
    #expect(error?.message.contains(doubt) == true, "\(error?.message ?? "")")
    #expect(error?.conflicts.first?.doubt?.reason == doubt)
    #expect(try shared.rows() == before)
  }

  @Test(arguments: [RecordConflict.Side.mine, .theirs], [true, false])
  func theConflictIsDecidedAsAWhole(side: RecordConflict.Side, isSeenEarly: Bool) throws {
    let shared = try Shared()
    let record = try shared.record("5")
    try record.set(.integer(99), for: "qty")
    try shared.other.run("REPLACE INTO t VALUES (5, 'Zed', 'Rome', 10, 9)")
    if isSeenEarly { _ = try shared.context.fetchCount(matching: Query("t")) }
    let error = #expect(throws: PersistenceError.self) { try shared.context.save() }
    #expect(
      error?.conflicts.first?.differences.map(\.name) == ["name", "city", "qty", "price"]
    )
    try shared.context.resolveConflict(
      of: record.persistentModelID,
      keeping: side,
      attributes: ["city"]
    )
    #expect(try shared.context.conflicts().isEmpty)
    try shared.context.save()
    #expect(try shared.rows()[4] == (side == .mine ? "5N5 C2 99" : "5Zed Rome 10"))
  }

  @Test func aTextIsTheKeyOfNoOtherRecord() throws {
    let shared = try Shared(key: "id TEXT PRIMARY KEY NOT NULL")
    try shared.record("5").set(.integer(99), for: "qty")
    try shared.other.run("REPLACE INTO t VALUES ('5', 'Zed', 'Rome', 10, 9)")
    try shared.context.save()
    #expect(try shared.rows()[4] == "5Zed Rome 99")
  }

  @Test func anUndoneSaveLeavesOtherRecordsAlone() throws {
    let shared = try Shared()
    for key in ["4", "5"] { try shared.record(key).set(.integer(99), for: "qty") }
    try shared.context.save()
    shared.context.closeUndoStep(named: "edit")
    try shared.other.run("REPLACE INTO t VALUES (5, 'Zed', 'Rome', 99, 9)")
    try shared.other.run("UPDATE t SET city = 'Rome' WHERE id = 4")
    let step = try shared.context.undoPresent()
    #expect(step?.missing.map(\.description) == ["5"])
    #expect(step?.doubt?.reason == "only id 5 agrees")
    try shared.context.save()
    #expect(try shared.rows()[3...4] == ["4N4 Rome 8", "5Zed Rome 99"])
  }

  /// A row without a key gets another number when the database is packed.
  @Test(arguments: [true, false]) func aRowWithAnotherNumberIsNotGone(isDeleted: Bool) throws {
    let shared = try Shared(key: "id INT")
    let record = try shared.record("8")
    if isDeleted {
      try shared.context.delete([record.persistentModelID])
    } else {
      try record.set(.integer(99), for: "qty")
    }
    for sql in ["DELETE FROM t WHERE id = 1", "VACUUM"] { try shared.other.run(SQLText(sql)) }
    let before = try shared.rows()
    let error = #expect(throws: PersistenceError.self) { try shared.context.save() }
    let doubt = error?.conflicts.first?.doubt
    #expect(doubt?.reason == "no row has number 8 now; another one has all of its values")
    #expect(doubt?.candidate?.description == "7")
    #expect(try shared.rows() == before)
  }

  /// The next row, which gets the number, has the values of the change by chance.
  @Test(arguments: ["id INT", "id INTEGER PRIMARY KEY"])
  func aChangeThatAnotherRecordHasIsNotMade(key: String) throws {
    let shared = try Shared(key: key)
    let isKey = key != "id INT"
    let copy = "name = 'N5', city = 'C2', price = 5.5, qty = 99 WHERE id = 6"
    try shared.other.run(SQLText("UPDATE t SET \(copy)"))
    if !isKey { try shared.other.run("UPDATE t SET id = 0") }
    try shared.record("5").set(.integer(99), for: "qty")
    try shared.other.run("DELETE FROM t WHERE name = 'N1'")
    try shared.other.run(isKey ? "UPDATE t SET id = id - 1" : "VACUUM")
    let error = #expect(throws: PersistenceError.self) { try shared.context.save() }
    #expect(error?.conflicts.first?.doubt?.candidate?.description == "4")
    #expect(try shared.context.conflicts().first?.differences.map(\.name) == ["qty"])
    try shared.context.resolveConflict(of: shared.record("5").persistentModelID, keeping: .theirs)
    #expect(!shared.context.hasChanges)
  }

  @Test(arguments: ["id INT", "id INTEGER PRIMARY KEY"])
  func theSameChangeOfBothIsNoConflict(key: String) throws {
    let shared = try Shared(key: key)
    try shared.record("5").set(.integer(99), for: "qty")
    try shared.other.run("UPDATE t SET qty = 99 WHERE id = 5")
    try shared.context.save()
    #expect(try shared.rows()[4] == "5N5 C2 99")
  }

  /// Edits change one field; other programs change another one, or replace or renumber records by ones that differ in more.
  @Test func noRandomEditReachesAnotherRecord() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let shared = try Shared()
      let edited = Set((0..<3).map { _ in Int.random(in: 1...8, using: &random) })
      for key in edited { try shared.record("\(key)").set(.integer(1000), for: "qty") }
      let victim = Int.random(in: 1...8, using: &random)
      var isOther = false
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try shared.other.run("UPDATE t SET city = 'Rome' WHERE id = \(victim)")
      case 1: try shared.other.run("UPDATE t SET price = -1 WHERE id <> \(victim)")
      case 2:
        isOther = edited.contains(victim)
        try shared.other.run(
          "REPLACE INTO t SELECT id, 'Other', 'Rome', qty, 0 FROM t WHERE id = \(victim)"
        )
      default:
        isOther = edited.contains { $0 >= victim }
        try shared.other.run("DELETE FROM t WHERE id = \(victim)")
        try shared.other.run("UPDATE t SET id = -id WHERE id > \(victim)")
        try shared.other.run("UPDATE t SET id = -id - 1, qty = qty - 2 WHERE id < 0")
      }
      let before = try shared.rows()
      do {
        try shared.context.save()
        #expect(!isOther, "seed \(seed), round \(round)")
      } catch let error as PersistenceError {
        #expect(isOther && error.code == .conflict, "seed \(seed), round \(round): \(error)")
        #expect(try shared.rows() == before, "seed \(seed), round \(round)")
      }
      for row in try shared.rows() where row.hasSuffix(" 1000") {
        let name = row.dropFirst().prefix { $0 != " " }
        let isEdited = edited.contains { "N\($0)" == name }
        #expect(isEdited, "seed \(seed), round \(round): \(row)")
      }
    }
  }
}
