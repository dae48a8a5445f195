import Foundation
import OpenSwiftData
import Testing

/// Saving the changes without conflicts, while the others wait to be resolved.
@Suite struct PartialSaveTests {
  let albums: AlbumContainer
  let context: ModelContext
  let sibling: ModelContext
  /// Two albums, as objects of each of the two contexts.
  let theirs: [Album]
  let mine: [Album]

  init() throws {
    albums = try AlbumContainer()
    let (context, models) = try albums.context(albums: "A", "B")
    sibling = context
    theirs = models
    let other = ModelContext(albums.container)
    self.context = other
    mine = try models.map { [albums] in try #require(try albums.album($0, in: other)) }
    // The first album is changed on both sides, the second one here; a third one is new.
    mine[0].title = "mine"
    mine[1].title = "B, mine"
    other.insert(Album("C"))
    theirs[0].title = "theirs"
    try sibling.save()
  }

  private var saved: [String] {
    get throws {
      try ModelContext(albums.container).fetch(FetchDescriptor<Album>()).map(\.title).sorted()
    }
  }

  @Test func aSaveListsTheConflictsAndWritesNothing() throws {
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(error?.conflicts.map(\.persistentIdentifier) == [mine[0].persistentModelID])
    #expect(error?.conflicts.first?.differences.map(\.theirs) == [.text("theirs")])
    #expect(try saved == ["B", "theirs"])
  }

  @Test(arguments: [false, true])
  func saveWithoutConflictsSavesTheRest(_ savesFirst: Bool) throws {
    if savesFirst { #expect(throws: PersistenceError.self) { try context.save() } }
    let left = try context.saveWithoutConflicts()
    #expect(left.map(\.persistentIdentifier) == [mine[0].persistentModelID])
    #expect(try saved == ["B, mine", "C", "theirs"])
    #expect(mine[0].title == "mine" && context.hasChanges)
    #expect(context.pendingCounts == (inserted: 0, updated: 1, deleted: 0))
    #expect(throws: PersistenceError.self, "it is still in conflict") { try context.save() }
    #expect(try context.resolveConflict(of: mine[0].persistentModelID, keeping: .mine))
    #expect(try context.saveWithoutConflicts().isEmpty)
    #expect(try saved == ["B, mine", "C", "mine"])
    #expect(!context.hasChanges)
  }

  @Test func whatIsHeldBackMayBeSettledAtOnce() throws {
    for conflict in try context.saveWithoutConflicts() {
      #expect(try context.resolveConflict(of: conflict.persistentIdentifier, keeping: .theirs))
    }
    #expect(mine[0].title == "theirs" && !context.hasChanges)
  }

  @Test func aDeletionInConflictIsHeldBack() throws {
    context.rollback()
    context.delete(mine[0])
    mine[1].year = 1999
    theirs[0].title = "later"
    try sibling.save()
    let left = try context.saveWithoutConflicts()
    #expect(left.map(\.kind) == [.deletedHere])
    #expect(context.pendingCounts == (inserted: 0, updated: 0, deleted: 1))
    #expect(try saved == ["B", "later"])
  }

  /// What the held deletion has done to other records is held back, and dropped, with it.
  @Test(arguments: [true, false]) func aHeldDeletionIsDroppedWithWhatItHasDone(_ isResaved: Bool)
    throws
  {
    context.rollback()
    let track = Track("first")
    context.insert(track)
    track.album = mine[0]
    try context.save()
    context.delete(mine[0])
    mine[1].year = 1999
    theirs[0].title = "later"
    try sibling.save()
    #expect(try context.saveWithoutConflicts().map(\.kind) == [.deletedHere])
    if isResaved {
      mine[1].year = 2001
      #expect(try context.saveWithoutConflicts().map(\.kind) == [.deletedHere])
    }
    #expect(context.pendingCounts == (inserted: 0, updated: 0, deleted: 2))
    #expect(try context.resolveConflict(of: mine[0].persistentModelID, keeping: .theirs))
    #expect(!context.hasChanges)
    try context.save()
    let tracks = try ModelContext(albums.container).fetch(FetchDescriptor<Track>())
    #expect(tracks.map { $0.album?.title } == ["later"])
  }

  @Test func bothSidesOfARelationshipAreHeldBackTogether() throws {
    let (first, second) = (Track("first"), Track("second"))
    for track in [first, second] { context.insert(track) }
    first.album = mine[0]
    second.album = mine[1]
    #expect(try context.saveWithoutConflicts().count == 1)
    #expect(first.persistentModelID.isTemporary && !second.persistentModelID.isTemporary)
    #expect(try context.resolveConflict(of: mine[0].persistentModelID, keeping: .theirs))
    try context.save()
    let tracks = try ModelContext(albums.container).fetch(FetchDescriptor<Track>())
    #expect(Set(tracks.map { $0.album?.title }) == ["theirs", "B, mine"])
  }

  @Test func aSaveTellsItsPlaceInTheHistory() throws {
    nonisolated(unsafe) var infos: [[AnyHashable: Any]] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { infos.append($0.userInfo ?? [:]) }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.saveWithoutConflicts()
    let token = infos.first?[ModelContext.NotificationKey.historyToken] as? DefaultHistoryToken
    let last = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
    #expect(token != nil && token == last?.token && infos.count == 1)
    #expect(infos.first?["historyToken"] as? DefaultHistoryToken == token)
  }
}
