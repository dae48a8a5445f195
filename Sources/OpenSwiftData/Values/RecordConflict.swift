/// A record that was changed here, unsaved, and elsewhere, saved, in ways that contradict each other.
public struct RecordConflict: Hashable, Sendable {
  /// What contradicts what.
  public enum Kind: Hashable, Sendable {
    /// Values were changed on both sides, to different ones.
    case changed
    /// The record was changed here and deleted elsewhere.
    case deletedElsewhere
    /// The record was deleted here and changed elsewhere.
    case deletedHere
  }

  /// One attribute in its three versions.
  public struct Difference: Hashable, Sendable {
    /// The name of the attribute.
    public let name: String
    /// What both sides began with.
    public let base: Value
    /// What it is here.
    public let mine: Value
    /// What the store has; null where the record is gone.
    public let theirs: Value
  }

  /// The side that wins.
  public enum Side: String, Hashable, Sendable, CaseIterable {
    /// What is unsaved here.
    case mine
    /// What the store has.
    case theirs
  }

  /// Which record it is.
  public let persistentIdentifier: PersistentIdentifier
  /// What contradicts what.
  public let kind: Kind
  /// The attributes that differ, in the order of the entity: changed on both sides, or on the side
  /// that did not delete.
  public let differences: [Difference]
}

extension RecordConflict {
  /// The attributes in which the other side's version is the one that was seen; nil when that version
  /// is another one as a whole.
  ///
  /// A record that one side deleted is seen as a whole or not at all.
  func attributes(seenIn seen: RecordConflict?) -> Set<String>? {
    guard let seen, seen.kind == kind else { return nil }
    let theirs = Dictionary(
      seen.differences.map { ($0.name, $0.theirs) },
      uniquingKeysWith: { first, _ in first }
    )
    let same = differences.filter { theirs[$0.name] == $0.theirs }.map(\.name)
    switch kind {
    case .changed: return same.isEmpty ? nil : Set(same)
    case .deletedElsewhere: return []
    case .deletedHere:
      return same.count == differences.count && same.count == theirs.count ? [] : nil
    }
  }
}
