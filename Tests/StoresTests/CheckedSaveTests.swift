import OpenSwiftData
import Testing

@testable import Stores

/// The check of a save that changes the schema sees the records that the save replaces.
@Suite struct CheckedSaveTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let drop = SchemaStep.dropAttribute(entity: "films", name: "n")

  private func store(_ name: String) throws -> any StagingStore {
    let path = folder.file(name)
    let schema = Schema(
      Schema.Entity(
        "films",
        attributes: [Schema.Attribute("n", .integer), Schema.Attribute("m", .integer)]
      )
    )
    if name.hasSuffix(".catlog") {
      return try LogStore(
        LogStoreConfiguration(path: path, schema: schema, lockTimeoutSeconds: 0.05)
      )
    }
    return try JSONStore(
      JSONStoreConfiguration(
        path: path,
        form: name.hasSuffix(".csv") ? .delimited : .json,
        lockTimeoutSeconds: 0.05
      )
    )
  }

  private func change(_ store: any StagingStore, to number: Int64) throws {
    let record = try #require(try store.snapshots(matching: Query("films")).first)
    var after = record
    after.orderedValues[0] = .integer(number)
    let update = RecordUpdate(before: record, after: after)
    _ = try store.commit(ChangeSet(updated: [update]), author: nil)
  }

  /// The sum of a field as a check reads it.
  private func sum(_ reading: StagedReading) throws -> Int64 {
    var sum: Int64 = 0
    try reading.forEachPage(Query("films", attributes: ["n"]), []) { page in
      let slot = try #require(page.layout.slot(of: "n"))
      for case .integer(let number) in page.values(slot: slot) { sum += number }
    }
    return sum
  }

  @Test(arguments: ["films.json", "films.jsonl", "films.csv"])
  func aSaveThatWasOvertakenIsCheckedAgain(name: String) throws {
    let text =
      name.hasSuffix(".csv")
      ? "n,m\n1,1\n2,2\n"
      : name.hasSuffix("l")
        ? "{\"n\":1,\"m\":1}\n{\"n\":2,\"m\":2}\n" : "[{\"n\":1,\"m\":1},{\"n\":2,\"m\":2}]"
    try folder.put(name, Array(text.utf8))
    let (store, other) = (try store(name), try store(name))
    var sums: [Int64] = []
    let error = #expect(throws: PersistenceError.self) {
      try store.commit(
        CommitRequest(.changes(ChangeSet()), after: [Self.drop]) { reading in
          sums.append(try sum(reading))
          // Another program saves after the check.
          if sums.count == 1 { try change(other, to: 5) }
          if sums.last != 3 { throw PersistenceError(.conflict, "changed") }
        }
      )
    }
    #expect(error?.message == "changed")
    #expect(sums.first == 3 && sums.dropFirst().allSatisfy { $0 == 7 } && sums.count > 1)
    let records = try store.snapshots(matching: Query("films"))
    #expect(records.map { $0["n"] } == [.integer(5), .integer(2)])
  }

  @Test func nobodySavesToALogBetweenTheCheckAndTheSave() throws {
    let store = try store("films.catlog")
    let layout = SnapshotLayout(["n", "m"])
    let identifier = IdentifierScope(store: nil, entity: "films").temporaryIdentifier(1, context: 1)
    _ = try store.commit(
      ChangeSet(
        inserted: [
          DefaultSnapshot(
            persistentIdentifier: identifier,
            layout: layout,
            orderedValues: [.integer(3), .null]
          )
        ]
      ),
      author: nil
    )
    let other = try self.store("films.catlog")
    _ = try store.commit(
      CommitRequest(.changes(ChangeSet()), after: [Self.drop]) { reading in
        let found = try sum(reading)
        #expect(found == 3)
        #expect(throws: PersistenceError.self) { try change(other, to: 5) }
      }
    )
    #expect(try store.snapshots(matching: Query("films")).first?.layout.names == ["m"])
  }
}
