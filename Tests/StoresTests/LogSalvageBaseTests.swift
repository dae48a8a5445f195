import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Salvage of logs that were compacted, whose schema changed, or whose records are large.
@Suite struct LogSalvageBaseTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  private func salvage() throws -> (LogSalvage.Report, LogStore) {
    let new = fixture.folder.file("new.catlog")
    let report = try LogSalvage.run(from: fixture.path, to: new)
    return (report, try LogStore(LogStoreConfiguration(path: new)))
  }

  /// Changes a byte in the payload of a transaction.
  private func damage(transaction index: Int) throws {
    let offset = try fixture.content().transactions[index].offset
    var bytes = try fixture.bytes()
    bytes[offset + LogFormat.frameHeaderBytes + 40] ^= 0x40
    try fixture.put(bytes)
    #expect(errorCode { _ = try fixture.open(schema: nil) } == .damaged)
  }

  @Test func aCompactedLogKeepsItsBaseAndWhatIsSoundBehindIt() throws {
    let store = try fixture.open()
    let up = try store.insertFilm("Up")
    try store.insertFilm("Cars")
    _ = try store.compact(keeping: .none)
    try store.insertFilm("Coco")
    try store.update(up, "title", to: .text("Up!"))
    try damage(transaction: 0)
    let (report, saved) = try salvage()
    #expect(try saved.titles().sorted() == ["Cars", "Up!"])
    #expect(report.recordCount == 2 && report.losses.count == 1)
    let key = try #require(try saved.insertFilm("Soul").recordKey)
    #expect(try #require(up.recordKey) < key)
    #expect(try saved.transactions(after: nil, touching: nil).map(\.token) == [5])
    #expect(try saved.check() == [])
  }

  @Test func changesOfTheSchemaAreFollowed() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    try store.insertFilm("lost")
    try store.apply(.renameAttribute(entity: "Film", from: "year", to: "made"), author: nil)
    try store.insertFilm("Coco")
    try damage(transaction: 1)
    let (report, saved) = try salvage()
    #expect(try saved.titles().sorted() == ["Coco", "Up"])
    #expect(saved.schema == store.schema)
    #expect(report.losses.count == 1)
  }

  @Test func transactionsWithALostSchemaAreSkipped() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    let entity = Schema.Entity("Actor", attributes: [Schema.Attribute("name", .text)])
    try store.apply(.createEntity(entity), author: nil)
    try store.insertFilm("Coco")
    try damage(transaction: 1)
    // The copies of the schema are lost as well; each begins with a copy of the file header.
    var bytes = try fixture.bytes()
    for place in LogFormat.headerBytes..<bytes.count - 8
    where bytes[place..<place + 8].elementsEqual(LogFormat.magic) {
      bytes[place + 20] ^= 1
    }
    try fixture.put(bytes)
    let (report, saved) = try salvage()
    #expect(try saved.titles() == ["Up"])
    #expect(report.losses.contains { $0.contains("uses a lost schema") }, "\(report)")
  }

  @Test func aSoundMigrationIsFollowed() throws {
    try fixture.open().insertFilm("Up")
    let film = Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text), Schema.Attribute("year", .integer),
        Schema.Attribute("note", .text),
      ]
    )
    let store = try fixture.open(schema: Schema(film))
    try store.insertFilm("lost")
    try store.insertFilm("Coco")
    let count = try fixture.content().transactions.count
    try damage(transaction: count - 2)
    let (report, saved) = try salvage()
    #expect(try saved.titles().sorted() == ["Coco", "Up"])
    #expect(saved.schema == store.schema)
    #expect(report.losses.count == 1)
  }

  @Test func aLargeSaveIsSavedWhole() throws {
    let store = try fixture.open()
    let text = String(repeating: "long ", count: 1000)
    let films = try (0..<600).map {
      try store.new("Film", $0 + 1, ["title": .text("\($0) \(text)")])
    }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    try store.insertFilm("lost")
    try store.insertFilm("Coco")
    try damage(transaction: 1)
    let (report, saved) = try salvage()
    #expect(report.recordCount == 601 && report.losses.count == 1)
    #expect(try saved.titles().contains("Coco"))
  }

  @Test func aRecordLargerThanWhatIsReadAheadIsRead() throws {
    let store = try fixture.open()
    let text = String(repeating: "x", count: 9 << 20)
    try store.insertFilm(text)
    try store.insertFilm("Coco")
    let reopened = try fixture.open()
    #expect(try reopened.titles() == [text, "Coco"])
    #expect(try reopened.transactions(after: 1, touching: nil).count == 1)
    _ = try reopened.compact(keeping: .last(1))
    #expect(try fixture.open().titles() == [text, "Coco"])
  }

  @Test func keysOfEveryKindComeBack() throws {
    let store = try fixture.open()
    let scope = IdentifierScope(store: store.identifier, entity: "Film")
    let film = try store.schema.entity(named: "Film")
    let identifiers = [
      scope.identifier(number: 7), scope.identifier(uuid: UUID()),
      scope.identifier(text: "tt0133093"),
    ]
    let films = identifiers.map { identifier in
      DefaultSnapshot(
        persistentIdentifier: identifier,
        layout: film.layout,
        orderedValues: film.fields.map { $0.name == "title" ? .text("\(identifier)") : .null }
      )
    }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    _ = try store.compact(keeping: .none)
    let found = try fixture.open().films()
    #expect(Set(found.map(\.persistentIdentifier)) == Set(identifiers))
  }

  /// Bytes that change while the file is open.
  @Test func aHistoryThatRottedIsAnErrorAndNoPartOfIt() throws {
    let store = try fixture.open()
    for title in ["Up", "Cars", "Coco"] { try store.insertFilm(title) }
    let places = try fixture.content().transactions
    for place in places {
      let bytes = try fixture.bytes()
      let offset = place.offset + LogFormat.frameHeaderBytes + 20
      try fixture.files.base.overwrite(fixture.path, at: offset, bytes[offset] ^ 1)
      #expect(errorCode { _ = try store.transactions(after: nil, touching: nil) } == .damaged)
      try fixture.files.base.overwrite(fixture.path, at: place.offset, bytes[place.offset] ^ 1)
      #expect(errorCode { _ = try store.transactions(after: nil, touching: nil) } == .damaged)
      try fixture.files.base.overwrite(fixture.path, at: offset, bytes[offset])
      try fixture.files.base.overwrite(fixture.path, at: place.offset, bytes[place.offset])
    }
    #expect(try store.transactions(after: nil, touching: nil).count == 3)
  }
}
