import Dispatch
import OpenSwiftData
import Testing

@Suite @MainActor struct AutosaveTests {
  let albums: AlbumContainer

  init() throws { albums = try AlbumContainer() }

  /// Runs all jobs that are in the main queue now.
  private func mainQueueTurn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }

  private var savedTitles: [String] {
    get throws { try ModelContext(albums.container).fetch(FetchDescriptor<Album>()).map(\.title) }
  }

  @Test func theMainContextSavesAtTheNextTurnOfTheMainQueue() async throws {
    let context = albums.container.mainContext
    #expect(context.autosaveEnabled)
    let album = Album("A")
    context.insert(album)
    #expect(try savedTitles.isEmpty)
    await mainQueueTurn()
    #expect(try savedTitles == ["A"] && !context.hasChanges)
    album.title = "A2"
    await mainQueueTurn()
    #expect(try savedTitles == ["A2"])
  }

  @Test func otherContextsDoNotSave() async throws {
    let context = ModelContext(albums.container)
    #expect(!context.autosaveEnabled)
    context.insert(Album("A"))
    await mainQueueTurn()
    #expect(try savedTitles.isEmpty && context.hasChanges)
  }

  @Test func switchingItOnSavesWhatIsThere() async throws {
    let context = ModelContext(albums.container)
    context.insert(Album("A"))
    context.autosaveEnabled = true
    await mainQueueTurn()
    #expect(try savedTitles == ["A"])
    context.autosaveEnabled = false
    context.insert(Album("B"))
    await mainQueueTurn()
    #expect(try savedTitles == ["A"])
  }

  @Test func aFailedAutosaveLosesNothingAndIsTriedAgain() async throws {
    let films = try FilmContainer()
    let context = films.container.mainContext
    films.store.failNext()
    let film = try films.insert("A", into: context)
    await mainQueueTurn()
    #expect(context.autosaveFailure is PersistenceError && context.hasChanges)
    try film.set(.text("A2"), for: "title")
    await mainQueueTurn()
    #expect(context.autosaveFailure == nil && !context.hasChanges)
    #expect(try films.titles(ModelContext(films.container)) == ["A2"])
  }

  @Test func savesOfOthersArriveInTheMainContextByThemselves() async throws {
    let (other, old) = try albums.context(albums: "A")
    let context = albums.container.mainContext
    let mine = try #require(try albums.album(old[0], in: context))
    old[0].title = "A2"
    try other.save()
    await mainQueueTurn()
    #expect(mine.title == "A2")
  }
}
