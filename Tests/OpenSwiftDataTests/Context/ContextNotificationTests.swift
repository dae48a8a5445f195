import Foundation
import OpenSwiftData
import Testing

@Suite struct ContextNotificationTests {
  let albums: AlbumContainer

  init() throws { albums = try AlbumContainer() }

  /// Runs the body and returns what was posted about the context.
  private func notifications(
    _ name: Notification.Name,
    about context: ModelContext,
    during body: () throws -> Void
  ) rethrows -> [Notification] {
    final class Box { var all: [Notification] = [] }
    nonisolated(unsafe) let box = Box()
    let observer = NotificationCenter.default.addObserver(
      forName: name,
      object: context,
      queue: nil
    ) { box.all.append($0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    try body()
    return box.all
  }

  @Test func savingTellsWhatWasSaved() throws {
    let (context, old) = try albums.context(albums: "A", "B")
    let deleted = old[1].persistentModelID
    let new = Album("C")
    let posted = try notifications(ModelContext.didSave, about: context) {
      old[0].title = "A2"
      context.delete(old[1])
      context.insert(new)
      try context.save()
    }
    #expect(posted.count == 1)
    let info = posted.first?.userInfo
    func identifiers(_ key: ModelContext.NotificationKey) -> [PersistentIdentifier]? {
      info?[key.rawValue] as? [PersistentIdentifier]
    }
    #expect(identifiers(.insertedIdentifiers) == [new.persistentModelID])
    #expect(identifiers(.updatedIdentifiers) == [old[0].persistentModelID])
    #expect(identifiers(.deletedIdentifiers) == [deleted])
    let typed = info?[ModelContext.NotificationKey.insertedIdentifiers] as? [PersistentIdentifier]
    #expect(typed == [new.persistentModelID])
  }

  @Test func changesBeforeASaveAreSavedWithIt() throws {
    let (context, old) = try albums.context(albums: "A")
    nonisolated(unsafe) let album = old[0]
    nonisolated(unsafe) let saving = context
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave,
      object: context,
      queue: nil
    ) { _ in
      album.label = "stamped"
      // A save during a save does nothing; the outer save includes the changes.
      try? saving.save()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    old[0].title = "A2"
    try context.save()
    let fresh = try albums.album(old[0], in: ModelContext(albums.container))
    #expect(fresh?.label == "stamped" && fresh?.title == "A2" && !context.hasChanges)
  }

  @Test func savingNothingTellsNothing() throws {
    let (context, old) = try albums.context(albums: "A")
    let will = try notifications(ModelContext.willSave, about: context) { try context.save() }
    let did = try notifications(ModelContext.didSave, about: context) { try context.save() }
    #expect(will.isEmpty && did.isEmpty)
    withExtendedLifetime(old) {}
  }

  @Test func aHandlerMaySaveAgain() throws {
    let (context, old) = try albums.context(albums: "A")
    nonisolated(unsafe) let album = old[0]
    nonisolated(unsafe) let saving = context
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { _ in
      guard album.year == nil else { return }
      album.year = 1
      try? saving.save()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    old[0].title = "A2"
    try context.save()
    #expect(!context.hasChanges)
    #expect(try albums.album(old[0], in: ModelContext(albums.container))?.year == 1)
  }

  @Test func changesFromOutsideReachContextsAndObservers() throws {
    let (_, old) = try albums.context(albums: "A")
    let sibling = ModelContext(albums.container)
    let theirs = try #require(try albums.album(old[0], in: sibling))
    nonisolated(unsafe) var posted: [Notification] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange,
      object: albums.container,
      queue: nil
    ) { posted.append($0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    let store = try #require(albums.container.stores.first as? any QueryableStore)
    var changes = ChangeSet()
    let found = try store.snapshots(for: [old[0].persistentModelID]).values.first
    let before = try #require(found)
    var after = before
    let slot = try #require(after.layout.slot(of: "title"))
    after.orderedValues[slot] = .text("from outside")
    changes.updated = [RecordUpdate(before: before, after: after)]
    _ = try store.commit(changes, author: "somebody")
    var saved = SavedChanges(author: "somebody")
    saved.updated = changes.updated
    albums.container.noteRemoteChanges(saved)()
    #expect(posted.count == 1)
    sibling.processPendingChanges()
    #expect(theirs.title == "from outside")
    var unknown = SavedChanges()
    unknown.isUnknown = true
    albums.container.noteRemoteChanges(unknown)()
    #expect(posted.count == 2 && posted.last?.userInfo == nil)
    sibling.processPendingChanges()
    #expect(theirs.title == "from outside")
  }
}
