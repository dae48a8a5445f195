/// What unsaved deletions have done to other records, by the rules of their relationships.
///
/// A deletion and its consequences are one change: whoever resolves a conflict by dropping the deletion drops them, too.
struct DeletionConsequences {
  /// A link to a deleted record that was cleared.
  struct ClearedLink {
    /// The record that had the link.
    let source: PersistentIdentifier
    let field: String
    /// The links of the field before.
    let former: [PersistentIdentifier]
  }

  private var cleared: [PersistentIdentifier: [ClearedLink]] = [:]
  /// The records that were deleted with others, and the other way around.
  private var cascaded: [PersistentIdentifier: [PersistentIdentifier]] = [:]
  private var causes: [PersistentIdentifier: [PersistentIdentifier]] = [:]

  var isEmpty: Bool { cleared.isEmpty && cascaded.isEmpty }

  /// Begins the deletion of a record, and forgets what one that was undone has done.
  mutating func begin(_ deleted: PersistentIdentifier) {
    if isEmpty { return }
    cleared[deleted] = nil
    for source in cascaded.removeValue(forKey: deleted) ?? [] {
      causes[source]?.removeAll { $0 == deleted }
    }
  }

  /// Notes that a link to a deleted record was cleared.
  mutating func note(_ link: ClearedLink, to deleted: PersistentIdentifier) {
    cleared[deleted, default: []].append(link)
  }

  /// Notes that a record was deleted with another one.
  mutating func note(_ source: PersistentIdentifier, deletedWith deleted: PersistentIdentifier) {
    cascaded[deleted, default: []].append(source)
    causes[source, default: []].append(deleted)
  }

  /// The links that a deletion has cleared.
  func clearedLinks(to deleted: PersistentIdentifier) -> [ClearedLink] { cleared[deleted] ?? [] }

  /// The records that were deleted with one.
  func records(deletedWith deleted: PersistentIdentifier) -> [PersistentIdentifier] {
    cascaded[deleted] ?? []
  }

  /// The records with which one was deleted.
  func causes(of source: PersistentIdentifier) -> [PersistentIdentifier] { causes[source] ?? [] }

  /// The records that the deletions of some have changed or deleted, and those that the deletions of these have, without
  /// duplicates.
  func records(concernedBy deleted: [PersistentIdentifier]) -> [PersistentIdentifier] {
    if isEmpty { return [] }
    var found: [PersistentIdentifier] = []
    var seen = Set(deleted)
    var waiting = deleted
    while let next = waiting.popLast() {
      for link in clearedLinks(to: next) where seen.insert(link.source).inserted {
        found.append(link.source)
      }
      for source in records(deletedWith: next) where seen.insert(source).inserted {
        found.append(source)
        waiting.append(source)
      }
    }
    return found
  }
}
