import Foundation
import OpenSwiftData

extension Session {
  /// Reads a file to import; `-` is the standard input.
  ///
  /// Separated values are read as options say; texts of fields for which `isText` is true stay as they are.
  ///
  /// - Throws: `CommandError` for an unknown format, `ImportError` for bytes that are not text, or the error of
  ///   reading.
  func importSource(
    _ location: String,
    reading options: ReadingOptions? = nil,
    keepingTexts isText: (String) -> Bool = { _ in false }
  ) throws -> ImportSource {
    if let scheme = LocationText.scheme(of: location), !services.hasContent(location) {
      throw CommandError(
        "\(Value.quoted(LocationText.withoutPasswords(location))): cannot read \(scheme) URLs; "
          + "download the file, or pipe it: curl -sS URL | catalog FILE -e \"import -\""
      )
    }
    let (path, part) = services.dividedPart(location)
    let named = path == "-" ? nil : OutputFormat(readableAs: services.plainName(of: path))
    guard path == "-" || !services.isFolder(path) else {
      throw CommandError(
        "\(path): is a directory; give the name of a file in it",
        code: .inaccessible
      )
    }
    guard named != nil || path == "-" || services.isStream(path) else {
      throw services.refusal(of: path)
        ?? CommandError(
          "\(Value.quoted(path)): unknown format; use a name ending in .csv, .tsv, .json or .jsonl"
        )
    }
    var bytes = try services.decompressed(readInput(path), path)
    return try ImportError.naming(location) {
      var format =
        named ?? settings.inputFormat?.corrected(by: bytes) ?? OutputFormat(recognizing: bytes)
      let isDelimited = format.delimiter != nil
      guard options == nil || isDelimited else {
        throw CommandError("\(path): read: not a file of separated values")
      }
      let reading = isDelimited ? services.reading(of: path, saying: options) : ReadingOptions()
      var choice: JSONMembers.Choice?
      var array: String?
      if let part {
        bytes = try JSONPart.bytes(bytes, at: part)
        if format == .jsonl, named == nil { format = .json }
      } else if named == nil || format == .json, let members = JSONMembers(bytes),
        !members.areEntities, format == .json || members.haveRecords
      {
        // An object on one line may as well be a record of JSON Lines.
        if format == .jsonl, OutputFormat.isLine(bytes) {
          if settings.inputFormat != .jsonl { array = members.onlyRecords }
        } else if let found = try members.records(in: location) {
          (format, bytes, choice) = (.json, found.bytes, found.choice)
        }
      }
      var source = try ImportSource(bytes, format: format) {
        try services.delimitedText($0, promised: $1, reading: reading)
      }
      source.chosenArray = choice
      source.arrayOfRecord = array
      try source.read(reading, keepingTexts: isText)
      source.mayBeRecord =
        named == nil && settings.inputFormat == nil && OutputFormat.mayBeRecord(bytes, format)
      return source
    }
  }
}

extension Services {
  /// The file and the path of a value in it in `FILE#PATH`, if there is such a file, and none with the whole name.
  fileprivate func dividedPart(_ location: String) -> (file: String, part: String?) {
    guard let mark = location.firstIndex(of: "#"), !hasContent(location) else {
      return (location, nil)
    }
    let file = String(location[..<mark])
    guard file == "-" || hasContent(file) else { return (location, nil) }
    return (file, String(location[location.index(after: mark)...]))
  }
}

extension OutputFormat {
  /// The format of a file to read, by its name; nil for another extension.
  fileprivate init?(readableAs path: String) {
    guard let format = OutputFormat(path: path), format.isReadable else { return nil }
    self = format
  }
}

extension OutputFormat {
  /// The format of input for which this one was named: another one if the bytes plainly have that.
  ///
  /// `--format` names the format of the output, too, which may be another one.
  func corrected(by bytes: [UInt8]) -> OutputFormat {
    let text = TextEncoding.withoutMark(bytes)
    let found = OutputFormat(recognizing: bytes)
    let first = text.first { !Self.isSpace($0) }
    switch (self, found) {
    // A page in HTML is an answer about an error.
    case (.json, .csv), (.json, .tsv), (.jsonl, .csv), (.jsonl, .tsv):
      return first == nil || first == UInt8(ascii: "<") ? self : found
    case (.json, .jsonl): return found
    case (.jsonl, .json): return first == UInt8(ascii: "[") ? found : self
    case (.csv, .json), (.tsv, .json), (.psv, .json): return Self.isJSON(text) ? found : self
    case (.csv, .jsonl), (.tsv, .jsonl), (.psv, .jsonl):
      return Self.isJSON(text.prefix { $0 != 0x0A }) ? found : self
    case (.tsv, .csv):
      return text.prefix { $0 != 0x0A }.contains {
        $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";")
      }
        ? found : self
    case (.csv, .tsv):
      return text.prefix { $0 != 0x0A }.contains(UInt8(ascii: ",")) ? self : found
    default: return self
    }
  }

  private static func isJSON(_ text: some Sequence<UInt8>) -> Bool {
    (try? JSONText.compact(String(decoding: Array(text), as: UTF8.self))) != nil
  }

  /// The format of text: JSON begins with a bracket or a brace, and the heading of tab-separated values has a tab.
  package init(recognizing bytes: [UInt8]) {
    let text = TextEncoding.withoutMark(bytes)
    let first = text.first { !Self.isSpace($0) }
    switch first {
    case UInt8(ascii: "["): self = .json
    case UInt8(ascii: "{"): self = Self.isOneObject(text) ? .json : .jsonl
    default: self = text.prefix { $0 != 0x0A }.contains(0x09) ? .tsv : .csv
    }
  }

  /// True for an object of arrays, false for an object a line.
  ///
  /// On a single line, the arrays must have records: others are values of one.
  private static func isOneObject(_ text: [UInt8]) -> Bool {
    // The error of any other text is reported with its line when the records are read.
    guard let members = JSONMembers(text), members.areContainers else { return false }
    return !isLine(text) || members.areEntities
  }

  /// True for a text without a line end before its last character.
  fileprivate static func isLine(_ text: [UInt8]) -> Bool {
    guard let end = text.lastIndex(where: { !isSpace($0) }),
      let start = text.firstIndex(where: { !isSpace($0) })
    else { return true }
    return !text[start...end].contains(0x0A)
  }

  /// True for the white space of JSON.
  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// True for a document that may be a single record of JSON Lines.
  fileprivate static func mayBeRecord(_ bytes: [UInt8], _ format: OutputFormat) -> Bool {
    guard format == .json else { return false }
    let text = TextEncoding.withoutMark(bytes)
    let first = text.first { !isSpace($0) }
    return first == UInt8(ascii: "{") && isLine(text)
  }
}

extension ImportSource {
  /// The schema in a JSON catalog; nil for any other file.
  ///
  /// - Throws: `ImportError` for a schema that cannot be read.
  func schema() throws -> Schema? {
    guard format == .json else { return nil }
    var reader = JSONReader(bytes)
    guard reader.isAtObject else { return nil }
    var header: String?
    // The header is the first member: the error ends the reading there.
    try? reader.forEachMember { name, reader in
      if name == "catalog", case .container(let text) = try reader.next() { header = text }
      throw ValueError("read")
    }
    guard let header else { return nil }
    do {
      let text = "{\"catalog\":" + header + "}"
      return try CatalogDocument(json: Data(text.utf8)).schema
    } catch {
      throw ImportError(line: 1, "unreadable schema: \(error)")
    }
  }

  /// True for an object of arrays, whose names are those of entities.
  var namesEntities: Bool {
    guard format == .json else { return false }
    var reader = JSONReader(bytes)
    return reader.isAtObject
  }

  /// Rejects a document with several entities, whose records would become those of one.
  ///
  /// - Throws: `ImportError` with how to name one of its arrays, and with another way if there is one.
  func requireOneEntity(_ location: String, orElse other: String = "") throws {
    guard format == .json, let members = JSONMembers(bytes) else { return }
    try members.requireOneArray(in: location, orElse: other)
  }

  /// The first line of separated values as a row without values; nil for JSON.
  var headingRow: ImportRow? {
    heading.map { line, columns in
      ImportRow(line: line, columns: columns, cells: columns.map { _ in .null })
    }
  }

  /// The names of the columns and their line; nil for JSON, and for a heading that cannot be read.
  var heading: (line: Int, columns: [String])? {
    guard let delimited else { return nil }
    var rows = DelimitedRows(delimited)
    guard let first = try? rows.next() else { return nil }
    guard hasHeader else { return (first.line, delimited.columns) }
    if first.cells.count < delimited.columns.count { return (first.line, delimited.columns) }
    return (first.line, first.cells.map { if case .text(let name) = $0 { name } else { "" } })
  }

  /// The place of a cell in its file, both counted from 1; nil if it cannot be found.
  ///
  /// - Complexity: O(n) in the length of the file, for messages only.
  func place(ofCell cell: Int, inRowAt line: Int, from start: Int?) -> (line: Int, column: Int)? {
    let lineEnd = delimited?.syntax.lineEnd ?? 0x0A
    if let start {
      // A row that lacks the member is reported itself.
      let offset = offset(ofCell: cell, inRowAt: start) ?? start
      return Self.place(of: offset, in: bytes, lineEnd: lineEnd)
    }
    var start = 0
    for _ in 1..<max(line, 1) {
      guard let end = bytes[start...].firstIndex(of: lineEnd) else { return nil }
      start = end + 1
    }
    guard let offset = offset(ofCell: cell, inRowAt: start) else { return nil }
    return Self.place(of: offset, in: bytes, lineEnd: lineEnd)
  }

  private func offset(ofCell cell: Int, inRowAt start: Int) -> Int? {
    if let delimited {
      var rows = DelimitedRows(delimited, at: start)
      return rows.offset(ofCell: cell)
    }
    let row = Array(bytes[start...])
    guard let brace = row.firstIndex(of: UInt8(ascii: "{")) else { return nil }
    return Self.offset(ofMember: cell, in: Array(row[brace...])).map { start + brace + $0 }
  }

  private static func offset(ofMember cell: Int, in object: [UInt8]) -> Int? {
    var reader = JSONReader(object)
    var found: Int?
    var count = 0
    // The object was read before; the error only ends the reading.
    try? reader.forEachMember { _, reader in
      _ = reader.isAtEnd
      if count == cell {
        found = reader.position
        throw ValueError("found")
      }
      count += 1
      _ = try reader.next()
    }
    return found
  }
}
