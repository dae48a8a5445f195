import CSQLite
import SQL

/// The row that a statement is at.
struct SQLiteRow {
  let statement: OpaquePointer

  /// The number of columns.
  var count: Int { Int(sqlite3_column_count(statement)) }

  /// The values of all columns.
  var values: [SQLValue] { (0..<count).map { self[$0] } }

  /// The value of a column, or the beginning of a long one.
  func beginning(_ place: Int, _ sizeBytes: Int) -> SQLValue {
    let column = Int32(place)
    switch sqlite3_column_type(statement, column) {
    case SQLITE_TEXT:
      guard let first = sqlite3_column_text(statement, column) else { return .text("") }
      var size = Int(sqlite3_column_bytes(statement, column))
      if size > sizeBytes {
        size = sizeBytes
        // Not in the middle of a character.
        while size > 0, first[size] & 0xC0 == 0x80 { size -= 1 }
      }
      return SQLValue(text: UnsafeBufferPointer(start: first, count: size))
    case SQLITE_BLOB:
      let size = min(Int(sqlite3_column_bytes(statement, column)), sizeBytes)
      guard size > 0, let first = sqlite3_column_blob(statement, column) else { return .bytes([]) }
      return .bytes(Array(UnsafeRawBufferPointer(start: first, count: size)))
    default: return self[place]
    }
  }

  /// The type of the value of a column.
  func type(_ column: Int32) -> Int32 { sqlite3_column_type(statement, column) }

  /// The whole number in a column.
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// The floating-point number in a column.
  func number(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  /// Calls the body with the bytes of the text in a column; nil without memory for them.
  func withText<Result>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result?
  {
    guard let first = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return body(UnsafeBufferPointer(start: first, count: count))
  }

  /// The value of a column.
  subscript(_ place: Int) -> SQLValue {
    let column = Int32(place)
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: return withText(column) { SQLValue(text: $0) } ?? .text("")
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, column))
      guard count > 0, let first = sqlite3_column_blob(statement, column) else { return .bytes([]) }
      return .bytes(Array(UnsafeRawBufferPointer(start: first, count: count)))
    default: return .null
    }
  }
}

extension SQLValue {
  /// A text of the database.
  init(text bytes: UnsafeBufferPointer<UInt8>) {
    if let text = String(validUTF8: bytes) {
      self = .text(text)
    } else {
      self = .damagedText(Array(bytes))
    }
  }
}
