import Foundation
import OpenSwiftData
import SQL
import Stores
import Synchronization
import Testing

@testable import SQLiteStores

/// Databases of our own: what is in the file, and what another program may do with it.
@Suite struct OwnDatabaseTests {
  private static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        .init("title", .text, isOptional: false), .init("gross", .decimal), .init("score", .number),
        .init("at", .datetime), .init("maker", .link("Maker")), .init("cast", .links("Maker")),
        .init("cover", .text, isBlob: true), .init("ID", .integer),
      ]
    ),
    Schema.Entity("Maker", attributes: [.init("name", .text, isUnique: true)]),
    Schema.Entity("film", attributes: [.init("x", .integer)])
  )

  @Test func nothingIsWrittenBeforeTheFirstSave() throws {
    let path = try TestFolder().newPath("new.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    #expect(try store.all("Film").isEmpty)
    #expect(try store.listing(matching: Query("Film")).count == .exact(0))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  /// A program whose creation failed once removed the database that another one had saved meanwhile.
  @Test func onlyOneProgramCreatesADatabaseAtATime() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("new.db")
    func store() throws -> SQLiteStore {
      try SQLiteStore(
        SQLiteConfiguration(path: path, schema: Self.schema, lockTimeoutSeconds: 0.01)
      )
    }
    let (first, second) = (try store(), try store())
    let fileSystem = LocalFileSystem()
    let directory = try fileSystem.openDirectory(
      URL(fileURLWithPath: path).deletingLastPathComponent().path
    )
    let lock = try FileLock(fileSystem: fileSystem, directory: directory, name: "new.db")
    try lock.acquire()
    let busy = #expect(throws: PersistenceError.self) {
      try first.insert("Maker", ["name": .text("a")])
    }
    #expect(busy?.code == .busy)
    #expect(!FileManager.default.fileExists(atPath: path))
    lock.release()
    try first.insert("Maker", ["name": .text("a")])
    let late = #expect(throws: PersistenceError.self) {
      try second.insert("Maker", ["name": .text("b")])
    }
    #expect(late?.code == .conflict)
    #expect(try SQLiteStore(at: path).all("Maker").map { $0["name"] } == [.text("a")])
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(!names.contains { $0.hasSuffix(".lock") }, "\(names)")
  }

  @Test func otherProgramsReadTheTablesWithSQL() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("films.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    let makers = try (0..<3).map { number in
      try #require(
        try store.insert("Maker", ["name": .text("m\(number)")]).remappedIdentifiers.first?.value
      )
    }
    try store.insert(
      "Film",
      [
        "title": .text("Up"), "gross": .decimal(Decimal(string: "12.50") ?? 0),
        "score": .number(.nan), "at": .datetime(Date(timeIntervalSince1970: 0.5)),
        "maker": .link(makers[1]), "cast": .links([makers[2], makers[0]]),
        "cover": .text("AAE="), "ID": .integer(4),
      ]
    )
    try store.insert("film", ["x": .integer(1)])
    let other = try otherProgram(path)
    let row = try #require(
      try other.rows(
        """
        SELECT Film.title, gross, score, at, name, hex(cover), ID_2, \
        (SELECT group_concat(c.name, '+') FROM json_each("cast") JOIN Maker c ON c.id = value) \
        FROM Film JOIN Maker ON Maker.id = maker
        """
      ).first
    )
    #expect(
      row == [
        .text("Up"), .text("12.5"), .text("NaN"), .text("1970-01-01T00:00:00.5+00:00"),
        .text("m1"), .text("0001"), .integer(4), .text("m2+m0"),
      ]
    )
    #expect(try other.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try other.value("SELECT x FROM film_2") == .integer(1))
    #expect(try store.check() == [])
    let again = try SQLiteStore(at: path)
    #expect(again.identifier == store.identifier)
    #expect(again.schema == Self.schema)
    #expect(try again.all("Film") == (try store.all("Film")))
    #expect(try again.transactions(after: nil, touching: nil).map(\.token) == [1, 2, 3, 4, 5])
  }

  @Test func aChangeWithSQLIsNoticedAndAValueOfAnotherTypeReported() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("films.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try store.insert("Film", ["title": .text("Up")])
    let record = try store.all("Film")[0]
    let other = try otherProgram(path)
    try other.run("UPDATE Film SET title = 'Down'")
    let error = #expect(throws: PersistenceError.self) {
      try store.set(record, ["title": .text("Sideways")])
    }
    #expect(error?.code == .conflict)
    try other.run("UPDATE Film SET at = 'yesterday'")
    let damage = #expect(throws: PersistenceError.self) { try store.all("Film") }
    #expect(damage?.code == .damaged)
    #expect(damage?.message.contains("Film.at") == true)
  }

  @Test func theCheckReportsValuesOfAnotherForm() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("films.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try store.insert("Film", ["title": .text("Up")])
    let key = try store.all("Film")[0].persistentIdentifier
    #expect(try store.check() == [])
    let other = try otherProgram(path)
    try other.run("UPDATE Film SET at = 'not a date', title = NULL")
    #expect(
      try store.check() == [
        "Film \(key): title: a value is required",
        "Film \(key): at: \"not a date\" is not a valid datetime",
      ]
    )
  }

  @Test func changesWithSQLAreInTheHistoryFromTheNextSaveOn() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("films.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try store.insert("Film", ["title": .text("Up")])
    let other = try SQLiteStore(at: path)
    try otherProgram(path).run("UPDATE Film SET title = 'Down'")
    // Both notice the change, and one of them writes it down.
    try store.refresh()
    try other.refresh()
    try store.insert("Film", ["title": .text("Third")])
    try other.insert("Film", ["title": .text("Fourth")])
    let found = try SQLiteStore(at: path).transactions(after: nil, touching: nil)
    #expect(found.map(\.token) == [1, 2, 3, 4])
    #expect(found.map(\.isExternal) == [false, true, false, false])
    #expect(found[1].isIncomplete)
  }

  /// A look at the database sees one save with all that belongs to it, whatever others do at the same time.
  @Test func savesAtTheSameTimeAreNoChangesByAnotherProgram() async throws {
    let folder = try TestFolder()
    let path = try folder.newPath("films.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try store.insert("Film", ["title": .text("a")])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<3 {
        group.addTask {
          for number in 0..<40 {
            // Opening looks at the database, too.
            let other = try SQLiteStore(at: path, waiting: 60)
            for save in 0..<3 {
              try other.refresh()
              try other.insert("Film", ["title": .text("\(writer) \(number) \(save)")])
            }
            if writer == 0, number % 10 == 9 { _ = try other.compact() }
          }
        }
      }
      try await group.waitForAll()
    }
    let found = try SQLiteStore(at: path).transactions(after: nil, touching: nil)
    #expect(found.count == 361)
    #expect(found.filter(\.isExternal).isEmpty)
  }

  @Test func maintenanceByAnotherCatalogIsNoChangeByAnotherProgram() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("films.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    for title in ["a", "b", "c"] { try store.insert("Film", ["title": .text(title)]) }
    let other = try SQLiteStore(at: path)
    try other.deleteTransactions([1])
    try store.refresh()
    try store.insert("Film", ["title": .text("d")])
    try other.refresh()
    _ = try other.compact()
    try store.refresh()
    try store.insert("Film", ["title": .text("e")])
    let found = try store.transactions(after: 1, touching: nil)
    #expect(found.map(\.token) == [2, 3, 4, 5])
    #expect(found.filter(\.isExternal).isEmpty)
    // A change with SQL is still noticed after that.
    try other.refresh()
    try otherProgram(path).run("UPDATE Film SET title = 'z'")
    try other.refresh()
    try other.insert("Film", ["title": .text("f")])
    #expect(try other.transactions(after: 5, touching: nil).map(\.isExternal) == [true, false])
  }

  @Test func uniqueValuesCanBeSwapped() throws {
    let folder = try TestFolder()
    let store = try SQLiteStore(at: try folder.newPath("films.db"), schema: Self.schema)
    try store.insert("Maker", ["name": .text("a")])
    try store.insert("Maker", ["name": .text("b")])
    let records = try store.all("Maker")
    var swapped = records
    swapped[0].orderedValues = [.text("b")]
    swapped[1].orderedValues = [.text("a")]
    let updates = zip(records, swapped).map { RecordUpdate(before: $0, after: $1) }
    _ = try store.commit(ChangeSet(updated: updates), author: nil)
    #expect(try store.all("Maker").map { $0["name"] } == [.text("b"), .text("a")])
    let error = #expect(throws: PersistenceError.self) {
      try store.set(try store.all("Maker")[0], ["name": .text("a")])
    }
    #expect(error?.code == .notUnique)
    #expect(error?.message.contains("Maker.name: must be unique") == true)
  }

  @Test func aFailedFirstSaveLeavesNoFile() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("films.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    #expect(throws: PersistenceError.self) { try store.insert("Film", [:]) }
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: (path as NSString).deletingLastPathComponent
      ) == []
    )
    try store.insert("Film", ["title": .text("Up")])
    #expect(try SQLiteStore(at: path).all("Film").count == 1)
  }

  @Test func theHistoryKeepsSchemaChangesAndCanBeShortened() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("films.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try store.insert("Film", ["title": .text("Up")])
    try store.apply(.renameAttribute(entity: "Film", from: "title", to: "name"), author: "Ann")
    try store.set(try store.all("Film")[0], ["name": .text("Down")])
    let again = try SQLiteStore(at: path)
    let found = try again.transactions(after: nil, touching: nil)
    #expect(found.map(\.schemaChange).map { $0 != nil } == [false, true, false])
    #expect(found[0].changes.inserted.first?["title"] == .text("Up"))
    #expect(found[2].changes.updated.first?.after["name"] == .text("Down"))
    try again.deleteTransactions([1, 2])
    #expect(throws: PersistenceError.self) { try again.transactions(after: 1, touching: nil) }
    #expect(try again.transactions(after: 2, touching: nil).map(\.token) == [3])
    #expect(try again.compact().hasPrefix("compacted"))
    #expect(try SQLiteStore(at: path).all("Film").count == 1)
  }

  @Test func statisticsAreThoseOfAllValues() throws {
    let folder = try TestFolder()
    let store = try SQLiteStore(at: try folder.newPath("films.db"), schema: Self.schema)
    for (title, gross, score) in [("b", "1.5", 0.5), ("a", "1.50", .nan), ("b", "2", -0.0)] {
      try store.insert(
        "Film",
        [
          "title": .text(title), "gross": .decimal(Decimal(string: gross) ?? 0),
          "score": .number(score), "at": .datetime(Date(timeIntervalSince1970: score + 9)),
        ].filter { $0.key != "at" || !score.isNaN }
      )
    }
    let records = try store.all("Film")
    for field in try store.schema.entity(named: "Film").fields.map(\.name) {
      var expected = ValueSummary()
      for record in records { expected.add(record[field] ?? .null) }
      #expect(try store.summary(of: field, matching: Query("Film")).figures == expected.figures)
    }
  }

  @Test func aCanceledSaveLeavesNothing() throws {
    let folder = try TestFolder()
    var count = 0
    for limit in 0..<1000 {
      let path = try folder.newPath("films.db")
      let store = try SQLiteStore(at: path, schema: Self.schema)
      let checks = Checks(limit)
      do {
        _ = try Interruption.allowed(by: { checks.isOver }) {
          try store.insert("Film", ["title": .text("Up")])
        }
        count = limit
        break
      } catch is Interruption.Stopped {
        #expect(!FileManager.default.fileExists(atPath: path))
        try store.insert("Film", ["title": .text("Down")])
        #expect(try SQLiteStore(at: path).all("Film").map { $0["title"] } == [.text("Down")])
      }
    }
    #expect(count > 0)
  }

  @Test func longListingsAreCountedInParts() throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "big.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 30000) \
      INSERT INTO t SELECT i, i * 7919 % 30011 FROM c
      """
    )
    let store = try SQLiteStore(at: path)
    for sort in [[], [SortKey("n", isDescending: true)]] {
      let query = Query("t", filter: .compare("n", .notEqual, .integer(5)), sort: sort)
      let listing = try store.listing(matching: query)
      #expect(!listing.count.isExact)
      let expected = try store.identifiers(matching: query)
      #expect(try listing.identifiers(in: 20_000..<20_003) == Array(expected[20_000..<20_003]))
      #expect(try listing.position(of: expected[29_990]) == 29_990)
      try listing.countAll()
      #expect(listing.count == .exact(expected.count))
      let last = try listing.position(
        matching: .compare("id", .greater, .integer(0)),
        from: .max - 1,
        isForward: false
      )
      #expect(last == expected.count - 1)
    }
  }
}

/// Cancels work at one of its checks.
private final class Checks: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  var isOver: Bool {
    left.withLock { left in
      left -= 1
      return left < 0
    }
  }
}
