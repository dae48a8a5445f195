import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Two containers on one file: no save of one is lost in the other.
@Suite struct TwoContainersTests {
  private static let cases = StoreConformance.cases.filter { $0.needs.contains(.detectsConflicts) }

  @Test(arguments: cases)
  func aJSONFileDetectsConflicts(_ testCase: StoreConformance.Case) throws {
    let folder = try TemporaryFolder()
    let json = StoreConformance(promises: .detectsConflicts, isLasting: true) {
      JSONStoreConfiguration(path: folder.file("\(UUID().uuidString).json"), schema: $0)
    }
    #expect(json.outcome(of: testCase) == .holds)
  }

  @Test(arguments: cases)
  func aLogDetectsConflicts(_ testCase: StoreConformance.Case) throws {
    let folder = try TemporaryFolder()
    let log = StoreConformance(promises: .detectsConflicts, isLasting: true) {
      LogStoreConfiguration(path: folder.file("\(UUID().uuidString).catlog"), schema: $0)
    }
    #expect(log.outcome(of: testCase) == .holds)
  }
}
