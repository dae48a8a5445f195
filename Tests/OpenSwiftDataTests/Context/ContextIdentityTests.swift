import OpenSwiftData
import Testing

@Suite struct ContextIdentityTests {
  let albums: AlbumContainer

  init() throws { albums = try AlbumContainer() }

  @Test func aModelIsFoundByItsIdentifier() throws {
    let (context, old) = try albums.context(albums: "A")
    let identifier = old[0].persistentModelID
    #expect(context.model(for: identifier) === old[0])
    let sibling = ModelContext(albums.container)
    #expect(sibling.registeredModel(for: identifier) as Album? == nil)
    let found = sibling.model(for: identifier)
    #expect((found as? Album)?.title == "A")
    #expect(sibling.registeredModel(for: identifier) as Album? === found)
  }

  @Test func aMissingModelSaysSo() throws {
    let (context, old) = try albums.context(albums: "A")
    let identifier = old[0].persistentModelID
    context.delete(old[0])
    try context.save()
    let sibling = ModelContext(albums.container)
    let missing = sibling.model(for: identifier)
    #expect(missing.isDeleted && missing is Album && missing.persistentModelID == identifier)
    #expect((missing as? Album)?.tracks.isEmpty ?? false)
    #expect(try sibling.existingModel(for: identifier, as: Album.self) == nil)
    let strange = PersistentIdentifier.self
    let unknown = try strange.identifier(for: "nowhere", entityName: "Nothing", primaryKey: 7)
    #expect(context.model(for: unknown).isDeleted)
  }

  @Test func aTemporaryIdentifierLeadsToTheSavedModel() throws {
    let context = ModelContext(albums.container)
    let album = Album("A")
    context.insert(album)
    let temporary = album.persistentModelID
    try context.save()
    #expect(temporary != album.persistentModelID)
    #expect(context.model(for: temporary) === album)
  }
}
