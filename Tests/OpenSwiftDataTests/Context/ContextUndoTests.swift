import DataStoreTesting
import OpenSwiftData
import Testing

/// The undo manager of a context.
@Suite struct ContextUndoTests {
  let albums: AlbumContainer
  let manager = UndoManager()

  init() throws { albums = try AlbumContainer() }

  private func titles(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Album>()).map(\.title)
  }

  @Test func withoutAManagerNothingIsKept() throws {
    let (context, old) = try albums.context(albums: "A")
    old[0].title = "A2"
    #expect(!context.canUndo && context.undoManager == nil)
  }

  @Test func changesAreTakenBackAndDoneAgain() throws {
    let (context, old) = try albums.context(albums: "A")
    context.undoManager = manager
    old[0].title = "A2"
    context.insert(Album("B"))
    #expect(manager.canUndo)
    manager.undo()
    #expect(try titles(context) == ["A"] && !context.hasChanges)
    #expect(manager.canRedo && !manager.canUndo)
    manager.redo()
    #expect(try titles(context) == ["A2", "B"])
    manager.undo()
    #expect(try titles(context) == ["A"])
  }

  @Test func processingPendingChangesEndsAnAction() throws {
    let (context, old) = try albums.context(albums: "A")
    context.undoManager = manager
    old[0].title = "A2"
    context.processPendingChanges()
    old[0].title = "A3"
    context.processPendingChanges()
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(old[0].title == "A2")
    manager.undo()
    #expect(old[0].title == "A")
    manager.redo()
    manager.redo()
    #expect(old[0].title == "A3")
  }

  @Test func aGroupIsTakenBackAtOnce() throws {
    let (context, old) = try albums.context(albums: "A")
    context.undoManager = manager
    old[0].label = "before"
    manager.beginUndoGrouping()
    old[0].title = "A2"
    context.processPendingChanges()
    context.insert(Album("B"))
    manager.endUndoGrouping()
    manager.setActionName("rename and add")
    #expect(manager.undoCount == 2 && manager.undoActionName == "rename and add")
    manager.undo()
    #expect(try titles(context) == ["A"] && old[0].label == "before")
    #expect(manager.redoActionName == "rename and add")
    manager.undo()
    #expect(old[0].label.isEmpty)
  }

  @Test func undoReachesAcrossSaves() throws {
    let (context, old) = try albums.context(albums: "A")
    context.undoManager = manager
    old[0].tracks.append(Track("t"))
    try context.save()
    context.delete(old[0])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Track>()) == 0)
    manager.undo()
    #expect(try titles(context) == ["A"])
    try context.save()
    let fresh = try ModelContext(albums.container).fetch(FetchDescriptor<Album>())
    #expect(fresh.first?.tracks.map(\.name) == ["t"])
    manager.undo()
    try context.save()
    #expect(try ModelContext(albums.container).fetchCount(FetchDescriptor<Track>()) == 0)
  }

  /// Undo has its own values: a bound of the history does not shorten it.
  @Test func undoReachesBeyondTheHistoryOfTheStore() throws {
    var configuration = ReferenceStoreConfiguration()
    configuration.historyLimit = HistoryLimit(transactionCount: 1)
    let container = try ModelContainer(for: Album.self, configurations: configuration)
    let context = ModelContext(container)
    context.undoManager = manager
    let album = Album("0")
    context.insert(album)
    try context.save()
    for number in 1...5 {
      album.title = "\(number)"
      try context.save()
    }
    let store = try #require(container.stores.first as? ReferenceStore)
    #expect(try store.transactions(after: nil, touching: nil).count == 1)
    for number in (0..<5).reversed() {
      manager.undo()
      #expect(album.title == "\(number)")
    }
    try context.save()
    #expect(try titles(ModelContext(container)) == ["0"])
    manager.undo()
    try context.save()
    #expect(try titles(ModelContext(container)) == [])
    #expect(try store.transactions(after: nil, touching: nil).count == 1)
  }

  @Test func rollbackEmptiesTheStack() throws {
    let (context, old) = try albums.context(albums: "A")
    context.undoManager = manager
    old[0].title = "A2"
    context.processPendingChanges()
    old[0].title = "A3"
    context.rollback()
    #expect(!manager.canUndo && old[0].title == "A")
  }

  @Test func twoContextsMayShareAManager() throws {
    let (first, old) = try albums.context(albums: "A")
    let second = ModelContext(albums.container)
    first.undoManager = manager
    second.undoManager = manager
    old[0].title = "A2"
    first.processPendingChanges()
    second.insert(Album("B"))
    second.processPendingChanges()
    second.undoManager = nil
    #expect(manager.undoCount == 1)
    manager.undo()
    #expect(old[0].title == "A" && second.hasChanges)
  }

  @Test func whatCannotBeTakenBackChangesNothingAndSaysWhy() throws {
    let (context, old) = try albums.context(albums: "A", "B")
    context.undoManager = manager
    do {
      let album = try #require(try albums.album(old[1], in: context))
      album.title = "B2"
    }
    try context.save()
    let other = ModelContext(albums.container)
    let theirs = try #require(try albums.album(old[1], in: other))
    other.delete(theirs)
    try other.save()
    context.processPendingChanges()
    manager.undo()
    #expect(context.undoFailure is PersistenceError && !context.hasChanges)
    #expect(!manager.canUndo && !manager.canRedo)
  }
}
