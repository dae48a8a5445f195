import CatalogApp
import DataStoreTesting
import OpenSwiftData
import Synchronization
import Testing

/// An action on many marked records costs the store as much work per record as the same action on a
/// query.
@Suite(.timeLimit(.minutes(1))) struct MarkedWorkTests {
  @Test(arguments: [
    ("* d y", "delete where number > 0"), ("* e =x Enter", "set where number > 0 name=x"),
    ("* Y", "duplicate where number > 0"), ("* d y u", "delete where number > 0"),
  ])
  func workGrowsAsTheNumberOfRecords(keys: String, line: String) throws {
    let small = try work(500) { try $0.press(keys) }
    let large = try work(2000) { try $0.press(keys) }
    let query = try work(2000) { try $0.press(": \"\(line)\" Enter") }
    #expect(large.records <= 4 * small.records + 4 * CountingStore.page, "linear")
    #expect(large.prefixes == 0 && small.prefixes == 0, "no identifier is looked for by its text")
    #expect(large.records <= 6 * query.records + 8 * CountingStore.page, "\(large) \(query)")
    #expect(large.calls <= 2 * query.calls + 60, "\(large) \(query)")
  }

  private func work(_ count: Int, _ press: (ScreenFixture) throws -> Void) throws
    -> CountingStore.Work
  {
    let entity = Schema.Entity(
      "Item",
      attributes: [Schema.Attribute("number", .integer), Schema.Attribute("name", .text)]
    )
    let container = try ModelContainer(
      configurations: [CountingConfiguration(schema: Schema(entity))]
    )
    let store = try #require(container.stores.first as? CountingStore)
    let session = Session(
      container: container,
      storeName: "counted",
      services: MemoryServices()
    )
    for number in 1...count {
      let record = Record(entity: entity)
      try record.set(.integer(Int64(number)), for: "number")
      try record.set(.text("item \(number)"), for: "name")
      session.context.insert(record)
    }
    try session.context.save()
    let screen = ScreenFixture(try ScriptFixture(), session: session)
    // Moves to the text column, which the editor of the marked records changes.
    try screen.press("0 l")
    store.work.withLock { $0 = CountingStore.Work() }
    try press(screen)
    #expect(screen.status.contains("unsaved") || keysUndo(screen), "\(screen.text)")
    return store.work.withLock { $0 }
  }

  private func keysUndo(_ screen: ScreenFixture) -> Bool { screen.message.contains("undone") }
}

struct CountingConfiguration: DataStoreConfiguration {
  typealias Store = CountingStore

  var name = "counting"
  var schema: Schema?

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A reference store that counts requests.
final class CountingStore: QueryableStore, Sendable {
  struct Work {
    /// The number of reads.
    var calls = 0
    /// The number of records read.
    var records = 0
    /// The number of searches for identifiers by their text.
    var prefixes = 0
  }

  /// The reads for the visible rows of the table.
  static let page = 100

  let configuration: CountingConfiguration
  let work = Mutex(Work())
  private let inner: ReferenceStore

  init(_ configuration: CountingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?)
    throws
  {
    self.configuration = configuration
    inner = try ReferenceStore(
      ReferenceStoreConfiguration(name: configuration.name, schema: configuration.schema)
    )
  }

  var identifier: String { inner.identifier }
  var schema: Schema { inner.schema }

  private func count(_ records: Int) {
    work.withLock {
      $0.calls += 1
      $0.records += records
    }
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let found = try inner.snapshots(matching: query)
    count(found.count)
    return found
  }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    let found = try inner.identifiers(matching: query)
    count(0)
    return found
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    count(identifiers.count)
    return try inner.snapshots(for: identifiers, attributes: attributes)
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    work.withLock { $0.prefixes += 1 }
    return try inner.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try inner.commit(changes, author: author)
  }
}
