import OpenSwiftData
import SQL

/// Reading records.
extension SQLiteReader {
  /// Reads records that a statement returns: key columns, then the columns of the slots.
  func forEachSnapshot(
    _ sql: SQLText,
    _ table: TableDescription,
    _ slots: [Int],
    _ layout: SnapshotLayout,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    let reader = SQLiteRowReader(table, slots, layout)
    try connection.forEach(sql) { row in
      guard let identifier = reader.identifier(row) else { throw self.invalidKey(table, row) }
      try body(try reader.snapshot(row, identifier))
    }
  }

  private func invalidKey(_ table: TableDescription, _ row: SQLiteRow) -> any Error {
    if table.key != .own, table.keyColumns.indices.contains(where: { row[$0] == .null }) {
      return MissingKey(table: table.name)
    }
    return PersistenceError(
      .damaged,
      "\(path): \(table.name): \(row[0].literal) is not a key of a record"
    )
  }

  /// The layout of fields; that of the entity for nil.
  func layout(_ attributes: [String]?, _ table: TableDescription) -> SnapshotLayout {
    attributes.map { SnapshotLayout($0) } ?? table.entity.layout
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let (query, table) = try prepared(query, reading: query.attributes)
    let slots = try table.slots(of: query.attributes)
    let sql = try table.select(
      slots,
      where: condition(query.filter, table),
      sort: query.sort,
      limit: query.limit,
      offset: query.offset
    )
    var found: [DefaultSnapshot] = []
    try forEachSnapshot(sql, table, slots, layout(query.attributes, table)) { found.append($0) }
    return found
  }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    var (query, _) = try prepared(query, reading: [])
    query.attributes = []
    return try snapshots(matching: query).map(\.persistentIdentifier)
  }

  func count(matching query: Query) throws -> Int {
    let (query, table) = try prepared(query, reading: [])
    let all = try connection.number(table.count(where: condition(query.filter, table)))
    return query.window(of: Int(all)).count
  }

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    var counts: [Value: Int] = [:]
    try forEachValueCount(of: attribute, matching: query) { counts[$0, default: 0] += $1 }
    return counts
  }

  /// Calls the body with each stored value and how often it occurs.
  private func forEachValueCount(
    of attribute: String,
    matching query: Query,
    _ body: (Value, Int) -> Void
  ) throws {
    let (query, table) = try prepared(query, reading: [attribute])
    let column = table.columns[try table.slots(of: [attribute])[0]]
    let sql: SQLText =
      "SELECT \(column.expression), count(*) FROM \(table.source) WHERE "
      + (try condition(query.filter, table)) + " GROUP BY \(column.operand)"
    try connection.forEach(sql) { row in
      guard let value = column.form.value(of: row[0]), case .integer(let count) = row[1] else {
        let slot = table.entity.layout.slot(of: attribute) ?? 0
        throw MisfitValue(table: table, slot: slot, value: row[0], identifier: nil)
      }
      body(value, Int(count))
    }
  }

  func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    var summary = ValueSummary()
    let (query, table) = try prepared(query, reading: [attribute])
    let slot = try table.slots(of: [attribute])[0]
    let form = table.columns[slot].form
    guard form == .number else {
      try forEachValueCount(of: attribute, matching: query) { value, count in
        // Groups of the database are different values unless a value can be stored in several ways.
        if form.isEqualAsStored {
          summary.addDifferent(value, count: count)
        } else {
          summary.add(value, count: count)
        }
      }
      return summary
    }
    // Rounding depends on the order, which is that of the store.
    let sql = try table.select([slot], where: condition(query.filter, table))
    try forEachSnapshot(sql, table, [slot], SnapshotLayout([attribute])) {
      summary.add($0.orderedValues[0])
    }
    return summary
  }

  /// The number of keys in one statement.
  private static let keyLimit = 400

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let layout = try schema.layout(of: attributes, for: identifiers)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    found.reserveCapacity(identifiers.count)
    var meter = WorkMeter()
    // In their order, because neighbors are often on the same page.
    for (scope, group) in Dictionary(grouping: identifiers, by: \.identifierScope) {
      let name = group[0].entityName
      guard let described = tables[name], described.scope == scope else { continue }
      let keys = try group.compactMap { identifier in
        try meter.count()
        return described.key.parts(of: identifier)
      }
      // The types of a view may take long to find out.
      if keys.isEmpty { continue }
      let table = try table(name)
      let slots = try table.slots(of: attributes)
      for start in stride(from: 0, to: keys.count, by: Self.keyLimit) {
        let some = Array(keys[start..<min(start + Self.keyLimit, keys.count)])
        try forEachSnapshot(
          table.select(slots, keys: some),
          table,
          slots,
          layout ?? table.entity.layout
        ) { found[$0.persistentIdentifier] = $0 }
      }
    }
    return found
  }

  /// The records that exist, in the order of their identifiers.
  func page(for identifiers: [PersistentIdentifier], _ attributes: [String]?) throws -> SnapshotPage
  {
    let found = try snapshots(for: identifiers, attributes: attributes)
    let records = identifiers.compactMap { found[$0] }
    return SnapshotPage(records, layout: records.first?.layout ?? SnapshotLayout([]))
  }

  /// True if a record does not exist any more, as after the deletion of one that it belonged to.
  func isGone(_ identifier: PersistentIdentifier) throws -> Bool {
    try snapshots(for: [identifier], attributes: []).isEmpty
  }
}
