/// The connections to several stores that keep records of the same entity, for reading them together.
///
/// A record is in the store that its identifier names. Without a sort order the records of the first store come first;
/// with one, records of equal keys do.
///
/// A save is divided among the stores before, by `StorePlacement`.
struct JoinedConnection: ForwardingConnection {
  private var parts: [any StoreConnection]

  /// Joins connections.
  ///
  /// - Precondition: There is at least one.
  init(_ parts: [any StoreConnection]) {
    precondition(!parts.isEmpty, "there is a store to read")
    self.parts = parts
  }

  /// The first one.
  var base: any StoreConnection {
    get { parts[0] }
    set { parts[0] = newValue }
  }

  var state: EditingState {
    get { base.state }
    set { for place in parts.indices { parts[place].state = newValue } }
  }

  var schema: Schema { base.schema }
  var looksUpByScanning: Bool { parts.contains(where: \.looksUpByScanning) }

  // MARK: Queries

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    guard query.sort.isEmpty else {
      var query = query
      query.attributes = []
      return try snapshots(matching: query).map(\.persistentIdentifier)
    }
    let all = try parts.flatMap { try $0.identifiers(matching: query.part) }
    return Array(all[query.window(of: all.count)])
  }

  func count(matching query: Query) throws -> Int {
    let whole = Query(query.entityName, filter: query.filter)
    let count = try parts.reduce(0) { try $0 + $1.count(matching: whole) }
    return query.window(of: count).count
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try joined(query) { try $0.snapshots(matching: $1) }
  }

  func snapshots<T: PersistentModel>(
    matching query: Query,
    of descriptor: FetchDescriptor<T>,
    related: inout [DefaultSnapshot]
  ) throws -> [DefaultSnapshot] {
    try joined(query) { connection, part in
      var request = FetchDescriptor<T>(part)
      request.relationshipKeyPathsForPrefetching = descriptor.relationshipKeyPathsForPrefetching
      request.propertiesToFetch = descriptor.propertiesToFetch
      return try connection.snapshots(matching: part, of: request, related: &related)
    }
  }

  /// The first records of the query among the answers of the stores.
  private func joined(
    _ query: Query,
    _ ask: (any StoreConnection, Query) throws -> [DefaultSnapshot]
  ) throws -> [DefaultSnapshot] {
    let entity = try schema.entity(named: query.entityName)
    let part = query.part
    let layout = part.requestedLayout ?? entity.layout
    var all = try parts.flatMap { try ask($0, part) }.map {
      part.attributes == nil ? entity.arranged($0) : $0
    }
    try SnapshotOrder(query.sort, layout: layout).sort(&all)
    let wanted = all[query.window(of: all.count)]
    if part.attributes == query.attributes { return Array(wanted) }
    let requested = query.requestedLayout
    return wanted.map { $0.projected(on: requested) }
  }

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try parts.reduce(into: [:]) { counts, part in
      counts.merge(try part.valueCounts(of: attribute, matching: query), uniquingKeysWith: +)
    }
  }

  func forEachPage(matching query: Query, _ body: (any RecordPage) throws -> Void) throws {
    guard query.sort.isEmpty, query.isUnlimited else {
      return try SnapshotPage.forEach(snapshots(matching: query), body)
    }
    for part in parts { try part.forEachPage(matching: query, body) }
  }

  // MARK: Records

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for place in parts.indices {
      let own = identifiers.filter { self.place(of: $0) == place }
      // The first store also checks the names of the attributes.
      if own.isEmpty, place > 0 { continue }
      for (identifier, snapshot) in try parts[place].snapshots(for: own, attributes: attributes) {
        let entity = attributes == nil ? schema.entitiesByName[identifier.entityName] : nil
        found[identifier] = entity?.arranged(snapshot) ?? snapshot
      }
    }
    return found
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    var found: [PersistentIdentifier] = []
    for part in parts where found.count < limit {
      found += try part.identifiers(
        withPrefix: prefix,
        entityName: entityName,
        limit: limit - found.count
      )
    }
    return found
  }

  /// The place of the store of a record: the one that its identifier names, else the first.
  private func place(of identifier: PersistentIdentifier) -> Int {
    parts.firstIndex { $0.identifier == identifier.storeIdentifier } ?? 0
  }

  // MARK: History

  /// The transactions of the store of the record; without a record, those of all stores by their time.
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    if let identifier {
      return try parts[place(of: identifier)].transactions(after: token, touching: identifier)
    }
    return try parts.flatMap { try $0.transactions(after: token, touching: nil) }
      .sorted { ($0.timestamp, $0.token) < ($1.timestamp, $1.token) }
  }

  /// Always fails: a save is divided among the stores.
  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult {
    throw PersistenceError(.unsupported, "a save of several stores is divided among them")
  }
}

extension Query {
  /// The query that each of several stores answers, so that the answers contain the records of this one.
  fileprivate var part: Query {
    var part = self
    part.offset = 0
    if let limit {
      let (end, isTooLarge) = offset.addingReportingOverflow(limit)
      part.limit = isTooLarge ? nil : end
    }
    if let attributes {
      let keys = sort.map(\.attribute).filter { !attributes.contains($0) }
      part.attributes = keys.reduce(into: attributes) { if !$0.contains($1) { $0.append($1) } }
    }
    return part
  }
}
