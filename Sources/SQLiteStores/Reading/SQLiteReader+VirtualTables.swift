import OpenSwiftData
import SQL

/// Indexes that a module of the database keeps in virtual tables, for texts (FTS) and for places (R*Tree).
///
/// One that does not match the records any more is reported with the code of damage, but the pages of the file are intact:
/// it can be built again from the records, and everything else can be saved.
struct VirtualIndex {
  let name: String
  /// The name of the module in small letters.
  let module: String

  /// The statement that builds it again; nil if its module has none.
  var rebuilding: String? {
    module.hasPrefix("fts") ? "INSERT INTO \(command) VALUES('rebuild')" : nil
  }

  private var command: String { "\(name.quotedName)(\(name.quotedName))" }

  /// The statement that fails, or does not answer `ok`, if it does not match the records; nil if its module has none.
  var check: SQLText? {
    let (name, quoted) = (name, name.quotedName)
    switch module {
    case "fts5":
      return "INSERT INTO \(quoted)(\(quoted), rank) VALUES('integrity-check', 1)"
    case "fts3", "fts4": return "INSERT INTO \(command) VALUES('integrity-check')"
    case "rtree", "rtree_i32", "geopoly":
      return "SELECT rtreecheck('main', \(.text(name)))"
    default: return nil
    }
  }

  /// What a user can do about it.
  var advice: String {
    rebuilding.map { "rebuild it with sqlite3: \($0)" } ?? "create it again with sqlite3"
  }
}

extension SQLiteReader {
  /// The indexes in virtual tables that do not match their records.
  func brokenIndexes() throws -> [VirtualIndex] {
    let rows = try connection.rows(
      """
      SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND sql LIKE 'create virtual table%' \
      ORDER BY name
      """
    )
    return try rows.compactMap { row -> VirtualIndex? in
      guard case .text(let name) = row[0], case .text(let sql) = row[1] else { return nil }
      let words = sql.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }
      let place = words.firstIndex(of: "using").map { words.index(after: $0) }
      guard let place, place < words.endIndex else { return nil }
      let index = VirtualIndex(name: name, module: String(words[place]))
      return try isBroken(index) ? index : nil
    }
  }

  private func isBroken(_ index: VirtualIndex) throws -> Bool {
    guard let check = index.check else { return false }
    do {
      // The commands of FTS are insertions, although they write nothing.
      let answer =
        try connection.isReadOnly
        ? connection.value(check) : connection.rehearsal { try connection.value(check) }
      return answer != nil && answer != .text("ok")
    } catch let failure as SQLiteFailure {
      return failure.primaryCode == 11
    }
  }

  /// The error of a statement that an index in a virtual table has refused.
  func indexError(_ failure: SQLiteFailure, isSaving: Bool) -> PersistenceError {
    let result = isSaving ? "; nothing was saved" : ""
    // The index may not even be there to ask.
    let broken = (try? brokenIndexes()) ?? []
    guard let index = broken.first else {
      return PersistenceError(
        .storeViolation,
        "\(path): an index in a virtual table does not match its records (\(failure.description))\(result); "
          + "run \"check full\"",
        cause: failure
      )
    }
    let others = broken.count > 1 ? " (and \(broken.count - 1) more)" : ""
    return PersistenceError(
      .storeViolation,
      "\(path): the index \(Value.quoted(index.name))\(others) does not match its records\(result); "
        + index.advice,
      cause: failure
    )
  }
}
