import DataStoreTesting
import Foundation
import SwiftData

@Model
final class Album {
  var title: String
  var year: Int?
  var label: String
  @Relationship(deleteRule: .cascade, inverse: \Track.album) var tracks: [Track] = []

  init(_ title: String, year: Int? = nil, label: String = "") {
    self.title = title
    self.year = year
    self.label = label
  }
}

@Model
final class Track {
  var name: String
  var album: Album?

  init(_ name: String) { self.name = name }
}

/// A model with a unique number.
@Model
final class Pass {
  @Attribute(.unique) var number: String
  var holder: String

  init(_ number: String, holder: String) {
    self.number = number
    self.holder = holder
  }
}

/// A container of albums and tracks over a new reference store.
struct AlbumContainer {
  let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Album.self,
      configurations: ReferenceStoreConfiguration()
    )
  }

  /// A context on a store that has these albums, saved.
  func context(albums titles: String...) throws -> (ModelContext, [Album]) {
    let context = ModelContext(container)
    let albums = titles.map { Album($0) }
    for album in albums { context.insert(album) }
    try context.save()
    return (context, albums)
  }

  /// The same album in another context.
  func album(_ album: Album, in context: ModelContext) throws -> Album? {
    try context.existingModel(for: album.persistentModelID)
  }
}
