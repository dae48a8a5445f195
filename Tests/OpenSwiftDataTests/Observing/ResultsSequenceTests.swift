import Foundation
import OpenSwiftData
import Testing

@MainActor @Suite struct ResultsSequenceTests {
  let container: ModelContainer
  let context: ModelContext
  let byTitle = FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title, comparator: .lexical)])

  init() throws {
    container = try AlbumContainer().container
    context = container.mainContext
    context.autosaveEnabled = false
  }

  /// The titles of the next results.
  private func titles(_ iterator: inout ResultsSequence<Album>.Iterator) async throws -> [String]? {
    try await iterator.next(isolation: MainActor.shared)?.map(\.title)
  }

  @Test func resultsComeAtOnceAndAfterChangesTogether() async throws {
    var iterator = context.results(of: byTitle).makeAsyncIterator()
    #expect(try await titles(&iterator) == [])
    context.insert(Album("B"))
    let first = Album("A")
    context.insert(first)
    #expect(try await titles(&iterator) == ["A", "B"])
    first.title = "C"
    #expect(try await titles(&iterator) == ["B", "C"])
    context.delete(first)
    #expect(try await titles(&iterator) == ["B"])
  }

  @Test func aSaveOfAnotherContextWakesTheLoop() async throws {
    let loop = Task { @MainActor in
      var seen: [[String]] = []
      for try await albums in context.results(of: byTitle) {
        seen.append(albums.map(\.title))
        if seen.last == ["A", "B"] { break }
      }
      return seen
    }
    for title in ["A", "B"] {
      // Each save comes after the loop has seen the former one.
      for _ in 0..<10 { await Task.yield() }
      let other = ModelContext(container)
      other.insert(Album(title))
      try other.save()
    }
    let seen = try await loop.value
    #expect(seen.first == [] && seen.last == ["A", "B"])
    #expect(seen.count <= 3, "nothing is delivered twice: \(seen)")
  }

  @Test func cancelingTheTaskEndsTheLoop() async throws {
    let loop = Task { @MainActor in
      var count = 0
      for try await _ in context.results(of: byTitle) { count += 1 }
      return count
    }
    for _ in 0..<10 { await Task.yield() }
    loop.cancel()
    #expect(try await loop.value == 1)
  }

  @Test func theFailureOfAStoreIsThrown() async throws {
    let schema = Schema([Album.self])
    let location = try TwinLocation(schema: schema)
    let container = try ModelContainer(
      for: schema,
      configurations: TwinConfiguration(schema: schema, location: location)
    )
    let context = container.mainContext
    let store = try #require(container.stores.first as? TwinStore)
    let observer = try ResultsObserver<Album, Never>(modelContext: context)
    var iterator = context.results(of: byTitle).makeAsyncIterator()
    #expect(try await titles(&iterator) == [])
    store.changeFeed.send(.failure(PersistenceError(.inaccessible, "the line is cut")))
    do {
      _ = try await titles(&iterator)
      Issue.record("the failure was not thrown")
    } catch let error as PersistenceError {
      #expect(error.code == .inaccessible && error.message == "the line is cut")
    }
    #expect(observer.results.isEmpty)
    #expect((observer.fetchError as? PersistenceError)?.message == "the line is cut")
    let other = TwinStore(store.configuration)
    let elsewhere = try ModelContainer(for: schema, configurations: other.configuration)
    let writer = ModelContext(elsewhere)
    writer.insert(Album("A"))
    try writer.save()
    try container.refresh()
    var again = context.results(of: byTitle).makeAsyncIterator()
    #expect(try await titles(&again) == ["A"])
    #expect(observer.results.map(\.title) == ["A"] && observer.fetchError == nil)
  }
}

/// When a container starts to watch its stores.
@Suite struct WatchingTests {
  private static func make() throws -> (ModelContainer, MailboxStore) {
    let container = try ModelContainer(
      for: Schema([Hike.self]),
      configurations: MailboxConfiguration()
    )
    return (container, try #require(container.stores.first as? MailboxStore))
  }

  @Test func anObserverStartsToWatchTheStoresOnce() throws {
    let (container, store) = try Self.make()
    let context = ModelContext(container)
    _ = try context.fetch(FetchDescriptor<Hike>())
    #expect(store.watchCount == 0)
    let results = try ResultsObserver<Hike, Never>(modelContext: context)
    #expect(store.watchCount == 1)
    let history = try HistoryObserver(modelContainer: container)
    container.startWatching()
    #expect(store.watchCount == 1 && history.eventCounter == 0 && results.results.isEmpty)
  }

  @MainActor @Test func aLoopOverResultsStartsToWatchTheStores() async throws {
    let (container, store) = try Self.make()
    var iterator = container.mainContext.results(of: FetchDescriptor<Hike>()).makeAsyncIterator()
    #expect(store.watchCount == 0)
    _ = try await iterator.next(isolation: MainActor.shared)
    #expect(store.watchCount == 1)
  }
}
