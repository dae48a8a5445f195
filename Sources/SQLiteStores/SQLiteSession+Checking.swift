import OpenSwiftData
import SQL

/// Damage: looking for it, and remembering it.
extension SQLiteSession {
  /// Looks for damage, and for links to rows that do not exist.
  func check() throws -> [String] {
    if isUnwritten { return [] }
    return try lines("PRAGMA quick_check") { row in
      guard case .text(let text) = row[0], text != "ok" else { return [] }
      return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("***") }
    }
      + lines("PRAGMA foreign_key_check") { row in
        guard case .text(let table) = row[0], case .text(let parent) = row[2] else { return [] }
        let place = row[1] == .null ? "a row" : "row \(row[1].literal)"
        return ["\(table): \(place) refers to a row of \(parent) that does not exist"]
      }
  }

  /// The lines that a check reports; damage ends it, and is a line of its own.
  private func lines(_ check: SQLText, _ read: (SQLiteRow) -> [String]) throws -> [String] {
    var found: [String] = []
    do {
      try connection.forEach(check) { found += read($0) }
    } catch let failure as SQLiteFailure where failure.isDamage {
      noteDamage(failure)
      found.append("\(check.text.split(separator: " ").last ?? ""): \(failure.description)")
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
