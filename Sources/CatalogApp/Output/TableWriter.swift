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
  private let numeric: [Bool]
  /// The columns with bytes, of which a table shows the size and the first ones.
  private let blobs: [Bool]
  private let write: OutputSink
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

  /// Creates a writer; `marksEmptyText` writes empty text as `""` in tab-separated values.
  init(
    format: OutputFormat,
    isTerminal: Bool,
    width: Int?,
    columns: [String],
    numeric: [Bool],
    blobs: [Bool] = [],
    marksEmptyText: Bool = false,
    write: @escaping OutputSink
  ) {
    self.format = format
    self.width = width
    self.columns = columns
    self.numeric = numeric
    self.blobs = blobs.contains(true) ? blobs : []
    self.write = write
    encoder = RowEncoder(
      format,
      columns: columns,
      isTerminal: isTerminal,
      marksEmptyText: marksEmptyText
    )
  }

  /// Writes one row.
  mutating func add(_ row: [Value]) throws {
    defer { count += 1 }
    if format == .table { return try addToTable(row) }
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
    if format == .table {
      flushTable()
      return try flush()
    }
    encoder.finish(isEmpty: count == 0)
    try encoder.flush(to: write)
  }

  private mutating func add(_ page: any RecordPage, _ range: Range<Int>, _ fields: [Field]) throws {
    if format == .table {
      for snapshot in page.snapshots(in: range) {
        try add(fields.map { $0.value(of: snapshot) })
      }
      return
    }
    cells.removeAll()
    for field in fields {
      switch field {
      case .identifier: page.appendIdentifiers(range, to: &cells)
      case .slot(let slot): page.append(range, slot: slot, to: &cells)
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

  private static let blockBytes = 1 << 17

  private mutating func flush() throws {
    guard !buffer.isEmpty else { return }
    try buffer.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: Tables

  private mutating func addToTable(_ row: [Value]) throws {
    let cells = row.enumerated().map { column, value in
      DisplayText(blobs.isEmpty || !blobs[column] ? value.text : Self.summary(of: value))
    }
    if widths.isEmpty {
      held.append(cells)
      if held.count >= Self.heldCount { flushTable() }
    } else {
      buffer += line(cells)
    }
    if buffer.utf8.count >= Self.bufferLimit { try flush() }
  }

  private static func summary(of value: Value) -> String {
    guard case .text(let text) = value else { return value.text }
    return BlobSummary(base64: text)?.description ?? text
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
}

extension TableWriter.Field {
  fileprivate func value(of snapshot: DefaultSnapshot) -> Value {
    switch self {
    case .identifier: .text(snapshot.persistentIdentifier.description)
    case .slot(let slot): snapshot.orderedValues[slot]
    case .missing: .null
    }
  }
}
