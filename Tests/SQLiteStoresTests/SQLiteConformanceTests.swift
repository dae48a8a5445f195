import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import SQLiteStores

/// Runs the suite that all stores must pass on databases of our own.
@Suite struct SQLiteConformanceTests {
  @Test(arguments: StoreConformance.cases)
  func theStoreKeepsTheContract(_ testCase: StoreConformance.Case) throws {
    let folder = try TestFolder()
    let sqlite = StoreConformance(
      promises: .all.union(.sharing),
      rounds: 40,
      queryStride: 5,
      reopen: { store in
        let store = try #require(store as? SQLiteStore)
        return try SQLiteStore(store.configuration)
      },
      makeStore: { schema in
        try SQLiteStore(SQLiteConfiguration(path: folder.newPath("films.db"), schema: schema))
      }
    )
    #expect(sqlite.findings(of: testCase) == [])
  }
}
