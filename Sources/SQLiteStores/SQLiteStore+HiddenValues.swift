package import OpenSwiftData
import SQL
import Synchronization

/// What a copy or an export of a database of another program lacks.
extension SQLiteStore {
  /// Texts whose bytes are not those of UTF-8: only the bytes can be shown.
  package func hiddenMembers(of entityName: String?) -> [String] {
    // A database that cannot be read is reported by the command itself.
    (try? reading { try $0.reader.damagedTexts(in: entityName) }) ?? []
  }

  /// What a database has besides records: indexes, triggers, views and constraints.
  package var partsBesidesRecords: [String] {
    (try? reading { try $0.database.partsBesidesRecords() }) ?? []
  }
}

extension SQLiteReader {
  fileprivate func damagedTexts(in entityName: String?) throws -> [String] {
    try ordered.filter { entityName ?? $0.entity.name == $0.entity.name && !$0.isUnread }
      .flatMap { table in
        try table.columns.compactMap { column -> String? in
          // A column of texts turns into one of several types as soon as such a text is read.
          guard case .mixed = column.form else { return nil }
          let count = try damagedTextCount(of: column, table)
          if count == 0 { return nil }
          return
            "the letters of \(count == 1 ? "1 text" : "\(count) texts") in \(table.entity.name)."
            + "\(column.field.name) that \(count == 1 ? "is" : "are") not UTF-8; the bytes stand there as CAST(x'…' AS TEXT)"
        }
      }
  }

  private func damagedTextCount(of column: ColumnDescription, _ table: TableDescription) throws
    -> Int
  {
    var count = 0
    let name = column.name.quotedName
    let source = "main.\(table.name.quotedName)"
    try connection.forEach("SELECT \(name) FROM \(source) WHERE typeof(\(name)) = 'text'") {
      if $0.cell(0).withText({ $0.isValidText }) == false { count += 1 }
    }
    return count
  }
}

extension SQLiteStore {
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
      try reading { try $0.database.settleTypes(for: query) }
    } catch let error as PersistenceError where error.code == .damaged {
      // Some of the records may be readable.
    }
  }
}

/// What a database has besides records.
extension ForeignDatabase {
  func partsBesidesRecords() throws -> [String] {
    let rows = try connection.rows(
      "SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
    )
    func names(_ isMeant: (_ type: String, _ sql: String) -> Bool) -> [String] {
      rows.compactMap { row in
        guard case .text(let type) = row[0], case .text(let name) = row[1],
          case .text(let sql) = row[2], isMeant(type, sql)
        else { return nil }
        return name
      }
    }
    func words(_ what: String, _ names: [String]) -> String? {
      if names.isEmpty { return nil }
      let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
      return "\(what) (\(names.count): \(shown))"
    }
    return [
      words("indexes", names { type, _ in type == "index" }),
      words("triggers", names { type, _ in type == "trigger" }),
      words("views, of which the rows are copied", names { type, _ in type == "view" }),
      words(
        "constraints, foreign keys and rules of tables",
        names { type, sql in type == "table" && Self.hasConstraints(sql) }
      ),
    ].compactMap { $0 }
  }

  private static func hasConstraints(_ sql: String) -> Bool {
    let words = Set(sql.lowercased().split { !($0.isLetter || $0 == "_") })
    return !words.isDisjoint(with: [
      "check", "references", "unique", "collate", "generated", "default",
    ])
  }
}
