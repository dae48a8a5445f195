import OpenSwiftData

/// A failure that a server or the connection to it reports.
struct PostgresFailure: Error, CustomStringConvertible {
  /// The SQLSTATE; empty for a failure of the connection.
  var state = ""
  /// What the server says.
  let message: String
  var detail: String?

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

  /// True if tables or columns are other ones than when they were described.
  var isOfSchema: Bool { ["42P01", "42703", "0A000", "3F000", "42883"].contains(state) }

  /// The failure in the terms of the store.
  func error(_ location: String) -> PersistenceError {
    let sentence =
      isOfConnection ? "the connection was lost (\(description)); try again" : description
    return PersistenceError(code, "\(location): \(sentence)", cause: self)
  }

  private var code: PersistenceError.Code {
    switch state.prefix(2) {
    case "22": .invalidValue
    case "40", "55": .busy
    case "": .inaccessible
    default: state == "42501" ? .readOnly : .inaccessible
    }
  }
}
