import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// The check of a save that changes the schema is part of its transaction.
@Suite struct CheckedSaveTests {
  @Test func nobodySavesBetweenTheCheckAndTheSave() throws {
    let folder = try TestFolder()
    let path = try folder.newPath("own.db")
    let entity = Schema.Entity(
      "Item",
      attributes: [Schema.Attribute("n", .integer), Schema.Attribute("m", .integer)]
    )
    let store = try SQLiteStore(at: path, schema: Schema(entity))
    let record = DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: "Item")
        .temporaryIdentifier(1, context: 1),
      layout: entity.layout,
      orderedValues: [.integer(3), .null]
    )
    _ = try store.commit(ChangeSet(inserted: [record]), author: nil)
    let drop = SchemaStep.dropAttribute(entity: "Item", name: "n")
    let rename = SchemaStep.renameAttribute(entity: "Item", from: "n", to: "k")
    var seen: [Value] = []
    func read(_ reading: StagedReading) throws {
      try reading.forEachPage(Query("Item", attributes: ["k"]), [rename]) { page in
        seen += page.values(slot: try #require(page.layout.slot(of: "k")))
      }
      let other = try otherProgram(path)
      #expect(throws: (any Error).self) { try other.run(SQLText("UPDATE Item SET n = 5")) }
    }
    let refusal = PersistenceError(.conflict, "changed")
    let error = #expect(throws: PersistenceError.self) {
      try store.commit(
        CommitRequest(.changes(ChangeSet()), after: [drop]) { reading in
          try read(reading)
          throw refusal
        }
      )
    }
    #expect(error?.message == "changed")
    #expect(try store.snapshots(matching: Query("Item")).first?["n"] == .integer(3))
    _ = try store.commit(CommitRequest(.changes(ChangeSet()), after: [drop], checking: read))
    #expect(seen == [.integer(3), .integer(3)])
    #expect(try store.snapshots(matching: Query("Item")).first?.layout.names == ["m"])
  }
}
