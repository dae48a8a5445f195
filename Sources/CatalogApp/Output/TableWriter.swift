import OpenSwiftData

/// Writes rows under headings in one of the formats.
struct TableWriter {
  private let format: OutputFormat
  private let isTerminal: Bool
  private let width: Int?
  private let columns: [String]
  private let numeric: [Bool]
  private let write: (String) throws -> Void
  private var count = 0
  /// The columns as keys of JSON objects, with the colon.
  private let keys: [String]
  /// The text that has not been written yet.
  private var buffer = ""
  private static let bufferLimit = 1 << 15
  /// The first rows of a table, held back until the widths of the columns are known.
  private var held: [[DisplayText]] = []
  private var widths: [Int] = []
  private static let heldCount = 1000
  /// True to write empty text as `""` in tab-separated values.
  var marksEmptyText = false

  init(
    format: OutputFormat,
    isTerminal: Bool,
    width: Int?,
    columns: [String],
    numeric: [Bool],
    write: @escaping (String) throws -> Void
  ) {
    self.format = format
    self.isTerminal = isTerminal
    self.width = width
    self.columns = columns
    self.numeric = numeric
    self.write = write
    keys = columns.map { JSONText.quoted($0) + ": " }
  }

  mutating func add(_ row: [Value]) throws {
    switch format {
    case .table: addToTable(row)
    case .json:
      buffer += count == 0 ? "[\n  " : ",\n  "
      appendObject(row)
    case .jsonl:
      appendObject(row)
      buffer += "\n"
    case .csv:
      appendHeading()
      append(row, separator: ",", end: "\r\n")
    case .tsv:
      appendHeading()
      append(row, separator: "\t", end: "\n")
    }
    count += 1
    if buffer.utf8.count >= Self.bufferLimit { try flush() }
  }

  mutating func finish() throws {
    switch format {
    case .table: flushTable()
    case .json: buffer += count == 0 ? "[]\n" : "\n]\n"
    case .csv, .tsv: appendHeading()
    case .jsonl: break
    }
    try flush()
  }

  private mutating func flush() throws {
    guard !buffer.isEmpty else { return }
    try write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: Tables

  private mutating func addToTable(_ row: [Value]) {
    let cells = row.map { DisplayText($0.text) }
    if widths.isEmpty {
      held.append(cells)
      if held.count >= Self.heldCount { flushTable() }
    } else {
      buffer += line(cells)
    }
  }

  private mutating func flushTable() {
    guard widths.isEmpty else { return }
    let headings = columns.map { DisplayText($0) }
    widths = headings.indices.map { column in
      held.reduce(headings[column].width) { max($0, $1[column].width) }
    }
    shrink(toFit: width)
    buffer += line(headings)
    buffer += widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ") + "\n"
    for cells in held { buffer += line(cells) }
    held = []
  }

  /// Narrows the widest column until the line fits, but leaves each at least eight cells.
  private mutating func shrink(toFit limit: Int?) {
    guard let limit else { return }
    while widths.reduce(2 * (widths.count - 1), +) > limit,
      let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > 8
    {
      widths[widest] -= 1
    }
  }

  private func line(_ cells: [DisplayText]) -> String {
    var result = ""
    for (column, cell) in cells.enumerated() {
      let isNumeric = column < numeric.count && numeric[column]
      // Only a terminal limits the width of lines; elsewhere cells are not cut.
      let clipped = width == nil ? cell : cell.clipped(to: widths[column])
      let isLast = column == cells.count - 1
      result +=
        isLast && !isNumeric
        ? clipped.plain
        : clipped.padded(to: widths[column], alignment: isNumeric ? .right : .left).plain
      if !isLast { result += "  " }
    }
    while result.hasSuffix(" ") { result.removeLast() }
    return result + "\n"
  }

  // MARK: Other formats

  private mutating func appendObject(_ row: [Value]) {
    buffer += "{"
    for (column, value) in row.enumerated() {
      if column > 0 { buffer += ", " }
      buffer += keys[column]
      buffer += value.jsonText
    }
    buffer += "}"
  }

  private mutating func appendHeading() {
    guard count == 0 else { return }
    let names = columns.map(shown)
    if format == .csv {
      buffer += names.map(Self.commaSeparated).joined(separator: ",") + "\r\n"
    } else {
      buffer += names.map(Self.tabSeparated).joined(separator: "\t") + "\n"
    }
  }

  private mutating func append(_ row: [Value], separator: String, end: String) {
    var isFirst = true
    for value in row {
      if !isFirst { buffer += separator }
      buffer += format == .csv ? csvField(value) : tsvField(value)
      isFirst = false
    }
    buffer += end
  }

  private func shown(_ text: String) -> String {
    isTerminal ? DisplayText(text).plain : text
  }

  private func csvField(_ value: Value) -> String {
    // Empty text is quoted and a missing value is left empty, so that both can be read back.
    if case .text("") = value { return "\"\"" }
    return Self.commaSeparated(shown(value.text))
  }

  private func tsvField(_ value: Value) -> String {
    guard marksEmptyText else { return Self.tabSeparated(shown(value.text)) }
    if case .text(let text) = value {
      if text.isEmpty { return "\"\"" }
      if text == "\"\"" { return "\\\"\"" }
    }
    return Self.tabSeparated(shown(value.text))
  }

  static func commaSeparated(_ text: String) -> String {
    let needsQuotes = text.utf8.contains {
      $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") || $0 == 0x0A || $0 == 0x0D
    }
    guard needsQuotes || text.utf8.first == 0x20 || text.utf8.last == 0x20 else { return text }
    // Process scalars, because a quote and a following accent are one character.
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { result += "\"" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }

  static func tabSeparated(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D || $0 == 0x5C }) else {
      return text
    }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\\": result += "\\\\"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
