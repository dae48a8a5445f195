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
  var entityName: String?
  /// The names of the values.
  var columns: [String]
  /// A cell for each column.
  var cells: [ImportCell]
  /// True for JSON, which distinguishes text from other values; in other formats everything is text.
  var hasTypedValues = false
  /// The offset of a JSON object in the bytes of the file; nil for a row that begins with its line.
  var start: Int?
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
  /// The offset of the row in the bytes of the file; nil if it begins with its line.
  var rowStart: Int?
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
  init(at offset: Int, in bytes: [UInt8], lineEnd: UInt8 = 0x0A, _ reason: String) {
    let place = ImportSource.place(of: offset, in: bytes, lineEnd: lineEnd)
    self.init(line: place.line, reason)
    fileColumn = place.column
  }

  /// The error of a reader with its line and column in place of the byte; without a byte, with those of an offset.
  init(_ error: ValueError, at offset: Int, in bytes: [UInt8]) {
    guard let placed = PlacedError(error, in: bytes) else {
      self.init(at: offset, in: bytes, error.description)
      return
    }
    self.init((placed.place.line, placed.place.column), placed.message)
  }

  /// The error of JSON that is followed by something else.
  static func textAfterEnd(at offset: Int, in bytes: [UInt8]) -> ImportError {
    ImportError(at: offset, in: bytes, "invalid JSON: unexpected text after the end")
  }

  /// An error at a place in the text of a file.
  init(_ place: (line: Int, column: Int), _ reason: String) {
    self.init(line: place.line, reason)
    fileColumn = place.column
  }

  /// An error in a row, perhaps in one of its cells.
  init(_ row: ImportRow, _ reason: String, _ code: FailureCode, cell: Int? = nil) {
    self.init(line: row.line, reason, code: code)
    (self.cell, rowStart) = (cell, row.start)
  }

  /// An error in the name of a column.
  init(_ row: ImportRow, _ reason: String, hint: String? = nil, _ code: FailureCode, column: Int) {
    self.init(line: row.line, reason, hint: hint, code: code)
    (cell, rowStart) = (column, row.start)
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
    (error.cell, error.rowStart, error.isInHeading) = (cell, rowStart, isInHeading)
    (error.path, error.fileColumn) = (path, fileColumn)
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
