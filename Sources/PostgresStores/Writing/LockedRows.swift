import OpenSwiftData
import SQL

/// The rows of records, which a transaction locks and reads in the same round trip as other statements.
///
/// A cursor gives its rows in binary form although the statements are sent as one text.
struct LockedRows {
  private let groups: [(table: TableDescription, keys: [[SQLValue]])]

  /// The number of queries.
  var count: Int { groups.count }

  init(_ identifiers: [PersistentIdentifier], _ tables: [String: TableDescription]) {
    groups = Dictionary(grouping: identifiers, by: \.entityName).sorted { $0.key < $1.key }
      .compactMap { name, group in
        guard let table = tables[name] else { return nil }
        let keys = group.filter { $0.identifierScope == table.scope }.compactMap(table.serverKey)
        return keys.isEmpty ? nil : (table, keys)
      }
  }

  /// The statements: two for each query, of which the second one has the rows.
  ///
  /// Rows are locked in the order of their keys, so that two saves of the same records do not wait for each other.
  func statements(name: String, isLocking: Bool) -> [String] {
    groups.enumerated().flatMap { place, group in
      let slots = Array(group.table.columns.indices)
      let order = group.table.keyColumns.joined(separator: ", ")
      var query = group.table.select(slots, keys: group.keys).serverText
      if isLocking { query += " ORDER BY \(order) FOR NO KEY UPDATE" }
      return Cursor.statements("\(name)_\(place)", query)
    }
  }

  /// The records in the answers, which it takes away.
  ///
  /// - Throws: `MisfitColumn`, `PostgresFailure` about the schema.
  func records(_ results: inout ArraySlice<PostgresResult>) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (table, _) in groups {
      guard let result = results.popFirst() else {
        throw PostgresFailure(state: "XX000", message: "answers are missing")
      }
      let reader = RowReader(table, Array(table.columns.indices), table.entity.layout)
      try reader.check(result)
      for row in 0..<result.rowCount {
        let record = try reader.snapshot(result, row)
        found[record.persistentIdentifier] = record
      }
    }
    return found
  }
}

/// A query whose rows come in binary form although it is a part of a text.
enum Cursor {
  static func statements(_ name: String, _ query: String) -> [String] {
    ["DECLARE \(name) NO SCROLL BINARY CURSOR FOR \(query)", "FETCH ALL FROM \(name)"]
  }
}
