import CPostgreSQL
import OpenSwiftData

/// The answer to a statement.
///
/// It owns the rows; a cell is valid as long as the result is.
final class PostgresResult {
  private let library: CPQLibrary
  private let result: OpaquePointer
  let status: Int
  let rowCount: Int
  let columnCount: Int

  init(_ library: CPQLibrary, _ result: OpaquePointer) {
    (self.library, self.result) = (library, result)
    status = Int(library.PQresultStatus(result))
    rowCount = Int(library.PQntuples(result))
    columnCount = Int(library.PQnfields(result))
  }

  deinit { library.PQclear(result) }

  /// The bytes of a cell, in the format of the result; nil for a missing value.
  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    let (row, column) = (Int32(row), Int32(column))
    if library.PQgetisnull(result, row, column) != 0 { return nil }
    return UnsafeRawBufferPointer(
      start: library.PQgetvalue(result, row, column),
      count: Int(library.PQgetlength(result, row, column))
    )
  }

  /// The text of a cell of a result in text format, or of a text; nil for a missing value.
  func text(_ row: Int, _ column: Int) -> String? {
    bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// True for `t` in a result in text format.
  func isTrue(_ row: Int, _ column: Int) -> Bool { text(row, column) == "t" }

  /// The number in a cell of a result in text format; 0 for a missing one.
  func number(_ row: Int, _ column: Int) -> Int { text(row, column).flatMap { Int($0) } ?? 0 }

  /// The number of rows that a statement has changed; 0 for one that changes none.
  var changedCount: Int { library.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// What the server has done, such as `COMMIT` or `ROLLBACK`.
  var tag: String { library.PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  /// True for the answer to a query.
  var hasRows: Bool { status == Int(CPQ_TUPLES_OK) }

  /// The type of a column.
  func type(_ column: Int) -> UInt32 { library.PQftype(result, Int32(column)) }

  /// The failure that the answer reports; nil if it reports none.
  var failure: PostgresFailure? {
    guard status == Int(CPQ_FATAL_ERROR) || status == Int(CPQ_BAD_RESPONSE) else { return nil }
    func field(_ letter: Unicode.Scalar) -> String? {
      library.PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
    }
    let message = library.PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
    return PostgresFailure(
      state: field("C") ?? "",
      message: field("M") ?? message,
      detail: field("D"),
      column: field("c")
    )
  }
}
