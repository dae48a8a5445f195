import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// The stores of the guide hold what they promise in a package of their own.
@Suite struct GuideTests {
  private static let folder = FileManager.default.temporaryDirectory.appending(
    path: "guide-\(UUID())"
  )

  private static func newFile() throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appending(path: "\(UUID()).json")
  }

  private static let suites: [(name: String, suite: StoreConformance)] = [
    (
      "notebook",
      StoreConformance(promises: [.waist, .schemaChanges], rounds: 20, queryStride: 9) {
        NotebookConfiguration(schema: $0)
      }
    ),
    (
      "reference",
      StoreConformance(promises: .all.subtracting(.lastingHistory), rounds: 20, queryStride: 9) {
        // The one that this package compiles itself, which can use only public parts of the library.
        ReferenceStoreConfiguration(schema: $0)
      }
    ),
    (
      "journal",
      StoreConformance(promises: [.untypedRecords], rounds: 5, queryStride: 9, isLasting: true) {
        JournalConfiguration(schema: $0, fileURL: try newFile())
      }
    ),
    (
      "JSON",
      StoreConformance(
        promises: [.waist, .schemaChanges, .detectsConflicts, .sharing],
        rounds: 20,
        queryStride: 9,
        isLasting: true
      ) {
        FormatStoreConfiguration(JSONFormat(try newFile()), schema: $0)
      }
    ),
  ]

  @Test func theStoresOfTheGuideHoldTheirPromises() {
    // The system cleans up what cannot be removed.
    defer { try? FileManager.default.removeItem(at: Self.folder) }
    for (name, suite) in Self.suites {
      let report = suite.run()
      print("\(name): \(report.summary)")
      #expect(report.findings == [], "\(report)")
    }
  }
}
