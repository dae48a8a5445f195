import DataStoreTesting
import Foundation
import OpenSwiftData

struct PairConfiguration: DataStoreConfiguration {
  typealias Store = PairStore

  var name = "pair"
  var schema: Schema?
}

/// Two stores that have the same entities, read through the connection that joins them.
///
/// New records go to both in turn, except those that are linked to each other.
final class PairStore: QueryableStore, @unchecked Sendable {
  // Unchecked because the container is not declared so; nothing changes after the initializer.

  let configuration: PairConfiguration
  private let container: ModelContainer

  init(_ configuration: PairConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    container = try ModelContainer(
      for: configuration.schema,
      configurations: [
        ReferenceStoreConfiguration(name: "odd", schema: configuration.schema, seed: 1),
        ReferenceStoreConfiguration(name: "even", schema: configuration.schema, seed: 2),
      ] as [any DataStoreConfiguration]
    )
  }

  private func connection() throws -> any StoreConnection {
    guard let connection = container.joinedConnection() else {
      throw PersistenceError(.unsupported, "no store")
    }
    return connection
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try connection().snapshots(matching: query)
  }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try connection().identifiers(matching: query)
  }

  func count(matching query: Query) throws -> Int { try connection().count(matching: query) }

  func listing(matching query: Query) throws -> any Listing {
    try connection().listing(matching: query)
  }

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try connection().valueCounts(of: attribute, matching: query)
  }

  func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    try connection().summary(of: attribute, matching: query)
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try connection().snapshots(for: identifiers, attributes: attributes)
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try connection().identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    let links = changes.inserted.flatMap { $0.orderedValues.flatMap(\.linkedIdentifiers) }
    let isLinked = links.contains(where: \.isTemporary)
    var parts = [ChangeSet(), ChangeSet()]
    for (number, record) in changes.inserted.enumerated() {
      let place =
        record.persistentIdentifier.isTemporary
        ? (isLinked ? 0 : number % 2) : self.place(of: record)
      parts[place].inserted.append(record)
    }
    for update in changes.updated { parts[place(of: update.after)].updated.append(update) }
    for record in changes.deleted { parts[place(of: record)].deleted.append(record) }
    // What one of them refuses must not be saved in the other.
    let results = try zip(container.stores, parts).map { store, part in
      guard !part.isEmpty, let store = store as? ReferenceStore else { return CommitResult() }
      return try store.commit(part, author: author)
    }
    return CommitResult(
      remappedIdentifiers: results.reduce(into: [:]) { all, result in
        all.merge(result.remappedIdentifiers) { first, _ in first }
      }
    )
  }

  private func place(of record: DefaultSnapshot) -> Int {
    record.persistentIdentifier.storeIdentifier == "even" ? 1 : 0
  }
}
