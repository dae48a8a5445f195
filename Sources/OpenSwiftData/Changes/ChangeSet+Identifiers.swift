import Foundation

extension ChangeSet {
  /// Gives every new record a permanent identifier with a UUID as key.
  ///
  /// Links to the new records are replaced accordingly. Records inserted with a permanent identifier keep it.
  ///
  /// ```swift
  /// let (changes, identifiers) = changes.assigningIdentifiers(for: identifier)
  /// try write(changes)
  /// return CommitResult(remappedIdentifiers: identifiers)
  /// ```
  ///
  /// - Parameter storeIdentifier: The identifier of the store.
  /// - Returns: The changes with permanent identifiers, and the identifiers that replaced temporary ones, for
  ///   the result of the commit.
  /// - Complexity: O(n) in the number of values.
  public func assigningIdentifiers(for storeIdentifier: String)
    -> (changes: ChangeSet, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier])
  {
    assigning { new in
      IdentifierScope(store: storeIdentifier, entity: new.persistentIdentifier.entityName)
        .identifier(uuid: UUID())
    }
  }

  /// Gives every new record a permanent identifier with a key chosen by the store.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - primaryKey: Chooses the key of a new record; keys must never be reused, not even those of deleted
  ///     records.
  /// - Returns: The changes with permanent identifiers, and the identifiers that replaced temporary ones.
  /// - Throws: The error of `primaryKey`, or `PersistenceError` with code `.invalidIdentifier`.
  /// - Complexity: O(n) in the number of values.
  public func assigningIdentifiers<Key: Comparable & CustomStringConvertible & Codable & Hashable>(
    for storeIdentifier: String,
    primaryKey: (DefaultSnapshot) throws -> Key
  ) throws
    -> (changes: ChangeSet, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier])
  {
    try assigning { new in
      try PersistentIdentifier.identifier(
        for: storeIdentifier,
        entityName: new.persistentIdentifier.entityName,
        primaryKey: primaryKey(new)
      )
    }
  }

  private func assigning(_ choose: (DefaultSnapshot) throws -> PersistentIdentifier) rethrows
    -> (changes: ChangeSet, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier])
  {
    var map: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in inserted where snapshot.persistentIdentifier.isTemporary {
      map[snapshot.persistentIdentifier] = try choose(snapshot)
    }
    return (remapped(map), map)
  }
}
