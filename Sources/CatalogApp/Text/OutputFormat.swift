/// How results are printed.
package enum OutputFormat: String, CaseIterable, Sendable {
  /// Aligned columns for reading.
  case table
  /// One array of objects.
  case json
  /// One object per line.
  case jsonl
  /// Comma-separated values (RFC 4180) with a heading line.
  case csv
  /// Tab-separated values with a heading line; tabs and line ends inside values as `\t` and `\n`.
  case tsv
  /// Values separated by `|`, otherwise as comma-separated values.
  case psv
  /// A Markdown table as on GitHub; for output only.
  case md
  /// A page with a table; for output only.
  case html
  /// A statement for each record that inserts it into a table of a database; for output only.
  case sql

  /// The format for a file name extension.
  package init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    switch path[path.index(after: dot)...].lowercased() {
    case "json": self = .json
    case "jsonl", "ndjson": self = .jsonl
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "psv": self = .psv
    case "md": self = .md
    case "html", "htm": self = .html
    case "sql": self = .sql
    default: return nil
    }
  }

  /// What divides separated values; nil for another format.
  package var delimiter: UInt8? {
    switch self {
    case .csv: UInt8(ascii: ",")
    case .tsv: 0x09
    case .psv: UInt8(ascii: "|")
    case .table, .json, .jsonl, .md, .html, .sql: nil
    }
  }

  /// The delimiter that the name of the format promises; nil if it is found out.
  var promisedDelimiter: UInt8? { self == .csv ? nil : delimiter }

  /// True for a format that records can be read from.
  package var isReadable: Bool { isJSON || delimiter != nil }

  /// True for objects in JSON.
  var isJSON: Bool { self == .json || self == .jsonl }

  /// True for a document that records are only written to.
  package var isDocument: Bool { !isReadable && self != .table }
}
