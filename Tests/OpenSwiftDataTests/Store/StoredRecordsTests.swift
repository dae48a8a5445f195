import Foundation
import OpenSwiftData
import Testing

/// The records of a store in memory: commits, conflicts, changes of the schema.
@Suite struct StoredRecordsTests {
  private static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        .init("title", .text, isOptional: false), .init("year", .integer),
        .init("sequel", .link("Film")),
      ]
    )
  )

  private var records: StoredRecords

  init() throws { records = try StoredRecords(schema: Self.schema, storeIdentifier: "films") }

  private func film(_ number: UInt64, _ title: Value, year: Value = .null, sequel: Value = .null)
    throws -> DefaultSnapshot
  {
    let entity = try records.schema.entity(named: "Film")
    return DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: entity.name)
        .temporaryIdentifier(number, context: 1),
      layout: entity.layout,
      orderedValues: [title, year, sequel]
    )
  }

  @Test mutating func newRecordsGetKeysAndLinksFollowThem() throws {
    let second = try film(2, .text("Two"))
    let first = try film(1, .text("One"), sequel: .link(second.persistentIdentifier))
    let result = try records.commit(ChangeSet(inserted: [first, second]))
    let permanent = result.remappedIdentifiers
    #expect(permanent.count == 2 && permanent.values.allSatisfy { !$0.isTemporary })
    let all = records.all
    #expect(all.map { $0["title"] } == [.text("One"), .text("Two")])
    #expect(all[0]["sequel"] == .link(all[1].persistentIdentifier))
    #expect(all.map(\.persistentIdentifier.storeIdentifier) == ["films", "films"])
  }

  @Test mutating func aFailedCommitChangesNothing() throws {
    _ = try records.commit(ChangeSet(inserted: [try film(1, .text("One"))]))
    let before = records.all
    var stale = before[0]
    stale.orderedValues[1] = .integer(1999)
    var after = stale
    after.orderedValues[1] = .integer(2000)
    let attempts: [(PersistenceError.Code, ChangeSet)] = [
      (.conflict, ChangeSet(inserted: before)),
      (.conflict, ChangeSet(updated: [RecordUpdate(before: stale, after: after)])),
      (.conflict, ChangeSet(deleted: [stale])),
      (.invalidValue, ChangeSet(inserted: [try film(2, .null)], deleted: before)),
    ]
    for (code, changes) in attempts {
      let error = #expect(throws: PersistenceError.self) { try records.commit(changes) }
      #expect(error?.code == code)
      #expect(records.all == before)
    }
  }

  @Test mutating func writersOfDifferentFieldsDoNotDisturbEachOther() throws {
    _ = try records.commit(ChangeSet(inserted: [try film(1, .text("One"))]))
    let before = records.all[0]
    var titled = before
    titled.orderedValues[0] = .text("Eins")
    var dated = before
    dated.orderedValues[1] = .integer(2000)
    for after in [titled, dated] {
      _ = try records.commit(ChangeSet(updated: [RecordUpdate(before: before, after: after)]))
    }
    #expect(records.all[0].orderedValues == [.text("Eins"), .integer(2000), .null])
  }

  @Test mutating func theSchemaChangesWithItsRecords() throws {
    _ = try records.commit(ChangeSet(inserted: [try film(1, .text("One"))]))
    try records.apply(.renameAttribute(entity: "Film", from: "title", to: "name"))
    let stars = Schema.Attribute("stars", .integer, isOptional: false, defaultValue: .integer(3))
    try records.apply(.addAttribute(entity: "Film", stars))
    try records.apply(.dropAttribute(entity: "Film", name: "year"))
    #expect(
      records.all.map(\.values) == [["name": .text("One"), "stars": .integer(3), "sequel": .null]]
    )
    let before = records.all
    #expect(throws: PersistenceError.self) {
      try records.apply(.dropAttribute(entity: "Film", name: "year"))
    }
    #expect(records.all == before)
  }

  @Test func keysThatWereReadAreNotGivenAgain() throws {
    var keys = RecordKeyGenerator(milliseconds: { 1 }, random: { 7 })
    let identifier = try PersistentIdentifier.identifier(
      for: "films",
      entityName: "Film",
      primaryKey: keys.next()
    )
    var old = try film(1, .text("One"))
    old.persistentIdentifier = identifier
    var again = try StoredRecords(
      [old],
      schema: Self.schema,
      storeIdentifier: "films",
      keys: RecordKeyGenerator(milliseconds: { 1 }, random: { 7 })
    )
    _ = try again.commit(ChangeSet(inserted: [try film(2, .text("Two"))]))
    #expect(Set(again.all.map(\.persistentIdentifier)).count == 2)
  }

  @Test(arguments: ["12", "0zp5n1we1k8g2h4a", "6b1a3f3e-7d0e-4a57-8f19-6c6f4a1d1b11", "my notes"])
  func theTextOfAKeyMakesTheSameIdentifier(_ text: String) throws {
    func identifier(_ text: String) throws -> PersistentIdentifier {
      try .identifier(for: "films", entityName: "Film", keyText: text)
    }
    #expect(try identifier(text).description == text)
    #expect(try identifier(identifier(text).description) == identifier(text))
    let key = try #require(UUID(uuidString: "6b1a3f3e-7d0e-4a57-8f19-6c6f4a1d1b11"))
    #expect(
      try identifier(key.uuidString)
        == .identifier(for: "films", entityName: "Film", primaryKey: key)
    )
    #expect(throws: PersistenceError.self) { try identifier("") }
  }

  @Test func aStoreMayChooseKeys() throws {
    let new = try film(1, .text("Up"))
    let (changes, identifiers) = try ChangeSet(inserted: [new])
      .assigningIdentifiers(for: "films") { ($0["title"] ?? .null).text }
    #expect(changes.inserted.map(\.persistentIdentifier.description) == ["Up"])
    #expect(identifiers[new.persistentIdentifier] == changes.inserted[0].persistentIdentifier)
  }
}
