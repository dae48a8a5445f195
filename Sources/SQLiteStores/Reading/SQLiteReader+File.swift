import Foundation
import OpenSwiftData
import SQL
import Stores

/// The file that is open, and whether it is still there.
extension SQLiteReader {
  /// Checks the file before each statement that begins to read it.
  ///
  /// SQLite finds the rollback journal of a file by its name. Once another file has this name, reading the former one
  /// would remove the journal of the new one, and with it the way back from an interrupted save of another program.
  func checkFileBeforeReading() {
    connection.willRead = { [weak self] in try self?.checkFile() }
  }

  /// Checks that the path still leads to the file that is open: the records of a replaced file would never change.
  func checkFile(isSaving: Bool = false) throws {
    guard let file else { return }
    guard FileIdentity(path) == file else {
      throw PersistenceError(
        .conflict,
        "\(path): the file was replaced or removed by another program; "
          + (isSaving ? "nothing was saved; " : "") + "reopen it"
      )
    }
    if isSaving { try checkHasOneName() }
  }

  /// Refuses to save a file with several names: SQLite finds its log or its journal by the name, so that under two names
  /// two programs would write at the same time, each without what the other one has saved.
  ///
  /// Source: <https://www.sqlite.org/howtocorrupt.html#multiple_links_to_the_same_file>
  private func checkHasOneName() throws {
    let count = Self.nameCount(path)
    guard count > 1 else { return }
    throw PersistenceError(
      .inaccessible,
      "\(path): has \(count) hard links, each with a journal of its own; nothing was saved; "
        + "remove the others or make them symbolic links"
    )
  }

  /// The number of names of a file; 0 if there is none.
  static func nameCount(_ path: String) -> Int {
    // A file that cannot be looked at is refused by what comes next.
    (try? LocalFileSystem().status(of: path, in: nil).linkCount) ?? 0
  }

  /// Removes an empty write-ahead log and its index.
  ///
  /// - Parameters:
  ///   - path: The path of the database.
  ///   - file: The file that was opened there.
  /// - Returns: True unless there is none, or the file is another one now.
  @discardableResult
  static func removeEmptyLog(_ path: String, _ file: FileIdentity?) -> Bool {
    guard logSize(path) == 0, let file, FileIdentity(path) == file,
      let last = try? SQLiteConnection(path, isReadOnly: false)
    else { return false }
    // Closing does nothing to a log that was not read.
    _ = try? last.number("PRAGMA schema_version")
    return true
  }

  /// The size of the write-ahead log of a database; nil without one.
  static func logSize(_ path: String) -> Int? {
    // One that cannot be looked at is as none.
    try? LocalFileSystem().status(of: path + "-wal", in: nil).sizeBytes
  }

  /// Sets what concerns a connection, not the file.
  func configure(lockTimeoutSeconds: Double) throws {
    connection.setTimeout(seconds: lockTimeoutSeconds)
    // With a rollback journal, FULL leaves the removal of the journal to the system: a power failure could undo a save.
    try connection.run("PRAGMA synchronous = EXTRA")
    try connection.run("PRAGMA cell_size_check = ON")
    try connection.run("PRAGMA mmap_size = 0")
  }

  /// The error of a save after another program has changed the schema.
  var outdated: PersistenceError {
    PersistenceError(
      .conflict,
      "\(path): another program changed the schema; nothing was saved; save again"
    )
  }

  /// The error of a save that may or may not be in the database.
  func doubtError(_ cause: (any Error)? = nil) -> PersistenceError {
    PersistenceError(
      .outcomeUnknown,
      "\(path): it is not known whether the last save was written; reopen the database",
      cause: cause
    )
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

/// The identity of a file: another file of the same name has another one.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

  /// Reads the identity of a file; nil if it does not exist.
  init?(_ path: String) {
    guard let status = try? LocalFileSystem().status(of: path, in: nil) else { return nil }
    (device, number) = (status.device, status.inode)
  }
}
