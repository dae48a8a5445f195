import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// A transaction undoes what its own block did, and nothing else.
@Suite struct TransactionTests {
  let albums: AlbumContainer

  init() throws { albums = try AlbumContainer() }

  private struct Stop: Error {}

  private func stored() throws -> [String] {
    try ModelContext(albums.container)
      .fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title, comparator: .lexical)]))
      .map(\.title)
  }

  @Test func aFailedBlockKeepsWhatWasUnsavedBefore() throws {
    let (context, old) = try albums.context(albums: "A", "B", "C")
    let new = Album("N")
    context.insert(new)
    old[0].title = "A2"
    context.delete(old[1])
    #expect(throws: Stop.self) {
      try context.transaction {
        old[0].title = "A3"
        old[0].year = 1999
        new.title = "N2"
        new.tracks = [Track("one")]
        old[2].title = "C2"
        context.delete(old[2])
        context.insert(Album("in the block"))
        throw Stop()
      }
    }
    #expect(old[0].title == "A2" && old[0].year == nil)
    #expect(new.title == "N" && new.tracks.isEmpty)
    #expect(old[1].isDeleted && !old[2].isDeleted && old[2].title == "C")
    #expect(context.pendingCounts == (inserted: 1, updated: 1, deleted: 1))
    try context.save()
    #expect(try stored() == ["A2", "C", "N"])
    #expect(try ModelContext(albums.container).fetchCount(FetchDescriptor<Track>()) == 0)
  }

  @Test func whatWasNewOrDeletedBeforeIsSoAgain() throws {
    let (context, old) = try albums.context(albums: "A", "B")
    let new = Album("N")
    context.insert(new)
    context.delete(old[0])
    #expect(throws: Stop.self) {
      try context.transaction {
        context.delete(new)
        context.insert(old[0])
        old[0].title = "back"
        throw Stop()
      }
    }
    #expect(!new.isDeleted && old[0].isDeleted)
    try context.save()
    #expect(try stored() == ["B", "N"])
  }

  @Test func aNewModelOfTheBlockLeavesTheContext() throws {
    let (context, old) = try albums.context(albums: "A")
    old[0].title = "A2"
    let new = Album("N")
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(new)
        throw Stop()
      }
    }
    #expect(new.modelContext == nil && new.title == "N")
    context.insert(new)
    try context.save()
    #expect(try stored() == ["A2", "N"])
  }

  @Test func aSaveThatFailsUndoesTheBlockToo() throws {
    let container = try ModelContainer(
      for: Account.self,
      configurations: ReferenceStoreConfiguration()
    )
    let context = ModelContext(container)
    context.insert(Account(login: "ann", phone: "1"))
    try context.save()
    let before = Account(login: "bob", phone: "2")
    context.insert(before)
    let error = #expect(throws: PersistenceError.self) {
      try context.transaction {
        before.phone = "1"
        context.insert(Account(login: "cid", phone: "3"))
      }
    }
    #expect(error?.code == .notUnique && before.phone == "2")
    #expect(context.pendingCounts.inserted == 1)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Account>()) == 2)
  }

  @Test func anInnerTransactionUndoesOnlyItsOwnBlock() throws {
    let (context, old) = try albums.context(albums: "A")
    old[0].label = "before"
    try context.transaction {
      old[0].title = "outer"
      #expect(throws: Stop.self) {
        try context.transaction {
          old[0].title = "inner"
          throw Stop()
        }
      }
      #expect(old[0].title == "outer" && old[0].label == "before")
    }
    #expect(try stored() == ["outer"])
  }

  @Test func afterASaveInTheBlockOnlyWhatFollowedIsDiscarded() throws {
    let (context, old) = try albums.context(albums: "A", "B")
    old[0].title = "A2"
    #expect(throws: Stop.self) {
      try context.transaction {
        try context.save()
        old[1].title = "B2"
        throw Stop()
      }
    }
    #expect(try stored() == ["A2", "B"] && old[1].title == "B" && !context.hasChanges)
  }

  @Test func anUndoManagerKeepsTheStepsFromBefore() throws {
    let (context, old) = try albums.context(albums: "A")
    let manager = UndoManager()
    context.undoManager = manager
    old[0].title = "A2"
    #expect(throws: Stop.self) {
      try context.transaction {
        old[0].title = "A3"
        throw Stop()
      }
    }
    #expect(old[0].title == "A2" && manager.canUndo)
    manager.undo()
    #expect(old[0].title == "A" && !manager.canUndo)
    try context.transaction { old[0].title = "A4" }
    manager.undo()
    #expect(old[0].title == "A")
  }

  @Test func aRecordKeepsItsUndoSteps() throws {
    let films = try FilmContainer()
    let (context, records) = try films.context(films: [("A", 1)])
    try records[0].set(.text("B"), for: "title")
    #expect(throws: Stop.self) {
      try context.transaction {
        try records[0].set(.text("C"), for: "title")
        context.processPendingChanges()
        try records[0].set(.integer(2), for: "year")
        throw Stop()
      }
    }
    #expect(records[0][attribute: "title"] == .text("B") && context.hasChanges)
    #expect(records[0][attribute: "year"] == .integer(1))
    try context.undo()
    #expect(records[0][attribute: "title"] == .text("A") && !context.hasChanges)
  }
}
