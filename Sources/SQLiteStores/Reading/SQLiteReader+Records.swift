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
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    found.reserveCapacity(identifiers.count)
    try visit(identifiers, attributes) { _, identifier, row, reader in
      found[identifier] = try reader.snapshot(row, identifier)
      return true
    }
    return found
  }

  /// The records that exist, in the order of their identifiers.
  func page(for identifiers: [PersistentIdentifier], _ attributes: [String]?) throws -> SnapshotPage
  {
    var found: [DefaultSnapshot] = []
    found.reserveCapacity(identifiers.count)
    try visit(identifiers, attributes) { _, identifier, row, reader in
      found.append(try reader.snapshot(row, identifier))
      return true
    }
    var records = found
    if !found.lazy.map(\.persistentIdentifier).elementsEqual(identifiers) {
      let known = Dictionary(
        found.map { ($0.persistentIdentifier, $0) },
        uniquingKeysWith: { first, _ in first }
      )
      records = identifiers.compactMap { known[$0] }
    }
    return SnapshotPage(records, layout: records.first?.layout ?? SnapshotLayout([]))
  }

  /// True if all of these records are stored, with exactly their values.
  ///
  /// - Complexity: O(n) in the number of values; texts are compared without being copied.
  func holds(_ records: [DefaultSnapshot]) throws -> Bool {
    var count = 0
    try visit(records.map(\.persistentIdentifier), nil) { place, identifier, row, reader in
      guard try reader.holds(records[place], row, identifier) else { return false }
      count += 1
      return true
    }
    return count == records.count
  }

  /// Calls the body with the rows of the records that exist, and their places among the identifiers, until it returns
  /// false; records of an entity in the order of their keys, a few at a time.
  private func visit(
    _ identifiers: [PersistentIdentifier],
    _ attributes: [String]?,
    while body: (Int, PersistentIdentifier, SQLiteRow, SQLiteRowReader) throws -> Bool
  ) throws {
    let layout = try schema.layout(of: attributes, for: identifiers)
    var meter = WorkMeter()
    let groups = Dictionary(grouping: identifiers.indices) { identifiers[$0].identifierScope }
    for (scope, places) in groups {
      let name = identifiers[places[0]].entityName
      guard let described = tables[name], described.scope == scope else { continue }
      let known = try places.compactMap { place -> (place: Int, key: [SQLValue])? in
        try meter.count()
        return described.key.parts(of: identifiers[place]).map { (place, $0) }
      }
      // The types of a view may take long to find out.
      if known.isEmpty { continue }
      let table = try table(name)
      let slots = try table.slots(of: attributes)
      let reader = SQLiteRowReader(table, slots, layout ?? table.entity.layout)
      // In their order, because neighbors are often on the same page.
      for start in stride(from: 0, to: known.count, by: Self.keyLimit) {
        let some = known[start..<min(start + Self.keyLimit, known.count)]
        lazy var placesByIdentifier = Dictionary(
          some.map { (identifiers[$0.place], $0.place) },
          uniquingKeysWith: { first, _ in first }
        )
        var (next, isOver) = (some.startIndex, false)
        try connection.visit(table.select(slots, keys: some.map(\.key))) { row in
          guard let identifier = reader.identifier(row) else { throw invalidKey(table, row) }
          let isNext = next < some.endIndex && identifiers[some[next].place] == identifier
          guard let place = isNext ? some[next].place : placesByIdentifier[identifier] else {
            return true
          }
          next += 1
          isOver = try !body(place, identifier, row, reader)
          return !isOver
        }
        if isOver { return }
      }
    }
  }

  /// True if a record does not exist any more, as after the deletion of one that it belonged to.
  func isGone(_ identifier: PersistentIdentifier) throws -> Bool {
    try snapshots(for: [identifier], attributes: []).isEmpty
  }
}
