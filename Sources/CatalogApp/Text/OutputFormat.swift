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
    default: return nil
    }
  }

  /// What divides separated values; nil for another format.
  package var delimiter: UInt8? {
    switch self {
    case .csv: UInt8(ascii: ",")
    case .tsv: 0x09
    case .psv: UInt8(ascii: "|")
    case .table, .json, .jsonl, .md: nil
    }
  }

  /// The delimiter that the name of the format promises; nil if it is found out.
  var promisedDelimiter: UInt8? { self == .csv ? nil : delimiter }

  /// True for a format that records can be read from.
  package var isReadable: Bool { self != .table && self != .md }

  /// True for a format that `TableWriter` writes row by row as text for people.
  var isForPeople: Bool { self == .table || self == .md }
}
