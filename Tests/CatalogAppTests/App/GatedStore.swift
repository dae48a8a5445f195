import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization

/// Holds back the queries of a `GatedStore`, from another thread.
final class Gate: Sendable {
  private let isShut = Atomic(false)
  private let begun = Atomic(0)
  private let ended = Atomic(0)

  /// The number of queries that have begun, and of those that ended without being stopped.
  var queries: (begun: Int, ended: Int) {
    (begun.load(ordering: .acquiring), ended.load(ordering: .acquiring))
  }

  func shut() { isShut.store(true, ordering: .releasing) }
  func open() { isShut.store(false, ordering: .releasing) }

  /// Waits while the gate is shut; work that is canceled leaves it.
  func pass() throws {
    begun.add(1, ordering: .acquiringAndReleasing)
    while isShut.load(ordering: .acquiring) {
      try Interruption.check()
      Thread.sleep(forTimeInterval: 0.001)
    }
    ended.add(1, ordering: .acquiringAndReleasing)
  }
}

struct GatedStoreConfiguration: DataStoreConfiguration, Sendable {
  typealias Store = GatedStore

  var schema: Schema?
  let gate: Gate
  var name: String { "gated" }

  static func == (left: Self, right: Self) -> Bool { left.gate === right.gate }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A store that is as slow as a test wants.
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

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try store.snapshots(for: identifiers, attributes: attributes)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try store.commit(changes, author: author)
  }
}
