/// Checks the identifiers that a store gave to new records.
struct RemappingCheck {
  let storeName: String
  /// What the author of the store can call to assign identifiers.
  let advice: String

  /// - Throws: `PersistenceError` with code `.storeViolation` that names the record.
  func check(_ remapped: IdentifierMap, for changes: ChangeSet) throws {
    if changes.inserted.isEmpty, remapped.isEmpty { return }
    let new = Set(changes.inserted.map(\.persistentIdentifier))
    for snapshot in changes.inserted {
      try check(snapshot.persistentIdentifier, became: remapped[snapshot.persistentIdentifier])
    }
    if let stranger = remapped.temporary.filter({ !new.contains($0) }).min() {
      throw violation(
        "assigned an identifier to \(name(stranger)), which was not inserted"
      )
    }
    // A new record may have the key of a deleted one.
    var taken = Set(changes.updated.map(\.persistentIdentifier))
    taken.formUnion(new.filter { !$0.isTemporary && remapped[$0] == nil })
    for snapshot in changes.inserted {
      guard let permanent = remapped[snapshot.persistentIdentifier] else { continue }
      guard taken.insert(permanent).inserted else {
        throw violation(
          "assigned the identifier \(permanent) to \(name(snapshot.persistentIdentifier)), "
            + "but another record of the same save has it too"
        )
      }
    }
  }

  private func check(_ identifier: PersistentIdentifier, became permanent: PersistentIdentifier?)
    throws
  {
    guard let permanent else {
      guard identifier.isTemporary else { return }
      throw violation(
        "assigned no permanent identifier to \(name(identifier)); \(advice)"
      )
    }
    guard !permanent.isTemporary else {
      throw violation(
        "assigned the temporary identifier \(permanent) to \(name(identifier))"
      )
    }
    guard permanent.entityName == identifier.entityName else {
      throw violation(
        "assigned a \(permanent.entityName) identifier to \(name(identifier))"
      )
    }
  }

  private func name(_ identifier: PersistentIdentifier) -> String {
    "\(identifier) of \(identifier.entityName)"
  }

  private func violation(_ what: String) -> PersistenceError {
    PersistenceError(.storeViolation, "store \(storeName): \(what)")
  }
}
