import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Runs the suite that all stores must pass on every store.
///
/// Covers G04, G14, H09, J01, J02, J06.
@Suite struct ConformanceTests {
  /// Tests every query: the other stores use the same table and are tested with fewer queries.
  @Test(arguments: StoreConformance.cases)
  func theMemoryStoreKeepsTheContract(_ testCase: StoreConformance.Case) {
    let memory = StoreConformance(
      promises: [.history, .schemaChanges, .migration],
      rounds: testRounds(250)
    ) { schema in
      try MemoryStore(MemoryStoreConfiguration(schema: schema))
    }
    #expect(memory.findings(of: testCase) == [])
  }

  @Test(arguments: StoreConformance.cases)
  func theJSONStoreKeepsTheContract(_ testCase: StoreConformance.Case) throws {
    let folders = StoreFolders(try TemporaryFolder())
    let json = StoreConformance(
      promises: [.history, .schemaChanges, .migration, .sharing],
      rounds: testRounds(150),
      queryStride: testStride(5),
      reopen: { store in
        let store = try #require(store as? JSONStore)
        return try folders.openJSON(store.configuration.path, store.schema)
      },
      makeStore: { try folders.openJSON(folders.newPath("catalog.json"), $0) }
    )
    #expect(json.findings(of: testCase) == [])
    #expect(try folders.names().allSatisfy { $0.hasSuffix(".json") }, "nothing is left behind")
  }

  @Test(arguments: StoreConformance.cases)
  func theLogStoreKeepsTheContract(_ testCase: StoreConformance.Case) throws {
    let folders = StoreFolders(try TemporaryFolder())
    let log = StoreConformance(
      promises: .all.union(.sharing),
      rounds: testRounds(150),
      queryStride: testStride(5),
      reopen: { store in
        let store = try #require(store as? LogStore)
        return try folders.openLog(store.configuration.path, store.schema)
      },
      makeStore: { try folders.openLog(folders.newPath("films.catlog"), $0) }
    )
    #expect(log.findings(of: testCase) == [])
  }

  @Test(arguments: StoreConformance.cases)
  func theLogStoreKeepsTheContractAlsoThroughCompaction(_ testCase: StoreConformance.Case) throws {
    let folders = StoreFolders(try TemporaryFolder())
    let log = StoreConformance(
      promises: [.history, .schemaChanges],
      rounds: testRounds(150),
      queryStride: testStride(5),
      reopen: { store in
        let store = try #require(store as? LogStore)
        _ = try store.compact(keeping: .none)
        return try folders.openLog(store.configuration.path, store.schema)
      },
      makeStore: { try folders.openLog(folders.newPath("films.catlog"), $0) }
    )
    #expect(log.findings(of: testCase) == [])
  }

  /// The cases need entities and types that files without a schema cannot have; these are the
  /// remaining ones.
  @Test(arguments: [
    ("films.json", #"[{"title":"A","rating":1.5},{"title":"B","rating":2.5}]"#),
    ("films.jsonl", #"{"title":"A","rating":1.5}"# + "\n" + #"{"title":"B","rating":2.5}"# + "\n"),
    ("films.csv", "title,rating\nA,1.5\nB,2.5\n"),
  ])
  func plainFilesKeepWhatTheyCanOfTheContract(name: String, text: String) throws {
    let fixture = try JSONFixture(text, name: name)
    let store = try fixture.open()
    let stale = try store.records()
    try store.commit([.set(0, "title", .text("A2")), .insert(["title": .text("C")])])
    let third = try #require(try store.records().last)
    func update(_ before: DefaultSnapshot, _ slot: Int, _ value: Value) -> ChangeSet {
      var after = before
      after.orderedValues[slot] = value
      return ChangeSet(updated: [RecordUpdate(before: before, after: after)])
    }
    _ = try store.commit(update(stale[0], 1, .decimal(9)), author: nil)
    try store.commit([.delete(2), .delete(1)])
    try store.commit([.insert(["title": .text("D")])])
    let records = try store.records()
    let kept = try fixture.text
    #expect(records.map { $0.orderedValues.map(\.text) } == [["A2", "9"], ["D", ""]])
    #expect(
      !(stale + [third]).map(\.persistentIdentifier).contains(records[1].persistentIdentifier)
    )
    let refused: [(PersistenceError.Code, ChangeSet)] = [
      (.conflict, update(stale[0], 0, .text("x"))), (.conflict, update(third, 0, .text("x"))),
      (.conflict, ChangeSet(deleted: [third])), (.conflict, ChangeSet(deleted: [stale[0]])),
      (.conflict, ChangeSet(inserted: [records[0]])),
      (.invalidValue, update(records[0], 1, .decimal(.nan))),
      (.invalidValue, update(records[0], 0, .integer(1))),
    ]
    for (code, changes) in refused {
      #expect(errorCode { _ = try store.commit(changes, author: nil) } == code, "\(changes)")
    }
    #expect(try fixture.text == kept)
    #expect(
      try fixture.open().records().map { $0.orderedValues.map(\.text) }
        == [["A2", "9"], ["D", ""]]
    )
  }

  // Covers F01.
  @Test func numbersOfDeletedRecordsStayUnusedThroughCompaction() throws {
    let fixture = try LogFixture()
    let store = try fixture.open()
    let scope = IdentifierScope(store: store.identifier, entity: "Film")
    let film = try store.new("Film", 1, ["title": .text("Up")])
    let films = [1, 7].map { film.copy(persistentIdentifier: scope.identifier(number: $0)) }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    _ = try store.commit(ChangeSet(deleted: [films[1]]), author: nil)
    _ = try store.compact(keeping: .none)
    #expect(try fixture.open().insertFilm("Cars") == scope.identifier(number: 8))
  }
}

/// Makes a file for each store of a case.
private struct StoreFolders: Sendable {
  private let folder: TemporaryFolder
  private let count = JSONFixture.counter()

  init(_ folder: TemporaryFolder) { self.folder = folder }

  func newPath(_ name: String) -> String { folder.file("\(count())-\(name)") }

  func names() throws -> [String] { try folder.names() }

  func openJSON(_ path: String, _ schema: Schema) throws -> JSONStore {
    try JSONStore(JSONStoreConfiguration(path: path, schema: schema, lockTimeoutSeconds: 60))
  }

  /// The schema is that of the store; an existing log already contains it.
  func openLog(_ path: String, _ schema: Schema) throws -> LogStore {
    try LogStore(LogStoreConfiguration(path: path, schema: schema, lockTimeoutSeconds: 60))
  }
}
