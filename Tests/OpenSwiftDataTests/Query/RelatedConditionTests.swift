import DataStoreTesting
import Foundation
import Synchronization
import Testing

@testable import OpenSwiftData

/// The queries that a store was asked.
final class AskedQueries: Sendable {
  let all = Mutex<[Query]>([])
}

struct AskedConfiguration: DataStoreConfiguration {
  typealias Store = AskedStore

  var name = "asked"
  var schema: Schema?
  let asked: AskedQueries

  static func == (left: Self, right: Self) -> Bool { left.asked === right.asked }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(asked)) }
}

/// A reference store that notes what it is asked.
final class AskedStore: QueryableStore, Sendable {
  let configuration: AskedConfiguration
  private let base: ReferenceStore

  init(_ configuration: AskedConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try ReferenceStore(
      ReferenceStoreConfiguration(name: configuration.name, schema: configuration.schema)
    )
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    configuration.asked.all.withLock { $0.append(query) }
    return try base.snapshots(matching: query)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try base.commit(changes, author: author)
  }
}

/// Conditions on the record that a link refers to.
@Suite struct RelatedConditionTests {
  private let asked = AskedQueries()
  private let context: ModelContext

  init() throws {
    let container = try ModelContainer(
      for: Album.self,
      configurations: AskedConfiguration(asked: asked)
    )
    let writing = ModelContext(container)
    for year in 1990..<2000 {
      let album = Album("A\(year)", year: year)
      writing.insert(album)
      album.tracks = (1...5).map { Track("\(year) \($0)") }
    }
    writing.insert(Track("without"))
    try writing.save()
    context = ModelContext(container)
    asked.all.withLock { $0 = [] }
  }

  static let narrow: [(predicate: Predicate<Track>, names: [String])] = [
    (#Predicate { $0.album?.year == 1994 }, (1...5).map { "1994 \($0)" }),
    (
      #Predicate { $0.album?.year == 1994 || $0.album?.title == "A1995" },
      [1994, 1995].flatMap { year in (1...5).map { "\(year) \($0)" } }
    ),
    (
      #Predicate { ($0.album?.year == 1994 && $0.name != "1994 2") || $0.name == "1999 1" },
      ["1994 1", "1994 3", "1994 4", "1994 5", "1999 1"]
    ),
  ]

  @Test(arguments: narrow.indices)
  func onlyTheRecordsOfTheFewRelatedOnesAreRead(place: Int) throws {
    let narrow = Self.narrow[place]
    let found = try context.fetch(FetchDescriptor<Track>(predicate: narrow.predicate))
    #expect(Set(found.map(\.name)) == Set(narrow.names))
    let queries = asked.all.withLock { $0 }
    let tracks = queries.filter { $0.entityName == "Track" }
    #expect(!tracks.isEmpty)
    for query in tracks {
      #expect("\(query.filter)".contains("album in ("), "\(query.filter)")
    }
  }

  @Test func theAnswerIsThatOfThePredicateInMemory() throws {
    let year: Int? = nil
    let predicates: [Predicate<Track>] = [
      #Predicate { $0.album?.year == 1994 }, #Predicate { $0.album?.year != 1994 },
      #Predicate { !($0.album?.year == 1994) }, #Predicate { $0.album?.year == year },
      #Predicate { $0.album?.title == "A1991" && $0.name != "1991 2" },
      #Predicate { $0.album?.title == "A1991" || $0.name == "1992 1" },
      #Predicate { ($0.album?.year ?? 1990) == 1990 }, #Predicate { $0.album?.title == "none" },
      #Predicate { $0.album?.title == "new" },
      #Predicate { $0.album?.year == 1994 || $0.album?.title == "A1991" },
      #Predicate { ($0.album?.year == 1994 && $0.name != "1994 2") || $0.name == "1991 2" },
      #Predicate { $0.album?.year == 1994 || $0.album?.year == nil },
      #Predicate { !($0.album?.year == 1994 || $0.album?.title == "A1991") },
    ]
    for isChanged in [false, true] {
      if isChanged { try change() }
      let all = try context.fetch(FetchDescriptor<Track>())
      for (number, predicate) in predicates.enumerated() {
        let found = try context.fetch(FetchDescriptor(predicate: predicate))
        let expected = try all.filter { try predicate.evaluate($0) }
        #expect(Set(found.map(\.name)) == Set(expected.map(\.name)), "predicate \(number)")
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count)
      }
    }
  }

  /// Changes albums and moves tracks, without a save.
  private func change() throws {
    let albums = try context.fetch(
      FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title, comparator: .lexical)])
    )
    albums[4].year = 2004
    albums[5].year = 1994
    albums[1].tracks.removeLast()
    let new = Album("new", year: 1994)
    context.insert(new)
    new.tracks = [Track("of the new one")]
    context.delete(albums[0])
  }
}
