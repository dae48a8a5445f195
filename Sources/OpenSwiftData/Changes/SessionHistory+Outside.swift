package import Foundation

/// Changes from outside, which a store reports without values.
///
/// The values are added when the history is read, and not when the change is reported, because a store may report
/// a change while another thread waits for the store.
extension SessionHistory {
  /// Adds a change from outside and returns its token; `addValues(_:through:)` adds the values later.
  package mutating func append(outside change: StoreChange, id: UUID, at timestamp: Date) -> Int64 {
    lastToken += 1
    var transaction = Transaction(
      token: lastToken,
      id: id,
      timestamp: timestamp,
      author: change.author,
      changes: ChangeSet(
        inserted: change.inserted.map(DefaultSnapshot.init(withoutValues:)),
        updated: change.updated.map(DefaultSnapshot.init(withoutValues:))
          .map { RecordUpdate(before: $0, after: $0) },
        deleted: change.deleted.map(DefaultSnapshot.init(withoutValues:))
      )
    )
    transaction.isExternal = true
    transaction.isIncomplete = change.isIncomplete || change.isSchemaChanged
    let size = size(of: transaction.changes)
    append(Entry(transaction: transaction, sizeBytes: size, lacksValues: true))
    return lastToken
  }

  /// The records whose values changes from outside lack; nil if there is no such change.
  package var recordsWithoutValues: [PersistentIdentifier]? {
    let changes = entries[start...].lazy.filter(\.lacksValues).map(\.transaction.changes)
    if changes.isEmpty { return nil }
    return Array(
      Set(changes.flatMap { $0.inserted.map(\.persistentIdentifier) })
        .union(changes.flatMap { $0.updated.map(\.persistentIdentifier) })
    )
  }

  /// Adds values to the changes from outside, up to the token.
  ///
  /// The values after a change are those before the next change of the record, or else the stored ones. The
  /// values before it are those after the previous change of the record, as far as the history reaches.
  ///
  /// - Complexity: O(n) in the number of changes in the history.
  package mutating func addValues(
    _ stored: [PersistentIdentifier: DefaultSnapshot],
    through token: Int64
  ) {
    let open = entries.indices.filter {
      $0 >= start && entries[$0].lacksValues && entries[$0].transaction.token <= token
    }
    addLaterValues(stored, to: Set(open))
    addEarlierValues(to: Set(open))
    for place in open { entries[place].lacksValues = false }
    remeasure(open)
  }

  private mutating func addLaterValues(
    _ stored: [PersistentIdentifier: DefaultSnapshot],
    to open: Set<Int>
  ) {
    var later = stored
    for place in entries.indices[start...].reversed() {
      if open.contains(place) {
        entries[place].transaction.changes.fillLaterValues(later)
      }
      let changes = entries[place].transaction.changes
      for snapshot in changes.inserted { later[snapshot.persistentIdentifier] = nil }
      for update in changes.updated where !entries[place].lacksValues {
        later[update.persistentIdentifier] = update.before
      }
      for snapshot in changes.deleted {
        later[snapshot.persistentIdentifier] = snapshot.hasValues ? snapshot : nil
      }
    }
  }

  private mutating func addEarlierValues(to open: Set<Int>) {
    var earlier: [PersistentIdentifier: DefaultSnapshot] = [:]
    for place in entries.indices[start...] {
      if open.contains(place) {
        entries[place].transaction.changes.fillEarlierValues(earlier)
      }
      let changes = entries[place].transaction.changes
      for snapshot in changes.inserted + changes.updated.map(\.after) {
        earlier[snapshot.persistentIdentifier] = snapshot.hasValues ? snapshot : nil
      }
      for snapshot in changes.deleted { earlier[snapshot.persistentIdentifier] = nil }
    }
  }
}

extension ChangeSet {
  /// Adds the values after the changes of records that have none.
  fileprivate mutating func fillLaterValues(_ later: [PersistentIdentifier: DefaultSnapshot]) {
    for place in inserted.indices {
      inserted[place] = later[inserted[place].persistentIdentifier] ?? inserted[place]
    }
    for place in updated.indices {
      guard let after = later[updated[place].persistentIdentifier] else { continue }
      updated[place] = RecordUpdate(before: after, after: after)
    }
  }

  /// Adds the values before the changes of records.
  fileprivate mutating func fillEarlierValues(_ earlier: [PersistentIdentifier: DefaultSnapshot]) {
    for place in updated.indices {
      guard let before = earlier[updated[place].persistentIdentifier] else { continue }
      let after = updated[place].after
      updated[place].before = after.hasValues ? before.arranged(as: after.layout) : after
    }
    for place in deleted.indices {
      deleted[place] = earlier[deleted[place].persistentIdentifier] ?? deleted[place]
    }
  }
}

extension DefaultSnapshot {
  /// Names a record whose values are not known.
  init(withoutValues identifier: PersistentIdentifier) {
    self.init(persistentIdentifier: identifier, layout: Self.emptyLayout, orderedValues: [])
  }

  private static let emptyLayout = SnapshotLayout([])

  /// False for a record of which only the identifier is known.
  var hasValues: Bool { !layout.names.isEmpty }
}
