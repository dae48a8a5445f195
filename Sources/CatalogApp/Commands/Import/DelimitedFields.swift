import OpenSwiftData

/// One line of a file of separated values.
struct DelimitedRow {
  /// Where it begins, counted from 1.
  let line: Int
  let cells: [ImportCell]
}

/// Reads the rows of a file of separated values one by one.
protocol DelimitedFields {
  /// The number of bytes read so far.
  var position: Int { get }
  /// True if an empty line is a row with one missing value, as in files with one column.
  var keepsEmptyLines: Bool { get set }
  /// The next row that is not an empty line; nil at the end.
  mutating func next() throws(ImportError) -> DelimitedRow?
}

/// Finds the records of a text, some at a time, with the scanner that the store of CSV files uses.
private struct ScannedRecords {
  /// One record as written.
  struct Record {
    /// Without the line end, in the text.
    let range: Range<Int>
    let fields: [DelimitedScanner.Field]
    /// Where the fields count from.
    let base: Int
  }

  private static let partBytes = 1 << 16

  let bytes: [UInt8]
  private let syntax: DelimitedScanner.Syntax
  private var records: [Record] = []
  private var next = 0
  /// The end of the scanned part.
  private var scanned = 0

  init(_ bytes: [UInt8], _ syntax: DelimitedScanner.Syntax) {
    self.bytes = bytes
    self.syntax = syntax
  }

  /// The next record, which may be an empty line; nil at the end.
  ///
  /// - Throws: `ImportError` with the line.
  mutating func take() throws(ImportError) -> Record? {
    if next == records.count {
      records.removeAll(keepingCapacity: true)
      next = 0
      var size = Self.partBytes
      while records.isEmpty, scanned < bytes.count {
        try scan(size)
        size *= 2
      }
      if records.isEmpty { return nil }
    }
    defer { next += 1 }
    return records[next]
  }

  private mutating func scan(_ size: Int) throws(ImportError) {
    let end = min(bytes.count, scanned + size)
    let base = scanned
    var scanner = DelimitedScanner(syntax)
    let result = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(DelimitedScanner.Fault) in
        let part = UnsafeBufferPointer(rebasing: bytes[base..<end])
        let found = try scanner.records(in: part, isLast: end == bytes.count)
        for place in 0..<found.count {
          let record = found.record(place)
          records.append(
            Record(
              range: (base + record.range.lowerBound)..<(base + record.range.upperBound),
              fields: record.fields.map { found.field($0) },
              base: base
            )
          )
        }
        return found.consumed
      }
    }
    switch result {
    case .success(let consumed): scanned = base + consumed
    case .failure(let fault):
      throw ImportError(at: base + fault.offset, in: bytes, fault.message)
    }
  }
}

/// Comma-separated values as defined by RFC 4180; lines may end with LF alone.
///
/// An empty field is a missing value, `""` is empty text.
struct CSVFields: DelimitedFields {
  private var records: ScannedRecords
  private(set) var position = 0
  var keepsEmptyLines = false
  private var line = 1
  private var bytes: [UInt8] { records.bytes }

  init(_ bytes: [UInt8]) {
    records = ScannedRecords(bytes, DelimitedScanner.Syntax())
  }

  mutating func next() throws(ImportError) -> DelimitedRow? {
    while let record = try records.take() {
      advance(to: record.range.lowerBound)
      if record.range.isEmpty, !keepsEmptyLines { continue }
      let start = line
      var cells: [ImportCell] = []
      cells.reserveCapacity(record.fields.count)
      for field in record.fields { cells.append(try cell(field, record.base)) }
      advance(to: record.range.upperBound)
      return DelimitedRow(line: start, cells: cells)
    }
    return nil
  }

  /// The offset in bytes of a cell of the next row; nil if there is none.
  mutating func offset(ofCell cell: Int) -> Int? {
    // The row was read before without an error.
    guard let record = try? records.take(), cell < record.fields.count else { return nil }
    return record.base + record.fields[cell].range.lowerBound
  }

  /// Counts the lines up to an offset.
  private mutating func advance(to offset: Int) {
    line += bytes[position..<offset].count { $0 == 0x0A }
    position = offset
  }

  private func cell(_ field: DelimitedScanner.Field, _ base: Int) throws(ImportError) -> ImportCell
  {
    let range = (base + field.range.lowerBound)..<(base + field.range.upperBound)
    if range.isEmpty { return .null }
    guard !field.hasBareQuote else {
      throw ImportError(
        at: range.lowerBound,
        in: bytes,
        "unexpected quote in an unquoted value; quote the whole value and double its quotes"
      )
    }
    guard field.isQuoted else { return .text(String(decoding: bytes[range], as: UTF8.self)) }
    let content = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
    guard field.hasDoubledQuotes else { return .text(String(decoding: content, as: UTF8.self)) }
    var isSecond = false
    let kept = content.filter { byte in
      isSecond = byte == UInt8(ascii: "\"") && !isSecond
      return byte != UInt8(ascii: "\"") || isSecond
    }
    return .text(String(decoding: kept, as: UTF8.self))
  }
}

/// Tab-separated values, with `\t`, `\n`, `\r` and `\\` for characters that would end a value or a
/// line.
///
/// An empty field is a missing value, `""` is empty text.
struct TSVFields: DelimitedFields {
  private var records: ScannedRecords
  private(set) var position = 0
  var keepsEmptyLines = false
  private var line = 0

  init(_ bytes: [UInt8]) {
    let syntax = DelimitedScanner.Syntax(delimiter: 0x09, hasQuotes: false)
    records = ScannedRecords(bytes, syntax)
  }

  mutating func next() throws(ImportError) -> DelimitedRow? {
    while let record = try records.take() {
      position = record.range.upperBound
      line += 1
      if record.range.isEmpty, !keepsEmptyLines { continue }
      var cells: [ImportCell] = []
      cells.reserveCapacity(record.fields.count)
      for field in record.fields {
        let start = record.base + field.range.lowerBound
        cells.append(try cell(records.bytes[start..<(start + field.range.count)]))
      }
      return DelimitedRow(line: line, cells: cells)
    }
    return nil
  }

  private func cell(_ field: ArraySlice<UInt8>) throws(ImportError) -> ImportCell {
    if field.isEmpty { return .null }
    if field.elementsEqual("\"\"".utf8) { return .text("") }
    guard field.contains(UInt8(ascii: "\\")) else {
      return .text(String(decoding: field, as: UTF8.self))
    }
    var rest = field
    var content: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      let escape = rest.startIndex - 1
      switch rest.popFirst() {
      case UInt8(ascii: "t"): content.append(0x09)
      case UInt8(ascii: "n"): content.append(0x0A)
      case UInt8(ascii: "r"): content.append(0x0D)
      case UInt8(ascii: "\\"): content.append(byte)
      case UInt8(ascii: "\""): content.append(UInt8(ascii: "\""))
      default:
        throw ImportError(
          at: escape,
          in: records.bytes,
          "invalid escape; use \\t, \\n, \\r or \\\\"
        )
      }
    }
    return .text(String(decoding: content, as: UTF8.self))
  }
}
