import OpenSwiftData
import SQL
import Synchronization

/// The records of a query by position: their keys are in a temporary table of the database, in order.
///
/// Nothing of it is in memory, whatever the number of records. In the order of the keys, the table is filled a part
/// at a time, each after the last key; in another order, or if rows are counted, first a page and then all others.
///
/// Invariants: the positions of the table are 0, 1, 2 …; `known` is their number.
final class SQLiteListing: Listing {
  private let store: SQLiteStore
  /// The records to list, if not those of the store.
  private let view: SQLiteStagedRecords?
  private let query: Query
  private let name: String
  private let abandoned: AbandonedTables
  /// True if the next part can be found after the last key.
  private let isByKey: Bool
  /// The columns of the table that identify a record.
  private var keyColumns: [String]
  private var known = 0
  private var isComplete = false

  /// The number of keys that are found at a time.
  private static let partCount = 8192
  private static let firstPageCount = 256

  /// Lists the records of a query and finds the first ones.
  init(_ query: Query, _ store: SQLiteStore, _ view: SQLiteStagedRecords? = nil) throws {
    (self.query, self.store, self.view) = (query, store, view)
    (name, abandoned, isByKey, keyColumns) = try Self.reading(store, view) { session in
      let (_, table) = try session.reader.prepared(query, reading: [])
      session.listingCount += 1
      let name = "catalog_listing_\(session.listingCount)"
      try Self.createTable(name, for: table, session)
      let isByKey = query.sort.isEmpty && query.isUnlimited && !table.isCounted
      return (name, session.abandoned, isByKey, table.keyColumns)
    }
    try countOn()
  }

  private static func reading<Result: Sendable>(
    _ store: SQLiteStore,
    _ view: SQLiteStagedRecords?,
    _ body: (SQLiteSession) throws -> Result
  ) throws -> Result {
    try view.map { try $0.reading(body) } ?? store.reading(body)
  }

  private func reading<Result: Sendable>(_ body: (SQLiteSession) throws -> Result) throws -> Result
  {
    try Self.reading(store, view, body)
  }

  /// Creates the table of keys.
  ///
  /// It refuses missing keys, so that no look at all rows is needed to notice them. The text of an identifier does not
  /// always tell whether a part of the key is a number; columns of the same types as in the table do.
  private static func createTable(
    _ name: String,
    for table: TableDescription,
    _ session: SQLiteSession
  ) throws {
    let columns = table.keyTypes.enumerated()
      .map { ", catalog_k\($0.offset) \($0.element) NOT NULL" }.joined()
    try session.connection.run(
      "CREATE TEMP TABLE \(name) (catalog_n INTEGER PRIMARY KEY\(columns))"
    )
  }

  /// The table of the records.
  ///
  /// - Throws: `PersistenceError` with code `.conflict` if its rows are identified in another way than at the start,
  ///   because one without a primary key was found.
  private func table(_ session: SQLiteSession) throws -> TableDescription {
    let table = try session.table(query.entityName)
    if table.keyColumns == keyColumns { return table }
    guard known == 0 else {
      throw PersistenceError(
        .conflict,
        "\(session.path): \(table.entity.name): a row without a primary key was found; rows have new "
          + "identifiers, so list them again"
      )
    }
    try session.connection.run("DROP TABLE temp.\(name)")
    try Self.createTable(name, for: table, session)
    keyColumns = table.keyColumns
    return table
  }

  deinit { abandoned.add(name) }

  var count: ListingCount { isComplete ? .exact(known) : .atLeast(known) }

  func countOn() throws {
    guard !isComplete else { return }
    let part = isByKey ? Self.partCount : known == 0 ? Self.firstPageCount : nil
    let limit = [part, query.limit.map { $0 - known }].compactMap { $0 }.min()
    let added = try reading { session in
      try self.add(limit, session)
    }
    known += added
    isComplete = limit.map { added < $0 } ?? true
    if let limit = query.limit, known >= limit { isComplete = true }
  }

  /// Adds the keys of the next records, up to the limit.
  private func add(_ limit: Int?, _ session: SQLiteSession) throws -> Int {
    let table = try table(session).computing([], for: query)
    var condition = try session.reader.condition(
      session.reader.converted(query.filter, table),
      table
    )
    let keys = table.keyColumns.joined(separator: ", ")
    let places = table.keyColumns.indices.map { "catalog_k\($0)" }.joined(separator: ", ")
    if isByKey, known > 0 {
      let last = "SELECT \(places) FROM temp.\(name) ORDER BY catalog_n DESC LIMIT 1"
      condition = "(" + condition + ") AND (\(keys)) > (\(last))"
    }
    var sql: SQLText =
      "INSERT INTO temp.\(name) (\(places)) SELECT \(keys) FROM \(table.source) WHERE "
    sql += condition
    sql += SQLText(try table.order(query.sort))
    let offset = isByKey ? 0 : query.offset + known
    sql += " LIMIT \(.integer(Int64(limit ?? -1))) OFFSET \(.integer(Int64(offset)))"
    do {
      return try session.connection.run(sql)
    } catch let failure as SQLiteFailure where failure.isOfMissingValue && table.key != .own {
      throw MissingKey(table: table.name)
    }
  }

  func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier] {
    try find(range)
    if known == 0 { return [] }
    return try reading { session in
      let table = try self.table(session)
      return try session.connection.rows(self.keys(in: range, table)).compactMap { parts in
        table.key.identifier(parts, in: table.scope)
      }
    }
  }

  private func find(_ range: Range<Int>) throws {
    while known < range.upperBound, !isComplete {
      try Interruption.check()
      try countOn()
    }
  }

  private func keys(in range: Range<Int>, _ table: TableDescription) -> SQLText {
    "SELECT \(keyList(table, of: "l")) FROM temp.\(name) AS l WHERE catalog_n BETWEEN \(.integer(Int64(max(0, range.lowerBound)) + 1)) AND \(.integer(Int64(range.upperBound))) ORDER BY catalog_n"
  }

  private func keyList(_ table: TableDescription, of alias: String) -> String {
    table.keyColumns.indices.map { "\(alias).catalog_k\($0)" }.joined(separator: ", ")
  }

  func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord] {
    let page = try identifiers(in: range)
    let snapshots =
      try view?.snapshots(for: page, attributes: attributes)
      ?? store.snapshots(for: page, attributes: attributes)
    return page.map { ListedRecord(identifier: $0, snapshot: snapshots[$0]) }
  }

  func position(of identifier: PersistentIdentifier) throws -> Int? {
    while true {
      let found = try reading { session -> Int? in
        let table = try self.table(session)
        guard let parts = table.key.parts(of: identifier),
          identifier.entityName == table.entity.name
        else { return -1 }
        let conditions: [SQLText] = parts.enumerated().map {
          "catalog_k\($0.offset) = \($0.element)"
        }
        let sql: SQLText =
          "SELECT catalog_n FROM temp.\(self.name) WHERE "
          + .joined(conditions, by: " AND ") + " LIMIT 1"
        let place = Int(try session.connection.number(sql))
        return place == 0 ? nil : place - 1
      }
      if let found { return found < 0 ? nil : found }
      if isComplete { return nil }
      try Interruption.check()
      try countOn()
    }
  }

  func position(matching filter: Filter, from start: Int, isForward: Bool) throws -> Int? {
    while true {
      let found = try reading { session in
        try self.position(matching: filter, from: start, isForward, session)
      }
      // Backward, all positions before the start have to be known.
      if found != nil || isComplete { return found }
      if !isForward, known > start { return nil }
      try Interruption.check()
      try countOn()
    }
  }

  private func position(
    matching filter: Filter,
    from start: Int,
    _ isForward: Bool,
    _ session: SQLiteSession
  ) throws -> Int? {
    let table = try table(session)
    let filter = session.reader.converted(filter, table)
    try filter.validate(for: table.entity)
    let join = table.keyColumns.enumerated()
      .map { "t.\($0.element) = l.catalog_k\($0.offset)" }.joined(separator: " AND ")
    let condition = try session.reader.condition(filter, table)
    let from = isForward ? max(0, start) : start
    // Names in the condition mean the columns of the table, whatever the columns of the listing are called.
    let sql: SQLText =
      "SELECT catalog_n FROM temp.\(name) AS l WHERE catalog_n \(isForward ? ">=" : "<=") \(.integer(Int64(from) + 1)) AND "
      + "EXISTS (SELECT 1 FROM \(table.source) AS t WHERE \(join) AND (" + condition
      + ")) ORDER BY catalog_n \(isForward ? "ASC" : "DESC") LIMIT 1"
    let place = Int(try session.connection.number(sql))
    return place == 0 ? nil : place - 1
  }
}

/// The tables of listings that were released, to be dropped by the next use of the connection.
final class AbandonedTables: Sendable {
  private let names = Mutex<[String]>([])

  func add(_ name: String) { names.withLock { $0.append(name) } }

  /// Returns the names and forgets them.
  func take() -> [String] {
    names.withLock { names in
      defer { names = [] }
      return names
    }
  }
}
