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
  let hasTypedValues: Bool
}

/// The reason why a file cannot be imported: one line with the file and the line number.
struct ImportError: CodedError, Hashable, CustomStringConvertible {
  let line: Int
  let reason: String
  /// A hint; nil if the reason is enough.
  let hint: String?
  let code: FailureCode
  /// The index of the cell in its row; nil if the error concerns the whole row.
  var cell: Int?
  /// True if the cell is the name of a column, in the heading or in an object.
  var isInHeading = false
  var path = ""
  /// The column in the file, in characters from 1; nil if it is not known.
  var fileColumn: Int?

  init(line: Int, _ reason: String, hint: String? = nil, code: FailureCode = .invalidFile) {
    self.line = line
    self.reason = reason
    self.hint = hint
    self.code = code
  }

  /// An error at an offset in the bytes of a file.
  ///
  /// - Complexity: O(n) in the length of the file, for messages only.
  init(at offset: Int, in bytes: [UInt8], _ reason: String) {
    let place = ImportSource.place(of: offset, in: bytes)
    self.init(line: place.line, reason)
    fileColumn = place.column
  }

  /// An error in a row, perhaps in one of its cells.
  init(_ row: ImportRow, _ reason: String, _ code: FailureCode, cell: Int? = nil) {
    self.init(line: row.line, reason, code: code)
    self.cell = cell
  }

  /// An error in the name of a column.
  init(_ row: ImportRow, _ reason: String, hint: String?, _ code: FailureCode, column: Int) {
    self.init(line: row.line, reason, hint: hint, code: code)
    cell = column
    isInHeading = true
  }

  var description: String {
    "\(path):\(line)" + (fileColumn.map { ":\($0)" } ?? "") + ": \(reason)"
      + (hint.map { "; \($0)" } ?? "")
  }
  var message: String { description }
  /// The column of a command's line, which is not where the error is.
  var column: Int? { nil }

  /// The same error with another hint, if there is one.
  func adding(hint: String?) -> ImportError {
    guard let hint else { return self }
    var error = ImportError(line: line, reason, hint: hint, code: code)
    (error.cell, error.isInHeading, error.path, error.fileColumn) = (
      cell, isInHeading, path, fileColumn
    )
    return error
  }

  /// Runs the body, and adds the path to its errors.
  ///
  /// With the contents of the file, they also name the column.
  static func naming<T>(_ path: String, in source: ImportSource? = nil, _ body: () throws -> T)
    throws -> T
  {
    do {
      return try body()
    } catch let found as ImportError {
      var error = source.map { found.placed(in: $0) } ?? found
      error.path = path
      throw error
    }
  }
}

/// Reads the rows of a file in any supported format.
struct ImportSource {
  let bytes: [UInt8]
  let format: OutputFormat

  /// Takes the bytes of a file, which must be UTF-8, with or without a byte order mark.
  init(_ bytes: [UInt8], format: OutputFormat) throws(ImportError) {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    self.bytes = hasMark ? Array(bytes.dropFirst(3)) : bytes
    self.format = format
    if let refusal = TextEncoding.refusal(of: bytes) { throw ImportError(line: 1, refusal) }
    if !Self.isText(self.bytes) {
      let offset = UTF8.firstInvalidOffset(in: self.bytes) ?? 0
      throw ImportError(
        at: offset,
        in: self.bytes,
        "invalid UTF-8 at byte \(offset + (hasMark ? 4 : 1))"
      )
    }
  }

  /// True if the bytes are UTF-8; they are copied piece by piece.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    var start = 0
    while start < bytes.count {
      var end = min(start + pieceBytes, bytes.count)
      // No character is divided: the next piece begins with its first byte.
      while end < bytes.count, end > start + 1, bytes[end] & 0xC0 == 0x80 { end -= 1 }
      if String(validating: bytes[start..<end], as: UTF8.self) == nil { return false }
      start = end
    }
    return true
  }

  private static let pieceBytes = 1 << 20

  /// A note about a heading that was read as one field but may be several; nil otherwise.
  func separatorNote(_ columns: [String]) -> String? {
    separatorHint(columns).map { "\(Value.quoted(columns[0])) was read as one field; \($0)" }
  }

  func separatorHint(_ columns: [String]) -> String? {
    guard columns.count == 1, let heading = columns.first else { return nil }
    return switch format {
    case .csv where heading.contains("\t"):
      ".csv fields are separated by commas; rename the file to .tsv if it uses tabs"
    case .csv where heading.contains(";"):
      ".csv fields are separated by commas, not semicolons; convert the file with: catalog FILE --to NEW.tsv"
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
    case .json, .jsonl, .table, .md: try JSONRows(bytes).forEachRow(isLines: format == .jsonl, body)
    }
  }

  static func line(of offset: Int, in bytes: [UInt8]) -> Int {
    1 + bytes.prefix(offset).reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
  }

  /// The line of an offset, and the column in characters, both counted from 1.
  static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    let start = bytes.prefix(offset).lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let text = String(decoding: bytes[start..<min(offset, bytes.count)], as: UTF8.self)
    return (line(of: offset, in: bytes), text.count + 1)
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
    reader.keepsEmptyLines = columns.count == 1
    let counter = WorkCounter("reading", of: bytes.count, unit: .bytes)
    do {
      while let row = try reader.next() {
        try body(try Self.row(row, columns))
        try counter.advance(to: reader.position)
      }
      try counter.advance(to: bytes.count)
    } catch let error as ImportError {
      throw error.adding(hint: separatorHint(columns))
    }
  }

  private static func row(_ row: DelimitedRow, _ columns: [String]) throws(ImportError) -> ImportRow
  {
    guard row.cells.count == columns.count else {
      var error = ImportError(
        line: row.line,
        "\(Session.counted(row.cells.count, "value")), but the header has \(Session.counted(columns.count, "field"))"
      )
      // The first value without a field, or the last value before the missing ones.
      error.cell = min(columns.count, row.cells.count - 1)
      throw error
    }
    return ImportRow(
      line: row.line,
      entityName: nil,
      columns: columns,
      cells: row.cells,
      hasTypedValues: false
    )
  }

  private static func columns(_ heading: DelimitedRow) throws(ImportError) -> [String] {
    var seen: Set<String> = []
    var columns: [String] = []
    for (place, cell) in heading.cells.enumerated() {
      guard case .text(let name) = cell, !name.isEmpty else {
        throw Self.error(heading, place, "column \(place + 1) has no name")
      }
      guard seen.insert(name).inserted else {
        throw Self.error(heading, place, "duplicate column \(Value.quoted(name))")
      }
      columns.append(name)
    }
    return columns
  }

  private static func error(_ heading: DelimitedRow, _ place: Int, _ reason: String) -> ImportError
  {
    var error = ImportError(line: heading.line, reason)
    (error.cell, error.isInHeading) = (place, true)
    return error
  }
}
