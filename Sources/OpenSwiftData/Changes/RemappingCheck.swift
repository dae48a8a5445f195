/// Checks the identifiers that a store gave to new records.
struct RemappingCheck {
  let storeName: String

  /// - Throws: `PersistenceError` with code `.storeViolation` that names the record.
  func check(
    _ remapped: [PersistentIdentifier: PersistentIdentifier],
    for changes: ChangeSet
  ) throws {
    if changes.inserted.isEmpty, remapped.isEmpty { return }
    let new = Set(changes.inserted.map(\.persistentIdentifier))
    for snapshot in changes.inserted {
      try check(snapshot.persistentIdentifier, became: remapped[snapshot.persistentIdentifier])
    }
    if let stranger = remapped.keys.filter({ !new.contains($0) }).min() {
      throw violation(
        "gave a new identifier to \(name(stranger)), which nobody inserted"
      )
    }
    var taken = Set(changes.updated.map(\.persistentIdentifier))
    taken.formUnion(changes.deleted.map(\.persistentIdentifier))
    taken.formUnion(new.filter { !$0.isTemporary && remapped[$0] == nil })
    for snapshot in changes.inserted {
      guard let permanent = remapped[snapshot.persistentIdentifier] else { continue }
      guard taken.insert(permanent).inserted else {
        throw violation(
          "gave the identifier \(permanent) to the new record \(name(snapshot.persistentIdentifier)), "
            + "but another record of the same save has it"
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
        "gave no permanent identifier to the new record \(name(identifier)); "
          + "assignPermanentIdentifiers(for:) of the request gives one to each"
      )
    }
    guard !permanent.isTemporary else {
      throw violation(
        "gave the temporary identifier \(permanent) to the new record \(name(identifier))"
      )
    }
    guard permanent.entityName == identifier.entityName else {
      throw violation(
        "gave an identifier of \(permanent.entityName) to the new record \(name(identifier))"
      )
    }
  }

  private func name(_ identifier: PersistentIdentifier) -> String {
    "\(identifier) of \(identifier.entityName)"
  }

  private func violation(_ what: String) -> PersistenceError {
    PersistenceError(.storeViolation, "the store \(storeName) \(what)")
  }
}
