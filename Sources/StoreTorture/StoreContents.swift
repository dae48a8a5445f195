package import OpenSwiftData

/// All records of a store with its schema, for comparison.
package struct StoreContents: Hashable, Sendable {
  /// The values in the order of the fields.
  ///
  /// In a file without identifiers, the identifier is the position among the records, and each
  /// value follows the name of its field; null values are left out, because they equal absent ones.
  package private(set) var values: [PersistentIdentifier: [Value]] = [:]
  /// What the file states about its records; nil if it states nothing or does not exist.
  package private(set) var schema: Schema?

  /// No records.
  package init() {}

  /// Reads all records of a store.
  package init(of store: some QueryableStore) throws {
    let hasNoSchema = (store as? any MigratableStore).map { $0.storedSchema == nil } ?? false
    for entity in store.schema.entities {
      let scope = IdentifierScope(store: store.identifier, entity: entity.name)
      let snapshots = try store.snapshots(matching: Query(entity.name))
      for (place, snapshot) in snapshots.enumerated() {
        if hasNoSchema {
          values[scope.identifier(number: place + 1)] = snapshot.namedValues
        } else {
          values[snapshot.persistentIdentifier] = snapshot.orderedValues
        }
      }
    }
    if !hasNoSchema, !values.isEmpty { schema = store.schema }
  }

  /// The number of records that differ.
  package func differences(from other: StoreContents) -> Int {
    Set(values.keys).union(other.values.keys).count { values[$0] != other.values[$0] }
  }

  /// Whether the other contents include every record, under the same identifier.
  func isPart(of other: StoreContents) -> Bool {
    values.allSatisfy { other.values[$0] == $1 }
  }
}

extension DefaultSnapshot {
  /// The values that are not null, each after its name, in the order of the names.
  fileprivate var namedValues: [Value] {
    zip(layout.names, orderedValues).filter { !$0.1.isNull }.sorted { $0.0 < $1.0 }
      .flatMap { [.text($0.0), $0.1] }
  }
}
