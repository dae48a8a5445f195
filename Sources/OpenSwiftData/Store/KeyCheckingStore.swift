/// A store in which another program can give the key of a record to another record.
///
/// The values that were read tell whether the key is still that of the same record, by the rule of files without
/// identifiers (`RecordLikeness`). A save must not change any other record.
package protocol KeyCheckingStore: QueryableStore {
  /// True if the values decide whether a key of the entity is still on the same record.
  func checksKeys(of entityName: String) -> Bool

  /// Why records, given as they were read, may be other ones or under other keys now; those without a doubt are left out.
  ///
  /// - Throws: The error of a store that cannot be read.
  func doubts(about records: [DefaultSnapshot]) throws -> [PersistentIdentifier: RecordDoubt]

  /// The same for records as they were after the last transactions of the history that have changed them.
  ///
  /// - Throws: The error of a store that cannot be read.
  func doubts(aboutSaved identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    RecordDoubt]
}

extension [PersistentIdentifier: RecordDoubt] {
  /// Removes the doubts about records that are stored already as changes would make them.
  ///
  /// Both sides have made the same change, or it was saved here without an answer. A record that is elsewhere now was not
  /// changed.
  package mutating func removeDone(
    _ changed: some Sequence<DefaultSnapshot>,
    in stored: [PersistentIdentifier: DefaultSnapshot]
  ) {
    if isEmpty { return }
    for record in changed {
      let identifier = record.persistentIdentifier
      guard let doubt = self[identifier], doubt.candidate == nil else { continue }
      if stored[identifier] == record { self[identifier] = nil }
    }
  }
}
