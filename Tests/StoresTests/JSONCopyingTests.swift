import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Copying all records of a store into a new JSON file, some at a time.
@Suite struct JSONCopyingTests {
  private static func source(count: Int, _ random: inout SeededGenerator) throws -> MemoryStore {
    let store = try MemoryStore(
      MemoryStoreConfiguration(name: "source", schema: TableFixture.everything)
    )
    let scope = IdentifierScope(store: nil, entity: "Thing")
    let entity = TableFixture.entity()
    for start in stride(from: 0, to: count, by: 100) {
      let records = (start..<min(start + 100, count)).map { number in
        DefaultSnapshot(
          persistentIdentifier: scope.temporaryIdentifier(UInt64(number), context: 1),
          layout: entity.layout,
          orderedValues: entity.fields.map { field in
            field.type.destination == nil
              ? TableFixture.value(of: field.type, using: &random) : .null
          }
        )
      }
      _ = try store.commit(ChangeSet(inserted: records), author: nil)
    }
    try link(store, &random)
    return store
  }

  /// Links the records to each other, and deletes some.
  private static func link(_ store: MemoryStore, _ random: inout SeededGenerator) throws {
    let all = try store.snapshots(matching: Query("Thing"))
    var changes = ChangeSet()
    for record in all {
      if Int.random(in: 0..<6, using: &random) == 0 {
        changes.deleted.append(record)
        continue
      }
      var after = record
      let parent = all.randomElement(using: &random)?.persistentIdentifier
      after.orderedValues[9] = parent.map { .link($0) } ?? .null
      after.orderedValues[10] = .links(all.prefix(3).map(\.persistentIdentifier))
      changes.updated.append(RecordUpdate(before: record, after: after))
    }
    let gone = Set(changes.deleted.map(\.persistentIdentifier))
    for place in changes.updated.indices {
      let links = changes.updated[place].after.orderedValues[9].linkedIdentifiers
      if links.contains(where: gone.contains) {
        changes.updated[place].after.orderedValues[9] = .null
      }
      let list = changes.updated[place].after.orderedValues[10].linkedIdentifiers
      changes.updated[place].after.orderedValues[10] = .links(list.filter { !gone.contains($0) })
    }
    _ = try store.commit(changes, author: nil)
  }

  private func target(_ fixture: JSONFixture) throws -> JSONStore {
    try fixture.open(schema: TableFixture.everything)
  }

  /// The records with the same keys in another store, as a save without copying gets them.
  private static func moved(_ records: [DefaultSnapshot], to store: JSONStore) -> [DefaultSnapshot]
  {
    let scope = IdentifierScope(store: store.identifier, entity: "Thing")
    let pairs = records.map { record in
      (record.persistentIdentifier, scope.identifier(withKeyOf: record.persistentIdentifier))
    }
    let map = Dictionary(uniqueKeysWithValues: pairs)
    return records.map { $0.remapped(map) }
  }

  @Test(arguments: [1, 200, 2500])
  func theFileIsTheSameAsThatOfASave(count: Int) throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let source = try Self.source(count: count, &random)
    let records = try source.snapshots(matching: Query("Thing"))
    guard !records.isEmpty else { return }
    let (first, second) = (try JSONFixture(), try JSONFixture())
    let copying = try target(first)
    let copied = try copying.copyRecords(of: source, author: nil)
    #expect(copied?.count == records.count && copied?.lostLinks == 0, "seed \(seed)")
    let saving = try target(second)
    _ = try saving.commit(ChangeSet(inserted: Self.moved(records, to: saving)), author: nil)
    #expect(try first.text == second.text, "seed \(seed)")
    #expect(try copying.records() == saving.records(), "seed \(seed)")
    copying.withSession { $0.content.checkInvariants() }
    // The places are right: the next save changes one record.
    try copying.commit([.set(0, "name", .text("changed"))])
    try saving.commit([.set(0, "name", .text("changed"))])
    #expect(try first.text == second.text, "seed \(seed)")
  }

  @Test func jsonThatCannotBeReadBackIsNotCopied() throws {
    let schema = Schema(Schema.Entity("Thing", attributes: [Schema.Attribute("extra", .json)]))
    let source = try MemoryStore(MemoryStoreConfiguration(name: "source", schema: schema))
    let new = DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: "Thing")
        .temporaryIdentifier(1, context: 1),
      layout: schema.entities[0].layout,
      orderedValues: [.json("{")]
    )
    _ = try source.commit(ChangeSet(inserted: [new]), author: nil)
    let fixture = try JSONFixture()
    let store = try fixture.open(schema: schema)
    #expect(try store.copyRecords(of: source, author: nil) == nil)
  }

  @Test func aStoreWithRecordsIsLeftAlone() throws {
    var random = SeededGenerator(seed: 3)
    let source = try Self.source(count: 5, &random)
    let fixture = try JSONFixture()
    let store = try target(fixture)
    #expect(try store.copyRecords(of: source, author: nil) != nil)
    let text = try fixture.text
    #expect(try store.copyRecords(of: source, author: nil) == nil)
    #expect(try fixture.text == text)
  }
}
