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

/// Comma-separated values as defined by RFC 4180; lines may end with LF alone.
///
/// An empty field is a missing value, `""` is empty text.
struct CSVFields: DelimitedFields {
  private let bytes: [UInt8]
  private(set) var position = 0
  var keepsEmptyLines = false
  private var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func next() throws(ImportError) -> DelimitedRow? {
    while !keepsEmptyLines, position < bytes.count, takeLineEnd() {}
    guard position < bytes.count else { return nil }
    let start = line
    var cells: [ImportCell] = []
    repeat { cells.append(try cell()) } while takeComma()
    _ = takeLineEnd()
    return DelimitedRow(line: start, cells: cells)
  }

  /// The offset in bytes of a cell of the next row; nil if there is none.
  mutating func offset(ofCell cell: Int) -> Int? {
    for _ in 0..<cell {
      // The row was read before without an error.
      guard (try? self.cell()) != nil, takeComma() else { return nil }
    }
    return position
  }

  private mutating func takeComma() -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: ",") else { return false }
    position += 1
    return true
  }

  private mutating func takeLineEnd() -> Bool {
    guard let length = lineEndLength else { return false }
    position += length
    line += 1
    return true
  }

  /// The length in bytes of the line end at the current position; nil if there is none.
  private var lineEndLength: Int? {
    guard position < bytes.count else { return nil }
    if bytes[position] == 0x0A { return 1 }
    guard bytes[position] == 0x0D else { return nil }
    if position + 1 == bytes.count { return 1 }
    return bytes[position + 1] == 0x0A ? 2 : nil
  }

  private mutating func cell() throws(ImportError) -> ImportCell {
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { return .text(try quoted()) }
    let (end, text) = unquoted()
    guard let end else {
      throw ImportError(
        line: line,
        "unexpected quote in an unquoted value; quote the whole value and double its quotes"
      )
    }
    defer { position = end }
    return end == position ? .null : .text(text)
  }

  /// The end of the value at the current position, and its text; no end if there is a quote in it.
  private func unquoted() -> (end: Int?, String) {
    bytes.withUnsafeBufferPointer { bytes in
      var end = position
      scan: while end < bytes.count {
        switch bytes[end] {
        case UInt8(ascii: ","), 0x0A: break scan
        case 0x0D: if end + 1 == bytes.count || bytes[end + 1] == 0x0A { break scan }
        case UInt8(ascii: "\""): return (nil, "")
        default: break
        }
        end += 1
      }
      let text = UnsafeBufferPointer(rebasing: bytes[position..<end])
      return (end, String(decoding: text, as: UTF8.self))
    }
  }

  private mutating func quoted() throws(ImportError) -> String {
    let start = line
    var content: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == 0x0A { line += 1 }
      guard byte == UInt8(ascii: "\"") else {
        content.append(byte)
        continue
      }
      if position < bytes.count, bytes[position] == byte {
        content.append(byte)
        position += 1
        continue
      }
      guard position == bytes.count || bytes[position] == UInt8(ascii: ",") || lineEndLength != nil
      else {
        throw ImportError(line: line, "unexpected text after the closing quote")
      }
      return String(decoding: content, as: UTF8.self)
    }
    throw ImportError(line: start, "unclosed quote")
  }
}

/// Tab-separated values, with `\t`, `\n`, `\r` and `\\` for characters that would end a value or a
/// line.
///
/// An empty field is a missing value, `""` is empty text.
struct TSVFields: DelimitedFields {
  private let bytes: [UInt8]
  private(set) var position = 0
  var keepsEmptyLines = false
  private var line = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func next() throws(ImportError) -> DelimitedRow? {
    while position < bytes.count {
      var end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      let following = end + 1
      if end > position, bytes[end - 1] == 0x0D { end -= 1 }
      let content = bytes[position..<end]
      position = following
      line += 1
      if content.isEmpty, !keepsEmptyLines { continue }
      var cells: [ImportCell] = []
      for field in content.split(separator: 0x09, omittingEmptySubsequences: false) {
        cells.append(try cell(field))
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
      switch rest.popFirst() {
      case UInt8(ascii: "t"): content.append(0x09)
      case UInt8(ascii: "n"): content.append(0x0A)
      case UInt8(ascii: "r"): content.append(0x0D)
      case UInt8(ascii: "\\"): content.append(byte)
      case UInt8(ascii: "\""): content.append(UInt8(ascii: "\""))
      default:
        throw ImportError(line: line, "invalid escape; use \\t, \\n, \\r or \\\\")
      }
    }
    return .text(String(decoding: content, as: UTF8.self))
  }
}
