/// A three-way merge of the values of one record.
///
/// If the store has another record under the same key, nothing is merged.
struct Rebase {
  /// The values of the store, except those in conflict.
  private(set) var base: [Value]
  /// The values with the changes made here.
  private(set) var values: [Value]
  /// The slots whose values were changed differently on both sides.
  private(set) var conflictingSlots: [Int] = []
  /// True when there are such slots.
  var hasConflict: Bool { !conflictingSlots.isEmpty }

  /// Merges the values of a record; those in the slots `undecided` have no common ancestor, and with `isOther` theirs may be
  /// the values of another record.
  ///
  /// If others have changed values that were read, the changes that rest on them are in conflict, and what was read stays
  /// as it is until that is decided.
  init(
    base: [Value],
    mine: [Value],
    theirs: [Value],
    undecided: Set<Int> = [],
    read: [ReadSlots] = [],
    isOther: Bool = false
  ) {
    self.base = theirs
    values = mine
    if isOther, mine != base {
      conflictingSlots = mine.indices.filter { mine[$0] != theirs[$0] || mine[$0] != base[$0] }
      if hasConflict { self.base = base }
      return
    }
    var (resting, moved): (Set<Int>, Set<Int>) = ([], [])
    for slots in read {
      let changed = mine.indices.filter {
        mine[$0] != base[$0] && slots.dependents?.contains($0) ?? true
      }
      let others = slots.read.filter { theirs[$0] != base[$0] }
      if changed.isEmpty || others.isEmpty { continue }
      resting.formUnion(changed)
      moved.formUnion(others)
    }
    for slot in theirs.indices
    where theirs[slot] != base[slot] || undecided.contains(slot) || resting.contains(slot) {
      if resting.contains(slot) || moved.contains(slot) {
        self.base[slot] = base[slot]
        conflictingSlots.append(slot)
        continue
      }
      if undecided.contains(slot) {
        if mine[slot] != theirs[slot] { conflictingSlots.append(slot) }
      } else if mine[slot] == base[slot] {
        values[slot] = theirs[slot]
      } else if case .links(let own) = mine[slot], case .links(let others) = theirs[slot] {
        values[slot] = .links(Self.merged(base[slot], own, others))
      } else if mine[slot] != theirs[slot] {
        self.base[slot] = base[slot]
        conflictingSlots.append(slot)
      }
    }
  }

  /// Merges a record that was restored on both sides, so that it has no common ancestor: links are joined, and other
  /// values that differ are in conflict.
  init(mine: [Value], theirs: [Value]) {
    base = theirs
    values = mine
    for slot in theirs.indices where mine[slot] != theirs[slot] {
      if case .links(let own) = mine[slot], case .links(let others) = theirs[slot] {
        values[slot] = .links(Self.merged(.null, own, others))
      } else {
        conflictingSlots.append(slot)
      }
    }
  }

  /// Their list without the links removed here, followed by the links added here.
  private static func merged(
    _ base: Value,
    _ mine: [PersistentIdentifier],
    _ theirs: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    let former: Set<PersistentIdentifier> =
      if case .links(let links) = base { Set(links) } else { [] }
    let kept = Set(mine)
    let result = theirs.filter { kept.contains($0) || !former.contains($0) }
    let present = Set(result)
    return result + mine.filter { !former.contains($0) && !present.contains($0) }
  }
}
