import OpenSwiftData

/// Writes rows under headings in one of the formats.
struct TableWriter {
  /// Where the values of a column come from in a page of records.
  enum Field: Hashable {
    case identifier
    case slot(Int)
    /// The field does not exist: the column stays empty.
    case missing
  }

  private let format: OutputFormat
  private let width: Int?
  private let columns: [String]
  /// The document that the rows are written to; nil for other formats.
  private let document: (any TableDocument)?
  private let numeric: [Bool]
  /// The columns with bytes, of which a table shows the size and the first ones.
  private let blobs: [Bool]
  /// The digits of numbers in the columns of an export; empty if no column has such.
  private let decimalPlaces: [DecimalPlaces?]
  private let write: OutputSink
  private let style: OutputStyle
  private let isTerminal: Bool
  /// True if temporary identifiers, which mean nothing after the program ends, are missing values.
  private let omitsTemporaryIdentifiers: Bool
  /// The checks that follow the identifiers of rows in formats for programs.
  private let checks: RecordChecks?
  /// The number of rows so far.
  private(set) var count = 0
  /// Writes all formats except tables.
  private var encoder: RowEncoder
  /// The cells of some rows, column by column.
  private var cells = TextColumn()
  /// The text of a table that has not been written yet.
  private var buffer = ""
  private static let bufferLimit = 1 << 15
  /// The first rows of a table, held back until the widths of the columns are known.
  private var held: [[DisplayText]] = []
  private var widths: [Int] = []
  private static let heldCount = 1000
  /// The number of rows to encode at once; fewer if texts are long.
  private var blockCount = 64

  /// Creates a writer for the records of an entity; `marksEmptyText` writes empty text as `""` in tab-separated values.
  init(
    format: OutputFormat,
    of name: String = "records",
    isTerminal: Bool,
    width: Int?,
    columns: [String],
    numeric: [Bool],
    blobs: [Bool] = [],
    decimalPlaces: [DecimalPlaces?] = [],
    marksEmptyText: Bool = false,
    omitsTemporaryIdentifiers: Bool = false,
    checks: RecordChecks? = nil,
    style: OutputStyle = OutputStyle(),
    write: @escaping OutputSink
  ) {
    self.format = format
    self.omitsTemporaryIdentifiers = omitsTemporaryIdentifiers
    self.checks = checks
    self.style = style
    self.isTerminal = isTerminal
    self.width = width
    self.columns = columns
    self.numeric = numeric
    self.blobs = blobs.contains(true) ? blobs : []
    document = format.document(of: name, columns, numeric: numeric, blobs: blobs, style)
    self.decimalPlaces = decimalPlaces.contains { $0 != nil } ? decimalPlaces : []
    self.write = write
    encoder = RowEncoder(
      format,
      columns: columns,
      isTerminal: isTerminal,
      marksEmptyText: marksEmptyText,
      style: style
    )
  }

  /// Writes one row.
  mutating func add(_ row: [Value]) throws {
    defer { count += 1 }
    if format == .table { return try addToTable(row) }
    if let document { return try add(row, to: document) }
    cells.removeAll()
    for value in row { cells.append(value) }
    encoder.append(cells, rowCount: 1, isFirst: count == 0) { _, column in row[column].jsonText }
    if encoder.count >= Self.bufferLimit { try encoder.flush(to: write) }
  }

  /// Writes the records of a page.
  mutating func add(_ page: any RecordPage, _ fields: [Field]) throws {
    var start = 0
    while start < page.count {
      let end = min(start + blockCount, page.count)
      try add(page, start..<end, fields)
      start = end
    }
  }

  mutating func finish() throws {
    if format == .table || document != nil {
      flushTable()
      if let document {
        let heading = count == 0 ? visible(document.heading) : ""
        buffer += heading + document.ending
      }
      return try flush()
    }
    encoder.finish(isEmpty: count == 0)
    try encoder.flush(to: write)
  }

  private mutating func add(_ page: any RecordPage, _ range: Range<Int>, _ fields: [Field]) throws {
    if format == .table || document != nil {
      // An export to a document keeps the exact bytes, as its note says.
      let forms = format == .table ? page.layout.forms : nil
      for snapshot in page.snapshots(in: range) {
        try add(fields.map { $0.shown(value($0, of: snapshot), forms) })
      }
      return
    }
    cells.removeAll()
    for (column, field) in fields.enumerated() {
      switch field {
      case .identifier where omitsTemporaryIdentifiers || checks != nil:
        for place in range { append(page.identifier(at: place)) }
      case .identifier: page.appendIdentifiers(range, to: &cells)
      case .slot(let slot):
        let start = cells.count
        page.append(range, slot: slot, to: &cells)
        if !decimalPlaces.isEmpty, let places = decimalPlaces[column] {
          cells.pad(from: start, to: places)
        }
      case .missing: for _ in range { cells.appendNull() }
      }
    }
    let isLarge = cells.bytes.count > Self.blockBytes
    blockCount = isLarge ? max(1, blockCount / 2) : min(512, 2 * blockCount)
    encoder.append(cells, rowCount: range.count, isFirst: count == 0) { row, column in
      let snapshot = page.snapshots(in: range.lowerBound + row..<range.lowerBound + row + 1)[0]
      return fields[column].value(of: snapshot).jsonText
    }
    count += range.count
    if encoder.count >= Self.bufferLimit { try encoder.flush(to: write) }
  }

  /// Appends an identifier with its check, or a missing value for a temporary one.
  private mutating func append(_ identifier: PersistentIdentifier) {
    if omitsTemporaryIdentifiers, identifier.isTemporary { return cells.appendNull() }
    guard let check = checks?[identifier] else { return cells.append(identifier) }
    cells.append(.text("\(identifier)~\(check)"))
  }

  private func value(_ field: Field, of snapshot: DefaultSnapshot) -> Value {
    let isOmitted = omitsTemporaryIdentifiers && snapshot.persistentIdentifier.isTemporary
    return field == .identifier && isOmitted ? .null : field.value(of: snapshot)
  }

  private static let blockBytes = 1 << 17

  private mutating func flush() throws {
    guard !buffer.isEmpty else { return }
    let write = write
    try buffer.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: Tables

  private mutating func addToTable(_ row: [Value]) throws {
    let cells = row.enumerated().map { column, value in
      DisplayText(text(of: value, column))
    }
    if widths.isEmpty {
      held.append(cells)
      if held.count >= Self.heldCount { flushTable() }
    } else {
      buffer += line(cells)
    }
    if buffer.utf8.count >= Self.bufferLimit { try flush() }
  }

  /// The text that people see of a value.
  private func text(of value: Value, _ column: Int) -> String {
    if value.isNull { return style.nullText }
    if !decimalPlaces.isEmpty, let text = decimalPlaces[column]?.text(of: value) { return text }
    return blobs.isEmpty || !blobs[column] ? value.text : Self.summary(of: value)
  }

  private static func summary(of value: Value) -> String {
    guard case .text(let text) = value else { return value.text }
    return BlobSummary(base64: text)?.description ?? text
  }

  private mutating func flushTable() {
    guard format == .table, widths.isEmpty else { return }
    let headings = columns.map { DisplayText($0) }
    widths = headings.indices.map { column in
      held.reduce(style.hasHeading ? headings[column].width : 0) { max($0, $1[column].width) }
    }
    shrink(toFit: width)
    if style.hasHeading {
      buffer += line(headings)
      buffer += rule
    }
    for cells in held { buffer += line(cells) }
    held = []
  }

  /// The line below the headings.
  private var rule: String {
    widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ") + "\n"
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
}

// MARK: Documents

extension TableWriter {
  fileprivate mutating func add(_ row: [Value], to document: any TableDocument) throws {
    if count == 0 { buffer = visible(document.heading) }
    let line = try document.line(row) { text(of: $0, $1) }
    buffer += visible(line)
    if buffer.utf8.count >= Self.bufferLimit { try flush() }
  }

  private func visible(_ text: String) -> String {
    guard isTerminal else { return text }
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { DisplayText(String($0)).plain }.joined(separator: "\n")
  }
}

extension TableWriter.Field {
  fileprivate func value(of snapshot: DefaultSnapshot) -> Value {
    switch self {
    case .identifier: .text(snapshot.persistentIdentifier.description)
    case .slot(let slot): snapshot.orderedValues[slot]
    case .missing: .null
    }
  }

  /// What people read in place of a value, or the value itself.
  fileprivate func shown(_ value: Value, _ forms: [(any ValueForm)?]?) -> Value {
    guard case .slot(let slot) = self, case .text(let text) = value,
      let readable = forms?[slot]?.readableText(of: text)
    else { return value }
    return .text(readable)
  }
}
