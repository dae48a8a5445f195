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

  /// The records that match, in order, to be read by their positions, unsaved changes included.
  ///
  /// The positions are fixed; the values are read when requested. Without sort keys, changed records keep
  /// their place and new ones come last. With unsaved changes of the entity, a store that counts on the
  /// way has to count all matches first, because the places of the changed records depend on them.
  ///
  /// - Complexity: the cost of the store, plus O(k log n) for k changed records of the entity.
  public func listing(matching query: Query) throws -> any Listing {
    try fetching.listing(matching: query, remapping)
  }

  /// The same with the records whose deletion is not saved, at their places, as far as the store lists them.
  ///
  /// - Complexity: As `listing(matching:)`.
  package func listingWithDeleted(matching query: Query) throws -> any Listing {
    try fetching.listing(matching: query, remapping, keepsDeleted: true)
  }

  /// Gives fields the types that all values have which the query reads.
  ///
  /// - Throws: The error of a store that cannot be read.
  package func settleTypes(for query: Query) throws {
    for case let store as any CopyingStore in container.stores {
      try store.settleTypes(for: query)
    }
  }

  /// Chooses the types of the fields of an entity, if a store has left them until it is used.
  ///
  /// - Throws: The error of a store that cannot be read.
  package func readTypes(of entityName: String) throws {
    var isChanged = false
    for case let store as any CopyingStore in container.stores
    where try store.readTypes(of: entityName) {
      isChanged = true
    }
    if isChanged { processPendingChanges() }
  }

  /// How often each value of an attribute occurs in the records that match, unsaved changes included.
  ///
  /// Missing values are counted as null.
  public func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try fetching.valueCounts(of: attribute, matching: query)
  }

  /// Count, extremes and sums of the values of an attribute in the records that match, unsaved changes included.
  ///
  /// - Complexity: O(n) in the records that match; without unsaved changes of the entity the store computes it.
  public func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    try fetching.summary(of: attribute, matching: query)
  }

  /// The number of records that match, unsaved changes included.
  public func fetchCount(matching query: Query) throws -> Int {
    try fetching.fetchCount(matching: query)
  }

  /// The records that match, in order, unsaved changes included, without creating models.
  public func fetchSnapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try fetching.fetchSnapshots(matching: query)
  }

  /// Calls the body with the records that match, one after the other and in order, unsaved changes included.
  ///
  /// Unlike ``fetchSnapshots(matching:)`` it holds only some of the records at a time, if the store can read
  /// them in parts. The body must not change the context.
  ///
  /// - Throws: The error of the store, and what the body throws, which ends the call.
  public func forEachSnapshot(
    matching query: Query,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    let layout = query.requestedLayout
    try forEachPage(matching: query) { try $0.forEachSnapshot(on: layout, body) }
  }

  /// The records whose value in a field equals another, unsaved changes included, if finding them takes less than a
  /// query; nil for one.
  ///
  /// - Throws: The error of the store.
  package func fewRecords(
    of entity: Schema.Entity,
    where attribute: String,
    equals value: Value
  ) throws -> [DefaultSnapshot]? {
    try fetching.fewRecords(of: entity, where: attribute, equals: value)
  }

  /// Calls the body with the records that match, in order, page by page, unsaved changes included.
  ///
  /// The pages may have more values than the query asks for. The body must not change the context.
  package func forEachPage(
    matching query: Query,
    _ body: (any RecordPage) throws -> Void
  ) throws {
    try fetching.forEachPage(matching: query, body)
  }

  /// The records of one entity with these identifiers as they are in this context, in order, including unsaved
  /// deletions; those that no longer exist are missing.
  ///
  /// The page has at least the values of the attributes.
  package func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
  {
    try fetching.page(for: identifiers, attributes: attributes)
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

  /// The record with this identifier as it is in this context, including an unsaved deletion; nil if it does not exist.
  package func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try fetching.snapshot(of: identifier)
  }

  /// Those of the records that exist in this context, including unsaved deletions; reads no values.
  package func existing(_ identifiers: [PersistentIdentifier]) throws -> Set<PersistentIdentifier> {
    try fetching.existing(identifiers)
  }

  /// True if the record exists in this context; includes unsaved deletions.
  package func exists(_ identifier: PersistentIdentifier) throws -> Bool {
    try fetching.exists(identifier)
  }

  /// Runs a command, which reads each of a few records once; what others save meanwhile is merged.
  package func holdingRecords<Result>(_ command: () throws -> Result) rethrows -> Result {
    try fetching.holdingRecords(command)
  }

  /// How many times others have reported changes; the same number before and after some reading if it was of one moment.
  package var reportCount: Int { surroundings.inbox.receivedCount }

  /// True if each reading of every store has reported what others have saved before it.
  ///
  /// Others can save to a database after it was asked for changes and before a query of its own begins.
  package var readingReports: Bool {
    container.stores.allSatisfy { ($0 as? any StagingStore)?.stampsTellContents ?? true }
  }

  /// The effect of the next save on a record; nil for none.
  public func pendingKind(of identifier: PersistentIdentifier) -> PendingKind? {
    pending.kind(of: identifier)
  }

  /// The positions of the values of a record that the next save changes, among the fields of its entity.
  ///
  /// - Complexity: O(fields).
  package func changedSlots(of identifier: PersistentIdentifier) -> [Int] {
    pending.changedSlots(of: identifier)
  }

  /// The effect of a save on a record.
  public typealias PendingKind = OpenSwiftData.PendingKind

  /// The records whose identifier begins with the text, up to the limit, unsaved ones included.
  public func identifiers(withPrefix prefix: String, entityName: String? = nil, limit: Int = 2)
    throws
    -> [PersistentIdentifier]
  {
    try fetching.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  /// The identifier that a record of an entity has in its store if its text is this one.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity`.
  package func identifier(parsing text: String, of entityName: String) throws
    -> PersistentIdentifier
  {
    let store = try fetching.connection(for: entityName).identifier
    return stores.identifier(parsing: text, of: entityName, in: store)
  }

  /// True if the records of an entity are the rows of a query in its store, such as a view, which may take any time or
  /// fail.
  package func computesRecords(of entityName: String) -> Bool {
    stores.computesRecords(of: entityName)
  }

  /// The scope of the permanent identifiers of an entity's records.
  ///
  /// - Throws: `PersistenceError` for an unknown entity.
  package func identifierScope(of entityName: String) throws -> IdentifierScope {
    let store = try fetching.connection(for: entityName).identifier
    return IdentifierScope(store: store, entity: entityName)
  }

  /// The records with exactly this identifier, at most one per entity, unsaved ones included.
  ///
  /// Without an entity, those whose records are the rows of a query are left out.
  ///
  /// - Complexity: O(log n) for each entity.
  package func identifiers(exactly text: String, of entityName: String? = nil) throws
    -> [PersistentIdentifier]
  {
    try fetching.identifiers(exactly: text, of: entityName)
  }
}
