import Foundation
import SwiftData
import Synchronization
import Testing

/// Two containers on one file, as in two processes.
@Suite struct RemoteChangeTests {
  let folder: TemporaryFolder
  let here: ModelContainer
  let there: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.url.appending(path: "trips.store"))
    here = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = ModelContext(here)
    context.insert(Trip(name: "Rome"))
    try context.save()
    there = try ModelContainer(for: Trip.self, configurations: configuration)
  }

  private func rename(_ name: String) throws {
    let context = ModelContext(there)
    try context.fetch(FetchDescriptor<Trip>()).first?.name = name
    context.author = "the other"
    try context.save()
  }

  @Test func fetchSeesSavesOfOtherProcesses() throws {
    let context = ModelContext(here)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    try rename("Oslo")
    #expect(trip.name == "Rome")
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    context.processPendingChanges()
    #expect(trip.name == "Oslo" && !context.hasChanges)
  }

  @Test func lookingTellsObserversWhatChanged() throws {
    let observer = try ResultsObserver<Trip, Never>(modelContext: ModelContext(here))
    let history = try HistoryObserver(authors: ["the other"], modelContainer: here)
    #expect(observer.results.map(\.name) == ["Rome"])
    let posted = Mutex<[[Int]]>([])
    let token = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange,
      object: here,
      queue: nil
    ) { notification in
      let keys = [ModelContext.NotificationKey.insertedIdentifiers, .updatedIdentifiers]
      let counts = keys.map {
        (notification.userInfo?[$0.rawValue] as? [PersistentIdentifier])?.count ?? 0
      }
      posted.withLock { $0.append(counts) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try rename("Oslo")
    let context = ModelContext(there)
    context.insert(Trip(name: "Rome"))
    try context.save()
    try here.refresh()
    try here.refresh()
    // Whichever thread has read the saves: contexts know of them.
    #expect(observer.results.map(\.name) == ["Oslo", "Rome"])
    // The thread that watches the file may have read them, and then it notifies the observers.
    for _ in 0..<1000 where posted.withLock({ $0.count }) < 2 { usleep(10_000) }
    // One notification per save, and none for reading again.
    #expect(Set(posted.withLock { $0 }) == [[1, 0], [0, 1]])
    #expect(posted.withLock { $0.count } == 2)
    #expect(history.eventCounter == 1)
  }

  @Test func aSaveFindsOutAboutOthersAsWell() throws {
    let mine = ModelContext(here)
    let watching = ModelContext(here)
    let trip = try #require(try watching.fetch(FetchDescriptor<Trip>()).first)
    try rename("Oslo")
    mine.insert(Trip(name: "Lima"))
    try mine.save()
    watching.processPendingChanges()
    #expect(trip.name == "Oslo")
  }

  @Test func ownSavesAreNoNews() throws {
    nonisolated(unsafe) var count = 0
    let token = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange,
      object: here,
      queue: nil
    ) { _ in count += 1 }
    defer { NotificationCenter.default.removeObserver(token) }
    let context = ModelContext(here)
    for number in 0..<3 {
      context.insert(Trip(name: "\(number)"))
      try context.save()
      _ = try context.fetch(FetchDescriptor<Trip>())
    }
    #expect(count == 0)
  }

  @Test func manySavesOfOthersAreTakenInAsAWhole() throws {
    let context = ModelContext(here)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    for number in 0..<100 { try rename("\(number)") }
    try here.refresh()
    context.processPendingChanges()
    #expect(trip.name == "99")
  }
}
