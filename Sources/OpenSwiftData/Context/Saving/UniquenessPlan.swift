/// The records that new ones are merged into, by the identifiers of the new ones.
typealias MergeTargets = [PersistentIdentifier: PersistentIdentifier]

/// The plan for new records whose unique values another record already has.
///
/// The plan is made before a save and changes nothing. It is carried out after the store has accepted the
/// changes.
struct UniquenessPlan {
  /// Records that are merged into one.
  struct Merge {
    /// The object that was inserted last; it represents the record from then on.
    let survivor: ModelState
    /// The identifier of the survivor before the save.
    let former: PersistentIdentifier
    /// Objects that were inserted before it.
    let absorbed: [ModelState]
    /// The stored record that the others are merged into; nil if all are new.
    let existing: DefaultSnapshot?
    /// The values of the record after the save.
    var values: [Value]

    init(
      survivor: ModelState,
      absorbed: [ModelState],
      existing: DefaultSnapshot?,
      values: [Value]
    ) {
      self.survivor = survivor
      former = survivor.identifier
      self.absorbed = absorbed
      self.existing = existing
      self.values = values
    }

    /// The identifier of the merged record.
    var target: PersistentIdentifier { existing?.persistentIdentifier ?? survivor.identifier }
  }

  /// A record that refers to a merged record, with its corrected values.
  struct Rewrite {
    let state: ModelState
    var values: [Value]
  }

  var merges: [Merge] = []
  /// The new records that do not become records of their own.
  var mergeTargets: MergeTargets
  var rewrites: [PersistentIdentifier: Rewrite] = [:]

  /// The changes of a save without the new records that are merged into others.
  ///
  /// - Complexity: O(n) in the number of changed records.
  func applied(to changes: ChangeSet) -> ChangeSet {
    var result = ChangeSet(deleted: changes.deleted)
    // New records that were merged into stored ones are skipped by their own identifiers.
    let sought = merges.filter { $0.existing == nil || !changes.updated.isEmpty }
    let merged = Dictionary(
      sought.map { ($0.target, $0.values) },
      uniquingKeysWith: { first, _ in first }
    )
    for snapshot in changes.inserted where mergeTargets[snapshot.persistentIdentifier] == nil {
      let identifier = snapshot.persistentIdentifier
      let values = merged[identifier] ?? rewrites[identifier]?.values
      result.inserted.append(snapshot.with(values))
    }
    var seen: Set<PersistentIdentifier> = []
    for update in changes.updated where merged[update.persistentIdentifier] == nil {
      seen.insert(update.persistentIdentifier)
      add(update.before, rewrites[update.persistentIdentifier]?.values, update.after, to: &result)
    }
    for merge in merges {
      if let existing = merge.existing { add(existing, merge.values, existing, to: &result) }
    }
    let stored = rewrites.values.filter {
      !$0.state.isDirty && !seen.contains($0.state.identifier)
    }
    for rewrite in stored.sorted(by: { $0.state.identifier < $1.state.identifier }) {
      let before = rewrite.state.snapshot
      add(before, rewrite.values, before, to: &result)
    }
    return result
  }

  private func add(
    _ before: DefaultSnapshot,
    _ values: [Value]?,
    _ after: DefaultSnapshot,
    to changes: inout ChangeSet
  ) {
    let after = after.with(values)
    if before.orderedValues != after.orderedValues {
      changes.updated.append(RecordUpdate(before: before, after: after))
    }
  }
}

extension DefaultSnapshot {
  fileprivate func with(_ values: [Value]?) -> DefaultSnapshot {
    guard let values else { return self }
    var copy = self
    copy.orderedValues = values
    return copy
  }
}

extension Value {
  /// The value with links to the records that others are merged into, each once in a list.
  func following(_ targets: MergeTargets) -> Value {
    switch self {
    case .link(let link): return targets[link].map { .link($0) } ?? self
    case .links(let links):
      guard links.contains(where: { targets[$0] != nil }) else { return self }
      return .links([]).adding(links.map { targets[$0] ?? $0 })
    default: return self
    }
  }

  /// The list, followed by the other identifiers that it does not contain yet.
  func adding(_ others: [PersistentIdentifier]) -> Value {
    var all: [PersistentIdentifier] = if case .links(let own) = self { own } else { [] }
    var seen = Set(all)
    for other in others where seen.insert(other).inserted { all.append(other) }
    return .links(all)
  }
}
