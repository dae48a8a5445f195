import OpenSwiftData
import SQL

/// Reads the tables of a database through a connection.
struct PostgresReader {
  let connection: PostgresConnection
  let tables: StagedTables

  /// The number of keys in one statement.
  private static let keyLimit = 4096

  /// A query as it is asked and finished.
  private struct Prepared {
    let table: TableDescription
    var condition: SQLText
    /// The filter, with which the program excludes what the condition leaves; nil if that is nothing.
    let rest: Filter?
    /// The fields that are read, those of the filter included.
    let attributes: [String]?

    /// Makes records of the rows.
    func reader() throws -> RowReader {
      RowReader(
        table,
        try table.slots(of: attributes),
        attributes.map { SnapshotLayout($0) } ?? table.entity.layout
      )
    }

    /// The order and the window, which the server applies unless the program has to exclude records before.
    func statement(_ query: Query) throws -> SQLText {
      try table.select(
        try table.slots(of: attributes),
        where: condition,
        sort: query.sort,
        limit: rest == nil ? query.limit : nil,
        offset: rest == nil ? query.offset : 0
      )
    }
  }

  /// Runs a body that reads a table.
  private func reading<Result>(_ table: TableDescription, _ body: () throws -> Result) throws
    -> Result
  {
    try table.isCounted ? connection.inSteadyOrder(body) : body()
  }

  func table(_ entityName: String) throws -> TableDescription {
    if let table = tables.tables[entityName] { return table }
    _ = try tables.schema.entity(named: entityName)
    throw PersistenceError(.storeViolation, "\(entityName) has no table")
  }

  private func prepared(_ query: Query, reading attributes: [String]?) throws -> Prepared {
    let table = try table(query.entityName)
    try query.validate(for: table.entity)
    let result = try FilterTranslation(table).translate(query.filter)
    if result.isExact {
      return Prepared(
        table: try table.computing(attributes, for: query),
        condition: result.condition,
        rest: nil,
        attributes: attributes
      )
    }
    let names = query.filter.attributeNames
    let all = attributes.flatMap { wanted in
      names.map { wanted + $0.sorted().filter { !wanted.contains($0) } }
    }
    return Prepared(
      table: try table.computing(all, for: query),
      condition: result.condition,
      rest: query.filter,
      attributes: all
    )
  }

  /// True if the server answers a filter without the program.
  func isExact(_ filter: Filter, of entityName: String) throws -> Bool {
    try FilterTranslation(table(entityName)).translate(filter).isExact
  }

  // MARK: Records

  /// Calls the body with the rows of the records that match, within the window of the query, as the server sends them.
  ///
  /// With a condition that matches more, the program excludes records and applies the window.
  private func forEachRow(
    _ prepared: Prepared,
    _ query: Query,
    _ sql: SQLText,
    _ body: (PostgresResult) throws -> Void
  ) throws {
    guard let rest = prepared.rest else {
      return try reading(prepared.table) { try connection.forEachRow(sql, body) }
    }
    let reader = try prepared.reader()
    let bound = try BoundFilter(rest, layout: reader.layout)
    var (place, isChecked) = (0, false)
    let window = query.window(of: .max)
    if window.isEmpty { return }
    struct Enough: Error {}
    do {
      try reading(prepared.table) {
        try connection.forEachRow(sql) { result in
          if !isChecked { try reader.check(result) }
          isChecked = true
          guard try bound.matches(reader.snapshot(result, 0)) else { return }
          place += 1
          if place > window.lowerBound { try body(result) }
          if place == window.upperBound { throw Enough() }
        }
      }
    } catch is Enough {}
  }

  /// Calls the body with the records that match, as the server sends them.
  func forEachSnapshot(
    matching query: Query,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    let prepared = try prepared(query, reading: query.attributes)
    let reader = try prepared.reader()
    let wanted = prepared.attributes == query.attributes ? nil : query.requestedLayout
    var isChecked = false
    try forEachRow(prepared, query, prepared.statement(query)) { result in
      if !isChecked { try reader.check(result) }
      isChecked = true
      try body(reader.snapshot(result, 0).projected(on: wanted))
    }
  }

  /// Reads the values in doubt of the records of a query.
  ///
  /// - Throws: `MisfitColumn` if the form of a column has no room for one of them.
  func settleTypes(for query: Query) throws {
    let table = try table(query.entityName)
    let inDoubt = try table.slots(of: query.attributes).map { table.columns[$0] }.compactMap {
      column in
      column.server?.type.misfitCondition(column.operand).map { (column.field.name, $0) }
    }
    if inDoubt.isEmpty { return }
    var prepared = try prepared(query, reading: inDoubt.map(\.0))
    let doubts = SQLText.joined(inDoubt.map(\.1), by: " OR ")
    prepared.condition = "(" + prepared.condition + ") AND (" + doubts + ")"
    let reader = try prepared.reader()
    let all = Query(query.entityName, filter: query.filter)
    try forEachRow(prepared, all, prepared.statement(all)) { _ = try reader.snapshot($0, 0) }
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    var found: [DefaultSnapshot] = []
    try forEachSnapshot(matching: query) { found.append($0) }
    return found
  }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    var query = query
    query.attributes = []
    return try snapshots(matching: query).map(\.persistentIdentifier)
  }

  func count(matching query: Query) throws -> Int {
    let prepared = try prepared(query, reading: [])
    guard prepared.rest == nil else {
      var count = 0
      var all = query
      all.attributes = []
      try forEachSnapshot(matching: all) { _ in count += 1 }
      return count
    }
    let result = try connection.run(prepared.table.count(where: prepared.condition))
    return query.window(of: Self.whole(result, 0, 0)).count
  }

  private static func whole(_ result: PostgresResult, _ row: Int, _ column: Int) -> Int {
    guard let bytes = result.bytes(row, column),
      case .integer(let number)? = ServerType.int8.stored(bytes)
    else { return 0 }
    return Int(number)
  }

  /// The records that exist, with the fields.
  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let layout = try tables.schema.layout(of: attributes, for: identifiers)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    found.reserveCapacity(identifiers.count)
    for (scope, group) in Dictionary(grouping: identifiers, by: \.identifierScope) {
      guard let table = tables.tables[group[0].entityName], table.scope == scope else { continue }
      let slots = try table.slots(of: attributes)
      let reader = RowReader(table, slots, layout ?? table.entity.layout)
      let keys = group.compactMap(table.serverKey)
      try keys.forEachBatch(of: Self.keyLimit) { some in
        let result = try reading(table) {
          try connection.run(table.select(slots, keys: Array(some)))
        }
        try reader.check(result)
        for row in 0..<result.rowCount {
          let record = try reader.snapshot(result, row)
          found[record.persistentIdentifier] = record
        }
      }
    }
    return found
  }

  /// How the server finds the records of a query.
  func explanation(of query: Query) throws -> QueryExplanation {
    let prepared = try prepared(query, reading: query.attributes)
    let text = try prepared.statement(query).serverText
    let plan = try connection.simple("EXPLAIN (COSTS OFF) " + text)
    let lines = plan.flatMap { result in (0..<result.rowCount).compactMap { result.text($0, 0) } }
    let rest = prepared.rest == nil ? [] : ["the program excludes what the filter does not match"]
    return QueryExplanation(statement: text, steps: lines + rest)
  }

  // MARK: Values

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    var counts: [Value: Int] = [:]
    try forEachValueCount(of: attribute, matching: query) { counts[$0, default: 0] += $1 }
    return counts
  }

  func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    var summary = ValueSummary()
    let slot = try table(query.entityName).slots(of: [attribute])[0]
    // Rounding depends on the order, which is that of the store.
    guard try table(query.entityName).columns[slot].form == .number else {
      try forEachValueCount(of: attribute, matching: query) { summary.add($0, count: $1) }
      return summary
    }
    let all = Query(query.entityName, filter: query.filter, attributes: [attribute])
    try forEachSnapshot(matching: all) { summary.add($0.orderedValues[0]) }
    return summary
  }

  private func forEachValueCount(
    of attribute: String,
    matching query: Query,
    _ body: (Value, Int) -> Void
  ) throws {
    let prepared = try prepared(query, reading: [attribute])
    guard prepared.rest == nil else {
      let all = Query(query.entityName, filter: query.filter, attributes: [attribute])
      return try forEachSnapshot(matching: all) { body($0.orderedValues[0], 1) }
    }
    let column = prepared.table.columns[try prepared.table.slots(of: [attribute])[0]]
    let sql: SQLText =
      "SELECT \(column.operand), count(*) FROM \(prepared.table.source) WHERE "
      + prepared.condition + " GROUP BY 1"
    try connection.forEachRow(sql) { result in
      guard let bytes = result.bytes(0, 0) else { return body(.null, Self.whole(result, 0, 1)) }
      guard let value = RowReader.value(bytes, column) else {
        throw MisfitColumn(table: prepared.table, column: column.name)
      }
      body(value, Self.whole(result, 0, 1))
    }
  }

  // MARK: Keys

  /// The keys of records that match, in order; of some of them.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - last: The key after which they begin; the query has no order then.
  ///   - isCopying: True for very many keys, which are copied.
  ///   - body: Called with each key.
  /// - Throws: `PersistenceError`, `PostgresFailure`, what the body throws.
  func forEachKey(
    matching query: Query,
    after last: [SQLValue]? = nil,
    copying isCopying: Bool = false,
    _ body: ([SQLValue]) throws -> Void
  ) throws {
    var prepared = try prepared(query, reading: [])
    let table = prepared.table
    if let last {
      prepared.condition = "(" + prepared.condition + ") AND " + table.condition(afterKey: last)
    }
    let sql = try prepared.statement(query)
    if isCopying, prepared.rest == nil {
      return try reading(table) { try copyKeys(sql, of: table, body) }
    }
    try forEachRow(prepared, query, sql) { result in
      try RowReader.check(result, table)
      try body(RowReader.key(result, 0, table))
    }
  }

  /// Copies keys, which takes the least time for very many.
  private func copyKeys(
    _ sql: SQLText,
    of table: TableDescription,
    _ body: ([SQLValue]) throws -> Void
  ) throws {
    var isFirst = true
    try connection.copyOut("COPY (\(sql.serverText)) TO STDOUT (FORMAT binary)") { piece in
      var row = CopiedRow(piece, isFirst: isFirst)
      isFirst = false
      while let count = row.nextCount() {
        guard count >= table.keyOperands.count else { throw PostgresFailure(message: "cut row") }
        let parts = try table.keyOperands.map { operand -> SQLValue in
          guard let bytes = try row.next() else { return .null }
          guard let stored = operand.type.stored(bytes) else {
            throw MisfitColumn(table: table, column: nil)
          }
          return stored
        }
        try body(parts)
      }
    }
  }

  /// Those of the records that match a filter.
  func matching(_ filter: Filter, among identifiers: [PersistentIdentifier], of entityName: String)
    throws -> Set<PersistentIdentifier>
  {
    let table = try table(entityName)
    guard try isExact(filter, of: entityName) else {
      let names = filter.attributeNames?.sorted()
      let layout = names.map { SnapshotLayout($0) } ?? table.entity.layout
      let bound = try BoundFilter(filter, layout: layout)
      let records = try snapshots(for: identifiers, attributes: names)
      return Set(records.lazy.filter { bound.matches($0.value) }.map(\.key))
    }
    let keys = identifiers.compactMap(table.serverKey)
    if keys.isEmpty { return [] }
    let condition = try FilterTranslation(table).translate(filter).condition
    let sql = try table.select(
      [],
      where: table.condition(forKeys: keys) + " AND (" + condition + ")"
    )
    let result = try reading(table) { try connection.run(sql) }
    return Set(try (0..<result.rowCount).map { try RowReader.identifier(result, $0, table) })
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    var found: [PersistentIdentifier] = []
    for table in tables.ordered
    where entityName == nil ? !table.isComputed : table.entity.name == entityName {
      for condition in table.serverConditions(forPrefix: prefix) where found.count < limit {
        let result = try connection.run(table.select([], where: condition, limit: limit))
        for row in 0..<result.rowCount where found.count < limit {
          let identifier = try RowReader.identifier(result, row, table)
          if identifier.hasPrefix(prefix) { found.append(identifier) }
        }
      }
    }
    return found
  }
}
