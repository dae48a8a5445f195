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
    identifiers = IdentifierMap(remappedIdentifiers)
    self.token = token
    self.reregistered = reregistered
  }

  /// Creates a result from the inserted records and their permanent identifiers, in order.
  package init(
    inserted: [DefaultSnapshot],
    as permanent: [PersistentIdentifier],
    token: Int64?
  ) {
    identifiers = IdentifierMap()
    identifiers.reserveCapacity(inserted.count)
    for (snapshot, permanent) in zip(inserted, permanent)
    where snapshot.persistentIdentifier.isTemporary {
      identifiers.append(snapshot.persistentIdentifier, permanent)
    }
    isInOrder = true
    self.token = token
    reregistered = []
  }

  /// Puts the identifiers in the order of the new records.
  mutating func arrange(for inserted: [DefaultSnapshot]) {
    if isInOrder { return }
    let known = identifiers.dictionary
    identifiers = IdentifierMap()
    for snapshot in inserted {
      guard let permanent = known[snapshot.persistentIdentifier] else { continue }
      identifiers.append(snapshot.persistentIdentifier, permanent)
    }
    isInOrder = true
  }
}

extension CommitResult: Hashable {
  /// True when both have the same identifiers and token.
  public static func == (lhs: CommitResult, rhs: CommitResult) -> Bool {
    lhs.token == rhs.token && lhs.remappedIdentifiers == rhs.remappedIdentifiers
      && lhs.reregistered == rhs.reregistered
  }

  /// Hashes the token.
  public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}
