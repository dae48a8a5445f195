/// The records that links name, as they were when the links were set.
///
/// A link is meant for the record that was read. If another program can give its key to another record, a save compares
/// what is stored under the key with what was read. An undo brings links back, so they are kept as long as its steps.
package struct LinkedRecords: Sendable {
  private struct Link: Hashable {
    let source, target: PersistentIdentifier
  }

  private var known: [PersistentIdentifier: DefaultSnapshot] = [:]
  /// Those that had other values when a later link was set.
  private var later: [Link: DefaultSnapshot] = [:]
  /// The records of the command in progress that are not known.
  private var unread: Set<PersistentIdentifier> = []
  /// The links of the command in progress to records that are known.
  private var again: Set<Link> = []
  /// The scope of the last record, and whether its keys can get to other records.
  private var last: (scope: IdentifierScope, isChecked: Bool)?

  var isEmpty: Bool { known.isEmpty }

  /// The record that a link names, as it was when the link was set; nil if no other record can get its key.
  package subscript(source: PersistentIdentifier, target: PersistentIdentifier) -> DefaultSnapshot?
  {
    later[Link(source: source, target: target)] ?? known[target]
  }

  /// Notes the links in a value of a record.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - source: The record.
  ///   - isRestored: True if the links come back as they were, so that a record that is known stays as it was.
  ///   - isChecked: True if other records can get the keys of the entity.
  mutating func note(
    _ value: Value,
    of source: PersistentIdentifier,
    isRestored: Bool,
    isChecked: (String) -> Bool
  ) {
    for target in value.linkedIdentifiers where !target.isTemporary {
      if last?.scope != target.identifierScope {
        last = (target.identifierScope, isChecked(target.entityName))
      }
      guard last?.isChecked == true else { continue }
      if known[target] == nil {
        unread.insert(target)
      } else if !isRestored {
        again.insert(Link(source: source, target: target))
      }
    }
  }

  /// Reads the records of the links that a command has set.
  ///
  /// - Throws: The error of the body; the next call reads them.
  mutating func read(
    _ snapshots: ([PersistentIdentifier]) throws -> [PersistentIdentifier: DefaultSnapshot]
  ) rethrows {
    last = nil
    if unread.isEmpty, again.isEmpty { return }
    let found = try snapshots(Array(unread.union(again.lazy.map(\.target))))
    for target in unread { known[target] = found[target] }
    for link in again {
      later[link] = found[link.target] == known[link.target] ? nil : found[link.target]
    }
    (unread, again) = ([], [])
  }
}
