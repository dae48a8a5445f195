import OpenSwiftData
import SQL

/// Damage: looking for it, and remembering it.
extension SQLiteSession {
  /// Looks for damage, for links to rows that do not exist, and in a database of our own for invalid values; a thorough
  /// check compares the indexes with their tables.
  func check(isThorough: Bool) throws -> [String] {
    if isUnwritten { return [] }
    return try damage(isThorough ? "integrity_check" : "quick_check") + brokenReferences()
      + (isThorough
        ? brokenIndexes().map { "\($0.name): the index does not match its records; \($0.advice)" }
        : [])
      + (isOwn ? ordered.flatMap { try invalidValues(in: $0) } + damagedHistory() : [])
  }

  /// What a check of the database finds; table by table if one of them, as with an unknown function, would end it for all.
  private func damage(_ check: String) throws -> [String] {
    func damage(_ text: String) throws -> [String] {
      try lines(SQLText(text), of: check) { row in
        guard case .text(let text) = row[0], text != "ok" else { return [] }
        // So begins what is wrong with the pages of the file, not with values.
        if text.hasPrefix("***") { damagedTables.insert("") }
        return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("***") }
      }
    }
    do {
      return try damage("PRAGMA \(check)")
    } catch let failure as SQLiteFailure where failure.isOfStatement {
      return try tableNames().flatMap { name in
        try goingOn("\(name): cannot be checked") {
          try damage("PRAGMA \(check)(\(name.quotedName))")
        }
      }
    }
  }

  /// The rows that refer to others which do not exist, table by table: a foreign key that does not fit its parent would
  /// end the check of all.
  private func brokenReferences() throws -> [String] {
    try tableNames().flatMap { name in
      try goingOn("\(name): its foreign keys cannot be checked") {
        let sql = "SELECT rowid, parent FROM pragma_foreign_key_check(?)"
        return try lines(SQLText(sql, [.text(name)]), of: "foreign_key_check \(name)") { row in
          guard case .text(let parent) = row[1] else { return [] }
          let place = row[0] == .null ? "a row" : "row \(row[0].literal)"
          return ["\(name): \(place) refers to a row of \(parent) that does not exist"]
        }
      }
    }
  }

  private func tableNames() -> [String] {
    ordered.filter { $0.obstacle == nil || $0.obstacle == .noKey }.map(\.name)
  }

  /// The lines of a part of a check; a statement that cannot run is a line of its own, and ends this part only.
  private func goingOn(_ words: String, _ part: () throws -> [String]) throws -> [String] {
    do {
      return try part()
    } catch let failure as SQLiteFailure where failure.isOfStatement {
      return ["\(words): \(failure)"]
    }
  }

  /// The greatest number of invalid values of a table that are listed.
  private static let invalidLimit = 100

  /// Values that other programs have written in a form that the format does not have.
  private func invalidValues(in table: TableDescription) throws -> [String] {
    var (found, count): ([String], Int) = ([], 0)
    func add(_ key: String, _ field: String, _ problem: String) {
      count += 1
      if count <= Self.invalidLimit {
        found.append("\(table.entity.name) \(key): \(field): \(problem)")
      }
    }
    let sql = try table.select(Array(table.columns.indices), where: "1")
    let places = table.places(of: Array(table.columns.indices))
    let rows = try lines(sql, of: table.name) { row in
      let identifier = table.key.identifier([row[0]], in: table.scope)
      let key = identifier?.description ?? row[0].literal
      if identifier == nil { add(key, table.entity.identifierKey, "not a key of a record") }
      for (slot, column) in table.columns.enumerated() {
        let stored = row[places[slot]]
        let value = column.form.value(of: stored)
        let isText = if case .text = stored { true } else { false }
        if let value, column.field.accepts(value), column.form != .json || value.isReadable,
          !(column.field.isBlob && isText)
        {
          continue
        }
        add(
          key,
          column.field.name,
          stored == .null ? "a value is required" : column.misfitMessage(stored)
        )
      }
      return []
    }
    if count > found.count { found.append("… and \(count - found.count) more") }
    return rows + found
  }

  /// The transactions of the history that cannot be read.
  private func damagedHistory() throws -> [String] {
    var found: [String] = []
    do {
      try forEachTransactionError { token, error in
        found.append("catalog_history: transaction \(token) cannot be read: \(error.message)")
      }
    } catch let failure as SQLiteFailure where failure.isDamage {
      noteDamage(failure)
    } catch let error as PersistenceError where error.code == .damaged {
      found.append(error.message)
    }
    return found
  }

  /// The lines that a check reports; damage ends it, and is a line of its own.
  private func lines(_ check: SQLText, of name: String, _ read: (SQLiteRow) -> [String]) throws
    -> [String]
  {
    var found: [String] = []
    do {
      try connection.forEach(check) { found += read($0) }
    } catch let failure as SQLiteFailure where failure.isDamage {
      noteDamage(failure)
      found.append("\(name): \(failure.description)")
    }
    return found
  }

  /// Remembers in which table damage was found.
  func noteDamage(_ failure: SQLiteFailure) {
    guard failure.isDamage else { return }
    damagedTables.insert(tableInUse ?? "")
  }

  /// Refuses to write to a file with damage: a save could spread it.
  func checkIsIntact() throws {
    guard let name = damagedTables.sorted().last else { return }
    let place = name.isEmpty ? "the file" : "table \(Value.quoted(name))"
    throw PersistenceError(
      .damaged,
      "\(path): \(place) is damaged, so nothing is saved; "
        + "copy what is readable with: sqlite3 FILE .recover"
    )
  }
}

extension Value {
  /// False for JSON text that is not valid.
  fileprivate var isReadable: Bool {
    guard case .json(let text) = self else { return true }
    return (try? Value(parsing: text, as: .json)) != nil
  }
}
