import Foundation
import SwiftData
import Testing

@testable import OpenSwiftData

final class PagingConfiguration: DataStoreConfiguration {
  typealias Store = PagingStore

  let name = "paging"
  var schema: Schema?
  let habit: PagingStore.Habit

  init(_ habit: PagingStore.Habit) { self.habit = habit }

  static func == (left: PagingConfiguration, right: PagingConfiguration) -> Bool {
    left.name == right.name
  }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A store in memory that answers queries itself, and records the limit and offset of each request.
final class PagingStore: DataStore {
  typealias Configuration = PagingConfiguration
  typealias Snapshot = DefaultSnapshot

  enum Habit: CaseIterable, Sendable {
    case does, ignoresLimit, ignoresOffset, cutsBeforeSorting, ignoresOrder, ignoresAll
  }

  let configuration: PagingConfiguration
  private var records: [DefaultSnapshot] = []
  /// Limit and offset of each request.
  private(set) var requests: [[Int?]] = []

  init(_ configuration: PagingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) {
    self.configuration = configuration
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    requests.append([request.descriptor.fetchLimit, request.descriptor.fetchOffset])
    let entity = try schema.entity(named: T.entityName)
    var query = try request.query(in: schema)
    var records = records.filter { $0.persistentIdentifier.entityName == entity.name }
    switch configuration.habit {
    case .does: break
    case .ignoresLimit: query.limit = nil
    case .ignoresOffset: query.offset = 0
    case .cutsBeforeSorting:
      records = try Query(query.entityName, filter: query.filter).run(over: records, of: entity)
      records = Array(records[query.window(of: records.count)])
      (query.limit, query.offset) = (nil, 0)
    case .ignoresOrder: query.sort = []
    case .ignoresAll: query = Query(query.entityName)
    }
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: try query.run(over: records, of: entity)
    )
  }

  func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  {
    let changes = request.assignPermanentIdentifiers(for: configuration.name)
    records += changes.inserted
    return DataStoreSaveChangesResult<DefaultSnapshot>(
      for: configuration.name,
      remappedIdentifiers: changes.remappedIdentifiers
    )
  }
}

/// Stores that implement only `DataStore` get limit and offset, and their results are checked.
@Suite struct PagingStoreTests {
  private func open(_ habit: PagingStore.Habit) throws -> (ModelContext, PagingStore) {
    let container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: PagingConfiguration(habit)
    )
    let context = ModelContext(container)
    // The order of creation is neither the order of the names nor its reverse.
    try context.insertJourneys((0..<30).map { "J\(10 + ($0 * 7 + 3) % 30)" })
    return (ModelContext(container), try #require(container.stores.first as? PagingStore))
  }

  private func page(_ limit: Int?, _ offset: Int?, sorted: Bool = true)
    -> FetchDescriptor<Journey>
  {
    var descriptor = FetchDescriptor<Journey>()
    if sorted {
      descriptor.sortBy = [SortDescriptor(\.name, comparator: .lexical, order: .reverse)]
    }
    descriptor.predicate = #Predicate { $0.days > 4 }
    (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
    return descriptor
  }

  @Test func aStoreThatFiltersAndSortsIsAskedForOnePage() throws {
    let (context, store) = try open(.does)
    _ = try context.fetch(page(5, 10))
    let first = store.requests.count
    #expect(store.requests.first == [5, 10])
    // Every additional page takes one request.
    for offset in [0, 5, 20] {
      #expect(try context.fetch(page(5, offset)).count == 5)
      #expect(store.requests.last == [5, offset == 0 ? nil : offset])
    }
    #expect(store.requests.count == first + 3)
    #expect(try context.fetchIdentifiers(page(2, 4)).count == 2)
    #expect(store.requests.contains([2, 4]))
  }

  @Test func aStoreThatIgnoresPagesIsReadOnceForEach() throws {
    let (context, store) = try open(.ignoresAll)
    #expect(try context.fetch(page(5, 0, sorted: false)).count == 5)
    let first = store.requests.count
    for offset in [5, 10, 15] {
      #expect(try context.fetch(page(5, offset, sorted: false)).count == 5)
    }
    #expect(store.requests.count == first + 3)
  }

  private static let pages: [(Int?, Int)] = [
    (5, 10), (3, 0), (nil, 4), (40, 20), (5, 25), (5, 60), (0, 3), (1, 1),
  ]

  @Test(arguments: PagingStore.Habit.allCases)
  func everyPageIsRightWhateverTheStoreDoes(habit: PagingStore.Habit) throws {
    let (context, _) = try open(habit)
    for isSorted in [true, false] {
      let all = try context.fetch(page(nil, nil, sorted: isSorted)).map(\.days)
      #expect(all.count == 26)
      for (limit, offset) in Self.pages {
        let rest = all.dropFirst(offset)
        let expected = Array(limit.map { rest.prefix($0) } ?? rest)
        let found = try context.fetch(page(limit, offset, sorted: isSorted)).map(\.days)
        #expect(found == expected, "\(habit) \(String(describing: limit)) \(offset)")
        let identifiers = try context.fetchIdentifiers(page(limit, offset, sorted: isSorted))
        #expect(identifiers.count == expected.count, "\(habit)")
      }
    }
  }
}
