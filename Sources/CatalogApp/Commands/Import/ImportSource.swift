import OpenSwiftData

/// Reads the rows of a file in any supported format.
struct ImportSource {
  let bytes: [UInt8]
  let format: OutputFormat
  /// The same bytes with what divides them; nil for JSON.
  let delimited: DelimitedText?
  /// True if the first line of separated values names the columns.
  private(set) var hasHeader: Bool
  /// True if the first line has nothing but names of fields, which leaves no doubt.
  private var hasFieldNames = false
  /// True for a JSON document that may be a single record of JSON Lines, because nothing names its format.
  var mayBeRecord = false
  /// How values are read; nil for the usual way.
  private(set) var values: DelimitedValues?
  /// The only array of records of a JSON document that has other members, too.
  var chosenArray: JSONMembers.Choice?
  /// The member of the only record that is an array of objects, which may be what was meant.
  var arrayOfRecord: String?
  private let shortRows = ShortRows()

  /// Takes the bytes of a file.
  ///
  /// - Parameters:
  ///   - bytes: The bytes: JSON in UTF-8, with or without a byte order mark, or separated values.
  ///   - format: The format of the bytes.
  ///   - read: Finds out how separated values are written, with the delimiter that the name promises.
  /// - Throws: `ImportError` for bytes that are not text.
  init(
    _ bytes: [UInt8],
    format: OutputFormat,
    delimited read: ([UInt8], _ promised: UInt8?) throws -> DelimitedText
  ) throws {
    self.format = format
    guard format.delimiter != nil else {
      self.bytes = try Self.checkedJSON(bytes)
      delimited = nil
      hasHeader = false
      return
    }
    do {
      let text = try read(bytes, format.promisedDelimiter)
      self.bytes = text.bytes
      delimited = text
      hasHeader = text.hasHeader
    } catch let fault as DelimitedText.Fault {
      if let place = fault.place { throw ImportError(place, fault.message) }
      // An error of the whole file has no column.
      throw fault.offset == 0
        ? ImportError(line: 1, fault.message)
        : ImportError(at: fault.offset, in: bytes, fault.message)
    }
  }

  /// The bytes without a byte order mark.
  private static func checkedJSON(_ bytes: [UInt8]) throws(ImportError) -> [UInt8] {
    if let refusal = TextEncoding.refusal(of: bytes) { throw ImportError(line: 1, refusal) }
    let text = TextEncoding.withoutMark(bytes)
    guard !isText(text) else { return text }
    let offset = UTF8.firstInvalidOffset(in: text) ?? 0
    throw ImportError(
      at: offset,
      in: text,
      "invalid UTF-8 at byte \(offset + bytes.count - text.count + 1)"
    )
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

  /// Reads values as options say; texts of fields for which `isText` is true stay as they are.
  ///
  /// - Throws: `ImportError`.
  mutating func read(_ options: ReadingOptions, keepingTexts isText: (String) -> Bool) throws {
    guard delimited != nil, options.changesValues else { return }
    values = nil
    values = try DelimitedValues(self, options, isText)
  }

  /// Lets the first line name the columns after all if it has nothing but names of fields.
  ///
  /// Fields may have names such as `1` or `true`, which otherwise are values.
  mutating func takeHeader(ifFields isField: (String) -> Bool) {
    guard let delimited else { return }
    var rows = DelimitedRows(delimited)
    // The error is reported when the rows are read.
    guard let first = try? rows.next() else { return }
    hasFieldNames = first.cells.allSatisfy {
      if case .text(let name) = $0 { isField(name) } else { false }
    }
    if hasFieldNames { hasHeader = true }
  }

  /// Calls the closure with each row.
  ///
  /// - Parameters:
  ///   - keepsAllColumns: Whether a row with fewer values than columns has missing values in the others; otherwise
  ///     it has only the first columns.
  ///   - entity: Called with the name of each entity that the file names, which may have no rows.
  ///   - body: What is called.
  /// - Throws: `ImportError`, and the errors of the closure.
  func forEachRow(
    keepsAllColumns: Bool = true,
    entity: (String) -> Void = { _ in },
    _ body: (ImportRow) throws -> Void
  ) throws {
    guard let delimited else {
      shortRows.notANumberCount = try JSONRows(bytes)
        .forEachRow(isLines: format == .jsonl, entity: entity, body)
      return
    }
    try forEachRow(of: delimited, keepsAllColumns, body)
  }

  static func line(of offset: Int, in bytes: [UInt8], lineEnd: UInt8 = 0x0A) -> Int {
    1 + bytes.prefix(offset).reduce(0) { $0 + ($1 == lineEnd ? 1 : 0) }
  }

  /// The line of an offset, and the column in characters, both counted from 1.
  static func place(of offset: Int, in bytes: [UInt8], lineEnd: UInt8 = 0x0A) -> (
    line: Int, column: Int
  ) {
    let start = bytes.prefix(offset).lastIndex(of: lineEnd).map { $0 + 1 } ?? 0
    let text = String(decoding: bytes[start..<min(offset, bytes.count)], as: UTF8.self)
    return (line(of: offset, in: bytes, lineEnd: lineEnd), text.count + 1)
  }
}

// MARK: Separated values

extension ImportSource {
  private func forEachRow(
    of text: DelimitedText,
    _ keepsAllColumns: Bool,
    _ body: (ImportRow) throws -> Void
  ) throws {
    var reader = DelimitedRows(text)
    let columns = try columns(&reader, text)
    let counter = WorkCounter("reading", of: bytes.count, unit: .bytes)
    do {
      while let row = try reader.next() {
        let row = try self.row(row, columns, keepsAllColumns)
        try body(values?.row(row) ?? row)
        try counter.advance(to: reader.position)
      }
      try counter.advance(to: bytes.count)
    } catch let error as ImportError {
      throw error.adding(hint: separatorHint(columns))
    }
  }

  /// Reads the names of the columns, unless the text has none.
  ///
  /// - Throws: `ImportError` for a heading that cannot be read.
  func columns(_ reader: inout DelimitedRows, _ text: DelimitedText) throws -> [String] {
    if !hasHeader, !text.columns.isEmpty { return text.columns }
    guard let heading = try reader.next() else {
      throw ImportError(line: 1, "empty file; the first line must name the fields")
    }
    let names = try Self.columns(heading)
    // Columns without a name have a number: the first one of R's files, or the last ones.
    return names.count < text.columns.count ? text.columns : names
  }

  private func row(_ row: DelimitedRow, _ columns: [String], _ keepsAllColumns: Bool)
    throws(ImportError) -> ImportRow
  {
    guard row.cells.count == columns.count else {
      return try fitted(row, columns, keepsAllColumns)
    }
    return Self.row(row.line, columns, row.cells)
  }

  /// A row with another number of values than columns.
  private func fitted(_ row: DelimitedRow, _ columns: [String], _ keepsAllColumns: Bool)
    throws(ImportError) -> ImportRow
  {
    let missing = columns.count - row.cells.count
    guard missing > 0 else {
      guard row.cells[columns.count...].allSatisfy({ $0 == .null }) else {
        throw Self.error(row, columns)
      }
      return Self.row(row.line, columns, Array(row.cells[..<columns.count]))
    }
    // A pipe that breaks off ends like that.
    guard row.hasEnd else { throw Self.error(row, columns) }
    shortRows.add(row.line)
    return keepsAllColumns
      ? Self.row(row.line, columns, row.cells + Array(repeating: .null, count: missing))
      : Self.row(row.line, Array(columns[..<row.cells.count]), row.cells)
  }

  private static func row(_ line: Int, _ columns: [String], _ cells: [ImportCell]) -> ImportRow {
    ImportRow(line: line, columns: columns, cells: cells)
  }

  private static func error(_ row: DelimitedRow, _ columns: [String]) -> ImportError {
    var error = ImportError(
      line: row.line,
      "\(counted(row.cells.count, "value")), but the header has \(counted(columns.count, "field"))"
    )
    // The first value without a field, or the last value before the missing ones.
    error.cell = min(columns.count, row.cells.count - 1)
    return error
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

// MARK: Notes and hints

extension ImportSource {
  /// What a user should know about the rows that were read, one line each, as opening the file reports it.
  ///
  /// With `keepsFields` the fields without a value in a short row stay as they are.
  func notes(_ path: String, keepsFields: Bool = false) -> [String] {
    var notes: [String] = []
    if mayBeRecord {
      notes.append("read as a JSON document; if it is a record of JSON Lines, use --format jsonl")
    }
    if let arrayOfRecord {
      notes.append(
        "one record was read; for the objects in \(Value.quoted(arrayOfRecord)), import "
          + CommandText.quoted("-" + JSONMembers.path(of: arrayOfRecord, in: "-"))
      )
    }
    if let chosenArray {
      notes.append(
        "not read: \(chosenArray.others.joined(separator: ", ")); "
          + "the records are those of \(Value.quoted(chosenArray.array))"
      )
    }
    if let delimited {
      if !hasFieldNames, let note = delimited.headerNote { notes.append(note) }
      notes += delimited.notes
    }
    if shortRows.notANumberCount > 0 {
      let values = counted(shortRows.notANumberCount, "value")
      notes.append("NaN or Infinity in \(values): read as missing")
    }
    if shortRows.count > 0 {
      notes.append(
        "line \(shortRows.firstLine): fewer values than columns, in "
          + "\(counted(shortRows.count, "record")); "
          + (keepsFields
            ? "existing records keep the other fields" : "the others are missing values")
      )
    }
    return notes.map { "\(path): \($0)" }
  }

  /// A note about a heading that was read as one field but may be several; nil otherwise.
  func separatorNote(_ columns: [String]) -> String? {
    separatorHint(columns).map { "\(Value.quoted(columns[0])) was read as one field; \($0)" }
  }

  func separatorHint(_ columns: [String]) -> String? {
    guard format == .tsv, columns.count == 1, let heading = columns.first,
      heading.contains(";") || heading.contains(",")
    else { return nil }
    return ".tsv fields are separated by tabs; save the file with tabs, or with commas as .csv"
  }

  /// A hint for an error in the names of the columns; nil if there is none.
  func headingHint(_ columns: [String]) -> String? {
    guard let delimited else { return separatorHint(columns) }
    guard hasHeader else { return "no header line was found; the first line must name the fields" }
    var rows = DelimitedRows(delimited)
    // The first line was read before.
    guard let count = (try? rows.next())?.cells.count, count < delimited.columns.count else {
      return separatorHint(columns)
    }
    let values = counted(delimited.columns.count, "value")
    return "records have \(values), but the header has \(counted(count, "field"))"
  }
}
