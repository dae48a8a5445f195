import Foundation
import OpenSwiftData
import Testing

@testable import Stores

@Suite struct LogStoreTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  /// One film with a value of every kind, linked both ways to a studio.
  private func everyKind(_ store: LogStore) throws -> ChangeSet {
    let film = try store.new("Film", 1, [:])
    let studio = try store.new("Studio", 2, [:])
    var full = film
    full.orderedValues = [
      .text("Amélie 🎬\0\n"), .integer(.min), .number(-0.1),
      .decimal(Decimal(string: "12345678901234567890.5") ?? 0), .boolean(true),
      .date(CalendarDate(daysSince1970: -1)),
      .datetime(Date(timeIntervalSinceReferenceDate: 0.125)),
      .uuid(UUID(high: 1, low: .max)), .json(#"{"a":[1,null]}"#),
      .link(studio.persistentIdentifier),
    ]
    var linked = studio
    linked.orderedValues = [.null, .links([film.persistentIdentifier, film.persistentIdentifier])]
    return ChangeSet(inserted: [full, linked])
  }

  @Test func aClosedLogIsNotWritten() throws {
    let fixture = try LogFixture()
    let store = try fixture.open()
    _ = try store.insertFilm("Up")
    store.close()
    let error = #expect(throws: PersistenceError.self) { try store.insertFilm("Cars") }
    #expect(error?.code == .inaccessible)
    #expect(try fixture.open().count(matching: Query("Film")) == 1)
  }

  @Test func everyKindOfValueComesBackAfterReopening() throws {
    let store = try fixture.open()
    let changes = try everyKind(store)
    let result = try store.commit(changes, author: "me")
    #expect(result.token == 1)
    #expect(result.remappedIdentifiers.count == 2)
    let reopened = try fixture.open()
    #expect(try reopened.everything() == store.everything())
    #expect(try reopened.everything() == changes.remapped(result.remappedIdentifiers).inserted)
    #expect(reopened.schema == LogFixture.schema)
    #expect(reopened.identifier == store.identifier)
    #expect(try reopened.check() == [])
  }

  @Test func insertUpdateAndDeleteComeBackAfterReopening() throws {
    let store = try fixture.open()
    let up = try store.insertFilm("Up", year: 2009)
    let cars = try store.insertFilm("Cars")
    try store.update(up, "title", to: .text("Up!"))
    try store.update(up, "year", to: .null)
    try store.delete(cars)
    let reopened = try fixture.open()
    #expect(try reopened.titles() == ["Up!"])
    #expect(try reopened.films().first?["year"] == .null)
    #expect(try reopened.everything() == store.everything())
  }

  @Test func nothingIsWrittenBeforeTheFirstSave() throws {
    let store = try fixture.open()
    #expect(try store.films() == [])
    #expect(try fixture.folder.names() == [])
    try store.insertFilm("Up")
    #expect(try fixture.folder.names() == ["films.catlog"])
    let status = try fixture.files.status(of: fixture.path, in: nil)
    #expect(try status.permissions == fixture.folder.permissionsOfNewFile())
  }

  @Test func missingFoldersAreCreatedWithTheFile() throws {
    let path = fixture.folder.file("a/b/films.catlog")
    let store = try LogStore(
      LogStoreConfiguration(path: path, schema: LogFixture.schema, fileSystem: fixture.files)
    )
    try store.insertFilm("Up")
    #expect(try fixture.files.status(of: path, in: nil).kind == .regular)
  }

  // Covers J04.
  @Test func anEmptySaveCallsNothing() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    fixture.files.inject()
    let result = try store.commit(ChangeSet(), author: nil)
    #expect(result == CommitResult())
    #expect(fixture.files.calls == [])
  }

  @Test func aSaveIsOneWriteAndOneSync() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    fixture.files.inject()
    try store.insertFilm("Cars")
    #expect(fixture.files.count(of: .write) == 1)
    #expect(fixture.files.count(of: .synchronize) == 1)
    #expect(fixture.files.count(of: .read) == 1, "the header: it is still this log")
    #expect(fixture.files.calls.count < 10)
  }

  @Test func theSizeOfASaveIsThatOfTheChange() throws {
    let store = try fixture.open()
    let films = try (0..<5000).map { try store.new("Film", $0, ["title": .text("Film \($0)")]) }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    let before = try fixture.bytes().count
    try store.insertFilm("Up")
    #expect(try fixture.bytes().count - before < 200)
  }

  // Covers J05.
  @Test func aSaveOfManyPartsIsOneTransaction() throws {
    let store = try fixture.open()
    let text = String(repeating: "long ", count: 1000)
    let films = try (0..<1000).map { try store.new("Film", $0, ["title": .text("\($0) \(text)")]) }
    let result = try store.commit(ChangeSet(inserted: films), author: nil)
    #expect(result.token == 1)
    #expect(try fixture.bytes().count > 4 * LogFormat.partBytes)
    try store.insertFilm("Up")
    let reopened = try fixture.open()
    #expect(try reopened.everything() == store.everything())
    let history = try reopened.transactions(after: nil, touching: nil)
    #expect(history.map(\.changes.inserted.count) == [1000, 1])
  }

  // Covers A16.
  @Test func openingMakesDurableWhatItShows() throws {
    let fixture = try LogFixture()
    try fixture.open().insertFilm("Up")
    for (isReadOnly, count) in [(false, 1), (true, 0)] {
      fixture.files.inject()
      let store = try fixture.open(isReadOnly: isReadOnly)
      // Data of a crashed process may be only in memory; once it was shown, it must not be lost.
      #expect(fixture.files.count(of: .synchronize) == count)
      #expect(try store.titles() == ["Up"])
    }
  }

  // Covers E09, E16.
  @Test func aLogWithTwoNamesIsNotWrittenTo() throws {
    let fixture = try LogFixture()
    let store = try fixture.open()
    try store.insertFilm("Up")
    let bytes = try fixture.bytes()
    let other = fixture.folder.file("other.catlog")
    try FileManager.default.linkItem(atPath: fixture.path, toPath: other)
    for opened in [store, try fixture.open()] {
      let error = #expect(throws: PersistenceError.self) { try opened.insertFilm("Cars") }
      #expect(error?.code == .inaccessible)
      #expect(error?.message.contains("has 2 hard links") == true)
      #expect(try opened.titles() == ["Up"])
    }
    #expect(try fixture.bytes() == bytes)
    try FileManager.default.removeItem(atPath: other)
    try store.insertFilm("Cars")
    #expect(try fixture.open().titles() == ["Up", "Cars"])
  }

  // Covers D01.
  @Test func twoStoresOnOneFileSeeEachOthersSaves() throws {
    try fixture.open().insertFilm("Up")
    let first = try fixture.open()
    let second = try fixture.open()
    for number in 0..<20 {
      let store = number.isMultiple(of: 2) ? first : second
      try store.insertFilm("Film \(number)")
    }
    #expect(try first.films().count == 21)
    #expect(try first.everything() == second.everything())
    #expect(try fixture.open().everything() == first.everything())
  }

  // Covers D02.
  @Test func twoStoresThatChangeOneRecordAreAConflict() throws {
    let first = try fixture.open()
    let up = try first.insertFilm("Up")
    let second = try fixture.open()
    let before = try #require(try second.snapshots(for: [up])[up])
    try first.update(up, "title", to: .text("theirs"))
    var after = before
    after.orderedValues[0] = .text("mine")
    let size = try fixture.bytes().count
    let code = errorCode {
      _ = try second.commit(
        ChangeSet(updated: [RecordUpdate(before: before, after: after)]),
        author: nil
      )
    }
    #expect(code == .conflict)
    #expect(try fixture.bytes().count == size)
    #expect(try second.titles() == ["theirs"])
  }

  // Covers J03.
  @Test func recordsDeletedElsewhereCannotBeChanged() throws {
    let first = try fixture.open()
    let up = try first.insertFilm("Up")
    let second = try fixture.open()
    let before = try #require(try second.snapshots(for: [up])[up])
    _ = try first.commit(ChangeSet(deleted: [before]), author: nil)
    var after = before
    after.orderedValues[0] = .text("mine")
    for changes in [
      ChangeSet(updated: [RecordUpdate(before: before, after: after)]),
      ChangeSet(deleted: [before]),
    ] {
      #expect(errorCode { _ = try second.commit(changes, author: nil) } == .conflict)
    }
    #expect(try second.titles() == [])
  }

  @Test func secondCreationOfAFileIsReported() throws {
    let first = try fixture.open()
    let second = try fixture.open()
    try first.insertFilm("Up")
    #expect(errorCode { try second.insertFilm("Cars") } == .conflict)
    #expect(try first.titles() == ["Up"])
  }

  @Test func theSchemaChangesWithTheRecords() throws {
    let store = try fixture.open()
    try store.insertFilm("Up", year: 2009)
    try store.apply(
      .addAttribute(
        entity: "Film",
        Schema.Attribute("stars", .integer, isOptional: false, defaultValue: .integer(3))
      ),
      author: "me"
    )
    try store.apply(.renameAttribute(entity: "Film", from: "year", to: "made"), author: nil)
    try store.apply(.dropAttribute(entity: "Film", name: "seen"), author: nil)
    try store.apply(.createEntity(Schema.Entity("Actor", attributes: [])), author: nil)
    let reopened = try fixture.open(schema: nil)
    #expect(reopened.schema == store.schema)
    #expect(try reopened.everything() == store.everything())
    #expect(try reopened.films().first?["stars"] == .integer(3))
    #expect(try reopened.films().first?["made"] == .integer(2009))
    let history = try reopened.transactions(after: nil, touching: nil)
    #expect(history.count == 5)
    #expect(history.first?.changes.inserted.first?["year"] == .integer(2009))
    #expect(history[1].schemaChange != nil && history[1].author == "me")
  }

  @Test func whatTheWantedSchemaHasMoreIsAdded() throws {
    try fixture.open().insertFilm("Up")
    let film = Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text), Schema.Attribute("made", .integer, originalName: "year"),
        Schema.Attribute("note", .text),
      ]
    )
    let store = try fixture.open(
      schema: Schema(film, Schema.Entity("Actor", attributes: []))
    )
    #expect(try store.films().first?["made"] == .integer(2000))
    #expect(try store.films().first?["note"] == .null)
    #expect(store.schema.entitiesByName["Actor"] != nil)
    let wrong = Schema(Schema.Entity("Film", attributes: [Schema.Attribute("title", .integer)]))
    #expect(errorCode { _ = try fixture.open(schema: wrong) } == .invalidSchema)
  }

  @Test func aReadOnlyStoreWritesNothing() throws {
    try fixture.open().insertFilm("Up")
    let bytes = try fixture.bytes() + [1, 2, 3]
    try fixture.put(bytes)
    let store = try fixture.open(isReadOnly: true)
    #expect(try store.titles() == ["Up"])
    #expect(store.openingReport.tail != .none)
    #expect(errorCode { try store.insertFilm("Cars") } == .readOnly)
    #expect(try fixture.bytes() == bytes)
    #expect(try fixture.folder.names() == ["films.catlog"])
  }

  @Test func everyFileIsClosedWithTheStore() throws {
    do {
      let store = try fixture.open()
      try store.insertFilm("Up")
      _ = try fixture.open().compact(keeping: .none)
      try store.insertFilm("Cars")
    }
    #expect(fixture.files.openCount == 0)
  }
}

@Suite struct LogHistoryTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  @Test func theHistoryTellsWhatChangedFromWhatToWhat() throws {
    let store = try fixture.open()
    let up = try store.insertFilm("Up", year: 2009)
    let cars = try store.insertFilm("Cars")
    try store.update(up, "title", to: .text("Up!"))
    try store.delete(up)
    let history = try fixture.open().transactions(after: nil, touching: nil)
    #expect(history.map(\.token) == [1, 2, 3, 4])
    #expect(Set(history.map(\.id)).count == 4)
    #expect(history[2].changes.updated.first?.before.values == ["title": .text("Up")])
    #expect(history[2].changes.updated.first?.after.values == ["title": .text("Up!")])
    #expect(history[3].changes.deleted.first?["title"] == .text("Up!"))
    #expect(try store.transactions(after: 2, touching: nil) == Array(history[2...]))
    #expect(try store.transactions(after: 4, touching: nil) == [])
    let ofUp = try store.transactions(after: nil, touching: up)
    #expect(ofUp.map(\.token) == [1, 3, 4])
    #expect(try store.transactions(after: nil, touching: cars).map(\.token) == [2])
  }

  // Covers F02.
  @Test func compactionKeepsEveryRecordAndTheHistoryAskedFor() throws {
    let store = try fixture.open()
    let up = try store.insertFilm("Up")
    for number in 0..<50 { try store.update(up, "year", to: .integer(Int64(number))) }
    try store.insertFilm("Cars")
    try store.delete(up)
    try store.insertFilm("Coco")
    let before = try store.everything()
    let history = try store.transactions(after: nil, touching: nil)
    let size = try fixture.bytes().count
    _ = try store.compact(keeping: .last(3))
    #expect(try fixture.bytes().count < size / 2)
    for opened in [store, try fixture.open()] {
      #expect(try opened.everything() == before)
      #expect(try opened.transactions(after: 51, touching: nil) == Array(history[51...]))
      #expect(try opened.transactions(after: nil, touching: nil) == Array(history[51...]))
      #expect(
        errorCode { _ = try opened.transactions(after: 50, touching: nil) } == .historyExpired
      )
      #expect(opened.identifier == store.identifier)
      #expect(try opened.check() == [])
    }
    #expect(try fixture.folder.names() == ["films.catlog"])
    try store.insertFilm("Soul")
    #expect(try fixture.open().titles() == ["Cars", "Coco", "Soul"])
  }

  @Test(arguments: [HistoryRetention.all, .none, .last(1)])
  func compactingAgainAndAgainChangesNothing(retention: HistoryRetention) throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    try store.apply(
      .addAttribute(entity: "Film", Schema.Attribute("note", .text)),
      author: nil
    )
    try store.insertFilm("Cars")
    let everything = try store.everything()
    var size = 0
    for round in 0..<5 {
      _ = try store.compact(keeping: retention)
      let now = try fixture.bytes().count
      if round > 0 { #expect(now == size) }
      size = now
      #expect(try store.everything() == everything)
      #expect(try fixture.open().everything() == everything)
    }
  }

  // Covers D08, D09.
  @Test func anotherStoreNoticesTheCompaction() throws {
    let first = try fixture.open()
    try first.insertFilm("Up")
    let second = try fixture.open()
    _ = try first.compact(keeping: .none)
    #expect(try second.titles() == ["Up"])
    try second.insertFilm("Cars")
    #expect(try first.titles() == ["Up", "Cars"])
    #expect(try fixture.open().titles() == ["Up", "Cars"])
  }

  // Covers F01.
  @Test func keysOfDeletedRecordsStayUnusedAfterCompaction() throws {
    let store = try fixture.open()
    let up = try store.insertFilm("Up")
    try store.delete(up)
    _ = try store.compact(keeping: .none)
    let key = try #require(up.recordKey)
    let next = try #require(try fixture.open().insertFilm("Cars").recordKey)
    #expect(key < next)
  }

  // Covers C07.
  @Test func aFailedCompactionKeepsTheOldFile() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    try store.update(try #require(store.films().first).persistentIdentifier, "year", to: .null)
    let bytes = try fixture.bytes()
    let everything = try store.everything()
    var number = 1
    while true {
      let failing = number
      fixture.files.inject { $0.number == failing ? .fail(.noSpace) : .none }
      let code = errorCode { _ = try store.compact(keeping: .none) }
      let count = fixture.files.calls.count
      fixture.files.inject()
      if code == .outcomeUnknown || code == nil { break }
      #expect(try fixture.bytes() == bytes, "call \(number)")
      #expect(try store.everything() == everything, "call \(number)")
      #expect(count >= number)
      number += 1
    }
    #expect(number > 15)
    #expect(try fixture.open().everything() == everything)
  }
}
