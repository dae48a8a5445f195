import CSQLite
import SQL

/// A statement that is run many times, each time with a value for each parameter.
struct SQLiteRepeatedRun {
  let connection: SQLiteConnection
  let statement: OpaquePointer

  func bind(_ value: SQLValue, _ place: Int32) throws {
    try connection.bind(value, place, statement)
  }

  func bind(_ number: Int64, _ place: Int32) throws {
    try check(sqlite3_bind_int64(statement, place, number))
  }

  func bind(_ number: Double, _ place: Int32) throws {
    try check(sqlite3_bind_double(statement, place, number))
  }

  /// Gives a parameter a text, which has to stay where it is until the statement has run.
  func bind(_ text: UnsafeBufferPointer<UInt8>, _ place: Int32) throws {
    guard let first = text.baseAddress else { return try bind(.text(""), place) }
    let code = first.withMemoryRebound(to: CChar.self, capacity: text.count) {
      sqlite3_bind_text64(statement, place, $0, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
    }
    try check(code)
  }

  /// Gives a parameter bytes, which have to stay where they are until the statement has run.
  func bind(_ bytes: UnsafeRawBufferPointer, _ place: Int32) throws {
    guard let first = bytes.baseAddress, !bytes.isEmpty else { return try bind(.bytes([]), place) }
    try check(sqlite3_bind_blob64(statement, place, first, UInt64(bytes.count), nil))
  }

  /// Runs the statement.
  ///
  /// - Returns: The number of rows that it changed.
  func step() throws -> Int { try connection.step(statement) }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw connection.withHandle { SQLiteFailure($0) } }
  }
}
