public import OpenSwiftData
import SQL
import Synchronization

/// Deletion by queries.
extension SQLiteStore {
  /// Deletes in the database, without reading the records if they are many.
  ///
  /// Up to 10,000 records are read first and stand in the history with their values. Of more, the history has a
  /// transaction without records, whose message says how many there were.
  public func delete(matching queries: [Query], author: String?) throws -> Int {
    let count = try queries.reduce(0) { try $0 + self.count(matching: $1) }
    let limit = session.withLock { $0.bulkLimit }
    guard count > limit, queries.allSatisfy({ $0.limit == nil && $0.offset == 0 }) else {
      return try deleteFew(matching: queries, author: author)
    }
    return try writing { try $0.delete(matching: queries, author: author) }
  }

  private func deleteFew(matching queries: [Query], author: String?) throws -> Int {
    var found: Set<PersistentIdentifier> = []
    var changes = ChangeSet()
    for query in queries {
      changes.deleted += try snapshots(matching: query)
        .filter { found.insert($0.persistentIdentifier).inserted }
    }
    if !changes.isEmpty { _ = try commit(changes, author: author) }
    return changes.deleted.count
  }
}

extension SQLiteSession {
  /// Deletes the records of queries by one statement each.
  fileprivate func delete(matching queries: [Query], author: String?) throws -> Int {
    var count = 0
    let names = Set(queries.map(\.entityName)).sorted()
    let message = "deleted the records of a query: \(names.joined(separator: ", "))"
    try savingBulk(message, author: author) { _ in
      for query in queries {
        let (query, table) = try reader.prepared(query, reading: [])
        try table.checkIsWritable()
        count += try connection.run(
          "DELETE FROM \(table.source) WHERE " + reader.condition(query.filter, table)
        )
      }
      try database.checkReferences(ChangeSet())
    }
    return count
  }
}
