import OpenSwiftData
import SQL

/// Looking for damage.
extension SQLiteReader {
  /// Looks for damage and for links to rows that do not exist; a thorough check compares the indexes with their tables.
  func check(isThorough: Bool) throws -> [String] {
    try damage(isThorough ? "integrity_check" : "quick_check") + brokenReferences()
      + (isThorough
        ? brokenIndexes().map { "\($0.name): the index does not match its records; \($0.advice)" }
        : [])
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
        let sql: SQLText = "SELECT rowid, parent FROM pragma_foreign_key_check(\(.text(name)))"
        return try lines(sql, of: "foreign_key_check \(name)") { row in
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

  /// The lines that a check reports; damage ends it, and is a line of its own.
  func lines(_ check: SQLText, of name: String, _ read: (SQLiteRow) -> [String]) throws
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
}
