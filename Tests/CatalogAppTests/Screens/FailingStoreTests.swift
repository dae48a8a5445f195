import CatalogApp
import DataStoreTesting
import OpenSwiftData
import Synchronization
import Testing

/// The screen over a store that fails.
@Suite(.timeLimit(.minutes(1))) struct FailingStoreTests {
  private let store: FailingStore
  private let screen: ScreenFixture

  init() throws {
    let services = MemoryServices()
    let container = try ModelContainer(
      configurations: [FailingConfiguration(schema: Schema(ScriptFixture.film))]
    )
    store = try #require(container.stores.first as? FailingStore)
    let session = Session(container: container, storeName: "failing", services: services)
    session.store.location = "memory:again"
    let film = Record(entity: container.schema.entities[0])
    try film.set(.text("Up"), for: "title")
    session.context.insert(film)
    try session.context.save()
    screen = ScreenFixture(try ScriptFixture(), session: session)
  }

  @Test func rowsThatCannotBeReadAreSaidAndAskedForAgainLater() throws {
    #expect(screen.text.contains("Up"))
    store.failure.withLock { $0 = PersistenceError(.inaccessible, "the disk is gone") }
    try screen.press(": rollback Enter")
    #expect(screen.message.contains("the disk is gone"))
    store.failure.withLock { $0 = nil }
    try screen.press("j")
    #expect(screen.text.contains("Up"))
  }

  @Test func aSaveOfUnknownOutcomeAsksWhatToDo() throws {
    try screen.press(#": "set where title = 'Up' title=Upper" Enter"#)
    store.commitFailure.withLock { $0 = PersistenceError(.outcomeUnknown, "the disk failed") }
    try screen.press("w")
    #expect(screen.text.contains("save outcome unknown"))
    #expect(screen.text.contains("s  save everything to another store"))
    #expect(screen.text.contains("o  reopen the store"))
    try screen.press("s")
    #expect(screen.message == ":saveas")
    try screen.press("elsewhere Enter")
    #expect(screen.message == "saved 1 record to elsewhere")
    #expect(screen.status.contains("unsaved: 1 changed"), "the edits are still there")
  }
}

struct FailingConfiguration: DataStoreConfiguration {
  typealias Store = FailingStore

  var name = "failing"
  var schema: Schema?

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A reference store that fails on request.
final class FailingStore: QueryableStore, Sendable {
  let configuration: FailingConfiguration
  let failure = Mutex<PersistenceError?>(nil)
  let commitFailure = Mutex<PersistenceError?>(nil)
  private let inner: ReferenceStore

  init(_ configuration: FailingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?)
    throws
  {
    self.configuration = configuration
    inner = try ReferenceStore(
      ReferenceStoreConfiguration(name: configuration.name, schema: configuration.schema)
    )
  }

  var identifier: String { inner.identifier }
  var schema: Schema { inner.schema }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    if let failure = failure.withLock({ $0 }) { throw failure }
    return try inner.snapshots(matching: query)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    if let failure = commitFailure.withLock({ $0 }) { throw failure }
    return try inner.commit(changes, author: author)
  }
}
