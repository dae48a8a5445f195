package import OpenSwiftData
import SQL
import Synchronization

/// Looking for values of other types before many records are read.
extension SQLiteSession {
  /// The number of columns that a statement looks at; the depth of an expression is limited.
  private static let columnCount = 100

  /// Looks for values that are not of the form of their column, in the records of a query.
  ///
  /// - Throws: `MisfitValue` for one of them.
  func settleTypes(for query: Query) throws {
    guard !isOwn, tables[query.entityName] != nil else { return }
    let key = Query(query.entityName, filter: query.filter, attributes: query.attributes)
    if settled.contains(key) || settled.contains(Query(query.entityName)) { return }
    let (read, table) = try prepared(key, reading: key.attributes)
    let condition = try condition(read.filter, table)
    // A STRICT table may have texts that are not UTF-8, too.
    var loose = table
    for slot in table.columns.indices { loose.columns[slot].isLoose = true }
    let doubts = try table.slots(of: query.attributes).compactMap { slot -> SQLText? in
      let column = loose.columns[slot]
      return column.doubtCondition.map {
        SQLText("\($0) AND ") + connection.functions.misfitCondition(column, loose)
      }
    }
    for start in stride(from: 0, to: doubts.count, by: Self.columnCount) {
      let some = doubts[start..<min(start + Self.columnCount, doubts.count)]
      let sql =
        SQLText("SELECT count(*) FROM \(table.source) WHERE (") + condition + ") AND ("
        + .joined(Array(some), by: " OR ") + ")"
      _ = try connection.number(sql)
    }
    settled.insert(key)
  }
}

extension SQLiteStore: TypeSettlingStore {
  package func readTypes(of entityName: String) throws -> Bool {
    let table = session.withLock { $0.tables[entityName] }
    guard let table, table.isUnread else { return false }
    return try reading { session in
      _ = try session.table(entityName)
      return session.tables[entityName]?.entity != table.entity
    }
  }

  package func settleTypes(for query: Query) throws {
    do {
      try reading { try $0.settleTypes(for: query) }
    } catch let error as PersistenceError where error.code == .damaged {
      // Some of the records may be readable.
    }
  }
}
