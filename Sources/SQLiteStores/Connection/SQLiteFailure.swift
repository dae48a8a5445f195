import CSQLite
import Foundation
import OpenSwiftData
import SQL
import Stores

/// An error of the database.
struct SQLiteFailure: Error, CustomStringConvertible {
  /// The extended result code.
  let code: Int32
  /// The sentence of the database.
  let description: String
  /// The error of the system that caused it; 0 for none.
  let systemCode: Int32
  /// How long the statement waited for other programs; nil if it did not.
  var waited: Duration?

  /// The result code.
  var primaryCode: Int32 { code & 0xFF }

  init(code: Int32, description: String, systemCode: Int32 = 0) {
    (self.code, self.description, self.systemCode) = (code, description, systemCode)
  }

  /// Describes the last error of a connection.
  init(_ handle: OpaquePointer?) {
    self.init(
      code: handle.map { sqlite3_extended_errcode($0) } ?? SQLITE_NOMEM,
      description: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory",
      systemCode: handle.map { sqlite3_system_errno($0) } ?? 0
    )
  }

  /// True if the file is damaged.
  var isDamage: Bool { primaryCode == SQLITE_CORRUPT && !isOfVirtualTable }

  /// True if the contents of a virtual table do not match each other, or the records that it is an index of.
  var isOfVirtualTable: Bool { code == 267 }

  /// True if the shared memory of a write-ahead log cannot be created next to the database.
  var isOfFolder: Bool { code == 1544 || code == 1288 || code == 264 || code == 520 }

  /// True if a column that needs a value was to have none.
  var isOfMissingValue: Bool { code == 1299 }

  /// True if a row was to break a constraint.
  var isOfConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

  /// True if a row was to have a value that is unique and that another row has.
  var isOfUniqueValue: Bool { code == 2067 || code == 1555 || code == 2579 }

  /// True if a file could not grow, or perhaps; the database calls it an I/O error unless it was the database itself.
  private var mayLackSpace: Bool { primaryCode == SQLITE_FULL || primaryCode == SQLITE_IOERR }

  /// True if a file that the database needs could not grow.
  func isOfFullDisk(_ path: String) -> Bool { fullFolder(path) != nil }

  /// The folder without space in which a database wanted to write; nil if that is not the cause.
  private func fullFolder(_ path: String) -> String? {
    guard mayLackSpace else { return nil }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if Self.freeBytes(folder) < Self.leastFreeBytes { return folder }
    // Long lists and sorts have temporary files.
    let temporary = FileManager.default.temporaryDirectory.path
    if Self.freeBytes(temporary) < Self.leastFreeBytes { return temporary }
    let cause = SystemErrorCode(rawValue: systemCode)
    return cause == .noSpace || cause == .overQuota ? folder : nil
  }

  /// The database writes its pages one by one; with less than some of them free, space is the cause.
  private static let leastFreeBytes = 256 << 10

  private static func freeBytes(_ folder: String) -> Int {
    let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    return (facts?[.systemFreeSize] as? NSNumber)?.intValue ?? .max
  }

  /// True if the statement cannot be compiled, as with an unknown collation.
  var isOfStatement: Bool { primaryCode == SQLITE_ERROR }

  private static func canWrite(nextTo path: String) -> Bool {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return FileManager.default.isWritableFile(atPath: folder)
  }

  /// The error in the terms of the library, in one line.
  ///
  /// - Parameters:
  ///   - path: The path of the database as messages name it.
  ///   - isSaving: True if a save failed.
  ///   - table: The table in use, if it is known.
  ///   - isOwn: True for a database that this library made.
  ///   - parents: The tables that foreign keys refer to.
  /// - Returns: The error.
  func error(
    _ path: String,
    isSaving: Bool = false,
    table: String? = nil,
    isOwn: Bool = false,
    parents: Set<ExactName> = []
  ) -> PersistenceError {
    let result = isSaving ? "; nothing was saved" : ""
    let (code, sentence) = meaningOfMissing(result, isOwn, parents) ?? meaning(path, result, table)
    return PersistenceError(code, "\(path): \(sentence)", cause: self)
  }

  /// ` (waited 1.0 s)`, as the other stores say it.
  private var waitingWords: String {
    waited.map { " (waited \(($0 / .seconds(1) * 10).rounded() / 10) s)" } ?? ""
  }

  private typealias Meaning = (code: PersistenceError.Code, sentence: String)

  private func meaning(_ path: String, _ result: String, _ table: String?) -> Meaning {
    if let folder = fullFolder(path) {
      return (.inaccessible, "no space left on the device of \(folder)\(result)")
    }
    switch primaryCode {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return (
        .busy,
        "locked by another program\(waitingWords)\(result); try again, or run \"fuser \(path)\" to find it"
      )
    case SQLITE_READONLY: return meaningOfReadOnly(path, result)
    case SQLITE_NOTADB: return (.notAStore, "not a SQLite database, or encrypted")
    case SQLITE_CORRUPT:
      let place = table.map { "table \(Value.quoted($0)) is " } ?? ""
      return (
        .damaged,
        "\(place)damaged (\(description))\(result); copy what is readable with: sqlite3 FILE .recover"
      )
    case SQLITE_CONSTRAINT where isOfUniqueValue:
      return (.notUnique, "\(description)\(result)")
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH: return (.invalidValue, "\(description)\(result)")
    case SQLITE_TOOBIG: return (.limitExceeded, "\(description)\(result)")
    default:
      let place = isOfStatement && result.isEmpty ? table.map { "\($0): " } : nil
      return (.inaccessible, "\(place ?? "")\(description)\(result)")
    }
  }

  /// The meaning of a table or a column that is not there; nil for other errors.
  private func meaningOfMissing(_ result: String, _ isOwn: Bool, _ parents: Set<ExactName>)
    -> Meaning?
  {
    guard primaryCode == SQLITE_ERROR else { return nil }
    for kind in ["table", "column", "function"] {
      let starts = ["no such \(kind): ", "unknown \(kind): "]
      guard let start = starts.first(where: description.hasPrefix) else { continue }
      var name = description.dropFirst(start.count)
      if name.hasPrefix("main.") { name = name.dropFirst(5) }
      let what = "\(kind) \(Value.quoted(String(name))) is missing"
      if kind == "table", parents.contains(ExactName(folding: String(name))) {
        return (.storeViolation, "\(what), to which a foreign key refers\(result)")
      }
      return (
        .storeViolation,
        isOwn
          ? "\(what): another program changed the tables\(result); restore them, or a copy of the file"
          : "\(what), which a trigger or a view of the database uses\(result)"
      )
    }
    return nil
  }

  private func meaningOfReadOnly(_ path: String, _ result: String) -> Meaning {
    switch code {
    case 1032: (.conflict, "the file was replaced by another program\(result); reopen it")
    case 776 where !Self.canWrite(nextTo: path):
      (
        .inaccessible,
        "an interrupted save has to be undone first, and its folder cannot be written; copy the database and "
          + "\(path)-journal to another folder"
      )
    case 776:
      (
        .readOnly,
        "an interrupted save has to be undone first; open the database once without --read-only"
      )
    case _ where isOfFolder:
      (
        .inaccessible,
        FileManager.default.fileExists(atPath: path + "-wal")
          ? "its folder cannot be written, which the write-ahead log next to it (-wal) needs; copy both files to "
            + "another folder"
          : "its folder cannot be written, where a save needs a journal; copy the database to another folder"
      )
    default: (.readOnly, "the database is read-only\(result)")
    }
  }
}
