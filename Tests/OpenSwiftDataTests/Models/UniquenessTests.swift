import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Synchronization
import Testing

/// Two new records with the same unique values, or a new record with the values of a saved one.
///
/// Covers J01.
struct UpsertTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try UniqueFixture.container()
    context = ModelContext(container)
  }

  private func wares(_ context: ModelContext? = nil) throws -> [Ware] {
    try (context ?? self.context).fetch(FetchDescriptor<Ware>())
  }

  @Test func twoRowsAreVisibleBeforeTheSaveAndOneAfter() throws {
    context.insert(Ware(code: "a", title: "first"))
    context.insert(Ware(code: "a", title: "last"))
    #expect(try wares().map(\.title) == ["first", "last"])
    try context.save()
    #expect(try wares().map(\.title) == ["last"])
    #expect(try wares(ModelContext(container)).map(\.title) == ["last"])
  }

  @Test func aNewRecordTakesTheIdentityOfTheSavedOne() throws {
    let saved = Ware(code: "a", title: "old", price: 5)
    context.insert(saved)
    try context.save()
    let identifier = saved.persistentModelID
    let new = Ware(code: "a", title: "new")
    context.insert(new)
    let report = try context.saveReporting()
    #expect(new.persistentModelID == identifier)
    #expect(report.changes.inserted.isEmpty)
    #expect(report.changes.updated.map(\.persistentIdentifier) == [identifier])
    #expect(try context.fetchCount(FetchDescriptor<Ware>()) == 1)
    #expect(new.title == "new" && new.price == nil)
    // The existing object represents the same record.
    #expect(saved.title == "new" && saved == new && !saved.isDeleted)
    saved.title = "newer"
    #expect(new.title == "newer")
    try context.save()
    #expect(try wares(ModelContext(container)).map(\.title) == ["newer"])
  }

  @Test func aRecordOfAnotherContextIsFoundInTheStore() throws {
    let other = ModelContext(container)
    other.insert(Ware(code: "a", title: "other"))
    try other.save()
    let ware = Ware(code: "a", title: "mine")
    context.insert(ware)
    try context.save()
    #expect(try wares(ModelContext(container)).map(\.title) == ["mine"])
    #expect(!ware.persistentModelID.isTemporary)
  }

  @Test func sameValuesAgainAreNothingToSave() throws {
    context.insert(Ware(code: "a", title: "same"))
    try context.save()
    context.insert(Ware(code: "a", title: "same"))
    let report = try context.saveReporting()
    #expect(report.changes.isEmpty)
    #expect(!context.hasChanges)
    #expect(try wares().count == 1)
  }

  @Test func amongSeveralNewOnesTheLastWins() throws {
    context.insert(Ware(code: "a", title: "0"))
    try context.save()
    let new = (1...3).map { Ware(code: "a", title: "\($0)") }
    for ware in new { context.insert(ware) }
    try context.save()
    #expect(Set(new.map(\.persistentModelID)).count == 1)
    #expect(new.map(\.title) == ["3", "3", "3"])
    #expect(try wares(ModelContext(container)).map(\.title) == ["3"])
  }

  @Test func valuesThatAreFreedInTheSameSaveCollideWithNothing() throws {
    let first = Ware(code: "a", title: "1")
    let second = Ware(code: "b", title: "2")
    context.insert(first)
    context.insert(second)
    try context.save()
    first.code = "b"
    second.code = "a"
    try context.save()
    context.delete(first)
    context.insert(Ware(code: "b", title: "3"))
    try context.save()
    #expect(try wares(ModelContext(container)).map { $0.code + $0.title }.sorted() == ["a2", "b3"])
  }

  @Test func missingValuesNeverCollide() throws {
    for number in 0..<3 { context.insert(Account(login: "\(number)")) }
    for _ in 0..<2 { context.insert(Seat(row: nil, number: 1)) }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Account>()) == 3)
    #expect(try context.fetchCount(FetchDescriptor<Seat>()) == 2)
  }

  @Test func severalPropertiesAreUniqueTogether() throws {
    context.insert(Booking(room: 1, day: 1, guest: "x"))
    context.insert(Booking(room: 1, day: 2, guest: "y"))
    context.insert(Booking(room: 2, day: 1, guest: "z"))
    try context.save()
    context.insert(Booking(room: 1, day: 2, guest: "new"))
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Booking>())
    #expect(found.map(\.guest).sorted() == ["new", "x", "z"])
  }

  @Test func aFamilyOfClassesSharesItsConstraints() throws {
    context.insert(Machine(serial: 1, place: "a"))
    let robot = Robot(serial: 2, place: "b", arms: 1)
    context.insert(robot)
    try context.save()
    let again = Robot(serial: 2, place: "c", arms: 3)
    context.insert(again)
    try context.save()
    #expect(robot.place == "c" && robot.arms == 3 && robot == again)
    context.insert(Robot(serial: 1, place: "d", arms: 2))
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .notUnique)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Machine>()) == 2)
  }

  @Test func aRecordSavedElsewhereAtTheSameMomentIsReplacedToo() throws {
    let container = try ModelContainer(
      for: Schema(UniqueFixture.models),
      configurations: CountingConfiguration()
    )
    let store = try #require(container.stores.first as? CountingStore)
    let context = ModelContext(container)
    context.insert(Ware(code: "a", title: "mine"))
    store.beforeCommit.withLock {
      $0 = {
        let other = ModelContext(container)
        other.insert(Ware(code: "a", title: "theirs"))
        #expect(throws: Never.self) { try other.save() }
      }
    }
    try context.save()
    #expect(try wares(ModelContext(container)).map(\.title) == ["mine"])
  }

  @Test func theSaveTellsAnUpdate() throws {
    let saved = Ware(code: "a", title: "old")
    context.insert(saved)
    try context.save()
    let sibling = ModelContext(container)
    let same = try #require(try wares(sibling).first)
    nonisolated(unsafe) var updated: [PersistentIdentifier] = []
    nonisolated(unsafe) var inserted: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { notification in
      let info = notification.userInfo ?? [:]
      updated = info["updatedIdentifiers"] as? [PersistentIdentifier] ?? []
      inserted = info["insertedIdentifiers"] as? [PersistentIdentifier] ?? []
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Ware(code: "a", title: "new"))
    try context.save()
    #expect(updated == [saved.persistentModelID] && inserted.isEmpty)
    _ = try wares(sibling)
    #expect(same.title == "new")
  }

  @Test func undoRestoresTheFormerValues() throws {
    let manager = UndoManager()
    context.undoManager = manager
    context.insert(Ware(code: "a", title: "old", price: 1))
    try context.save()
    context.insert(Ware(code: "a", title: "new"))
    try context.save()
    manager.undo()
    try context.save()
    #expect(try wares(ModelContext(container)).map(\.title) == ["old"])
    manager.redo()
    try context.save()
    #expect(try wares(ModelContext(container)).map(\.title) == ["new"])
    #expect(try wares(ModelContext(container)).map(\.price) == [nil])
  }

  @Test func aSaveThatTheStoreRefusesLeavesTheNewRecordNew() throws {
    let container = try ModelContainer(
      for: Schema(UniqueFixture.models),
      configurations: FlawedConfiguration()
    )
    let store = try #require(container.stores.first as? FlawedStore)
    let context = ModelContext(container)
    context.insert(Ware(code: "a", title: "old"))
    try context.save()
    let new = Ware(code: "a", title: "new")
    context.insert(new)
    store.failNext()
    #expect(throws: (any Error).self) { try context.save() }
    #expect(new.persistentModelID.isTemporary && context.hasChanges)
    #expect(try wares(context).map(\.title) == ["old", "new"])
    try context.save()
    #expect(try wares(context).map(\.title) == ["new"])
  }
}

/// References to records that are combined refer to the resulting record.
///
/// Covers J01.
struct UpsertRelationshipTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try UniqueFixture.container()
    context = ModelContext(container)
  }

  private func checkStore(_ check: (ModelContext) throws -> Void) throws {
    try check(context)
    try check(ModelContext(container))
  }

  @Test func whatTheNewRecordRefersToIsAdded() throws {
    let old = Ware(code: "a")
    context.insert(old)
    old.pieces = [Piece(name: "1")]
    old.producer = Producer(name: "P")
    try context.save()
    let new = Ware(code: "a", title: "t")
    context.insert(new)
    new.pieces = [Piece(name: "2")]
    try context.save()
    try checkStore { context in
      let ware = try #require(try context.fetch(FetchDescriptor<Ware>()).first)
      #expect(ware.pieces.map(\.name) == ["1", "2"])
      #expect(ware.pieces.allSatisfy { $0.ware === ware })
      #expect(ware.producer?.name == "P" && ware.title == "t")
      #expect(ware.producer?.wares == [ware])
    }
  }

  @Test func anotherOneToOneTakesThePlace() throws {
    let old = Ware(code: "a")
    context.insert(old)
    let first = Badge(number: 1)
    old.badge = first
    try context.save()
    let new = Ware(code: "a")
    context.insert(new)
    new.badge = Badge(number: 2)
    try context.save()
    #expect(first.ware == nil)
    try checkStore { context in
      let badges = try context.fetch(FetchDescriptor<Badge>()).sorted { $0.number < $1.number }
      #expect(badges.map { $0.ware?.code } == [nil, "a"])
      #expect(try context.fetch(FetchDescriptor<Ware>()).map { $0.badge?.number } == [2])
    }
  }

  @Test func aNewParentBecomesTheSavedOne() throws {
    let producer = Producer(name: "P")
    context.insert(producer)
    producer.wares = [Ware(code: "a")]
    try context.save()
    let again = Producer(name: "P")
    let ware = Ware(code: "b")
    ware.producer = again
    context.insert(ware)
    try context.save()
    #expect(ware.producer == producer)
    #expect(producer.wares.map(\.code) == ["a", "b"])
    try checkStore { context in
      #expect(try context.fetchCount(FetchDescriptor<Producer>()) == 1)
      let wares = try context.fetch(FetchDescriptor<Ware>())
      #expect(wares.map { $0.producer?.name } == ["P", "P"])
    }
  }

  @Test func aMoveToAnotherParentLeavesTheFirst() throws {
    let first = Producer(name: "P")
    let second = Producer(name: "Q")
    context.insert(first)
    context.insert(second)
    first.wares = [Ware(code: "a")]
    try context.save()
    let again = Ware(code: "a")
    context.insert(again)
    again.producer = second
    try context.save()
    #expect(first.wares.isEmpty && second.wares.map(\.code) == ["a"])
    try checkStore { context in
      let producers = try context.fetch(FetchDescriptor<Producer>()).sorted { $0.name < $1.name }
      #expect(producers.map(\.wares.count) == [0, 1])
    }
  }

  @Test func newOnesThatBecomeOneShareTheirRelations() throws {
    let wares = (0..<3).map { number in
      let ware = Ware(code: "a", title: "\(number)")
      context.insert(ware)
      ware.pieces = [Piece(name: "\(number)")]
      ware.badge = Badge(number: number)
      return ware
    }
    try context.save()
    #expect(wares[0].pieces.map(\.name) == ["0", "1", "2"])
    try checkStore { context in
      let pieces = try context.fetch(FetchDescriptor<Piece>())
      #expect(pieces.map { $0.ware?.title } == ["2", "2", "2"])
      let badges = try context.fetch(FetchDescriptor<Badge>()).sorted { $0.number < $1.number }
      #expect(badges.map { $0.ware?.title } == [nil, nil, "2"])
    }
  }

  @Test func aRelationshipCanBeUnique() throws {
    let producer = Producer(name: "P")
    context.insert(Voucher(note: "1", holder: producer))
    try context.save()
    // First the producer is combined with the saved one, then its ticket.
    context.insert(Voucher(note: "2", holder: Producer(name: "P")))
    context.insert(Voucher(note: "3"))
    try context.save()
    try checkStore { context in
      let tickets = try context.fetch(FetchDescriptor<Voucher>())
      #expect(tickets.map(\.note).sorted() == ["2", "3"])
      #expect(tickets.compactMap(\.holder?.name) == ["P"])
    }
  }
}

/// The error of a rejected collision names both records and the values.
///
/// Covers J01.
struct UniqueRefusalTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try UniqueFixture.container()
    context = ModelContext(container)
  }

  @Test func theErrorNamesBothRecordsAndTheValues() throws {
    let saved = Seat(row: "A", number: 7)
    context.insert(saved)
    try context.save()
    let new = Seat(row: "A", number: 7)
    context.insert(new)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .notUnique)
    #expect(
      error?.message
        == "Seat.row and Seat.number: must be unique in combination; records \(saved.persistentModelID) and \(new.persistentModelID) would both have \"A\", \"7\""
    )
    #expect(context.hasChanges && new.persistentModelID.isTemporary)
    new.number = 8
    try context.save()
  }

  @Test func validationFindsItBeforeTheSave() throws {
    context.insert(Account(login: "a", phone: "1"))
    context.insert(Account(login: "b", phone: "1"))
    let error = #expect(throws: PersistenceError.self) { try context.validate() }
    #expect(error?.code == .notUnique && error?.message.contains("Account.phone") == true)
    #expect(try context.validationErrors().map(\.code) == [.notUnique])
    #expect(context.insertedModelsArray.count == 2)
  }

  @Test func aChangeNeverTakesThePlaceOfAnotherRecord() throws {
    let first = Ware(code: "a")
    let second = Ware(code: "b")
    context.insert(first)
    context.insert(second)
    try context.save()
    second.code = "a"
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .notUnique)
    first.code = "c"
    second.code = "c"
    #expect(throws: PersistenceError.self) { try context.save() }
    context.rollback()
    #expect(try context.fetch(FetchDescriptor<Ware>()).map(\.code) == ["a", "b"])
  }

  @Test func oneRecordCannotBecomePartOfTwo() throws {
    context.insert(Account(login: "a", card: 1))
    context.insert(Account(login: "b", card: 2))
    try context.save()
    context.insert(Account(login: "a", card: 2))
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.message.contains("by login") == true)
    #expect(error?.message.contains("by card") == true)
  }

  @Test func theStrictPolicyGivesWayWhereTheRecordIsTheSame() throws {
    let account = Account(login: "a", phone: "1")
    context.insert(account)
    try context.save()
    context.insert(Account(login: "a", phone: "1", card: 3))
    try context.save()
    #expect(account.card == 3)
    #expect(try context.fetchCount(FetchDescriptor<Account>()) == 1)
  }

  @Test func tooManyRelatedModelsAreRefusedAfterTheMerge() throws {
    let schema = Schema([Crate.self, Bottle.self])
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: ReferenceStoreConfiguration())
    )
    for number in 0..<2 {
      let crate = Crate(code: 1)
      context.insert(crate)
      crate.bottles = [Bottle(number: number), Bottle(number: 10 + number)]
    }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.message.contains("at most 3") == true)
  }
}

@Model
final class Crate {
  @Attribute(.unique) var code: Int
  @Relationship(maximumModelCount: 3, inverse: \Bottle.crate) var bottles: [Bottle] = []

  init(code: Int) { self.code = code }
}

@Model
final class Bottle {
  var number: Int
  var crate: Crate?

  init(number: Int) { self.number = number }
}
