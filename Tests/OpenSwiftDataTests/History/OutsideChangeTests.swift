import Foundation
import Testing

@testable import OpenSwiftData

/// Changes from outside in the history of stores that keep none themselves.
@Suite struct OutsideChangeTests {
  enum Kind: CaseIterable { case mailbox, notebook }

  private static func container(_ kind: Kind) throws -> ModelContainer {
    let configuration: any DataStoreConfiguration =
      switch kind {
      case .mailbox: MailboxConfiguration()
      case .notebook: NotebookConfiguration()
      }
    return try ModelContainer(for: Schema([Hike.self]), configurations: configuration)
  }

  /// Changes the store behind its container and reports the change.
  private func change(_ container: ModelContainer, _ changes: ChangeSet) throws {
    var report = StoreChange(
      inserted: changes.inserted.map(\.persistentIdentifier),
      updated: changes.updated.map(\.persistentIdentifier),
      deleted: changes.deleted.map(\.persistentIdentifier)
    )
    if let mailbox = container.stores.first as? MailboxStore {
      mailbox.apply(changes)
      mailbox.changeFeed.send(report)
    } else if let notebook = container.stores.first as? NotebookStore {
      let result = try notebook.commit(changes, author: "server")
      report.inserted = report.inserted.map { result.remappedIdentifiers[$0] ?? $0 }
      notebook.changeFeed.send(report)
    }
  }

  /// A record of the entity, under a permanent identifier.
  private func hike(_ number: Int, _ name: String, in container: ModelContainer) throws
    -> DefaultSnapshot
  {
    let entity = try container.schema.entity(named: "Hike")
    return entity.arranged(Hike(name, days: number).persistentState.snapshot).copy(
      persistentIdentifier: try .identifier(
        for: container.stores[0].identifier,
        entityName: "Hike",
        primaryKey: 1000 + number
      )
    )
  }

  private func update(_ before: DefaultSnapshot, days: Int64) -> RecordUpdate {
    var after = before
    after.orderedValues[1] = .integer(days)
    return RecordUpdate(before: before, after: after)
  }

  typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  @Test(arguments: Kind.allCases)
  func outsideChangesAreTransactionsWithTheirValues(_ kind: Kind) throws {
    let container = try Self.container(kind)
    let context = ModelContext(container)
    let own = Hike("Own", days: 1)
    context.insert(own)
    try context.save()
    let last = try #require(try context.fetchHistory(Descriptor()).last)
    let observer = try HistoryObserver(modelContainer: container)
    let other = try hike(2, "Other", in: container)
    try change(container, ChangeSet(inserted: [other]))
    let stored = try #require(try context.snapshots(for: [own.persistentModelID]).values.first)
    try change(container, ChangeSet(updated: [update(stored, days: 9)]))
    try change(container, ChangeSet(deleted: [other]))
    #expect(observer.eventCounter == 3)
    let token = last.token
    let news = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
    #expect(news.count == 3 && news.allSatisfy { $0.isExternal && $0.author == nil })
    #expect(!last.isExternal && !news.contains(where: \.isIncomplete))
    guard case .insert(let insert as DefaultHistoryInsert<Hike>) = news[0].changes.first,
      case .update(let update as DefaultHistoryUpdate<Hike>) = news[1].changes.first,
      case .delete(let delete as DefaultHistoryDelete<Hike>) = news[2].changes.first
    else {
      Issue.record("the changes have other types: \(news.map(\.changes))")
      return
    }
    // Deleted before the history was read, so its values were never known.
    #expect(insert.changedPersistentIdentifier == other.persistentIdentifier)
    #expect(insert.snapshot == nil)
    #expect(update.updatedAttributes == [\Hike.days])
    #expect(update.values?.before["days"] == .integer(1))
    #expect(update.values?.after["days"] == .integer(9))
    #expect(delete.changedPersistentIdentifier == other.persistentIdentifier)
    // Read from the store by then, the record can be reverted.
    try context.revert(own.persistentModelID, to: last.transactionIdentifier)
    #expect(own.days == 1)
  }

  @Test(arguments: Kind.allCases)
  func valuesAreThoseBeforeTheNextSave(_ kind: Kind) throws {
    let container = try Self.container(kind)
    let context = ModelContext(container)
    let record = try hike(3, "Outside", in: container)
    try change(container, ChangeSet(inserted: [record]))
    let found = try #require(try context.fetch(FetchDescriptor<Hike>()).first)
    try change(container, ChangeSet(updated: [update(record, days: 5)]))
    context.processPendingChanges()
    found.days = 7
    try context.save()
    context.delete(found)
    try context.save()
    let history = try context.transactions()
    #expect(history.map(\.isExternal) == [true, true, false, false])
    #expect(history[1].changes.updated.first?.after["days"] == .integer(5))
    #expect(history[2].changes.updated.first?.after["days"] == .integer(7))
    #expect(history[3].changes.deleted.first?["days"] == .integer(7))
    #expect(history.map(\.token) == [1, 2, 3, 4])
  }

  @Test func valuesThatAreNotKnownAreMissing() throws {
    let container = try Self.container(.mailbox)
    let mailbox = try #require(container.stores.first as? MailboxStore)
    let context = ModelContext(container)
    let (changed, deleted) = (try hike(1, "A", in: container), try hike(2, "B", in: container))
    mailbox.apply(ChangeSet(inserted: [changed, deleted]))
    let change = ChangeSet(updated: [update(changed, days: 9)], deleted: [deleted])
    try self.change(container, change)
    let changes = try #require(try context.fetchHistory(Descriptor()).first).changes
    guard case .update(let update as DefaultHistoryUpdate<Hike>) = changes.first else { return }
    #expect(update.updatedAttributes.isEmpty && update.values?.after["days"] == .integer(9))
    for identifier in [changed, deleted].map(\.persistentIdentifier) {
      let error = #expect(throws: PersistenceError.self) { try context.revert(identifier, to: 0) }
      #expect(error?.code == .unknownRecord && error?.message.contains("not known") == true)
    }
  }

  @Test func anUnknownChangeIsAnIncompleteTransaction() throws {
    let container = try Self.container(.mailbox)
    let mailbox = try #require(container.stores.first as? MailboxStore)
    mailbox.changeFeed.send(.everything)
    mailbox.changeFeed.send(StoreChange())
    let history = try ModelContext(container).fetchHistory(Descriptor())
    #expect(history.map(\.isIncomplete) == [true] && history.first?.changes.isEmpty == true)
  }

  @Test func reportingAChangeReadsNothingAndTheHistoryReadsOnce() throws {
    let container = try Self.container(.mailbox)
    let mailbox = try #require(container.stores.first as? MailboxStore)
    let context = ModelContext(container)
    let hikes = try (1...20).map { try hike($0, "\($0)", in: container) }
    for hike in hikes { try change(container, ChangeSet(inserted: [hike])) }
    #expect(mailbox.fetchCount == 0)
    mailbox.isUnreachable = true
    #expect(try context.transactions().count == 20)
    #expect(try context.transactions().first?.changes.inserted.first?.hasValues == false)
    mailbox.isUnreachable = false
    #expect(try context.transactions().map(\.changes.inserted) == hikes.map { [$0] })
    let count = mailbox.fetchCount
    #expect(try context.transactions().count == 20 && mailbox.fetchCount == count)
  }
}

struct MailboxConfiguration: DataStoreConfiguration {
  typealias Store = MailboxStore
  var name = "mailbox"
  var schema: Schema?
}

/// A store in memory that implements only `DataStore` and can be changed from outside.
final class MailboxStore: DataStore, ChangeFeedingStore {
  typealias Snapshot = DefaultSnapshot

  let configuration: MailboxConfiguration
  let changeFeed = StoreChangeFeed()
  var isUnreachable = false
  private(set) var fetchCount = 0
  private(set) var watchCount = 0
  private var records: [PersistentIdentifier: DefaultSnapshot] = [:]

  init(_ configuration: MailboxConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
  }

  func startWatching() { watchCount += 1 }

  func apply(_ changes: ChangeSet) {
    for snapshot in changes.inserted + changes.updated.map(\.after) {
      records[snapshot.persistentIdentifier] = snapshot
    }
    for snapshot in changes.deleted { records[snapshot.persistentIdentifier] = nil }
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    if isUnreachable { throw PersistenceError(.inaccessible, "the mailbox is locked") }
    fetchCount += 1
    let found = records.values.filter {
      $0.persistentIdentifier.entityName == Schema.entityName(for: T.self)
    }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found)
  }

  func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  {
    let changes = request.assignPermanentIdentifiers(for: identifier)
    for snapshot in changes.inserted + changes.updated {
      records[snapshot.persistentIdentifier] = snapshot
    }
    for snapshot in request.deleted { records[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: changes.remappedIdentifiers
    )
  }
}
