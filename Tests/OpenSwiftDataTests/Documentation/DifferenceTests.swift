import Foundation
import SwiftData
import Testing

/// What the page "From SwiftData" says of differences and of what is left out.
@Suite struct DifferenceTests {
  @Test func aModelKeepsItsContextAlive() throws {
    let container = try ModelContainer(for: Hike.self, configurations: NotebookConfiguration())
    func makeHike() throws -> Hike {
      let context = ModelContext(container)
      let hike = Hike("High Route", days: 12)
      hike.huts = [Hut("Trient")]
      context.insert(hike)
      try context.save()
      return hike
    }
    let hike = try makeHike()
    #expect(hike.huts.map(\.place) == ["Trient"])
    hike.days = 13
    try hike.modelContext?.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Hike>()).map(\.days) == [13])
  }

  @Test func aCloudDatabaseIsRefusedByName() {
    let cloud = ModelConfiguration(cloudKitDatabase: .private("iCloud.hikes"))
    let error = #expect(throws: PersistenceError.self) { try cloud.validate() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("iCloud.hikes") == true)
    #expect(throws: Never.self) { try ModelConfiguration(cloudKitDatabase: .none).validate() }
  }

  @Test func theDefaultStoreHasItsFolder() {
    let process = ProcessInfo.processInfo.processName
    #expect(ModelConfiguration().url.path.hasSuffix("/\(process)/default.store"))
    #expect(ModelConfiguration("hikes").url.lastPathComponent == "hikes.store")
  }
}
