import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Every store against the suite that all stores must pass.
@Suite struct ConformanceTests {
  @Test(arguments: StoreConformance.cases)
  func theMemoryStoreKeepsTheContract(_ testCase: StoreConformance.Case) {
    let memory = StoreConformance(
      promises: [.history, .schemaChanges],
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
      promises: [.history, .schemaChanges],
      rounds: testRounds(150),
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
      promises: .all,
      rounds: testRounds(150),
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
      reopen: { store in
        let store = try #require(store as? LogStore)
        _ = try store.compact(keeping: .none)
        return try folders.openLog(store.configuration.path, store.schema)
      },
      makeStore: { try folders.openLog(folders.newPath("films.catlog"), $0) }
    )
    #expect(log.findings(of: testCase) == [])
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

  /// The schema is that of the store, which a log that is there has in it already.
  func openLog(_ path: String, _ schema: Schema) throws -> LogStore {
    try LogStore(LogStoreConfiguration(path: path, schema: schema, lockTimeoutSeconds: 60))
  }
}
