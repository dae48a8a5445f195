import DataStoreTesting
import OpenSwiftData
import Testing

/// The saves of one context reach the other contexts of its container.
@Suite struct SiblingTests {
  let albums: AlbumContainer

  init() throws { albums = try AlbumContainer() }

  @Test func unchangedModelsGetTheNewValues() throws {
    let (context, mine) = try albums.context(albums: "A", "B")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    mine[0].title = "A2"
    mine[0].year = 1999
    #expect(theirs.title == "A")
    try context.save()
    sibling.processPendingChanges()
    #expect(theirs.title == "A2" && theirs.year == 1999)
    #expect(!sibling.hasChanges && !theirs.hasChanges)
  }

  @Test func aFetchTakesInWhatWasSaved() throws {
    let (context, mine) = try albums.context(albums: "A")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    mine[0].title = "A2"
    try context.save()
    #expect(try sibling.fetchCount(FetchDescriptor<Track>()) == 0)
    #expect(theirs.title == "A2")
  }

  @Test func unsavedEditsStayAndTheRestIsRefreshed() throws {
    let (context, mine) = try albums.context(albums: "A")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    theirs.label = "edited here"
    mine[0].title = "A2"
    mine[0].year = 2001
    try context.save()
    sibling.processPendingChanges()
    #expect(theirs.title == "A2" && theirs.year == 2001 && theirs.label == "edited here")
    try sibling.save()
    context.processPendingChanges()
    #expect(mine[0].label == "edited here" && mine[0].title == "A2")
  }

  /// Such a record is in conflict; no query returns it, whether it sorts or not.
  @Test func aRecordChangedHereAndDeletedElsewhereIsInNoResult() throws {
    let (context, mine) = try albums.context(albums: "A", "B", "C")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[1], in: sibling))
    theirs.title = "B2"
    context.delete(mine[1])
    try context.save()
    let sorted = Query("Album", sort: [SortKey("title")])
    let named = Query("Album", filter: .compare("title", .equal, .text("B2")))
    #expect(try sibling.fetchCount(matching: Query("Album")) == 2)
    #expect(try sibling.fetchIdentifiers(matching: sorted).count == 2)
    #expect(try sibling.fetchCount(matching: named) == 0)
    #expect(try sibling.fetchIdentifiers(matching: named).isEmpty)
    let error = #expect(throws: PersistenceError.self) { try sibling.save() }
    #expect(error?.code == .conflict && error?.conflicts.count == 1)
    _ = try sibling.resolveConflict(of: theirs.persistentModelID, keeping: .mine)
    #expect(try sibling.fetchCount(matching: named) == 1)
    #expect(try sibling.fetchIdentifiers(matching: sorted).count == 3)
    try sibling.save()
    #expect(try ModelContext(albums.container).fetchCount(matching: named) == 1)
  }

  @Test func aValueChangedOnBothSidesIsAConflictAndRollbackTakesTheirs() throws {
    let (context, mine) = try albums.context(albums: "A")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    theirs.title = "here"
    mine[0].title = "there"
    try context.save()
    sibling.processPendingChanges()
    #expect(theirs.title == "here")
    let error = #expect(throws: PersistenceError.self) { try sibling.save() }
    #expect(error?.code == .conflict)
    #expect(theirs.title == "here" && sibling.hasChanges)
    sibling.rollback()
    #expect(theirs.title == "there" && !sibling.hasChanges)
  }

  @Test func theSameValueOnBothSidesIsNoConflict() throws {
    let (context, mine) = try albums.context(albums: "A")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    theirs.title = "same"
    mine[0].title = "same"
    try context.save()
    try sibling.save()
    #expect(!sibling.hasChanges && theirs.title == "same")
  }

  @Test func bothMayAddToOneList() throws {
    let (context, mine) = try albums.context(albums: "A")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    theirs.tracks.append(Track("t1"))
    mine[0].tracks.append(Track("m1"))
    try context.save()
    try sibling.save()
    #expect(theirs.tracks.map(\.name).sorted() == ["m1", "t1"])
    context.processPendingChanges()
    #expect(mine[0].tracks.map(\.name).sorted() == ["m1", "t1"])
    let fresh = try #require(try albums.album(mine[0], in: ModelContext(albums.container)))
    #expect(fresh.tracks.map(\.name).sorted() == ["m1", "t1"])
  }

  @Test func deletedRecordsBecomeDeletedModels() throws {
    let (context, mine) = try albums.context(albums: "A", "B")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    context.delete(mine[0])
    try context.save()
    sibling.processPendingChanges()
    #expect(theirs.isDeleted && theirs.modelContext == nil && theirs.title == "A")
    #expect(sibling.registeredModel(for: theirs.persistentModelID) as Album? == nil)
  }

  @Test func aRecordDeletedOnBothSidesIsNoConflict() throws {
    let (context, mine) = try albums.context(albums: "A")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    sibling.delete(theirs)
    context.delete(mine[0])
    try context.save()
    try sibling.save()
    #expect(!sibling.hasChanges && theirs.isDeleted)
  }

  @Test func aRecordDeletedThereAndChangedHereKeepsItsEdits() throws {
    let (context, mine) = try albums.context(albums: "A")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    theirs.title = "edited"
    context.delete(mine[0])
    try context.save()
    sibling.processPendingChanges()
    #expect(!theirs.isDeleted && theirs.title == "edited")
    #expect(throws: PersistenceError.self) { try sibling.save() }
    #expect(theirs.title == "edited" && sibling.hasChanges)
    sibling.rollback()
    #expect(theirs.isDeleted)
  }

  @Test func newRecordsAreFound() throws {
    let (context, _) = try albums.context(albums: "A")
    let sibling = ModelContext(albums.container)
    #expect(try sibling.fetchCount(FetchDescriptor<Album>()) == 1)
    context.insert(Album("B"))
    #expect(try sibling.fetchCount(FetchDescriptor<Album>()) == 1)
    try context.save()
    #expect(try sibling.fetchCount(FetchDescriptor<Album>()) == 2)
  }

  @Test func aContextThatSleptThroughManySavesReadsEverythingAgain() throws {
    let (context, mine) = try albums.context(albums: "A", "B", "C")
    let sibling = ModelContext(albums.container)
    let theirs = try mine.map { try #require(try albums.album($0, in: sibling)) }
    theirs[1].label = "edited here"
    for number in 0..<4200 {
      mine[0].year = number
      try context.save()
    }
    mine[1].title = "B2"
    context.delete(mine[2])
    try context.save()
    sibling.processPendingChanges()
    #expect(theirs[0].year == 4199 && theirs[1].title == "B2" && theirs[2].isDeleted)
    #expect(theirs[1].label == "edited here" && sibling.pendingCounts.updated == 1)
  }

  @Test func appendingKeepsWhatASiblingAddedMeanwhile() throws {
    let (context, mine) = try albums.context(albums: "A")
    mine[0].tracks = [Track("1")]
    try context.save()
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(mine[0], in: sibling))
    // The sibling has not read the track yet, so reading the list calls the store.
    mine[0].tracks.append(Track("2"))
    try context.save()
    theirs.tracks.append(Track("3"))
    try sibling.save()
    let album: Album = try #require(
      try ModelContext(albums.container).existingModel(for: theirs.persistentModelID)
    )
    #expect(album.tracks.map(\.name).sorted() == ["1", "2", "3"])
  }

  @Test func everyThreadSeesWhatTheOthersSaved() async throws {
    let (context, mine) = try albums.context(albums: "A")
    let container = albums.container
    let identifier = mine[0].persistentModelID
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          let own = ModelContext(container)
          for number in 0..<25 {
            let album: Album = try #require(try own.existingModel(for: identifier))
            album.tracks.append(Track("\(worker).\(number)"))
            while true {
              do {
                try own.save()
                break
              } catch let error as PersistenceError where error.code == .conflict {
                // Other contexts save first more than once: their changes are merged and the save
                // is retried.
                own.processPendingChanges()
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let stored = try ModelContext(container).fetch(FetchDescriptor<Track>())
    #expect(stored.count == 100 && stored.allSatisfy { $0.album != nil })
    context.processPendingChanges()
    #expect(mine[0].tracks.count == 100)
    #expect(Set(mine[0].tracks.map(\.name)).count == 100)
  }

  @Test func aRecordThatTookTheValuesOfANewOneIsRefreshed() throws {
    let container = try ModelContainer(
      for: Pass.self,
      configurations: ReferenceStoreConfiguration()
    )
    let context = ModelContext(container)
    let old = Pass("7", holder: "Ada")
    context.insert(old)
    try context.save()
    let sibling = ModelContext(container)
    let theirs: Pass = try #require(try sibling.existingModel(for: old.persistentModelID))
    let third = ModelContext(container)
    third.insert(Pass("7", holder: "Bo"))
    try third.save()
    sibling.processPendingChanges()
    #expect(theirs.holder == "Bo")
    #expect(try sibling.fetchCount(FetchDescriptor<Pass>()) == 1)
  }
}
