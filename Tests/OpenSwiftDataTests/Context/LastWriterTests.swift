import Foundation
import OpenSwiftData
import Synchronization
import Testing

/// A container whose saves overwrite what others have changed as well.
@Suite struct LastWriterTests {
  let albums: AlbumContainer

  init() throws {
    albums = try AlbumContainer()
    albums.container.conflictPolicy = .lastWriterWins
  }

  private func stored() throws -> [Album] {
    try ModelContext(albums.container)
      .fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title, comparator: .lexical)]))
  }

  @Test func theLastSaveWinsAndOtherValuesAreMerged() throws {
    let (context, old) = try albums.context(albums: "A")
    let other = ModelContext(albums.container)
    let same = try #require(try albums.album(old[0], in: other))
    old[0].title = "first"
    old[0].label = "kept"
    same.title = "last"
    try context.save()
    try other.save()
    let found = try stored()
    #expect(found.map(\.title) == ["last"] && found.map(\.label) == ["kept"])
    #expect(!other.hasChanges && old[0].label == "kept")
  }

  /// Another context saves in between, as often as this one tries.
  @Test(arguments: [1, 2, 5]) func aSaveThatIsOvertakenAgainAndAgainWins(count: Int) throws {
    let films = try FilmContainer()
    films.container.conflictPolicy = .lastWriterWins
    let (context, mine) = try films.context(films: [("A", 1)])
    let other = ModelContext(films.container)
    nonisolated(unsafe) let theirs = try #require(
      try other.records(for: [mine[0].persistentModelID]).first
    )
    let left = Mutex(count)
    films.store.beforeCommits {
      let number = left.withLock { left in
        left -= 1
        return left
      }
      guard number >= 0 else { return }
      do {
        try theirs.set(.text("theirs \(number)"), for: "title")
        try theirs.modelContext?.save()
      } catch {
        Issue.record(error)
      }
    }
    try mine[0].set(.text("mine"), for: "title")
    try context.save()
    #expect(left.withLock { $0 } < 0)
    #expect(try films.titles(ModelContext(films.container)) == ["mine"])
  }

  @Test func aDeletionWinsOverAChange() throws {
    let (context, old) = try albums.context(albums: "A", "B")
    let other = ModelContext(albums.container)
    other.delete(try #require(try albums.album(old[0], in: other)))
    old[0].title = "changed"
    try context.save()
    try other.save()
    #expect(try stored().map(\.title) == ["B"])
  }

  @Test func aChangeWinsOverADeletion() throws {
    let (context, old) = try albums.context(albums: "A", "B")
    let other = ModelContext(albums.container)
    let same = try #require(try albums.album(old[0], in: other))
    same.title = "changed"
    context.delete(old[0])
    try context.save()
    try other.save()
    #expect(try stored().map(\.title) == ["B", "changed"])
  }

  @Test func withoutThePolicyTheSaveIsRefused() throws {
    albums.container.conflictPolicy = .refuse
    let (context, old) = try albums.context(albums: "A")
    let other = ModelContext(albums.container)
    let same = try #require(try albums.album(old[0], in: other))
    same.title = "last"
    old[0].title = "first"
    try context.save()
    let error = #expect(throws: PersistenceError.self) { try other.save() }
    #expect(error?.code == .conflict && error?.conflicts.count == 1)
    #expect(try stored().map(\.title) == ["first"])
  }
}
