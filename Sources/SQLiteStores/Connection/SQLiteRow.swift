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
    cell(Int32(place)).stored(atMost: sizeBytes)
  }

  /// A column.
  func cell(_ column: Int32) -> SQLiteCell {
    // The values of rows may be read because no other thread uses the connection.
    SQLiteCell(value: sqlite3_column_value(statement, column))
  }

  /// The value of a column.
  subscript(_ place: Int) -> SQLValue { cell(Int32(place)).stored() }
}

/// A value of a row, or an argument of a function; valid until the statement goes on.
struct SQLiteCell {
  let value: OpaquePointer

  /// The type of the value.
  var type: Int32 { sqlite3_value_type(value) }

  /// The whole number.
  var integer: Int64 { sqlite3_value_int64(value) }

  /// The floating-point number.
  var number: Double { sqlite3_value_double(value) }

  /// The size of a text or of bytes; 0 for other values.
  ///
  /// Zeros that were not written out yet stay so.
  var sizeBytes: Int {
    type == SQLITE_TEXT || type == SQLITE_BLOB ? Int(sqlite3_value_bytes(value)) : 0
  }

  /// Calls the body with the bytes of the text; nil without memory for them.
  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    guard let first = sqlite3_value_text(value) else { return nil }
    return body(UnsafeBufferPointer(start: first, count: Int(sqlite3_value_bytes(value))))
  }

  /// The value, or the beginning of a long one.
  func stored(atMost sizeBytes: Int = .max) -> SQLValue {
    switch type {
    case SQLITE_INTEGER: return .integer(integer)
    case SQLITE_FLOAT: return .real(number)
    case SQLITE_TEXT: return withText { SQLValue(text: $0, atMost: sizeBytes) } ?? .text("")
    case SQLITE_BLOB:
      let count = min(self.sizeBytes, sizeBytes)
      // Zeros, which may not have been written out yet, say as much as the beginning of many bytes.
      if count < self.sizeBytes { return .bytes(Array(repeating: 0, count: count)) }
      guard count > 0, let first = sqlite3_value_blob(value) else { return .bytes([]) }
      return .bytes(Array(UnsafeRawBufferPointer(start: first, count: count)))
    default: return .null
    }
  }
}

extension SQLValue {
  /// A text of the database, or the beginning of a long one.
  fileprivate init(text bytes: UnsafeBufferPointer<UInt8>, atMost sizeBytes: Int) {
    var size = bytes.count
    if size > sizeBytes {
      size = sizeBytes
      // Not in the middle of a character.
      while size > 0, bytes[size] & 0xC0 == 0x80 { size -= 1 }
    }
    let bytes = UnsafeBufferPointer(rebasing: bytes[..<size])
    if let text = String(validUTF8: bytes) {
      self = .text(text)
    } else {
      self = .damagedText(Array(bytes))
    }
  }
}
