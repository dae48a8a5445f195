import OpenSwiftData

/// The records of a JSON file: an array of objects, an object of such arrays, or one object per line.
struct JSONRows {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Calls the closure with each row.
  ///
  /// - Parameters:
  ///   - isLines: True for one object a line.
  ///   - entity: Called with the name of each entity that the file names, which may have no rows.
  ///   - body: What is called.
  /// - Returns: The number of values such as NaN, which are missing ones.
  /// - Throws: `ImportError`, and the errors of the closure.
  @discardableResult
  func forEachRow(
    isLines: Bool,
    entity: (String) -> Void = { _ in },
    _ body: (ImportRow) throws -> Void
  ) throws -> Int {
    var reader = JSONReader(bytes)
    reader.acceptsNotANumber = true
    var lines = LineCounter(bytes)
    let counter = WorkCounter("reading", of: bytes.count, unit: .bytes)
    func take(_ row: ImportRow, _ position: Int) throws {
      try body(row)
      try counter.advance(to: position)
    }
    do {
      if isLines {
        while !reader.isAtEnd { try read(&reader, &lines, nil, take) }
      } else if reader.isAtArray {
        try reader.forEachElement { try read(&$0, &lines, nil, take) }
      } else {
        try readEntities(&reader, &lines, entity, take)
      }
      guard reader.isAtEnd else {
        throw ImportError.textAfterEnd(at: reader.position, in: bytes)
      }
      try counter.advance(to: bytes.count)
      return reader.notANumberCount
    } catch let error as ValueError {
      let located = ImportError(error, at: reader.position, in: bytes)
      throw isLines ? unfinishedLine(before: located.line) ?? located : located
    }
  }

  /// The error of a record that should have ended with its line, for one that was found in a later line; nil if records
  /// before have several lines, or if there are none.
  private func unfinishedLine(before line: Int?) -> ImportError? {
    var reader = JSONReader(bytes)
    var hasRecords = false
    while !reader.isAtEnd {
      let start = reader.position
      let lineEnd = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      guard (try? reader.next()) != nil else {
        guard hasRecords, let line, ImportSource.line(of: start, in: bytes) < line else {
          return nil
        }
        return ImportError(
          at: lineEnd,
          in: bytes,
          "invalid JSON: expected the rest of the record, found the end of the line"
        )
      }
      guard reader.position <= lineEnd else { return nil }
      hasRecords = true
    }
    return nil
  }

  private func readEntities(
    _ reader: inout JSONReader,
    _ lines: inout LineCounter,
    _ entity: (String) -> Void,
    _ body: (ImportRow, Int) throws -> Void
  ) throws {
    guard reader.isAtObject else {
      throw ImportError(at: reader.position, in: bytes, Self.expectation)
    }
    try reader.forEachMember { name, reader in
      // A JSON catalog has its schema there; an import needs only the records.
      if name == "catalog", reader.isAtObject {
        _ = try reader.next()
        return
      }
      guard reader.isAtArray else {
        throw ImportError(at: reader.position, in: bytes, Self.expectation).adding(hint: linesHint)
      }
      entity(name)
      try reader.forEachElement { try read(&$0, &lines, name, body) }
    }
  }

  /// What helps if the file has one object after another; nil if it has a single value.
  private var linesHint: String? {
    var reader = JSONReader(bytes)
    // The error of the first value is another one.
    guard (try? reader.next()) != nil else { return nil }
    let end = reader.position
    guard reader.isAtObject else { return nil }
    return bytes[end..<reader.position].contains(0x0A)
      ? "for an object a line use a name that ends in .jsonl"
      : "\(JSONText.objectsAdvice), and use a name that ends in .jsonl"
  }

  private static let expectation =
    "expected an array of objects, or an object of such arrays"

  private func read(
    _ reader: inout JSONReader,
    _ lines: inout LineCounter,
    _ entityName: String?,
    _ body: (ImportRow, Int) throws -> Void
  ) throws {
    let isObject = reader.isAtObject
    let start = reader.position
    let line = lines.line(at: start)
    guard isObject else {
      if reader.isAtEnd {
        throw ImportError(
          at: reader.position,
          in: bytes,
          "invalid JSON: the text ends early; expected a further record or ]"
        )
      }
      throw ImportError(at: reader.position, in: bytes, "expected an object for each record")
        .adding(hint: JSONText.rowsAdvice(bytes.prefix(1 << 10)))
    }
    var columns: [String] = []
    var cells: [ImportCell] = []
    try reader.forEachMember { name, reader in
      columns.append(name)
      cells.append(ImportCell(try reader.next()))
    }
    try body(
      ImportRow(
        line: line,
        entityName: entityName,
        columns: columns,
        cells: cells,
        hasTypedValues: true,
        start: start
      ),
      reader.position
    )
  }
}

/// Counts line ends up to offsets that only increase.
private struct LineCounter {
  private let bytes: [UInt8]
  private var counted = 0
  private var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func line(at position: Int) -> Int {
    while counted < position {
      if bytes[counted] == 0x0A { line += 1 }
      counted += 1
    }
    return line
  }
}
