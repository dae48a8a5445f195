import Foundation
import Observation
import OpenSwiftData
import Synchronization
import Testing

@Suite struct HistoryObserverTests {
  let albums: AlbumContainer
  let context: ModelContext

  init() throws {
    albums = try AlbumContainer()
    context = ModelContext(albums.container)
  }

  private func save(_ title: String, by author: String? = nil) throws {
    context.author = author
    context.insert(Album(title))
    try context.save()
  }

  @Test func savesAreCounted() throws {
    let observer = try HistoryObserver(modelContainer: albums.container)
    #expect(observer.eventCounter == 0)
    let told = Atomic<Int>.Box()
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      told.add()
    }
    try save("A")
    try save("B")
    #expect(observer.eventCounter == 2 && told.value == 1)
    try context.save()
    #expect(observer.eventCounter == 2)
  }

  @Test func onlyTheWantedModelsAndAuthorsCount() throws {
    let tracks = try HistoryObserver(
      observedModels: [Track.self],
      modelContainer: albums.container
    )
    let mine = try HistoryObserver(authors: ["me"], modelContainer: albums.container)
    try save("A", by: "me")
    try save("B", by: "you")
    try save("C")
    #expect(tracks.eventCounter == 0 && mine.eventCounter == 1)
    context.author = nil
    context.insert(Track("t"))
    try context.save()
    #expect(tracks.eventCounter == 1 && mine.eventCounter == 1)
  }

  @Test func whatWasSavedSinceATokenIsCountedAtOnce() throws {
    try save("A")
    let last = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
    )
    try save("B")
    try save("C", by: "me")
    let tokens: [String: any HistoryToken] = [last.storeIdentifier: last.token]
    let all = try HistoryObserver(historyTokens: tokens, modelContainer: albums.container)
    #expect(all.eventCounter == 2)
    let mine = try HistoryObserver(
      historyTokens: tokens,
      authors: ["me"],
      modelContainer: albums.container
    )
    #expect(mine.eventCounter == 1)
  }

  @MainActor @Test func withAnActorTheCounterChangesThere() async throws {
    let observer = try HistoryObserver(modelContainer: albums.container)
    let container = albums.container
    let seen = AsyncStream<Bool>.makeStream()
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      seen.continuation.yield(true)
    }
    await Task.detached {
      let other = ModelContext(container)
      other.insert(Album("A"))
      // The counter shows whether it worked.
      try? other.save()
    }.value
    for await _ in seen.stream { break }
    await Task.yield()
    while observer.eventCounter == 0 { await Task.yield() }
    #expect(observer.eventCounter == 1)
  }
}
