import Foundation
import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

@Suite struct MemoryStoreTests {
  private static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text, isOptional: false), Schema.Attribute("year", .integer),
      ]
    )
  )
  private static let moment = Date(timeIntervalSince1970: 1_600_000_000)

  private static func store() throws -> MemoryStore {
    try MemoryStore(
      MemoryStoreConfiguration(name: "m", schema: schema, now: { moment }, random: { 42 })
    )
  }

  private static func film(_ serial: UInt64, _ title: String, _ year: Int64) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: "Film")
        .temporaryIdentifier(serial, context: 1),
      layout: schema.entities[0].layout,
      orderedValues: [.text(title), .integer(year)]
    )
  }

  @Test func committedRecordsAreFoundUnderTheirNewIdentifiers() throws {
    let store = try Self.store()
    let films = [Self.film(1, "Up", 2009), Self.film(2, "Alien", 1979)]
    let result = try store.commit(ChangeSet(inserted: films), author: "me")
    #expect(result.token == 1 && result.remappedIdentifiers.count == 2)
    let sorted = Query("Film", sort: [SortKey("year")])
    let found = try store.snapshots(matching: sorted)
    #expect(found.map { $0["title"] } == [.text("Alien"), .text("Up")])
    #expect(
      found.map(\.persistentIdentifier)
        == films.reversed().map { result.remappedIdentifiers[$0.persistentIdentifier] }
    )
    #expect(try store.identifiers(matching: sorted) == found.map(\.persistentIdentifier))
    #expect(try store.count(matching: Query("Film", limit: 1)) == 1)
    let text = found[0].persistentIdentifier.description
    #expect(
      try store.identifiers(withPrefix: text, entityName: nil, limit: 2)
        == [found[0].persistentIdentifier]
    )
    #expect(try store.snapshots(for: [found[1].persistentIdentifier]).count == 1)
    #expect(try store.check().isEmpty)
  }

  // Covers F03.
  @Test func historyHasEveryTransaction() throws {
    let store = try Self.store()
    _ = try store.commit(ChangeSet(inserted: [Self.film(1, "Up", 2009)]), author: "me")
    let before = try store.snapshots(matching: Query("Film"))[0]
    var after = before
    after.orderedValues[1] = .integer(2010)
    let update = RecordUpdate(before: before, after: after)
    _ = try store.commit(ChangeSet(updated: [update]), author: nil)
    _ = try store.commit(ChangeSet(inserted: [Self.film(2, "Alien", 1979)]), author: nil)
    #expect(try store.commit(ChangeSet(), author: nil) == CommitResult())
    let change = SchemaChange.addAttribute(entity: "Film", Schema.Attribute("seen", .boolean))
    try store.apply(change, author: "you")
    let all = try store.transactions(after: nil, touching: nil)
    #expect(all.map(\.token) == [1, 2, 3, 4])
    #expect(all.map(\.author) == ["me", nil, nil, "you"])
    #expect(all.allSatisfy { $0.timestamp == Self.moment })
    #expect(all[3].schemaChange == change)
    #expect(try store.transactions(after: 2, touching: nil).map(\.token) == [3, 4])
    #expect(try store.transactions(after: .max, touching: nil).isEmpty)
    let unknown = #expect(throws: PersistenceError.self) {
      try store.transactions(after: 99, touching: nil)
    }
    #expect(unknown?.code == .historyExpired)
    let own = try store.transactions(after: nil, touching: before.persistentIdentifier)
    #expect(own.map(\.token) == [1, 2])
    #expect(own[1].changes == ChangeSet(updated: [update]))
  }

  @Test func aRefusedCommitLeavesNothing() throws {
    let store = try Self.store()
    var bad = Self.film(2, "", 1)
    bad.orderedValues[0] = .null
    #expect(throws: PersistenceError.self) {
      _ = try store.commit(ChangeSet(inserted: [Self.film(1, "Up", 2009), bad]), author: nil)
    }
    #expect(try store.count(matching: Query("Film")) == 0)
    #expect(try store.transactions(after: nil, touching: nil).isEmpty)
  }

  @Test func undoBringsRecordsBackToTheirPlace() throws {
    let store = try Self.store()
    let films = (0..<6).map { Self.film(UInt64($0), "f\($0)", Int64($0)) }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    let all = try store.snapshots(matching: Query("Film"))
    let deletion = ChangeSet(deleted: Array(all[0..<4]))
    _ = try store.commit(deletion, author: nil)
    #expect(try store.compact() == "removed deleted records of Film")
    #expect(try store.compact() == "nothing to compact")
    _ = try store.commit(deletion.inverse, author: nil)
    #expect(try store.snapshots(matching: Query("Film")) == all)
  }

  @Test func eraseAndContextsWork() throws {
    let store = try Self.store()
    _ = try store.commit(ChangeSet(inserted: [Self.film(1, "Up", 2009)]), author: nil)
    try store.erase()
    #expect(try store.count(matching: Query("Film")) == 0)
    #expect(throws: PersistenceError.self) {
      _ = try MemoryStore(
        MemoryStoreConfiguration(schema: Schema(Schema.Entity("", attributes: [])))
      )
    }
  }
}
