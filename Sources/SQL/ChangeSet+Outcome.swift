package import OpenSwiftData

extension ChangeSet {
  /// Compares records with those after a save and those before it, to find out whether it was made.
  ///
  /// - Parameter found: The records of the changes that are stored now.
  /// - Returns: True if all are as the save leaves them, false if all are as before; nil if others have changed some since.
  package func isSaved(in found: [PersistentIdentifier: DefaultSnapshot]) -> Bool? {
    func holds(_ present: [DefaultSnapshot], without absent: [DefaultSnapshot]) -> Bool {
      present.allSatisfy { found[$0.persistentIdentifier] == $0 }
        && absent.allSatisfy { found[$0.persistentIdentifier] == nil }
    }
    let isSaved = holds(inserted + updated.map(\.after), without: deleted)
    let isAsBefore = holds(deleted + updated.map(\.before), without: inserted)
    return isSaved == isAsBefore ? nil : isSaved
  }

  /// The records that it concerns.
  package var allIdentifiers: [PersistentIdentifier] {
    (inserted + updated.map(\.after) + deleted).map(\.persistentIdentifier)
  }
}
