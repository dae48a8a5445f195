import DataStoreTesting
import Dispatch
import Foundation
import OpenSwiftData
import Synchronization

/// Holds back the queries of a `GatedStore`, from another thread.
final class Gate: Sendable {
  private let isShut = Atomic(false)
  private let begun = Atomic(0)
  private let ended = Atomic(0)
  private let hasOpened = DispatchSemaphore(value: 0)

  /// The number of queries that have begun, and of those that ended without being stopped.
  var queries: (begun: Int, ended: Int) {
    (begun.load(ordering: .acquiring), ended.load(ordering: .acquiring))
  }

  /// How many more times records may be read by their identifiers.
  private let readings = Atomic(Int.max)

  /// Holds back reading records by their identifiers after some times.
  func shutRecords(after count: Int) { readings.store(count, ordering: .releasing) }

  /// Waits until another reading of records is allowed; work that is canceled leaves it.
  func passRecords() throws {
    while readings.load(ordering: .acquiring) <= 0 {
      try Interruption.check()
      Thread.sleep(forTimeInterval: 0.001)
    }
    readings.subtract(1, ordering: .acquiringAndReleasing)
  }

  func shut() { isShut.store(true, ordering: .releasing) }

  func open() {
    isShut.store(false, ordering: .releasing)
    hasOpened.signal()
  }

  /// Waits while the gate is shut; work that is canceled leaves it.
  func pass() throws {
    begun.add(1, ordering: .acquiringAndReleasing)
    while isShut.load(ordering: .acquiring) {
      try Interruption.check()
      // Nothing signals a cancellation, so it is looked for from time to time.
      _ = hasOpened.wait(timeout: .now() + .milliseconds(1))
    }
    ended.add(1, ordering: .acquiringAndReleasing)
  }
}

struct GatedStoreConfiguration: DataStoreConfiguration, Sendable {
  typealias Store = GatedStore

  var schema: Schema?
  let gate: Gate
  /// The number of identifiers that a listing finds at a time; nil for all.
  var pageCount: Int?
  /// What a listing says about its count before it is exact; nil for nothing.
  var estimate: Int?
  var name: String { "gated" }

  static func == (left: Self, right: Self) -> Bool { left.gate === right.gate }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A store whose queries a test can hold back.
final class GatedStore: QueryableStore, Sendable {
  let configuration: GatedStoreConfiguration
  private let store: ReferenceStore

  init(
    _ configuration: GatedStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    store = try ReferenceStore(ReferenceStoreConfiguration(schema: configuration.schema))
  }

  var identifier: String { configuration.name }
  var schema: Schema { store.schema }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try configuration.gate.pass()
    return try store.snapshots(matching: query)
  }

  /// Finds the identifiers page by page; only the first one does not wait for the gate.
  func listing(matching query: Query) throws -> any Listing {
    let all = try store.identifiers(matching: query)
    guard let pageCount = configuration.pageCount else {
      try configuration.gate.pass()
      return IdentifierListing(all) { [store] in try store.snapshots(for: $0, attributes: $1) }
    }
    let gate = configuration.gate
    var rest = all[...]
    return PagedListing(estimate: configuration.estimate) {
      if rest.count < all.count { try gate.pass() }
      defer { rest = rest.dropFirst(pageCount) }
      return Array(rest.prefix(pageCount))
    } read: { [store] in
      try store.snapshots(for: $0, attributes: $1)
    }
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try configuration.gate.passRecords()
    return try store.snapshots(for: identifiers, attributes: attributes)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try store.commit(changes, author: author)
  }
}
