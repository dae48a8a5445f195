import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// Resolving values that were changed both here and elsewhere.
@Suite struct ConflictTests {
  let albums: AlbumContainer
  let context: ModelContext
  let sibling: ModelContext
  /// One album, as an object of each of the two contexts.
  let theirs: Album
  let mine: Album

  init() throws {
    albums = try AlbumContainer()
    let (context, models) = try albums.context(albums: "A", "B")
    sibling = context
    theirs = models[0]
    self.context = ModelContext(albums.container)
    mine = try #require(try albums.album(theirs, in: self.context))
  }

  private func saved() throws -> Album {
    try #require(try albums.album(theirs, in: ModelContext(albums.container)))
  }

  /// Title and year are changed on both sides, the label here only.
  private func changeBoth() throws {
    mine.title = "mine"
    mine.year = 2001
    mine.label = "here"
    theirs.title = "theirs"
    theirs.year = 1999
    try sibling.save()
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
  }

  @Test func bothVersionsAreShown() throws {
    try changeBoth()
    let conflict = try #require(try context.conflicts().first)
    #expect(conflict.kind == .changed)
    #expect(conflict.persistentIdentifier == mine.persistentModelID)
    #expect(conflict.differences.map(\.name) == ["title", "year"])
    let title = conflict.differences[0]
    #expect(title.base == .text("A") && title.mine == .text("mine"))
    #expect(title.theirs == .text("theirs"))
  }

  @Test func fieldByField() throws {
    try changeBoth()
    let identifier = mine.persistentModelID
    try context.resolveConflict(of: identifier, keeping: .mine, attributes: ["title"])
    #expect(try context.conflicts().first?.differences.map(\.name) == ["year"])
    #expect(throws: PersistenceError.self) { try context.save() }
    #expect(try saved().title == "theirs", "nothing was written")
    try context.resolveConflict(of: identifier, keeping: .theirs, attributes: ["year"])
    #expect(try context.conflicts().isEmpty)
    try context.save()
    let album = try saved()
    #expect(album.title == "mine" && album.year == 1999 && album.label == "here")
  }

  @Test func allOfMine() throws {
    try changeBoth()
    try context.resolveConflict(of: mine.persistentModelID, keeping: .mine)
    try context.save()
    let album = try saved()
    #expect(album.title == "mine" && album.year == 2001 && album.label == "here")
  }

  @Test func allOfTheirsKeepsWhatWasChangedHereOnly() throws {
    try changeBoth()
    try context.resolveConflict(of: mine.persistentModelID, keeping: .theirs)
    #expect(mine.title == "theirs" && mine.year == 1999 && mine.label == "here")
    try context.save()
    #expect(try saved().label == "here")
  }

  @Test func takingTheirsCanBeUndone() throws {
    let manager = UndoManager()
    context.undoManager = manager
    theirs.title = "theirs"
    mine.title = "mine"
    try sibling.save()
    context.processPendingChanges()
    #expect(try context.conflicts().count == 1)
    try context.resolveConflict(of: mine.persistentModelID, keeping: .theirs)
    #expect(!context.hasChanges && mine.title == "theirs")
    context.processPendingChanges()
    manager.undo()
    #expect(mine.title == "mine")
    try context.save()
    #expect(try saved().title == "mine")
  }

  // Covers J03.
  @Test(arguments: RecordConflict.Side.allCases)
  func deletedElsewhere(side: RecordConflict.Side) throws {
    let identifier = mine.persistentModelID
    mine.title = "mine"
    sibling.delete(theirs)
    try sibling.save()
    #expect(throws: PersistenceError.self) { try context.save() }
    let conflict = try #require(try context.conflicts().first)
    #expect(conflict.kind == .deletedElsewhere && conflict.differences.map(\.name) == ["title"])
    try context.resolveConflict(of: identifier, keeping: side)
    #expect(try context.conflicts().isEmpty)
    try context.save()
    let found = try ModelContext(albums.container).fetch(FetchDescriptor<Album>())
    #expect(Set(found.map(\.title)) == (side == .mine ? ["mine", "B"] : ["B"]))
    if side == .mine { #expect(found.contains { $0.persistentModelID == identifier }) }
    #expect(mine.isDeleted == (side == .theirs))
  }

  @Test(arguments: RecordConflict.Side.allCases)
  func deletedHere(side: RecordConflict.Side) throws {
    context.delete(mine)
    theirs.title = "theirs"
    try sibling.save()
    #expect(throws: PersistenceError.self) { try context.save() }
    let conflict = try #require(try context.conflicts().first)
    #expect(conflict.kind == .deletedHere && conflict.differences.map(\.name) == ["title"])
    try context.resolveConflict(of: conflict.persistentIdentifier, keeping: side)
    #expect(try context.conflicts().isEmpty)
    try context.save()
    let found = try ModelContext(albums.container).fetch(FetchDescriptor<Album>())
    #expect(Set(found.map(\.title)) == (side == .mine ? ["B"] : ["theirs", "B"]))
    if side == .theirs { #expect(!mine.isDeleted && mine.title == "theirs") }
  }

  @Test(arguments: RecordConflict.Side.allCases)
  func aVersionThatNobodySawIsNotSettled(side: RecordConflict.Side) throws {
    try changeBoth()
    let identifier = mine.persistentModelID
    _ = try context.conflicts()
    theirs.title = "later"
    try sibling.save()
    #expect(try !context.resolveConflict(of: identifier, keeping: side))
    #expect(mine.title == "mine")
    #expect(try saved().title == "later")
    let open = try context.conflicts()
    #expect(open.flatMap(\.differences).map(\.theirs) == [.text("later")], "the year is settled")
    #expect(try context.resolveConflict(of: identifier, keeping: side))
    try context.save()
    #expect(try saved().title == (side == .mine ? "mine" : "later"))
  }

  @Test func savesAfterResolvingAreNewConflicts() throws {
    try changeBoth()
    #expect(try context.resolveConflict(of: mine.persistentModelID, keeping: .mine))
    theirs.title = "later"
    try sibling.save()
    #expect(throws: PersistenceError.self) { try context.save() }
    #expect(try saved().title == "later")
  }

  @Test(arguments: RecordConflict.Side.allCases)
  func aDeletionThatNobodySawIsNotSettled(side: RecordConflict.Side) throws {
    try changeBoth()
    let identifier = mine.persistentModelID
    sibling.delete(theirs)
    try sibling.save()
    #expect(try !context.resolveConflict(of: identifier, keeping: side))
    #expect(!mine.isDeleted && context.hasChanges)
    #expect(try context.conflicts().map(\.kind) == [.deletedElsewhere])
    #expect(try context.resolveConflict(of: identifier, keeping: side))
    #expect(try context.conflicts().isEmpty)
  }

  @Test(arguments: RecordConflict.Side.allCases)
  func aChangeOfADeletedRecordThatNobodySawIsNotSettled(side: RecordConflict.Side) throws {
    let identifier = mine.persistentModelID
    context.delete(mine)
    theirs.title = "theirs"
    try sibling.save()
    _ = try context.conflicts()
    theirs.year = 1999
    try sibling.save()
    #expect(try !context.resolveConflict(of: identifier, keeping: side))
    #expect(try context.conflicts().flatMap(\.differences).map(\.name) == ["title", "year"])
    #expect(try context.resolveConflict(of: identifier, keeping: side))
  }

  @Test func beforeAnybodyLookedNothingIsSettled() throws {
    mine.title = "mine"
    theirs.title = "theirs"
    try sibling.save()
    #expect(try !context.resolveConflict(of: mine.persistentModelID, keeping: .mine))
    #expect(throws: PersistenceError.self) { try context.save() }
    #expect(try context.resolveConflict(of: mine.persistentModelID, keeping: .mine))
    try context.save()
  }

  @Test func withoutAConflictNothingHappens() throws {
    mine.title = "mine"
    theirs.label = "there"
    try sibling.save()
    #expect(try context.conflicts().isEmpty)
    try context.resolveConflict(of: mine.persistentModelID, keeping: .theirs)
    #expect(mine.title == "mine" && context.hasChanges)
    let error = #expect(throws: PersistenceError.self) {
      try context.resolveConflict(
        of: mine.persistentModelID,
        keeping: .mine,
        attributes: ["colour"]
      )
    }
    #expect(error?.code == .unknownAttribute)
  }
}
