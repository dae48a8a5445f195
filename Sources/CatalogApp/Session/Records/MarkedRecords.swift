package import OpenSwiftData

/// The marked records of an entity, including those that the list does not show.
///
/// A mark stays with its record, no matter what the list shows. A deleted record loses its mark and
/// gets it back when the deletion is undone while its entity is on the screen.
///
/// Invariants:
/// 1. Records that a filter hides are marked.
/// 2. A record that was deleted while it was marked is not marked.
struct MarkedRecords: Hashable, Sendable {
  private(set) var all: Set<PersistentIdentifier> = []
  /// Those that a filter hides.
  private(set) var hidden: Set<PersistentIdentifier> = []
  /// The records that were deleted here while they were marked.
  private var deleted: Set<PersistentIdentifier> = []

  /// Checks the invariants, in debug builds, as long as that takes no time.
  private func checkInvariants() {
    assert(all.count > 1000 || hidden.isSubset(of: all), "1: what is hidden is marked")
    assert(all.count > 1000 || deleted.isDisjoint(with: all), "2: what is deleted is not marked")
  }

  var isEmpty: Bool { all.isEmpty }
  var count: Int { all.count }

  func contains(_ identifier: PersistentIdentifier) -> Bool { all.contains(identifier) }

  /// `3 marked`, or `3 marked, 1 not shown`.
  var text: String { "\(count) marked" + hiddenText }

  /// `3 marked records`, or `3 marked records, 1 not shown`.
  var recordsText: String { counted(count, "marked record") + hiddenText }

  private var hiddenText: String { hidden.isEmpty ? "" : ", \(hidden.count) not shown" }

  /// Marks records of the list, or removes their marks if all of them have one.
  mutating func toggle(_ identifiers: some Collection<PersistentIdentifier>) {
    defer { checkInvariants() }
    let all = Set(identifiers)
    if self.all.isSuperset(of: all) {
      remove(all)
    } else {
      self.all.formUnion(all)
      hidden.subtract(all)
      // Their deletion may have been undone while another entity was on the screen.
      deleted.subtract(all)
    }
  }

  /// Removes marks permanently.
  mutating func remove(_ identifiers: Set<PersistentIdentifier>) {
    all.subtract(identifiers)
    hidden.subtract(identifiers)
    deleted.subtract(identifiers)
  }

  mutating func removeAll() { self = MarkedRecords() }

  /// Updates the marks to the current list.
  mutating func take(_ standing: MarkStatus) {
    defer { checkInvariants() }
    remove(standing.gone)
    hidden = standing.hidden.intersection(all)
  }

  /// Updates the marks of records that were deleted here, unsaved, and of those whose deletion was
  /// undone, some of which the list does not show.
  mutating func follow(
    deleted gone: Set<PersistentIdentifier>,
    restored: Set<PersistentIdentifier>,
    hidden restoredHidden: Set<PersistentIdentifier>
  ) {
    defer { checkInvariants() }
    let lost = all.intersection(gone)
    remove(lost)
    deleted.formUnion(lost)
    let found = deleted.intersection(restored)
    deleted.subtract(found)
    all.formUnion(found)
    hidden.formUnion(found.intersection(restoredHidden))
  }

  /// Replaces identifiers that a save replaced.
  mutating func replace(_ remapped: IdentifierMap) {
    guard !remapped.isEmpty else { return }
    defer { checkInvariants() }
    func replaced(_ set: Set<PersistentIdentifier>) -> Set<PersistentIdentifier> {
      Set(set.map { remapped[$0] ?? $0 })
    }
    all = replaced(all)
    hidden = replaced(hidden)
    deleted = replaced(deleted)
  }
}

/// The state of the marked records after a query.
package struct MarkStatus: Hashable, Sendable {
  /// Those that the list does not show.
  package var hidden: Set<PersistentIdentifier> = []
  /// Those that no longer exist.
  package var gone: Set<PersistentIdentifier> = []

  /// Describes a state; without arguments, all marked records exist and are shown.
  package init(hidden: Set<PersistentIdentifier> = [], gone: Set<PersistentIdentifier> = []) {
    self.hidden = hidden
    self.gone = gone
  }
}
