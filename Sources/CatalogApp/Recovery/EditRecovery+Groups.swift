import OpenSwiftData

/// Recovered changes of many records at once.
///
/// A group says what the store had only as digests of some records together. If the store has something else, none of
/// these records is changed: it is not known which of them another program has changed.
extension EditRecovery {
  /// Repeats the updates of a group.
  ///
  /// - Throws: The error of a store that cannot be read.
  mutating func update(_ kept: RecoveryFileEdits.Group) throws {
    let group = kept.group
    guard let entity = context.schema.entitiesByName[group.entity] else {
      conflicts.append("\(group.words(kept.count)): not set: the entity no longer exists")
      return
    }
    var values: [(slot: Int, value: Value)] = []
    for (name, field) in group.fields.sorted(by: { $0.key < $1.key }) {
      guard let slot = entity.layout.slot(of: name) else {
        conflicts.append("\(group.words(kept.count)): \(name) not set: the field no longer exists")
        continue
      }
      do {
        values.append((slot, try value(field.after, for: entity.fields[slot])))
      } catch {
        conflicts.append("\(group.words(kept.count)): \(name) not set: \(error)")
      }
    }
    if values.isEmpty { return }
    let same = try unchanged(kept, entity) { snapshot in
      values.allSatisfy { snapshot.orderedValues[$0.slot] == $0.value }
    }
    try context.packingChanges {
      for state in try context.states(for: same) {
        for (slot, value) in values { state.set(value, at: slot) }
      }
    }
    let computed = Set(values.map { entity.fields[$0.slot].name })
    context.compute(computed, of: same, of: entity.name, from: group.read ?? [])
    count += same.count
  }

  /// The records of a group to delete.
  ///
  /// - Throws: The error of a store that cannot be read.
  mutating func doomed(_ kept: RecoveryFileEdits.Group) throws -> [PersistentIdentifier] {
    guard let entity = context.schema.entitiesByName[kept.group.entity] else { return [] }
    return try unchanged(kept, entity) { _ in false }
  }

  /// The records of a group that are as the store had them; reports the others, unless they are as they should be.
  private mutating func unchanged(
    _ kept: RecoveryFileEdits.Group,
    _ entity: Schema.Entity,
    isDone: (DefaultSnapshot) -> Bool
  ) throws -> [PersistentIdentifier] {
    let group = kept.group
    let all = group.identifiers(in: scope(of: group.entity)) { identifier($0, of: group.entity) }
    var same: [PersistentIdentifier] = []
    for (number, expected) in group.digests.enumerated() {
      let start = number * RecoveryGroup.digestSize
      let range = start..<min(start + RecoveryGroup.digestSize, all.count)
      let wanted = range.filter { !kept.excluded.contains($0) }.map { all[$0] }
      let found = try context.snapshots(for: Array(all[range]))
      let present = wanted.filter {
        found[$0] != nil && context.pendingKind(of: $0) != .deleted
      }
      metCount += present.count
      let isSame = digests(all[range], found, group, entity).contains(expected)
      if found.count == range.count, isSame, present.count == wanted.count {
        same += wanted
        continue
      }
      let missing = group.change == .delete ? present : wanted
      let left = missing.filter { !(found[$0].map(isDone) ?? false) }
      if let first = left.first, let last = left.last {
        conflicts.append(group.refusal(of: left.count, from: first, to: last))
      }
    }
    return same
  }

  /// The digests that records have if they are as the store had them; files of former versions take all numbers for
  /// positions.
  private func digests(
    _ identifiers: ArraySlice<PersistentIdentifier>,
    _ found: [PersistentIdentifier: DefaultSnapshot],
    _ group: RecoveryGroup,
    _ entity: Schema.Entity
  ) -> [String] {
    let mayBeByPlace = context.mayIdentifyByPlace(group.entity)
    return (mayBeByPlace ? [true] : [false, true]).map { isWhole in
      var digest = RecoveryDigest(entity.layout, group.comparedNames, isWhole: isWhole)
      for identifier in identifiers {
        guard let snapshot = found[identifier] else { continue }
        digest.add(identifier, snapshot.orderedValues)
      }
      return digest.text
    }
  }
}

extension RecoveryGroup {
  /// `Film: 4096 records`.
  func words(_ count: Int) -> String { "\(entity): \(counted(count))" }

  /// The change in words: `rating: "5"`.
  var changeWords: String {
    if change == .delete { return "deleted" }
    return fields.sorted { $0.key < $1.key }
      .map { "\($0.key): \(RecoveryEdit.shown($0.value.after))" }.joined(separator: ", ")
  }

  fileprivate func refusal(
    of count: Int,
    from first: PersistentIdentifier,
    to last: PersistentIdentifier
  ) -> String {
    let reason = count == 1 ? "it has changed" : "at least one of them has changed or is gone"
    let records = count == 1 ? "\(entity) \(first)" : "\(words(count)) from \(first) to \(last)"
    return "\(records): \(reason); skipped: \(changeWords)"
  }
}
