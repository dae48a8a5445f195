/// A conflict between the unsaved changes of a record and changes saved elsewhere.
public struct RecordConflict: Hashable, Sendable {
  /// The kind of conflict.
  public enum Kind: Hashable, Sendable {
    /// Values were changed differently on both sides.
    case changed
    /// The record was changed here and deleted elsewhere.
    case deletedElsewhere
    /// The record was deleted here and changed elsewhere.
    case deletedHere
    /// A record with the same key was added elsewhere.
    case addedElsewhere
  }

  /// One attribute in its three versions.
  public struct Difference: Hashable, Sendable {
    /// The name of the attribute.
    public let name: String
    /// The value before both changes.
    public let base: Value
    /// The unsaved value in this context.
    public let mine: Value
    /// The value in the store; null if the record was deleted.
    public let theirs: Value
  }

  /// The side that wins.
  public enum Side: String, Hashable, Sendable, CaseIterable {
    /// The unsaved version in this context.
    case mine
    /// The version in the store.
    case theirs
  }

  /// The identifier of the record.
  public let persistentIdentifier: PersistentIdentifier
  /// The kind of conflict.
  public let kind: Kind
  /// The attributes that differ, in the order of the entity.
  ///
  /// They were changed on both sides, or on the side that did not delete the record.
  public let differences: [Difference]
  /// Why it is not certain which record of the store this one is; nil if that is certain.
  ///
  /// Then `theirs` in `differences` are the values of its most likely record, if there is one.
  public let doubt: RecordDoubt?
}

extension RecordConflict {
  /// True if keeping the version here, unseen, could delete or overwrite another record.
  var needsDecision: Bool {
    guard let doubt else { return false }
    return kind == .changed || (kind == .deletedHere && doubt.candidate != nil)
  }

  /// The attributes whose stored values are those that were seen; nil if the whole version differs.
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
    case .changed where doubt == nil: return same.isEmpty ? nil : Set(same)
    case .deletedElsewhere: return []
    case .addedElsewhere: return seen.doubt == doubt ? [] : nil
    case .changed:
      return same.count == differences.count && same.count == theirs.count ? Set(same) : nil
    case .deletedHere:
      return same.count == differences.count && same.count == theirs.count ? [] : nil
    }
  }
}
