import Foundation
import OpenSwiftData
import SQL
import Stores

/// Opens a database and finds out what it is.
struct SQLiteOpening {
  let configuration: SQLiteConfiguration
  private var path: String { configuration.path }

  init(_ configuration: SQLiteConfiguration) { self.configuration = configuration }

  /// The first bytes of every database.
  static let mark = Array("SQLite format 3\0".utf8)

  /// True if the file begins as a database.
  static func isDatabase(_ path: String) -> Bool {
    DatabaseStart.bytes(of: path, count: mark.count) == mark
  }

  func open() throws -> SQLiteSession {
    do {
      guard let size = try fileSize(), size > 0, let session = try existing() else {
        return try unwritten()
      }
      return session
    } catch let failure as SQLiteFailure {
      throw failure.error(path)
    }
  }

  /// The size of the file; nil if there is none.
  private func fileSize(isRolledBack: Bool = false) throws -> Int? {
    let status: FileStatus
    do {
      status = try LocalFileSystem().status(of: path, in: nil)
    } catch  where error.code == .notFound {
      return nil
    } catch {
      throw error.persistenceError
    }
    guard status.kind == .regular else {
      throw FileError.notARegularFile(path: path, kind: status.kind).persistenceError
    }
    guard status.sizeBytes > 0 else { return 0 }
    guard let start = DatabaseStart.bytes(of: path, count: Self.mark.count) else {
      throw PersistenceError(.inaccessible, "\(path): permission denied")
    }
    if start == Self.mark { return status.sizeBytes }
    guard !isRolledBack, try rollBack() else {
      throw PersistenceError(.notAStore, "\(path): not a SQLite database, or encrypted")
    }
    return try fileSize(isRolledBack: true)
  }

  /// Lets SQLite reverse an interrupted save that wrote other pages of a new file than the first one.
  ///
  /// - Returns: False without a journal.
  private func rollBack() throws -> Bool {
    guard configuration.allowsSave,
      // Another file may have this name, and must stay as it is.
      let journal = FileHandle(forReadingAtPath: path + "-journal"),
      let start = try journal.read(upToCount: Self.journalMark.count),
      Array(start) == Self.journalMark
    else { return false }
    let connection = try SQLiteConnection(path, isReadOnly: false)
    connection.setTimeout(seconds: configuration.lockTimeoutSeconds)
    _ = try connection.number("PRAGMA schema_version")
    return true
  }

  /// The first bytes of a rollback journal.
  ///
  /// Source: <https://www.sqlite.org/fileformat2.html#the_rollback_journal>
  private static let journalMark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// A database without a file, in memory, so that queries can be answered.
  private func unwritten() throws -> SQLiteSession {
    let schema = configuration.schema ?? Schema()
    try schema.validate()
    let reader = SQLiteReader(
      try SQLiteConnection(":memory:", isReadOnly: false, canCreate: true),
      configuration,
      identifier: UUID().uuidString.lowercased()
    )
    let database = own(reader, isUnwritten: true)
    try database.createTables(of: schema)
    return SQLiteSession(database)
  }

  /// The database in the file; nil if it is a new one, such as an interrupted first save leaves.
  private func existing() throws -> SQLiteSession? {
    let file = FileIdentity(path)
    let createsLog = !mayWrite && SQLiteReader.logSize(path) == nil
    var session: SQLiteSession?
    // Without a session, the connection is closed by then.
    defer { if createsLog, session == nil { SQLiteReader.removeEmptyLog(path, file) } }
    session = try existing(createsLog: createsLog)
    return session
  }

  /// False if nothing is to be written, not even from the log into the database when it is closed.
  private var mayWrite: Bool {
    configuration.allowsSave && SQLiteReader.nameCount(path) <= 1
  }

  private func existing(createsLog: Bool) throws -> SQLiteSession? {
    let connection = try connect()
    if !mayWrite { connection.keepLogWhenClosed() }
    if try connection.isBlank { return nil }
    let database = try database(connection)
    let session = SQLiteSession(database)
    session.reader.file = FileIdentity(path)
    session.hasCreatedLog = createsLog
    try session.reader.configure(lockTimeoutSeconds: configuration.lockTimeoutSeconds)
    try database.configure()
    try connection.atOneMoment {
      try naming(isOwn: database is OwnDatabase, database.load)
      try session.reader.noteVersions()
    }
    session.readOnlyReason = try reasonNotToSave(connection)
    return session
  }

  /// Why a database that was to be opened for saving cannot be saved; nil if it can.
  private func reasonNotToSave(_ connection: SQLiteConnection) throws -> String? {
    guard configuration.allowsSave else { return nil }
    // Opening the file to find out would drop the locks of the connection (`DatabaseStart`).
    if access(path, W_OK) != 0 { return "\(SystemErrorCode(rawValue: errno))" }
    let nameCount = SQLiteReader.nameCount(path)
    if nameCount > 1 { return "it has \(nameCount) hard links" }
    // The files of a write-ahead log may be there already; a journal is created by each save.
    let needsFolder = try connection.value("PRAGMA journal_mode") != .text("wal")
    guard connection.isReadOnly || needsFolder,
      !FileManager.default.isWritableFile(atPath: folder)
    else { return nil }
    return "its folder cannot be written"
  }

  /// The database as it is marked.
  private func database(_ connection: SQLiteConnection) throws -> any SQLiteDatabase {
    guard try connection.number("PRAGMA application_id") == OwnTables.applicationID else {
      let reader = SQLiteReader(connection, configuration, identifier: path)
      return ForeignDatabase(reader, configuration.historyLimit)
    }
    try OwnDatabase.checkFormat(connection, path)
    let identifier = try naming(isOwn: true) { try Self.identifier(connection, path) }
    return own(SQLiteReader(connection, configuration, identifier: identifier), isUnwritten: false)
  }

  private func own(_ reader: SQLiteReader, isUnwritten: Bool) -> OwnDatabase {
    let timeout = configuration.lockTimeoutSeconds
    return OwnDatabase(reader, isUnwritten: isUnwritten, lockTimeoutSeconds: timeout)
  }

  /// Runs a body that reads tables; if they are missing, the error says whose they are.
  private func naming<Result>(isOwn: Bool, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as SQLiteFailure {
      throw failure.error(path, isOwn: isOwn)
    }
  }

  private static func identifier(_ connection: SQLiteConnection, _ path: String) throws -> String {
    guard
      case .text(let name)? = try connection.value(
        "SELECT value FROM catalog_meta WHERE name = 'store'"
      )
    else {
      throw PersistenceError(
        .damaged,
        "\(path): its table catalog_meta is empty; restore a copy of the file, or read the other tables with sqlite3"
      )
    }
    return name
  }

  private func connect() throws -> SQLiteConnection {
    do {
      let connection = try SQLiteConnection(path, isReadOnly: !configuration.allowsSave)
      connection.setTimeout(seconds: configuration.lockTimeoutSeconds)
      _ = try connection.number("PRAGMA schema_version")
      return connection
    } catch let failure as SQLiteFailure where failure.isOfFullDisk(path) && isMarkedAsOwn {
      guard let connection = try connectAlone() else { throw failure }
      return connection
    } catch let failure as SQLiteFailure where failure.primaryCode == 14 || failure.isOfFolder {
      // A database with a write-ahead log cannot be opened in a folder that cannot be written. Without the log, no
      // other program can be writing either.
      guard !FileManager.default.isWritableFile(atPath: folder) else { throw failure }
      guard !FileManager.default.fileExists(atPath: path + "-wal") else {
        throw SQLiteFailure(code: 1544, description: failure.description)
      }
      return try SQLiteConnection(path, isReadOnly: true, isImmutable: true)
    }
  }

  /// Reads a write-ahead log without the file that its users share, for which a full disk has no room.
  ///
  /// Other programs are kept out meanwhile, which only a database of ours may do.
  ///
  /// - Returns: Nil if others use the database.
  ///
  /// Source: <https://www.sqlite.org/wal.html#use_of_wal_without_shared_memory>
  private func connectAlone() throws -> SQLiteConnection? {
    let connection = try SQLiteConnection(path, isReadOnly: false)
    try connection.run("PRAGMA locking_mode = EXCLUSIVE")
    connection.keepLogWhenClosed()
    do {
      _ = try connection.number("PRAGMA schema_version")
    } catch is SQLiteFailure {
      return nil
    }
    connection.isAlone = true
    return connection
  }

  /// True if the first bytes of the file say that this library made it, before SQLite can be asked.
  ///
  /// Source: <https://www.sqlite.org/fileformat2.html#application_id>
  private var isMarkedAsOwn: Bool {
    guard let start = DatabaseStart.bytes(of: path, count: 72), start.count == 72 else {
      return false
    }
    return start[68...].reduce(0) { $0 << 8 | Int64($1) } == OwnTables.applicationID
  }

  private var folder: String {
    URL(fileURLWithPath: path).deletingLastPathComponent().path
  }
}
