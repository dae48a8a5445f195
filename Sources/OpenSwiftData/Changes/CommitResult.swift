/// What a store answers to a commit.
public struct CommitResult: Sendable {
  /// What the new records are called from now on.
  package private(set) var identifiers: IdentifierMap
  /// True when the identifiers come in the order of the new records, as our stores give them.
  private(set) var isInOrder = false
  /// The number of the transaction; nil when nothing was to be done.
  public var token: Int64?
  /// Records whose values the store changed by itself while it saved, under permanent identifiers; the
  /// context takes these values.
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

  /// Creates a result from the new records as they came and the identifiers that they got, in order.
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
  /// Same identifiers and token.
  public static func == (lhs: CommitResult, rhs: CommitResult) -> Bool {
    lhs.token == rhs.token && lhs.remappedIdentifiers == rhs.remappedIdentifiers
      && lhs.reregistered == rhs.reregistered
  }

  /// Feeds the token.
  public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}
