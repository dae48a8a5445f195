import OpenSwiftData

/// A failure that a server or the connection to it reports.
struct PostgresFailure: Error, CustomStringConvertible {
  /// The SQLSTATE; empty for a failure of the connection.
  var state = ""
  /// What the server says.
  let message: String
  var detail: String?
  /// The column that the failure is about; nil if the server names none.
  var column: String?

  /// What the server says, in one line.
  var description: String {
    let detail = detail.map { " (\($0))" } ?? ""
    return (message + detail).split(whereSeparator: \.isNewline)
      .map { $0.drop(while: \.isWhitespace) }.joined(separator: " ")
  }

  /// True if the connection cannot be used any more.
  var isOfConnection: Bool {
    state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state)
  }

  /// True if nothing is known about a transaction whose end was asked for.
  var leavesDoubt: Bool { isOfConnection || ["40003", "08007"].contains(state) }

  /// True if the transaction may succeed when it is tried again.
  var isOfTurn: Bool { ["40001", "40P01"].contains(state) }

  /// True if other statements of the save may remove the reason: a value that is not unique, or a missing row.
  var mayPass: Bool { ["23505", "23503", "23P01"].contains(state) }

  /// True if the server has refused what was to be stored.
  var isOfValue: Bool {
    state.hasPrefix("22") || state.hasPrefix("23") || state.hasPrefix("P0") || state == "44000"
  }

  /// True if tables or columns are other ones than when they were described.
  var isOfSchema: Bool { ["42P01", "42703", "0A000", "3F000", "42883"].contains(state) }

  /// The failure in the terms of the store.
  func error(_ location: String, isSaving: Bool = false) -> PersistenceError {
    let result = isSaving ? "; nothing was saved" : ""
    let sentence =
      isOfConnection
      ? "the connection was lost (\(description))\(result); try again"
      : state == "55P03"
        ? "locked by another program (\(description))\(result); try again" : description + result
    return PersistenceError(code, "\(location): \(sentence)", cause: self)
  }

  /// The kind of the failure.
  var code: PersistenceError.Code {
    switch state.prefix(2) {
    case "23": state == "23505" ? .notUnique : .invalidValue
    case "22", "44", "P0": .invalidValue
    case "25": state == "25006" ? .readOnly : .inaccessible
    case "40", "55": .busy
    case "": .inaccessible
    default: state == "42501" ? .readOnly : .inaccessible
    }
  }
}
