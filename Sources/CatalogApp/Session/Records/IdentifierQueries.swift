import OpenSwiftData

/// Queries whose filter or order uses the identifier or a field of linked records, which stores do not know as
/// fields.
extension ModelContext {
  /// The records that match, in order; with `linksByTitle`, links are ordered by the titles of their records.
  ///
  /// The order may be that of computed columns, which are given.
  ///
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: That of the context; O(n log n) in the number of records of the entity if the query uses the
  ///   identifier, unless it asks for certain identifiers.
  func fetchIdentifiers(
    _ query: Query,
    linksByTitle: Bool = false,
    computed: [FieldPath] = []
  ) throws -> [PersistentIdentifier] {
    let entity = try schema.entity(named: query.entityName)
    let ordersTitles = linksByTitle && query.ordersByLink(entity)
    guard ordersTitles || query.needsRecords(of: entity) else {
      return try fetchIdentifiers(matching: query)
    }
    if ordersTitles || query.sort.contains(where: { $0.needsRecords(of: entity) }) {
      let all = try fetchIdentifiers(Query(query.entityName, filter: query.filter))
      let ordered = try sorted(
        all,
        by: query.sort,
        of: entity,
        first: query.window(of: all.count).upperBound,
        linksByTitle: linksByTitle,
        computed: computed
      )
      return Array(ordered[query.window(of: ordered.count)])
    }
    let extended = entity.withIdentifier
    let filter = try BoundFilter(query.filter, layout: extended.layout)
    let order = try SnapshotOrder(query.sort, layout: extended.layout)
    let end = query.limit.map { query.offset.addingReportingOverflow($0) }
    var found = FirstSnapshots(end.flatMap { $0.overflow ? nil : $0.partialValue }, in: order)
    var meter = WorkMeter()
    try forEachCandidate(of: query, entity) { snapshot in
      try meter.count()
      let values =
        snapshot.arranged(as: entity.layout).orderedValues
        + [.text(snapshot.persistentIdentifier.description)]
      guard filter.matches(values) else { return }
      try found.add(
        DefaultSnapshot(
          persistentIdentifier: snapshot.persistentIdentifier,
          layout: extended.layout,
          orderedValues: values
        )
      )
    }
    let first = try found.sorted()
    return first[query.window(of: first.count)].map(\.persistentIdentifier)
  }

  /// The number of records that match.
  ///
  /// - Throws: The error of a store that cannot be read.
  func fetchCount(_ query: Query) throws -> Int {
    let entity = try schema.entity(named: query.entityName)
    return query.needsRecords(of: entity)
      ? try fetchIdentifiers(query).count : try fetchCount(matching: query)
  }

  /// The number of records that are read at once, in types that all of them have.
  private static let recordsReadAtOnce = 256

  /// Gives fields the types of all values in the records of a query, if these are more than are read at once.
  ///
  /// - Throws: The error of a store that cannot be read.
  func settleTypes(reading query: Query) throws {
    if query.limit ?? .max <= Self.recordsReadAtOnce { return }
    let entity = try schema.entity(named: query.entityName)
    var query = query
    if query.needsRecords(of: entity) {
      if query.filter.requiredTexts(of: entity.identifierKey) != nil { return }
      query.filter = .all
    }
    try settleTypes(for: query)
  }

  /// Gives the fields of an entity the types of all values in its records.
  ///
  /// - Throws: The error of a store that cannot be read.
  func settleTypes(of name: String) throws {
    guard schema.entitiesByName[name] != nil else { return }
    try settleTypes(for: Query(name))
  }

  /// Reads the records with the identifiers that the filter asks for, or else all of the entity.
  private func forEachCandidate(
    of query: Query,
    _ entity: Schema.Entity,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    guard let names = query.filter.requiredTexts(of: entity.identifierKey) else {
      return try forEachSnapshot(matching: Query(entity.name), body)
    }
    var identifiers: [PersistentIdentifier] = []
    var seen: Set<PersistentIdentifier> = []
    for name in names {
      identifiers += try self.identifiers(exactly: name, of: entity.name).filter {
        pendingKind(of: $0) != .deleted && seen.insert($0).inserted
      }
    }
    for batch in identifiers.batches {
      let snapshots = try snapshots(for: Array(batch))
      for identifier in batch {
        if let snapshot = snapshots[identifier] { try body(snapshot) }
      }
    }
  }
}

extension Query {
  /// True if stores cannot answer the query, because it uses the identifier, or an order that they do not have.
  func needsRecords(of entity: Schema.Entity) -> Bool {
    filter.attributeNames?.contains(entity.identifierKey) ?? false
      || sort.contains { entity.fieldsByName[$0.attribute] == nil }
  }
}

extension Filter {
  /// The texts of which a field must have one; nil if the filter does not say.
  func requiredTexts(of field: String) -> [String]? {
    switch self {
    case .compare(field, .equal, .text(let text)): [text]
    case .isIn(field, let values):
      values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    case .and(let parts): parts.lazy.compactMap { $0.requiredTexts(of: field) }.first
    default: nil
    }
  }
}

extension [PersistentIdentifier] {
  /// Batches that are small enough to be held in memory as records.
  var batches: some Sequence<ArraySlice<PersistentIdentifier>> {
    stride(from: 0, to: count, by: 5000).lazy.map { self[$0..<Swift.min($0 + 5000, count)] }
  }
}
