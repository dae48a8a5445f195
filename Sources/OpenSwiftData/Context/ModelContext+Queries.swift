/// Queries and their results as plain values, unsaved changes included.
extension ModelContext {
  /// The identifiers of the records that match, in order, unsaved changes included.
  ///
  /// Without sort keys, changed records keep their place and new ones come last.
  ///
  /// - Complexity: the cost of the store, plus O(n) when there are unsaved changes of the entity.
  public func fetchIdentifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try fetching.fetchIdentifiers(matching: query)
  }

  /// The number of records that match, unsaved changes included.
  public func fetchCount(matching query: Query) throws -> Int {
    try fetching.fetchCount(matching: query)
  }

  /// The records that match, in order, unsaved changes included, without creating models.
  public func fetchSnapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try fetching.fetchSnapshots(matching: query)
  }

  /// The records with these identifiers as they are in this context, including unsaved deletions.
  ///
  /// With attributes, the records have only these values, in this order, and the store reads nothing else.
  ///
  /// - Throws: The error of a store; `PersistenceError` with code `.unknownAttribute` for a name that the entity of
  ///   an identifier does not have.
  public func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]? = nil) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try fetching.snapshots(for: identifiers, attributes: attributes)
  }

  /// Those of the records that exist in this context, including unsaved deletions; reads no values.
  package func existing(_ identifiers: [PersistentIdentifier]) throws -> Set<PersistentIdentifier> {
    try fetching.existing(identifiers)
  }

  /// The effect of the next save on a record; nil for none.
  public func pendingKind(of identifier: PersistentIdentifier) -> PendingKind? {
    switch pending[identifier]?.kind {
    case .inserted: .inserted
    case .updated: .updated
    case .deleted: .deleted
    case nil: nil
    }
  }

  /// The effect of a save on a record.
  public enum PendingKind: Hashable, Sendable {
    /// The record is new.
    case inserted
    /// The record's values change.
    case updated
    /// The record is deleted.
    case deleted
  }

  /// The records whose identifier begins with the text, up to the limit, unsaved ones included.
  public func identifiers(withPrefix prefix: String, entityName: String? = nil, limit: Int = 2)
    throws
    -> [PersistentIdentifier]
  {
    try fetching.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  /// The records with exactly this identifier, at most one per entity, unsaved ones included.
  ///
  /// - Complexity: O(log n) for each entity.
  package func identifiers(exactly text: String) throws -> [PersistentIdentifier] {
    try fetching.identifiers(exactly: text)
  }
}
