import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// `deleteHistory(_:)` on the default store.
@Suite struct HistoryDeletionTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private func configuration(isInMemory: Bool, allowsSave: Bool = true) -> ModelConfiguration {
    isInMemory
      ? ModelConfiguration(isStoredInMemoryOnly: true)
      : ModelConfiguration(url: folder.url.appending(path: "trips.store"), allowsSave: allowsSave)
  }

  /// Saves by Ann, Bob, Ann and Bob.
  private func fill(_ container: ModelContainer) throws -> ModelContext {
    let context = ModelContext(container)
    for (place, author) in ["ann", "bob", "ann", "bob"].enumerated() {
      context.author = author
      context.insert(Trip(name: "Trip \(place)"))
      try context.save()
    }
    return context
  }

  @Test func aStoreInMemoryKeepsTheLastTransactions() throws {
    var configuration = configuration(isInMemory: true)
    configuration.historyLimit.transactionCount = 2
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let found = try fill(container).fetchHistory(Descriptor())
    #expect(found.map(\.transactionIdentifier) == [3, 4])
    let first = DefaultHistoryToken([container.stores[0].identifier: 1])
    #expect(throws: PersistenceError.self) {
      try HistoryObserver(
        historyTokens: [container.stores[0].identifier: first],
        modelContainer: container
      )
    }
  }

  @Test(arguments: [true, false])
  func theDefaultStoreForgetsWhatADescriptorSelects(isInMemory: Bool) throws {
    let configuration = configuration(isInMemory: isInMemory)
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = try fill(container)
    let all = try context.fetchHistory(Descriptor())
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "ann" }))
    #expect(try context.fetchHistory(Descriptor()) == [all[1], all[3]])
    let third = all[2].token
    let later = Descriptor(predicate: #Predicate { $0.token > third })
    #expect(try context.fetchHistory(later) == [all[3]])
    let first = all[0].token
    #expect(throws: SwiftDataError.historyTokenExpired) {
      _ = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > first }))
    }
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 4)
    guard !isInMemory else { return }
    let reopened = ModelContext(
      try ModelContainer(for: Trip.self, configurations: configuration)
    )
    #expect(try reopened.fetchHistory(Descriptor()) == [all[1], all[3]])
    try reopened.deleteHistory(Descriptor())
    #expect(try context.fetchHistory(Descriptor()) == [])
  }

  @Test func nothingIsForgottenWhereSavingIsNotAllowed() throws {
    _ = try fill(
      try ModelContainer(for: Trip.self, configurations: configuration(isInMemory: false))
    )
    let container = try ModelContainer(
      for: Trip.self,
      configurations: configuration(isInMemory: false, allowsSave: false)
    )
    let context = ModelContext(container)
    let error = #expect(throws: PersistenceError.self) {
      try context.deleteHistory(Descriptor())
    }
    #expect(error?.code == .readOnly)
    #expect(try context.fetchHistory(Descriptor()).count == 4)
  }
}
