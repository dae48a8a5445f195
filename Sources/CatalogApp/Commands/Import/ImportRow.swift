import OpenSwiftData

/// One value of a file, before its type is known.
enum ImportCell: Hashable, Sendable {
  /// No value.
  case null
  /// Text, which may represent a value of any type.
  case text(String)
  /// A number as it was written.
  case number(String)
  /// True or false.
  case boolean(Bool)
  /// A JSON array or object.
  case container(String)

  init(_ item: JSONReader.Item) {
    self =
      switch item {
      case .null: .null
      case .boolean(let value): .boolean(value)
      case .number(let text): .number(text)
      case .text(let text): .text(text)
      case .container(let text): .container(text)
      }
  }
}

extension ImportCell {
  /// True for a value that exports write as the identifier of a record: a key of this program, or the
  /// row number, counted from 1.
  func isIdentifier(ofRow number: Int) -> Bool {
    switch self {
    case .text(let text): text == String(number) || isKey
    case .number(let text): text == String(number)
    case .null, .boolean, .container: false
    }
  }

  /// True for a key of this program.
  var isKey: Bool {
    if case .text(let text) = self { RecordKey(text) != nil } else { false }
  }
}

/// One record of a file.
struct ImportRow: Sendable {
  /// The line where it begins, counted from 1.
  let line: Int
  /// The entity that the file itself names; nil without one.
  let entityName: String?
  /// The names of the values.
  let columns: [String]
  /// A cell for each column.
  let cells: [ImportCell]
  /// True for JSON, which distinguishes text from other values; in other formats everything is text.
  let tellsTextApart: Bool
}

/// The reason why a file cannot be imported: one line with the file and the line number.
struct ImportError: Error, Hashable, CustomStringConvertible {
  let line: Int
  let reason: String
  /// A hint; nil if the reason is enough.
  let hint: String?
  var path = ""

  init(line: Int, _ reason: String, hint: String? = nil) {
    self.line = line
    self.reason = reason
    self.hint = hint
  }

  var description: String { "\(path):\(line): \(reason)" + (hint.map { "; \($0)" } ?? "") }
}

/// Reads the rows of a file in any supported format.
struct ImportSource {
  private let bytes: [UInt8]
  private let format: OutputFormat

  /// Takes the bytes of a file, which must be UTF-8, with or without a byte order mark.
  init(_ bytes: [UInt8], format: OutputFormat) throws(ImportError) {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    self.bytes = hasMark ? Array(bytes.dropFirst(3)) : bytes
    self.format = format
    if let refusal = TextEncoding.refusal(of: bytes) { throw ImportError(line: 1, refusal) }
    if String(validating: self.bytes, as: UTF8.self) == nil {
      let offset = UTF8.firstInvalidOffset(in: self.bytes) ?? 0
      throw ImportError(
        line: Self.line(of: offset, in: self.bytes),
        "invalid UTF-8 at byte \(offset + (hasMark ? 4 : 1))"
      )
    }
  }

  /// A note about a heading that was read as one field but may be several; nil otherwise.
  func separatorNote(_ columns: [String]) -> String? {
    separatorHint(columns).map { "\(Value.quoted(columns[0])) was read as one field; \($0)" }
  }

  private func separatorHint(_ columns: [String]) -> String? {
    guard columns.count == 1, let heading = columns.first else { return nil }
    return switch format {
    case .csv where heading.contains("\t"):
      ".csv fields are separated by commas; rename the file to .tsv if it uses tabs"
    case .csv where heading.contains(";"):
      ".csv fields are separated by commas, not semicolons; save the file with commas, or with tabs as .tsv"
    case .tsv where heading.contains(";") || heading.contains(","):
      ".tsv fields are separated by tabs; save the file with tabs, or with commas as .csv"
    default: nil
    }
  }

  /// Calls the closure with each row.
  ///
  /// - Throws: `ImportError`, and the errors of the closure.
  func forEachRow(_ body: (ImportRow) throws -> Void) throws {
    switch format {
    case .csv: try forEachDelimitedRow(CSVFields(bytes), body)
    case .tsv: try forEachDelimitedRow(TSVFields(bytes), body)
    case .json, .jsonl, .table: try JSONRows(bytes).forEachRow(isLines: format == .jsonl, body)
    }
  }

  static func line(of offset: Int, in bytes: [UInt8]) -> Int {
    1 + bytes.prefix(offset).reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
  }

  private func forEachDelimitedRow(
    _ reader: some DelimitedFields,
    _ body: (ImportRow) throws -> Void
  ) throws {
    var reader = reader
    guard let heading = try reader.next() else {
      throw ImportError(line: 1, "empty file; the first line must name the fields")
    }
    let columns = try Self.columns(heading)
    do {
      while let row = try reader.next() { try body(try Self.row(row, columns)) }
    } catch let error as ImportError {
      guard let hint = separatorHint(columns) else { throw error }
      throw ImportError(line: error.line, error.reason, hint: hint)
    }
  }

  private static func row(_ row: DelimitedRow, _ columns: [String]) throws(ImportError) -> ImportRow
  {
    guard row.cells.count == columns.count else {
      throw ImportError(
        line: row.line,
        "\(Session.counted(row.cells.count, "value")), but the header has \(Session.counted(columns.count, "field"))"
      )
    }
    return ImportRow(
      line: row.line,
      entityName: nil,
      columns: columns,
      cells: row.cells,
      tellsTextApart: false
    )
  }

  private static func columns(_ heading: DelimitedRow) throws(ImportError) -> [String] {
    var seen: Set<String> = []
    var columns: [String] = []
    for (place, cell) in heading.cells.enumerated() {
      guard case .text(let name) = cell, !name.isEmpty else {
        throw ImportError(line: heading.line, "column \(place + 1) has no name")
      }
      guard seen.insert(name).inserted else {
        throw ImportError(line: heading.line, "duplicate column \(Value.quoted(name))")
      }
      columns.append(name)
    }
    return columns
  }
}
