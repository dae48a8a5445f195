import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Permissions of the files next to a store, and of exports.
@Suite struct SharedFileTests {
  let folder: TemporaryFolder
  let files = LocalFileSystem()

  init() throws { folder = try TemporaryFolder() }

  private func permissions(_ name: String) throws -> UInt32 {
    try files.status(of: folder.file(name), in: nil).permissions
  }

  private func open(_ name: String) throws -> any MaintainableStore {
    let path = folder.file(name)
    return name.hasSuffix(".catlog")
      ? try LogStore(LogStoreConfiguration(path: path, schema: LogFixture.schema))
      : try JSONStore(JSONStoreConfiguration(path: path, schema: LogFixture.schema))
  }

  private func insert(_ title: String, into store: any MaintainableStore) throws {
    let layout = try store.schema.entity(named: "Film").layout
    let film = DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: "Film")
        .temporaryIdentifier(1, context: 1),
      layout: layout,
      orderedValues: layout.names.map { $0 == "title" ? .text(title) : .null }
    )
    _ = try store.commit(ChangeSet(inserted: [film]), author: nil)
  }

  @Test(arguments: ["films.catlog", "films.json"])
  func theLockFileFollowsAStoreThatIsSharedLater(name: String) throws {
    let store = try open(name)
    try insert("Up", into: store)
    // For a shared file in a private folder, other users cannot create a lock file, so it stays.
    try #require(chmod(folder.path, 0o755) == 0)
    try #require(chmod(folder.file(name), 0o620) == 0)
    try insert("Cars", into: store)
    let lock = ".\(name).lock"
    #expect(try permissions(lock) == 0o620)
    try #require(chmod(folder.file(name), 0o660) == 0)
    // The same for a store that stays open.
    try insert("Coco", into: store)
    #expect(try permissions(lock) == 0o660)
    try #require(chmod(folder.file(name), 0o666) == 0)
    let again = try open(name)
    try insert("Brave", into: again)
    #expect(try permissions(lock) == 0o666)
    try #require(chmod(folder.file(name), 0o600) == 0)
    try insert("Soul", into: again)
    #expect(try permissions(lock) == 0o600)
  }

  @Test(arguments: ["films.catlog", "films.json"])
  func aNewStoreHasTheRightsThatTheUmaskLeaves(name: String) throws {
    try insert("Up", into: try open(name))
    #expect(try permissions(name) == folder.permissionsOfNewFile())
  }

  @Test func whatASaveCutsOffIsForWhomTheLogIsFor() throws {
    let store = try open("films.catlog")
    try insert("Up", into: store)
    try folder.put("films.catlog", try folder.bytes("films.catlog") + [1, 2, 3])
    try #require(chmod(folder.file("films.catlog"), 0o640) == 0)
    try insert("Cars", into: try open("films.catlog"))
    let kept = try #require(try folder.names().first { $0.contains(".lost-") })
    #expect(try permissions(kept) == 0o640)
  }

  @Test func aNewFileWithoutRightsOfItsOwnHasThoseOfTheUmask() throws {
    let path = folder.file("out.csv")
    _ = try FileReplacement(fileSystem: files, path: path, excludesOthers: false)
      .create(permissions: nil) { try $0.write("a,b\n") }
    #expect(try permissions("out.csv") == folder.permissionsOfNewFile())
  }
}
