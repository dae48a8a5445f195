import OpenSwiftData

/// Writes the records of a table as the objects of an array, column by column, without a value for each cell.
///
/// The text is the one that `JSONSectionStyle.put` writes for the same records.
struct JSONRowWriter {
  private let table: EntityTable
  private let style: JSONSectionStyle
  private let attributes: [Schema.Attribute]
  /// What precedes the value of each member: the separator, its name and the colon; first those of the identifier.
  private let leads: [(first: [UInt8], later: [UInt8])]
  private let hasIdentifier: Bool
  private var cells: [TextColumn]
  private var identifiers = TextColumn()

  /// The number of rows that are written together.
  private static let blockRows = 1024

  init(_ table: EntityTable, _ style: JSONSectionStyle) {
    self.table = table
    self.style = style
    attributes = table.entity.fields
    let identifierKey = style.format.identifierKey(of: table.entity)
    hasIdentifier = identifierKey != nil
    let names = [identifierKey ?? ""] + table.entity.fields.map(\.name)
    leads = names.map { name in
      var key = JSONOutput()
      key.put(quoting: name)
      key.put(style.record.colon)
      return (style.record.open + key.bytes, style.record.comma + key.bytes)
    }
    cells = table.entity.fields.map { _ in TextColumn() }
  }

  /// Writes all records, whose rows are in natural order and without gaps, with separators between them.
  ///
  /// - Returns: The place of each record.
  /// - Throws: The error of the sink.
  mutating func write(to sink: FileSink) throws -> [Range<Int>] {
    let count = table.rowCount
    precondition(table.order == nil && table.liveCount == count, "rows without gaps, in order")
    var places: [Range<Int>] = []
    places.reserveCapacity(count)
    var output = JSONOutput()
    for start in stride(from: 0, to: count, by: Self.blockRows) {
      let rows = (start..<min(start + Self.blockRows, count)).map { Int32($0) }
      read(rows[...])
      output.bytes.removeAll(keepingCapacity: true)
      for place in rows.indices {
        if start + place > 0 { output.put(style.separator) }
        let begin = output.bytes.count
        put(place, to: &output)
        places.append(sink.count + begin..<sink.count + output.bytes.count)
      }
      try sink.write(output.bytes)
    }
    return places
  }

  private mutating func read(_ rows: ArraySlice<Int32>) {
    identifiers.removeAll()
    if hasIdentifier { CellText.append(rows, of: table.keys, to: &identifiers) }
    for slot in attributes.indices {
      cells[slot].removeAll()
      let column = table.columns[slot]
      guard attributes[slot].type.destination != nil else {
        CellText.append(rows, of: column, to: &cells[slot])
        continue
      }
      for row in rows { append(column.value(at: Int(row)), slot) }
    }
  }

  /// Appends the JSON form of a link or of links.
  private mutating func append(_ value: Value, _ slot: Int) {
    guard !value.isNull else { return cells[slot].appendNull() }
    var output = JSONOutput()
    output.put(value.written(for: attributes[slot]))
    output.bytes.withUnsafeBufferPointer { cells[slot].append($0, .json) }
  }

  private func put(_ place: Int, to output: inout JSONOutput) {
    var isFirst = true
    func begin(_ member: Int, _ output: inout JSONOutput) {
      output.put(isFirst ? leads[member].first : leads[member].later)
      isFirst = false
    }
    output.put("{")
    if hasIdentifier {
      begin(0, &output)
      identifiers.withText(at: place) { output.put(quoting: $0) }
    }
    for slot in attributes.indices {
      let form = cells[slot].forms[place]
      if form == .null {
        let hasDefault = hasIdentifier && !attributes[slot].defaultValue.isNull
        if !hasDefault, hasIdentifier || !style.showsNull { continue }
        begin(slot + 1, &output)
        output.put("null")
        continue
      }
      begin(slot + 1, &output)
      cells[slot].withText(at: place) { text in
        if form == .json, attributes[slot].type == .json {
          output.put(text, style.record.indent)
        } else if form == .bare || form == .json {
          output.put(text)
        } else {
          output.put(quoting: text)
        }
      }
    }
    if !isFirst { output.put(style.record.close) }
    output.put("}")
  }
}

extension TextColumn {
  /// Lends the text of a value.
  @inline(__always)
  fileprivate func withText(at place: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    let start = place == 0 ? 0 : ends[place - 1]
    bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<ends[place]])) }
  }
}
