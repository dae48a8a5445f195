/// The result of a commit.
public struct CommitResult: Sendable {
  /// The permanent identifiers of the new records.
  package private(set) var identifiers: IdentifierMap
  /// True when the identifiers have the order of the new records, as in the stores of this library.
  private(set) var isInOrder = false
  /// The number of the transaction; nil if there were no changes.
  public var token: Int64?
  /// Records whose values the store changed while saving, under permanent identifiers.
  ///
  /// The context uses these values.
  public var reregistered: [DefaultSnapshot]
  /// What the store changed by itself in records that the save does not change.
  package var sideEffects = SideEffects()

  /// The permanent identifier of each record that came with a temporary one.
  ///
  /// - Complexity: O(n) in the number of new records.
  public var remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] {
    get { identifiers.dictionary }
    set {
      identifiers = IdentifierMap(newValue)
      isInOrder = false
    }
  }

  /// Creates a result.
  public init(
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    token: Int64? = nil,
    reregistered: [DefaultSnapshot] = []
  ) {
    self.init(IdentifierMap(remappedIdentifiers), token: token, reregistered: reregistered)
  }

  /// Creates a result whose identifiers are in no particular order.
  package init(
    _ identifiers: IdentifierMap,
    token: Int64? = nil,
    reregistered: [DefaultSnapshot] = []
  ) {
    self.identifiers = identifiers
    self.token = token
    self.reregistered = reregistered
  }

  /// Creates a result from the inserted records and their permanent identifiers, in order.
  package init(
    inserted: [DefaultSnapshot],
    as permanent: [PersistentIdentifier],
    token: Int64?
  ) {
    isInOrder = true
    self.token = token
    reregistered = []
    // By index, because the snapshots themselves are not needed.
    if inserted.indices.allSatisfy({ inserted[$0].persistentIdentifier.isTemporary }) {
      identifiers = IdentifierMap(
        temporary: inserted.indices.map { inserted[$0].persistentIdentifier },
        permanent: permanent
      )
      return
    }
    var replaced: [PersistentIdentifier] = []
    var replacing: [PersistentIdentifier] = []
    replaced.reserveCapacity(inserted.count)
    replacing.reserveCapacity(inserted.count)
    for (snapshot, permanent) in zip(inserted, permanent)
    where snapshot.persistentIdentifier.isTemporary {
      replaced.append(snapshot.persistentIdentifier)
      replacing.append(permanent)
    }
    identifiers = IdentifierMap(temporary: replaced, permanent: replacing)
  }

  /// Creates a result from new records in columns and their permanent identifiers, in order.
  package init(
    inserted: NewRecords,
    as permanent: [PersistentIdentifier],
    token: Int64?
  ) {
    self.init(IdentifierMap(temporary: inserted.identifiers, permanent: permanent), token: token)
    isInOrder = true
  }

  /// Puts the identifiers in the order of the new records.
  mutating func arrange(for inserted: [DefaultSnapshot]) {
    if isInOrder { return }
    let known = identifiers
    let temporary = inserted.map(\.persistentIdentifier).filter { known[$0] != nil }
    identifiers = IdentifierMap(
      temporary: temporary,
      permanent: temporary.compactMap { known[$0] }
    )
    isInOrder = true
  }
}

extension CommitResult: Hashable {
  /// True when both have the same identifiers and token.
  public static func == (lhs: CommitResult, rhs: CommitResult) -> Bool {
    lhs.token == rhs.token && lhs.identifiers == rhs.identifiers
      && lhs.reregistered == rhs.reregistered && lhs.sideEffects == rhs.sideEffects
  }

  /// Hashes the token.
  public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}
