/// One record before and after a change.
public struct RecordUpdate: Hashable, Sendable {
  /// The values in the store.
  public var before: DefaultSnapshot
  /// The new values, under the same identifier and in the same layout.
  public var after: DefaultSnapshot

  /// Creates an update.
  public init(before: DefaultSnapshot, after: DefaultSnapshot) {
    self.before = before
    self.after = after
  }

  /// The record that changes.
  public var persistentIdentifier: PersistentIdentifier { after.persistentIdentifier }

  /// The slots of the values that differ, in order.
  ///
  /// - Complexity: O(n) in the number of values.
  public var changedSlots: [Int] {
    after.orderedValues.indices.filter { before.orderedValues[$0] != after.orderedValues[$0] }
  }

  /// True if these are the slots of the values that differ, in order.
  ///
  /// - Complexity: O(n) in the number of values.
  package func changes(exactly slots: [Int]) -> Bool {
    var next = 0
    for slot in after.orderedValues.indices
    where before.orderedValues[slot] != after.orderedValues[slot] {
      guard next < slots.count, slots[next] == slot else { return false }
      next += 1
    }
    return next == slots.count
  }
}

/// The insertions, updates and deletions of one save.
///
/// A context creates a change set, a store commits it, the log writes it, the history returns it, and undo applies
/// its inverse:
///
/// ```swift
/// let changes = ChangeSet(
///   inserted: [film],
///   updated: [RecordUpdate(before: old, after: new)],
///   deleted: [other]
/// )
/// let result = try store.commit(changes, author: "Ann")
/// print(result.remappedIdentifiers)
/// let undo = changes.inverse
/// ```
///
/// Every snapshot has the layout of its entity in the schema of the store. No record occurs more than once.
///
/// **Threads.** A change set is a value and can be sent anywhere.
///
/// **Errors.** The store validates a change set when it commits it; see ``QueryableStore`` for the errors.
public struct ChangeSet: Hashable, Sendable {
  /// New records; the store replaces temporary identifiers and keeps permanent ones.
  public var inserted: [DefaultSnapshot]
  /// Records whose values change.
  public var updated: [RecordUpdate]
  /// Deleted records, with the values they had.
  public var deleted: [DefaultSnapshot]

  /// Creates a change set.
  public init(
    inserted: [DefaultSnapshot] = [],
    updated: [RecordUpdate] = [],
    deleted: [DefaultSnapshot] = []
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// True when there are no changes.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// The number of changed records.
  public var count: Int { inserted.count + updated.count + deleted.count }

  /// The change set that undoes this one.
  public var inverse: ChangeSet {
    ChangeSet(
      inserted: deleted,
      updated: updated.map { RecordUpdate(before: $0.after, after: $0.before) },
      deleted: inserted
    )
  }

  /// The same changes with identifiers replaced, including those in links.
  ///
  /// - Complexity: O(n) in the number of values.
  public func remapped(_ map: [PersistentIdentifier: PersistentIdentifier]) -> ChangeSet {
    replacing(map)
  }

  /// The same changes with identifiers replaced, including those in links.
  ///
  /// - Complexity: O(n) in the number of values.
  package func remapped(_ map: IdentifierMap) -> ChangeSet {
    // Without links there is nothing to look up if the map has the order of the new records.
    guard !refersToRecords,
      map.temporary.elementsEqual(inserted.lazy.map(\.persistentIdentifier))
    else { return replacing(map) }
    var result = self
    for place in map.indices { result.inserted[place].persistentIdentifier = map.permanent[place] }
    return result
  }

  private func replacing(_ map: some IdentifierLookup) -> ChangeSet {
    if map.isEmpty { return self }
    return ChangeSet(
      inserted: inserted.map { $0.remapped(map) },
      updated: updated.map { RecordUpdate(before: $0.before, after: $0.after.remapped(map)) },
      deleted: deleted
    )
  }
}

extension ChangeSet {
  /// The same changes with the new records under these identifiers and all links to them replaced.
  ///
  /// - Parameter permanent: One for each new record, in order.
  /// - Returns: The changes with these identifiers.
  /// - Complexity: O(n) in the number of values.
  package func assigning(_ permanent: [PersistentIdentifier]) -> ChangeSet {
    assert(permanent.count == inserted.count, "every new record gets an identifier")
    var result = self
    if refersToRecords {
      result = remapped(
        IdentifierMap(temporary: inserted.map(\.persistentIdentifier), permanent: permanent)
      )
    }
    for place in permanent.indices {
      result.inserted[place].persistentIdentifier = permanent[place]
    }
    return result
  }

  /// True when a value of a new or changed record is a link.
  private var refersToRecords: Bool {
    inserted.contains { $0.orderedValues.contains(where: \.isLink) }
      || updated.contains { $0.after.orderedValues.contains(where: \.isLink) }
  }
}

extension Value {
  /// True for a link or several links.
  package var isLink: Bool {
    switch self {
    case .link, .links: true
    default: false
    }
  }

  /// The records that the value refers to.
  package var linkedIdentifiers: [PersistentIdentifier] {
    switch self {
    case .link(let link): [link]
    case .links(let links): links
    default: []
    }
  }
}
