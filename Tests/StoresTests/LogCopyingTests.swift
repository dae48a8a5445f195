import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Copying all records of a store into a new log without a snapshot for each.
@Suite struct LogCopyingTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  private func target(_ name: String, schema: Schema? = LogFixture.schema) throws -> LogStore {
    try LogStore(LogStoreConfiguration(path: fixture.folder.file(name), schema: schema))
  }

  /// Films with links to studios and back; every fifth film and one studio are deleted.
  private func fill(_ store: LogStore, count: Int) throws {
    let studios = try (0..<4).map { try store.new("Studio", $0, ["name": .text("studio \($0)")]) }
    let made = try store.commit(ChangeSet(inserted: studios), author: nil).remappedIdentifiers
    let scope = studios.compactMap { made[$0.persistentIdentifier] }
    let films = try (0..<count).map { number in
      try store.new(
        "Film",
        number,
        [
          "title": .text("film \(number)"),
          "year": number % 3 == 0 ? .null : .integer(Int64(number)),
          "studio": number % 7 == 0 ? .null : .link(scope[number % 4]),
        ]
      )
    }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    let all = try store.films()
    for studio in scope {
      let own = all.filter { $0["studio"] == .link(studio) }.map(\.persistentIdentifier)
      try store.update(studio, "films", to: .links(own))
    }
    try store.delete(scope[1])
    let deleted = all.enumerated().filter { $0.offset % 5 == 2 }.map(\.element)
    _ = try store.commit(ChangeSet(deleted: deleted), author: nil)
  }

  /// The records with each link replaced by the title or name of its record.
  private func described(_ store: LogStore) throws -> [[Value]] {
    var names: [PersistentIdentifier: Value] = [:]
    let all = try store.everything()
    for record in all { names[record.persistentIdentifier] = record.orderedValues[0] }
    return all.map { record in
      record.orderedValues.map { value in
        switch value {
        case .link(let link): names[link] ?? .null
        case .links(let links): .json("\(links.compactMap { names[$0]?.text })")
        default: value
        }
      }
    }
  }

  @Test(arguments: [3, 40, 70_000])
  func everyRecordIsCopiedWithItsLinks(count: Int) throws {
    let source = try fixture.open()
    try fill(source, count: count)
    let everything = try source.everything()
    let identifiers = Set(everything.map(\.persistentIdentifier))
    let dangling = everything.reduce(0) { sum, record in
      sum
        + record.orderedValues.flatMap(\.linkedIdentifiers).filter { !identifiers.contains($0) }
        .count
    }
    let copy = try target("copy.catlog")
    let copied = try #require(try copy.copyRecords(of: source, author: "ada"))
    #expect(copied == CopiedRecords(count: everything.count, lostLinks: dangling))
    #expect(dangling > 0)
    #expect(try described(copy) == described(source))
    let reopened = try target("copy.catlog", schema: nil)
    #expect(try reopened.everything() == copy.everything())
    #expect(try reopened.check() == [])
    #expect(try source.everything() == everything)
    let transactions = try reopened.transactions(after: nil, touching: nil)
    #expect(transactions.map(\.changes.inserted.count) == [everything.count])
    #expect(transactions.map(\.author) == ["ada"])
    // The copy does not share changes with its source.
    let new = try copy.insertFilm("new")
    #expect(try source.snapshots(for: [new]).isEmpty)
    #expect(try reopened.films().count == copy.films().count)
  }

  @Test func incompatibleStoresAreNotCopied() throws {
    let source = try fixture.open()
    #expect(try target("none.catlog").copyRecords(of: source, author: nil) == nil)
    try source.insertFilm("Up")
    #expect(try source.copyRecords(of: source, author: nil) == nil)
    let full = try target("full.catlog")
    try full.insertFilm("Cars")
    #expect(try full.copyRecords(of: source, author: nil) == nil)
    let other = Schema(Schema.Entity("Film", attributes: [Schema.Attribute("title", .text)]))
    #expect(try target("other.catlog", schema: other).copyRecords(of: source, author: nil) == nil)
    #expect(try full.titles() == ["Cars"])
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.file("other.catlog")))
  }

  /// A save would refuse such records; so they are not copied unseen.
  @Test func recordsThatNeedValidationAreNotCopied() throws {
    let entity = Schema.Entity(
      "Film",
      attributes: [Schema.Attribute("title", .text, isUnique: true)]
    )
    let source = try fixture.open(schema: Schema(entity))
    let film = try source.new("Film", 1, ["title": .text("Up")])
    _ = try source.commit(ChangeSet(inserted: [film]), author: nil)
    let copy = try target("copy.catlog", schema: Schema(entity))
    #expect(try copy.copyRecords(of: source, author: nil) == nil)
    var table = RecordTable(schema: LogFixture.schema, storeIdentifier: "s")
    let key = IdentifierScope(store: "s", entity: "Film").identifier(number: 1)
    #expect(TableCopy.isValid(table))
    try table.withAppender(entity: "Film") {
      _ = try $0.beginRow(key: key)
      $0.endRow()
    }
    #expect(!TableCopy.isValid(table))
  }
}
