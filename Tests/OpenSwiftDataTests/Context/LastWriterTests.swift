import Foundation
import OpenSwiftData
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
