import CSQLite
import OpenSwiftData
import SQL

/// A connection to a database, used by one thread at a time.
final class SQLiteConnection: @unchecked Sendable {
  // Unchecked because the store that owns it has a lock around every use.

  private let handle: OpaquePointer
  /// The file that it has opened.
  private let file: FileIdentity?
  /// Prepared statements that are not running, by their text.
  private var idle: [ExactName: OpaquePointer] = [:]
  /// The one that ran last, which is often the next one, too.
  private var last: (name: ExactName, statement: OpaquePointer)?
  /// The functions of the program that statements call.
  let functions: SQLiteFunctions

  /// The version of the tables of another program whose columns statements name; nil if none of its triggers run.
  var knownSchemaVersion: Int64?
  private let waiting = SQLiteWaiting()
  /// True if it keeps other programs out, because the disk has no room for what is shared with them.
  var isAlone = false
  /// True if triggers and views are compiled as SQLite does by default.
  private var acceptsSchema = false
  private var acceptsFunctions = false

  /// Called before a statement that may begin to read the file; an error prevents it.
  var willRead: () throws -> Void = {}

  /// Runs the statement that ends a transaction; tests let it fail.
  var commit: (SQLiteConnection) throws -> Void = { try $0.run("COMMIT") }

  private static let idleLimit = 128

  /// Opens a database.
  ///
  /// - Throws: `SQLiteFailure`.
  init(_ path: String, isReadOnly: Bool, canCreate: Bool = false, isImmutable: Bool = false) throws
  {
    var opened: OpaquePointer?
    let access =
      isReadOnly
      ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (canCreate ? SQLITE_OPEN_CREATE : 0)
    let name = isImmutable ? Self.immutableName(path) : path
    var code = SQLITE_OK
    file = DatabaseStart.noteOpening(path) {
      code = sqlite3_open_v2(
        name,
        &opened,
        access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (isImmutable ? SQLITE_OPEN_URI : 0),
        nil
      )
    }
    guard code == SQLITE_OK, let opened else {
      let failure = SQLiteFailure(opened)
      sqlite3_close_v2(opened)
      if let file { DatabaseStart.noteClosing(file) }
      throw failure
    }
    handle = opened
    functions = SQLiteFunctions()
    functions.register(with: opened)
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    ] {
      _ = catalog_sqlite_config(opened, option, Int32(value))
    }
    // Long statements stop when the user cancels them.
    sqlite3_progress_handler(
      opened,
      2000,
      { _ in (try? Interruption.check()) == nil ? 1 : 0 },
      nil
    )
  }

  private static func immutableName(_ path: String) -> String {
    let allowed = path.utf8.map { byte -> String in
      let isLetter = (97...122).contains(byte | 0x20)
      if isLetter || (45...57).contains(byte) || byte == 95 { return String(UnicodeScalar(byte)) }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "file:" + allowed.joined() + "?immutable=1"
  }

  deinit {
    releaseStatements()
    sqlite3_close_v2(handle)
    if let file { DatabaseStart.noteClosing(file) }
  }

  /// Runs a body with the connection of the library.
  func withHandle<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
    try body(handle)
  }

  /// How long a statement waits for other programs.
  func setTimeout(seconds: Double) {
    waiting.limit = .milliseconds(Int(min(max(seconds, 0) * 1000, 1e9)))
    sqlite3_busy_handler(
      handle,
      { context, count in
        guard let context else { return 0 }
        let waiting = Unmanaged<SQLiteWaiting>.fromOpaque(context).takeUnretainedValue()
        return waiting.waits(isFirst: count == 0) ? 1 : 0
      },
      Unmanaged.passUnretained(waiting).toOpaque()
    )
  }

  /// True while a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// True if the database cannot be written.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// True if a row refers to one that does not exist, which would make the end of the transaction fail.
  var hasBrokenReference: Bool {
    var (count, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &highest, 0)
    return count != 0
  }

  /// The key of the last inserted row.
  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The name of the rules by which the column compares texts, in capital letters, such as `BINARY`.
  func collation(_ column: String, of table: String) -> String {
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      handle,
      "main",
      table,
      column,
      nil,
      &name,
      nil,
      nil,
      nil
    )
    guard code == SQLITE_OK, let name else { return "BINARY" }
    return String(cString: name).uppercased()
  }

  /// The greatest number of columns of a result.
  var columnLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1)) }

  /// True if a statement is valid.
  func canPrepare(_ text: String) -> Bool {
    guard (try? checkReading()) != nil, let statement = try? take(text) else { return false }
    putBack(statement, text)
    return true
  }

  /// Compiles a statement, as to find out whether what it names exists.
  ///
  /// - Throws: `SQLiteFailure`.
  func checkIsValid(_ text: String) throws {
    try checkReading()
    putBack(try take(text), text)
  }

  // MARK: Statements

  /// Runs a statement and calls the body with each row, until it returns false.
  ///
  /// - Throws: `SQLiteFailure`, `Interruption.Stopped`, or what the body throws.
  func visit(_ sql: SQLText, while body: (SQLiteRow) throws -> Bool) throws {
    try checkReading()
    let text = sql.text
    let statement = try take(text)
    defer { putBack(statement, text) }
    for (place, value) in sql.values.enumerated() { try bind(value, Int32(place + 1), statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: if try !body(SQLiteRow(statement: statement)) { return }
      case SQLITE_DONE: return
      default: try fail()
      }
    }
  }

  /// Throws the error that has ended a statement.
  private func fail() throws -> Never {
    if let misfit = functions.takeMisfit() { throw misfit }
    let failure = lastFailure()
    if failure.primaryCode == SQLITE_INTERRUPT { throw Interruption.Stopped() }
    // The user has canceled waiting.
    if failure.primaryCode == SQLITE_BUSY { try Interruption.check() }
    throw failure
  }

  /// Runs a statement and calls the body with each row.
  func forEach(_ sql: SQLText, _ body: (SQLiteRow) throws -> Void) throws {
    try visit(sql) {
      try body($0)
      return true
    }
  }

  /// The first value of the first row; nil without rows.
  func value(_ sql: SQLText) throws -> SQLValue? {
    var found: SQLValue?
    try visit(sql) {
      found = $0[0]
      return false
    }
    return found
  }

  /// The first value of the first row as a number; 0 without one.
  func number(_ sql: SQLText) throws -> Int64 {
    if case .integer(let number)? = try value(sql) { return number }
    return 0
  }

  /// True for a database without tables that no program has marked, such as an interrupted first save leaves.
  var isBlank: Bool {
    get throws {
      try number("SELECT count(*) FROM main.sqlite_schema") == 0
        && number("PRAGMA application_id") == 0 && number("PRAGMA user_version") == 0
    }
  }

  /// The rows.
  func rows(_ sql: SQLText) throws -> [[SQLValue]] {
    var rows: [[SQLValue]] = []
    try forEach(sql) { rows.append($0.values) }
    return rows
  }

  /// Runs a statement.
  ///
  /// - Returns: The number of rows that it changed, without those that triggers changed.
  @discardableResult
  func run(_ sql: SQLText) throws -> Int {
    try forEach(sql) { _ in }
    return Int(sqlite3_changes64(handle))
  }

  /// Lends a statement that is run many times with other values.
  ///
  /// - Throws: `SQLiteFailure`; what the body throws.
  func repeating(_ text: String, _ body: (SQLiteRepeatedRun) throws -> Void) throws {
    try checkReading()
    let statement = try take(text)
    defer { putBack(statement, text) }
    try body(SQLiteRepeatedRun(connection: self, statement: statement))
  }

  /// Runs a statement without rows.
  func step(_ statement: OpaquePointer) throws -> Int {
    let code = sqlite3_step(statement)
    defer { sqlite3_reset(statement) }
    guard code == SQLITE_DONE else { try fail() }
    return Int(sqlite3_changes64(handle))
  }

  /// Runs the body in a transaction, which other programs cannot write during; ends it if the body throws.
  func transaction<Result>(_ begin: SQLText = "BEGIN IMMEDIATE", _ body: () throws -> Result) throws
    -> Result
  {
    try run(begin)
    do {
      let result = try body()
      // What is committed is not canceled.
      try Interruption.ignored { try end() }
      return result
    } catch {
      // The database has ended it after some errors.
      if isInTransaction { _ = try? Interruption.ignored { try run("ROLLBACK") } }
      throw error
    }
  }

  /// Runs the body in a transaction that is undone, of which nothing is written to the disk.
  ///
  /// Changed pages stay in memory, and so does the journal with the former ones. A write-ahead log gets pages only at
  /// the end of a transaction that is not undone.
  ///
  /// Source: <https://www.sqlite.org/pragma.html#pragma_cache_spill>
  func rehearsal<Result>(_ body: () throws -> Result) throws -> Result {
    let mode = try value("PRAGMA journal_mode")?.literal ?? ""
    let usesLog = mode.contains("wal")
    try run("PRAGMA cache_spill = OFF")
    if !usesLog { try run("PRAGMA journal_mode = MEMORY") }
    defer {
      // A connection that cannot do this any more cannot save either.
      Interruption.ignored {
        if isInTransaction { _ = try? run("ROLLBACK") }
        if !usesLog { _ = try? run("PRAGMA journal_mode = DELETE") }
        _ = try? run("PRAGMA cache_spill = ON")
      }
    }
    try run("BEGIN IMMEDIATE")
    return try body()
  }

  /// Leaves the write-ahead log as it is when this connection is the last one that is closed.
  func keepLogWhenClosed() {
    _ = catalog_sqlite_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
  }

  /// Runs a body that reads, so that all its statements see the same saves.
  ///
  /// - Throws: The error of the body or of the database.
  func atOneMoment<Result>(_ body: () throws -> Result) throws -> Result {
    if isInTransaction { return try body() }
    try run("BEGIN")
    // Nothing was written, and after damage the database reports it once more.
    defer { Interruption.ignored { endReading() } }
    return try body()
  }

  private func endReading() {
    _ = try? run("COMMIT")
    if isInTransaction { _ = try? run("ROLLBACK") }
  }

  /// Asks whether the file may be read, unless a transaction reads it already.
  private func checkReading() throws {
    if !isInTransaction { try willRead() }
  }

  /// Ends a transaction.
  private func end() throws {
    do {
      try commit(self)
    } catch let failure as SQLiteFailure where !isInTransaction {
      throw UncertainCommit(failure: failure)
    }
  }

  private func take(_ text: String) throws -> OpaquePointer {
    let name = ExactName(text)
    if let (known, statement) = last, known == name {
      last = nil
      return statement
    }
    if let known = idle.removeValue(forKey: name) { return known }
    var prepared: OpaquePointer?
    var code = sqlite3_prepare_v3(handle, text, -1, 0, &prepared, nil)
    if code != SQLITE_OK, try acceptFunctions() || code & 0xFF == SQLITE_ERROR && acceptSchema() {
      code = sqlite3_prepare_v3(handle, text, -1, 0, &prepared, nil)
    }
    guard code == SQLITE_OK, let prepared else {
      let failure = lastFailure()
      if failure.primaryCode == SQLITE_INTERRUPT { throw Interruption.Stopped() }
      throw failure
    }
    return prepared
  }

  /// The last error, with the time that the statement has waited.
  private func lastFailure() -> SQLiteFailure {
    var failure = SQLiteFailure(handle)
    failure.waited = waiting.waited
    return failure
  }

  /// Compiles triggers and views of another program from now on as SQLite does by default: with texts in double quotes,
  /// and with virtual tables.
  ///
  /// Statements of this program would then take an unknown column for a text. They name known columns only, so the error
  /// that leads here is that of a trigger or a view, unless the tables have changed.
  private func acceptSchema() throws -> Bool {
    guard let known = knownSchemaVersion, !acceptsSchema else { return false }
    let failure = SQLiteFailure(handle)
    acceptsSchema = true
    guard try number("PRAGMA schema_version") == known else {
      acceptsSchema = false
      throw failure
    }
    for option in [SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_DQS_DML] {
      _ = catalog_sqlite_config(handle, option, 1)
    }
    return true
  }

  /// Lets the schema call functions that SQLite calls unsafe there, once it refuses one.
  ///
  /// Some versions call those of JSON unsafe, which checks, indexes and views of other programs use, and a table with such
  /// a check cannot even be read. No function of this process has an effect elsewhere: it loads no extension.
  ///
  /// - Returns: True if the statement is worth another try.
  ///
  /// Source: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigtrustedschema>
  private func acceptFunctions() -> Bool {
    guard !acceptsFunctions, String(cString: sqlite3_errmsg(handle)).contains("unsafe use of")
    else { return false }
    acceptsFunctions = true
    _ = catalog_sqlite_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
    return true
  }

  private func putBack(_ statement: OpaquePointer, _ text: String) {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    waiting.end()
    if let last { keepIdle(last.statement, last.name) }
    last = (ExactName(text), statement)
  }

  private func keepIdle(_ statement: OpaquePointer, _ name: ExactName) {
    if idle.count >= Self.idleLimit { releaseIdle() }
    if let other = idle.updateValue(statement, forKey: name) { sqlite3_finalize(other) }
  }

  /// Releases prepared statements, as before a change of the schema.
  func releaseStatements() {
    if let last { sqlite3_finalize(last.statement) }
    last = nil
    releaseIdle()
  }

  private func releaseIdle() {
    for other in idle.values { sqlite3_finalize(other) }
    idle = [:]
  }

  /// Gives a parameter a value.
  func bind(_ value: SQLValue, _ place: Int32, _ statement: OpaquePointer) throws {
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(statement, place)
    case .integer(let number): code = sqlite3_bind_int64(statement, place, number)
    case .real(let number): code = sqlite3_bind_double(statement, place, number)
    case .text(let text):
      var text = text
      code = text.withUTF8 { Self.bindText($0, place, statement) }
    case .damagedText(let bytes):
      code = bytes.withUnsafeBufferPointer { Self.bindText($0, place, statement) }
    case .bytes(let bytes):
      code = bytes.withUnsafeBytes {
        catalog_sqlite_bind_blob(statement, place, $0.baseAddress, UInt64($0.count))
      }
    }
    if code != SQLITE_OK { throw SQLiteFailure(handle) }
  }

  private static func bindText(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ place: Int32,
    _ statement: OpaquePointer
  ) -> Int32 {
    guard let first = bytes.baseAddress else {
      return catalog_sqlite_bind_text(statement, place, "", 0)
    }
    return first.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      catalog_sqlite_bind_text(statement, place, $0, UInt64(bytes.count))
    }
  }
}
