import DataStoreTesting
import Foundation
import SwiftData
import Testing

@testable import OpenSwiftData

/// History in SwiftData's form: of a `QueryableStore`, of stores without a history, of several
/// stores together.
@Suite struct HistoryTests {
  enum Kind: CaseIterable { case reference, shelf }

  private func container(_ kind: Kind) throws -> ModelContainer {
    let configuration: any DataStoreConfiguration =
      switch kind {
      case .reference: ReferenceStoreConfiguration()
      case .shelf: ShelfConfiguration()
      }
    return try ModelContainer(for: Schema([Journey.self]), configurations: configuration)
  }

  /// Three saves: two journeys by Ann, a change by Bob, a deletion without an author.
  private func script(_ container: ModelContainer) throws -> ModelContext {
    let context = ModelContext(container)
    context.author = "ann"
    let journeys = [Journey("Alps", days: 1, note: "far"), Journey("Bern", days: 2)]
    for journey in journeys { context.insert(journey) }
    try context.save()
    context.author = "bob"
    journeys[0].days = 7
    try context.save()
    context.author = nil
    context.delete(journeys[1])
    try context.save()
    return context
  }

  typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  @Test(arguments: Kind.allCases)
  func transactionsTellWhatWasDoneInOrder(_ kind: Kind) throws {
    let context = try script(try container(kind))
    let found = try context.fetchHistory(Descriptor())
    #expect(found.map(\.author) == ["ann", "bob", nil])
    #expect(found.map(\.changes.count) == [2, 1, 1])
    #expect(found.map(\.token) == found.map(\.token).sorted())
    #expect(Set(found.map(\.token)).count == 3)
    guard case .insert(let insert as DefaultHistoryInsert<Journey>) = found[0].changes[0],
      case .update(let update as DefaultHistoryUpdate<Journey>) = found[1].changes[0],
      case .delete(let delete as DefaultHistoryDelete<Journey>) = found[2].changes[0]
    else {
      Issue.record("the changes have other types: \(found.map(\.changes))")
      return
    }
    #expect(insert.changedPersistentIdentifier == update.changedPersistentIdentifier)
    #expect(update.updatedAttributes == [\Journey.days])
    #expect(update.updatedAttributeNames == ["days"])
    #expect("\(update)" == "update of Journey \(update.changedPersistentIdentifier): days")
    let bare = DefaultHistoryUpdate<Journey>(
      transactionIdentifier: 1,
      changeIdentifier: 1,
      changedPersistentIdentifier: update.changedPersistentIdentifier,
      updatedAttributes: update.updatedAttributes
    )
    #expect(bare.updatedAttributeNames == ["days"])
    #expect(update.values?.before["days"] == .integer(1))
    #expect(update.values?.after["days"] == .integer(7))
    #expect(delete.tombstone[\.name] as? String == "Bern")
    #expect(delete.tombstone[\.ticket] as? Fare == .open)
    #expect(delete.tombstone[\.note] == nil, "only what is declared is preserved")
    #expect(delete.tombstone.map { "\($0)" } == ["Bern", "open"])
  }

  @Test(arguments: Kind.allCases)
  func predicatesAndOrderChooseTransactions(_ kind: Kind) throws {
    let context = try script(try container(kind))
    let all = try context.fetchHistory(Descriptor())
    let token = all[0].token
    let later = #Predicate<DefaultHistoryTransaction> { $0.token > token }
    #expect(try context.fetchHistory(Descriptor(predicate: later)) == Array(all[1...]))
    let byBob = #Predicate<DefaultHistoryTransaction> { $0.token > token && $0.author == "bob" }
    #expect(try context.fetchHistory(Descriptor(predicate: byBob)) == [all[1]])
    let earlier = #Predicate<DefaultHistoryTransaction> { $0.token <= token }
    #expect(try context.fetchHistory(Descriptor(predicate: earlier)) == [all[0]])
    let end = Date.distantFuture
    let none = #Predicate<DefaultHistoryTransaction> { $0.timestamp > end }
    #expect(try context.fetchHistory(Descriptor(predicate: none)) == [])
    var newest = Descriptor(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    newest.fetchLimit = 2
    #expect(try context.fetchHistory(newest) == [all[2], all[1]])
  }

  @Test(arguments: Kind.allCases)
  func aTokenExpiresWhenTheHistoryAfterItIsDeleted(_ kind: Kind) throws {
    let context = try script(try container(kind))
    let all = try context.fetchHistory(Descriptor())
    let (first, second) = (all[0].token, all[1].token)
    try context.deleteHistory(
      Descriptor(predicate: #Predicate<DefaultHistoryTransaction> { $0.token <= second })
    )
    #expect(try context.fetchHistory(Descriptor()) == [all[2]])
    let afterSecond = #Predicate<DefaultHistoryTransaction> { $0.token > second }
    #expect(try context.fetchHistory(Descriptor(predicate: afterSecond)) == [all[2]])
    let afterFirst = #Predicate<DefaultHistoryTransaction> { $0.token > first }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(Descriptor(predicate: afterFirst))
    }
    #expect(try context.names() == ["Alps"], "records stay")
  }

  @Test func whatComesBeforeADemandedTokenIsNotRead() throws {
    let token = DefaultHistoryToken(["a": 7, "b": 9])
    func unwanted(_ predicate: Predicate<DefaultHistoryTransaction>, _ store: String) -> Int64? {
      HistoryBound(predicate)?.lastUnwanted(in: store)
    }
    #expect(unwanted(#Predicate { $0.token > token }, "a") == 7)
    #expect(unwanted(#Predicate { $0.token > token }, "b") == 9)
    #expect(unwanted(#Predicate { $0.token > token }, "c") == nil)
    #expect(unwanted(#Predicate { $0.token >= token }, "a") == 6)
    #expect(unwanted(#Predicate { token < $0.token }, "a") == 7)
    #expect(unwanted(#Predicate { $0.author == "x" && $0.token > token }, "a") == 7)
    #expect(unwanted(#Predicate { $0.token < token }, "a") == nil)
    #expect(unwanted(#Predicate { $0.token > token || $0.author == "x" }, "a") == nil)
  }

  @Test func theTokenOfTheLastTransactionGoesOnInSeveralStores() throws {
    let container = try ModelContainer(
      for: Schema([Journey.self, Rock.self]),
      configurations: ReferenceStoreConfiguration(name: "a", schema: Schema([Journey.self])),
      ReferenceStoreConfiguration(name: "b", schema: Schema([Rock.self]))
    )
    let context = ModelContext(container)
    func save(_ model: some PersistentModel) throws {
      context.insert(model)
      try context.save()
    }
    try save(Journey("Alps"))
    try save(Rock("Granite"))
    let last = try #require(try context.fetchHistory(Descriptor()).last?.token)
    #expect(last.tokenValue == ["a": 1, "b": 1])
    try save(Rock("Basalt"))
    try save(Journey("Bern"))
    let later = try context.fetchHistory(
      Descriptor(predicate: #Predicate<DefaultHistoryTransaction> { $0.token > last })
    )
    #expect(later.map(\.storeIdentifier).sorted() == ["a", "b"])
    #expect(later.last?.token.tokenValue == ["a": 2, "b": 2])
  }

  @Test func tokensCompareByTheStoresTheyShare() throws {
    func token(_ value: [String: Int64]) -> DefaultHistoryToken { DefaultHistoryToken(value) }
    #expect(token(["a": 1]) < token(["a": 2]))
    #expect(token(["a": 2]) > token(["a": 1, "b": 9]))
    #expect(token(["a": 1]) < token(["a": 1, "b": 1]))
    #expect(!(token(["a": 1]) < token(["a": 1])))
    let coded = try JSONEncoder().encode(token(["a": 1]))
    #expect(try JSONDecoder().decode(DefaultHistoryToken.self, from: coded) == token(["a": 1]))
  }

  @Test func ownHistoryTypesComeThrough() throws {
    let container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: DiaryConfiguration()
    )
    let context = ModelContext(container)
    try context.insertJourneys(["Alps"])
    #expect(try context.fetchHistory(HistoryDescriptor<DiaryEntry>()).map(\.author) == ["diary"])
    #expect(try context.fetchHistory(Descriptor()).count == 1, "ours is there as well")
    let other = ModelContext(try self.container(.reference))
    let error = #expect(throws: PersistenceError.self) {
      try other.fetchHistory(HistoryDescriptor<DiaryEntry>())
    }
    #expect(error?.message == "no store of the container keeps history of type DiaryEntry")
  }

  @Test func transactionsCanBeMadeForTests() {
    let identifier = Journey("x").persistentModelID
    let insert = DefaultHistoryInsert<Journey>(
      transactionIdentifier: 3,
      changeIdentifier: 1,
      changedPersistentIdentifier: identifier
    )
    let transaction = DefaultHistoryTransaction(
      transactionIdentifier: 3,
      timestamp: .distantPast,
      changes: [.insert(insert)],
      storeIdentifier: "a",
      author: "ann"
    )
    #expect(transaction.token == DefaultHistoryToken(["a": 3]))
    #expect(transaction.changes.map(\.changedPersistentIdentifier) == [identifier])
  }
}

@Model
final class Rock {
  var name: String
  init(_ name: String) { self.name = name }
}

/// A store's own transaction type.
struct DiaryEntry: HistoryTransaction {
  struct Token: Comparable, Hashable, Identifiable, Sendable {
    var id: Int
    static func < (lhs: Token, rhs: Token) -> Bool { lhs.id < rhs.id }
  }

  var id: Int
  var timestamp: Date { Date(timeIntervalSinceReferenceDate: 0) }
  var changes: [HistoryChange] { [] }
  var token: Token { Token(id: id) }
  var transactionIdentifier: Int { id }
  var storeIdentifier: String { "diary" }
  var author: String? { "diary" }
  static func == (lhs: DiaryEntry, rhs: DiaryEntry) -> Bool { lhs.id == rhs.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

struct DiaryConfiguration: DataStoreConfiguration {
  typealias Store = DiaryStore
  var name = "diary"
  var schema: Schema?
}

/// A store that implements `DataStore` directly and has its own history.
final class DiaryStore: DataStore, HistoryProviding {
  typealias Snapshot = DefaultSnapshot
  let configuration: DiaryConfiguration
  private var kept: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var entries: [DiaryEntry] = []

  init(_ configuration: DiaryConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(kept.values))
  }

  func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  {
    let changes = request.assignPermanentIdentifiers(for: identifier)
    for snapshot in changes.inserted + changes.updated {
      kept[snapshot.persistentIdentifier] = snapshot
    }
    for snapshot in request.deleted { kept[snapshot.persistentIdentifier] = nil }
    entries.append(DiaryEntry(id: entries.count + 1))
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: changes.remappedIdentifiers
    )
  }

  func fetchHistory(_ descriptor: HistoryDescriptor<DiaryEntry>) throws -> [DiaryEntry] {
    try descriptor.apply(to: entries)
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<DiaryEntry>) throws {
    let gone = Set(try fetchHistory(descriptor).map(\.id))
    entries.removeAll { gone.contains($0.id) }
  }
}
