import Foundation
import OpenSwiftData
import Testing

@testable import DefaultStorage

@Suite struct ConfigurationTests {
  private func place(_ environment: [String: String], process: String = "planner") -> StorePlace {
    StorePlace(environment: environment, processName: process, home: "/home/nobody")
  }

  @Test(arguments: [
    (["XDG_DATA_HOME": "/data", "HOME": "/h"], "/data/planner/x.store"),
    (["HOME": "/h"], "/h/.local/share/planner/x.store"),
    (["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/planner/x.store"),
    (["XDG_DATA_HOME": ""], "/home/nobody/.local/share/planner/x.store"),
  ])
  func theDefaultPlaceFollowsTheEnvironment(environment: [String: String], path: String) {
    #expect(place(environment).path(name: "x", group: nil) == path)
  }

  @Test func programsOfAGroupShareAFolder() {
    let configuration = ModelConfiguration(
      "shared",
      schema: nil,
      isStoredInMemoryOnly: false,
      groupContainer: .identifier("group.trips"),
      place: place(["XDG_DATA_HOME": "/data"])
    )
    #expect(configuration.url.path == "/data/group.trips/shared.store")
    #expect(configuration.groupAppContainerIdentifier == "group.trips")
  }

  @Test func everyInitializerCanBeUsedWithItsDefaults() throws {
    let plain = ModelConfiguration()
    #expect(plain.name == "default" && plain.allowsSave && !plain.isStoredInMemoryOnly)
    #expect(plain.url.lastPathComponent == "default.store" && plain.id == plain.url)
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(memory.isStoredInMemoryOnly && memory.url.path == "/dev/null")
    let typed = ModelConfiguration(for: Trip.self, isStoredInMemoryOnly: true)
    #expect(typed.schema?.entities.map(\.name) == ["Trip", "Stop"])
    let named = ModelConfiguration("trips", schema: nil, allowsSave: false)
    #expect(named.url.lastPathComponent == "trips.store" && !named.allowsSave)
    let placed = ModelConfiguration(url: URL(fileURLWithPath: "/a/b/Trips.store"))
    #expect(placed.name == "Trips" && placed.url.path == "/a/b/Trips.store")
    #expect(
      ModelConfiguration(nil, groupContainer: .none, cloudKitDatabase: .none).name == "default"
    )
    for configuration in [plain, memory, typed, named, placed] { try configuration.validate() }
  }

  @Test func cloudKitIsRefusedByName() {
    let configuration = ModelConfiguration("trips", cloudKitDatabase: .private("iCloud.trips"))
    #expect(configuration.cloudKitContainerIdentifier == "iCloud.trips")
    let error = #expect(throws: PersistenceError.self) { try configuration.validate() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("iCloud.trips") ?? false)
  }

  @Test(arguments: [
    ModelConfiguration("a/b"), ModelConfiguration("a\0b"),
    ModelConfiguration(String(repeating: "x", count: 300)),
    ModelConfiguration("g", groupContainer: .identifier("../elsewhere")),
    ModelConfiguration("g", groupContainer: .identifier("..")),
  ])
  func namesThatAreNoFileNamesAreRefused(configuration: ModelConfiguration) {
    let error = #expect(throws: SwiftDataError.self) { try configuration.validate() }
    let kinds: [SwiftDataError] = [
      .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters,
    ]
    #expect(error.map(kinds.contains) ?? false)
  }

  @Test func onlyFilesCanBeOpened() throws {
    let url = try #require(URL(string: "https://example.org/trips"))
    #expect(throws: PersistenceError.self) { try ModelConfiguration(url: url).validate() }
  }

  #if os(Linux)
    @Test func theFoldersThatFoundationLacksAreThere() {
      #expect(URL.applicationSupportDirectory.isFileURL)
      #expect(URL.documentsDirectory.appending(path: "x.store").lastPathComponent == "x.store")
    }
  #endif
}
