import CatalogApp
import Foundation
import OpenSwiftData
import Stores
import Synchronization

/// A small store in memory with every kind of field, the same every time.
enum FuzzStore {
  static let film = Schema.Entity(
    "Film",
    attributes: [
      Schema.Attribute("title", .text, isOptional: false),
      Schema.Attribute("year", .integer),
      Schema.Attribute("rating", .number),
      Schema.Attribute("price", .decimal),
      Schema.Attribute("seen", .boolean),
      Schema.Attribute("day", .date),
      Schema.Attribute("moment", .datetime),
      Schema.Attribute("key", .uuid),
      Schema.Attribute("notes", .json),
      Schema.Attribute("studio", .link("Studio")),
      Schema.Attribute("sequels", .links("Film")),
    ]
  )
  static let schema = Schema(
    film,
    Schema.Entity("Studio", attributes: [Schema.Attribute("name", .text, isUnique: true)])
  )

  private static let script = """
    insert Studio name=Pixar
    insert Film title=Up year=2009 rating=8.3 price=735.10 seen=true day=2009-05-29
    insert Film title="Finding \\u{202E}Nemo" year=-3 rating=-0.0 moment=2003-05-30T12:00:00Z
    insert Film title="" notes="{\\"a\\":[1,null]}" key=6f9619ff-8b86-d011-b42d-00c04fc964ff
    insert Film title="\\u{1F469}\\u{200D}\\u{1F680} e\\u{301}" price=0.000001 seen=false
    save
    """

  /// A session on a new store with four films and a studio.
  static func session(_ services: MemoryServices = MemoryServices()) throws -> Session {
    let session = Session(
      container: try services.container(schema),
      storeName: "films",
      services: services
    )
    for line in script.split(separator: "\n") { _ = try session.perform(String(line)) }
    return session
  }
}

/// A world in memory: files by path, stores by location.
final class MemoryServices: FilesInMemory {
  var files: [String: [UInt8]] = [
    "films.json": Array(#"[{"title":"Soul","year":2020},{"title":null}]"#.utf8),
    "films.csv": Array("title,year\nSoul,2020\n\"a \"\"b\"\"\",\n".utf8),
  ]
  private var count: UInt64 = 0

  var author: String? { "fuzz" }
  var outputWidth: Int? { nil }

  /// A new store; clock and random numbers only count.
  func container(_ schema: Schema?) throws -> ModelContainer {
    let counter = Mutex<UInt64>(0)
    return try ModelContainer(
      configurations: MemoryStoreConfiguration(
        schema: schema,
        now: { Date(timeIntervalSince1970: 1_790_000_000) },
        random: {
          counter.withLock {
            $0 &+= 0x9E37_79B9_7F4A_7C15
            return $0
          }
        }
      )
    )
  }

  func open(_ location: String, schema: Schema?, isReadOnly: Bool) throws -> OpenedStore {
    OpenedStore(container: try container(schema), name: location, exists: false)
  }
}
