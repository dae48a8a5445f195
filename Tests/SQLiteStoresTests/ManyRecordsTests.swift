import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Saves of many new records in a database of our own, which may share statements.
@Suite struct ManyRecordsTests {
  private let path: String
  private let folder: TestFolder
  /// Only the notes have no index, and share statements.
  private static let schema = Schema(
    entity("Film", isUnique: true),
    entity("Note", isUnique: false)
  )

  private static func entity(_ name: String, isUnique: Bool) -> Schema.Entity {
    Schema.Entity(
      name,
      attributes: [
        Schema.Attribute("title", .text, isUnique: isUnique), Schema.Attribute("year", .integer),
        Schema.Attribute("seen", .datetime), Schema.Attribute("price", .decimal),
      ]
    )
  }

  init() throws {
    folder = try TestFolder()
    path = try folder.newPath("own.db")
  }

  /// As many statements as batches and some records that are left, and many enough for another thread.
  private static let count = 1234

  private func records(
    of entity: String = "Note",
    _ title: (Int) -> String = { "note \($0)" }
  ) -> [DefaultSnapshot] {
    (0..<Self.count).map { record($0, of: entity, title($0)) }
  }

  private func record(_ number: Int, of entity: String, _ title: String) -> DefaultSnapshot {
    let scope = IdentifierScope(store: nil, entity: entity)
    let year: Value = number % 3 == 0 ? .null : .integer(Int64(number))
    let seen = Date(timeIntervalSinceReferenceDate: Double(number) / 4)
    let values: [Value] = [.text(title), year, .datetime(seen), .decimal(Decimal(number) / 8)]
    return DefaultSnapshot(
      persistentIdentifier: scope.temporaryIdentifier(UInt64(number + 1), context: 7),
      layout: SnapshotLayout(["title", "year", "seen", "price"]),
      orderedValues: values
    )
  }

  @Test(arguments: ["Film", "Note"]) func theyAreSavedInOrderWithTheirHistory(_ entity: String)
    throws
  {
    let store = try SQLiteStore(at: path, schema: Self.schema)
    let records = records(of: entity) { $0 == 700 ? "" : "\($0) Größe" }
    _ = try store.commit(ChangeSet(inserted: records), author: "ann")
    store.close()
    let again = try SQLiteStore(at: path)
    let found = try again.all(entity)
    #expect(found.map(\.orderedValues) == records.map(\.orderedValues))
    let history = try again.transactions(after: nil, touching: nil)
    #expect(history.map(\.changes.inserted) == [found])
    #expect(history.map(\.author) == ["ann"])
    try again.insert(entity, ["title": .text("later")])
    #expect(try again.all(entity).last?["title"] == .text("later"))
  }

  /// Restored records come in any order, and keep their keys.
  @Test func restoredRecordsAreSavedInAnyOrder() throws {
    let store = try SQLiteStore(at: path, schema: Self.schema)
    _ = try store.commit(ChangeSet(inserted: records()), author: nil)
    let all = try store.all("Note")
    _ = try store.commit(ChangeSet(deleted: all), author: nil)
    let restored = Array(all[..<200]) + all[200...].reversed()
    _ = try store.commit(ChangeSet(inserted: restored), author: nil)
    #expect(try store.all("Note") == all)
  }

  @Test(arguments: [3, 49, 50, 777, 1233]) func aValueThatIsNotUniqueIsNamed(_ place: Int) throws {
    let store = try SQLiteStore(at: path, schema: Self.schema)
    let error = #expect(throws: PersistenceError.self) {
      let records = records(of: "Film") { "film \($0 == place ? 2 : $0)" }
      _ = try store.commit(ChangeSet(inserted: records), author: nil)
    }
    #expect(error?.code == .notUnique)
    let named = "records t3 and t\(place + 1) would both have \"film 2\""
    #expect(error?.message.contains(named) == true, "\(error?.message ?? "")")
    #expect(try store.all("Film").isEmpty && !FileManager.default.fileExists(atPath: path))
    _ = try store.commit(ChangeSet(inserted: records(of: "Film")), author: nil)
    #expect(try store.all("Film").count == Self.count)
  }

  @Test(
    arguments: [
      ("IGNORE", "the database inserted 0 rows instead of one, perhaps by a trigger"),
      ("ABORT, 'no'", "the database refused the record: no"),
      ("FAIL, 'no'", "the database refused the record: no"),
      ("ROLLBACK, 'no'", "the database refused the record: no"),
    ],
    ["BEFORE", "AFTER"]
  )
  func aTriggerOfAnotherProgramFailsTheSave(
    _ refusal: (action: String, reason: String),
    _ time: String
  ) throws {
    // An ignored row is there already after an insertion.
    if refusal.action == "IGNORE", time == "AFTER" { return }
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try store.insert("Note", ["title": .text("first")])
    try otherProgram(path).run(
      SQLText(
        "CREATE TRIGGER refuse \(time) INSERT ON Note WHEN new.title = 'note 60' "
          + "BEGIN SELECT raise(\(refusal.action)); END"
      )
    )
    let error = #expect(throws: PersistenceError.self) {
      try store.commit(ChangeSet(inserted: records()), author: nil)
    }
    #expect(
      error?.message.contains("Note t61: \(refusal.reason)") == true,
      "\(error?.message ?? "")"
    )
    #expect(try store.all("Note").map { $0["title"] } == [.text("first")])
    #expect(try store.transactions(after: nil, touching: nil).count == 1)
    // The connection is still of use.
    try otherProgram(path).run("DROP TRIGGER refuse")
    _ = try store.commit(ChangeSet(inserted: records()), author: nil)
    #expect(try store.all("Note").count == Self.count + 1)
  }

  /// Changes and deletions of records that share a value would share a statement, too.
  @Test(arguments: ["UPDATE", "DELETE"], ["ABORT", "FAIL", "ROLLBACK"])
  func theRecordThatATriggerRefusesIsNamed(_ event: String, _ action: String) throws {
    let store = try SQLiteStore(at: path, schema: Self.schema)
    _ = try store.commit(ChangeSet(inserted: records()), author: nil)
    try otherProgram(path).run(
      SQLText(
        "CREATE TRIGGER refuse AFTER \(event) ON Note WHEN old.title = 'note 7' "
          + "BEGIN SELECT raise(\(action), 'no'); END"
      )
    )
    let all = try store.all("Note")
    let refused = try #require(all.first { $0["title"] == .text("note 7") })
    let changes =
      event == "DELETE"
      ? ChangeSet(deleted: all)
      : ChangeSet(
        updated: all.map { before in
          var after = before
          after.orderedValues[0] = .text("same")
          return RecordUpdate(before: before, after: after)
        }
      )
    let error = #expect(throws: PersistenceError.self) {
      try store.commit(changes, author: nil)
    }
    let named = "Note \(refused.persistentIdentifier): the database refused the record: no"
    #expect(error?.message.contains(named) == true, "\(error?.message ?? "")")
    #expect(try store.all("Note") == all)
  }

  /// Earlier versions made an index of the identifiers of transactions.
  @Test func aHistoryWithAnIndexIsContinued() throws {
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try store.insert("Film", ["title": .text("first")])
    try otherProgram(path).run("CREATE UNIQUE INDEX former ON catalog_history (id)")
    try store.insert("Film", ["title": .text("second")])
    #expect(try store.transactions(after: nil, touching: nil).map(\.changes.count) == [1, 1])
    #expect(try store.check(isThorough: true).isEmpty)
  }
}
