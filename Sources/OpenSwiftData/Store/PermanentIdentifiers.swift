import Foundation
import Synchronization

/// The changes of a save with permanent identifiers everywhere.
public struct DataStorePermanentChanges<SnapshotType: DataStoreSnapshot>: Sendable {
  /// The new records under their permanent identifiers.
  public let inserted: [SnapshotType]
  /// The changed records, with permanent identifiers in their links.
  public let updated: [SnapshotType]
  /// The permanent identifier of each record that came with a temporary one, for the result of the save.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
}

extension DataStoreSaveChangesRequest {
  /// Gives every new record a permanent identifier with a UUID as key.
  ///
  /// Links of all new and changed records of the request are replaced accordingly.
  ///
  /// The store then saves `inserted` and `updated` of the result, and returns its `remappedIdentifiers`.
  /// Records inserted with a permanent identifier keep it.
  ///
  /// - Parameter storeIdentifier: The identifier of the store.
  /// - Returns: The changes with permanent identifiers.
  /// - Complexity: O(n) in the number of values.
  public func assignPermanentIdentifiers(for storeIdentifier: String)
    -> DataStorePermanentChanges<SnapshotType>
  {
    permanent { temporary in
      IdentifierScope(store: storeIdentifier, entity: temporary.entityName)
        .identifier(uuid: UUID())
    }
  }

  /// Gives every new record a permanent identifier with a key chosen by the store.
  ///
  /// Links of all new and changed records of the request are replaced accordingly.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - primaryKey: Chooses the key of a new record; keys must never be reused, not even those of deleted
  ///     records.
  /// - Returns: The changes with permanent identifiers.
  /// - Throws: The error of `primaryKey`, or `PersistenceError` with code `.invalidIdentifier`.
  /// - Complexity: O(n) in the number of values.
  public func assignPermanentIdentifiers<
    Key: Comparable & CustomStringConvertible & Codable & Hashable
  >(
    for storeIdentifier: String,
    primaryKey: (SnapshotType) throws -> Key
  ) throws -> DataStorePermanentChanges<SnapshotType> {
    var keys: [PersistentIdentifier: Key] = [:]
    for snapshot in inserted where snapshot.persistentIdentifier.isTemporary {
      keys[snapshot.persistentIdentifier] = try primaryKey(snapshot)
    }
    return try permanent { temporary in
      try keys[temporary].map { key in
        try PersistentIdentifier.identifier(
          for: storeIdentifier,
          entityName: temporary.entityName,
          primaryKey: key
        )
      }
    }
  }

  private func permanent(
    _ choose: (PersistentIdentifier) throws -> PersistentIdentifier?
  ) rethrows -> DataStorePermanentChanges<SnapshotType> {
    var map: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in inserted where snapshot.persistentIdentifier.isTemporary {
      map[snapshot.persistentIdentifier] = try choose(snapshot.persistentIdentifier)
    }
    func copy(_ snapshot: SnapshotType) -> SnapshotType {
      let identifier = snapshot.persistentIdentifier
      return snapshot.copy(
        persistentIdentifier: map[identifier] ?? identifier,
        remappedIdentifiers: map
      )
    }
    notes?.assigned = IdentifierMap(map)
    return DataStorePermanentChanges(
      inserted: inserted.map(copy),
      updated: map.isEmpty ? updated : updated.map(copy),
      remappedIdentifiers: map
    )
  }
}

/// The assignments that `assignPermanentIdentifiers` made during a save.
///
/// The creator of the request uses them to skip links that are already replaced.
final class AssignmentNotes: Sendable {
  private let map = Mutex<IdentifierMap?>(nil)

  var assigned: IdentifierMap? {
    get { map.withLock { $0 } }
    set { map.withLock { $0 = newValue } }
  }
}
