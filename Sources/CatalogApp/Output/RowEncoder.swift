import OpenSwiftData

/// Encodes rows as comma- or tab-separated values or JSON, without a string for each cell.
///
/// The rows collect in a buffer whose memory is used again after each `flush(to:)`.
struct RowEncoder {
  private let format: OutputFormat
  private let isTerminal: Bool
  private let marksEmptyText: Bool
  /// What missing values are written as; empty in JSON, which has null.
  private let null: [UInt8]
  /// The line with the names of the columns; empty for JSON.
  private let heading: [UInt8]
  private let columnCount: Int
  private let usesLineFeeds: Bool
  /// The text before the cell of each column.
  private var leads = TextColumn()
  private var bytes: [UInt8] = []
  /// The number of bytes that are in use.
  private(set) var count = 0

  init(
    _ format: OutputFormat,
    columns: [String],
    isTerminal: Bool,
    marksEmptyText: Bool,
    style: OutputStyle = OutputStyle()
  ) {
    self.format = format
    let nullText = isTerminal ? DisplayText(style.nullText).plain : style.nullText
    null = nullText.isEmpty || format.isJSON ? [] : Array(Self.encoded(nullText, format).utf8)
    self.isTerminal = isTerminal
    self.marksEmptyText = marksEmptyText
    let names = columns.map { isTerminal ? DisplayText($0).plain : $0 }
    switch format {
    case _ where !style.hasHeading: heading = []
    case .csv, .psv:
      heading = Array(
        (names.map { Self.encoded($0, format) }.joined(separator: format == .psv ? "|" : ",")
          + (style.usesLineFeeds ? "\n" : "\r\n")).utf8
      )
    case .tsv:
      let texts = names.map { Self.encoded($0, .tsv, canBeReadBack: marksEmptyText) }
      heading = Array((texts.joined(separator: "\t") + "\n").utf8)
    default: heading = []
    }
    columnCount = columns.count
    usesLineFeeds = style.usesLineFeeds
    for (place, name) in columns.enumerated() {
      let lead =
        switch format {
        case .tsv: place == 0 ? "" : "\t"
        case .psv: place == 0 ? "" : "|"
        case .json, .jsonl: (place == 0 ? "{" : ", ") + JSONText.quoted(name) + ": "
        default: place == 0 ? "" : ","
        }
      leads.append(.text(lead))
    }
  }

  /// Writes the buffered rows and empties the buffer.
  ///
  /// - Throws: `CommandError` if exported tab-separated values would contain a NUL character, because nothing could
  ///   read them; what the sink throws.
  mutating func flush(to write: OutputSink) throws {
    defer { count = 0 }
    if format == .tsv, marksEmptyText, bytes[..<count].contains(0) {
      throw CommandError(
        "the records contain a NUL character, which tab-separated values cannot hold; use .csv or .json",
        code: .invalidValue
      )
    }
    try bytes.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }

  /// Appends rows.
  ///
  /// - Parameters:
  ///   - cells: The cells of the first column, then those of the second, and so on.
  ///   - rowCount: The number of rows.
  ///   - isFirst: True if no row was appended before.
  ///   - links: The JSON of a cell that holds links.
  mutating func append(
    _ cells: TextColumn,
    rowCount: Int,
    isFirst: Bool,
    links: (_ row: Int, _ column: Int) -> String
  ) {
    assert(cells.count == rowCount * columnCount, "there is a cell for each column in each row")
    var cells = cells
    if isTerminal, !format.isJSON { cells = Self.visible(cells) }
    // With their JSON as text, links need no special case below.
    if format.isJSON, cells.forms.contains(.links) {
      cells = cells.mapped { text, form, place in
        form == .links ? links(place % rowCount, place / rowCount) : text
      }
    }
    reserve(room(for: cells, rowCount))
    if isFirst { append(heading) }
    var output: [UInt8] = []
    swap(&output, &bytes)
    defer { swap(&output, &bytes) }
    output.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      var cursor = ByteCursor(start + count)
      write(cells, rowCount: rowCount, isFirst: isFirst, to: &cursor)
      count = cursor.position - start
      assert(count <= buffer.count, "the rows fit into the reserved bytes")
    }
  }

  private func write(
    _ cells: TextColumn,
    rowCount: Int,
    isFirst: Bool,
    to cursor: inout ByteCursor
  ) {
    cells.withUnsafeCells { cells in
      leads.withUnsafeCells { leads in
        for row in 0..<rowCount {
          if format == .json { cursor.put(isFirst && row == 0 ? "[\n  " : ",\n  ") }
          // The first key brings the bracket with it.
          if columnCount == 0, format.isJSON { cursor.put("{") }
          for column in 0..<columnCount {
            cursor.put(leads.text(at: column))
            let place = column * rowCount + row
            put(cells.text(at: place), cells.forms[place], &cursor)
          }
          putEnd(&cursor)
        }
      }
    }
  }

  /// Appends the end of the output.
  mutating func finish(isEmpty: Bool) {
    reserve(heading.count + 8)
    switch format {
    case .json: append(Array((isEmpty ? "[]\n" : "\n]\n").utf8))
    case .csv, .tsv, .psv: if isEmpty { append(heading) }
    default: break
    }
  }

  // MARK: Cells

  @inline(__always)
  private func put(
    _ text: UnsafeBufferPointer<UInt8>,
    _ form: TextColumn.Form,
    _ cursor: inout ByteCursor
  ) {
    switch (format, form) {
    case (.json, _), (.jsonl, _): putJSON(text, form, &cursor)
    case (_, .null): if !null.isEmpty { null.withUnsafeBufferPointer { cursor.put($0) } }
    case (_, .bare), (_, .plain): cursor.put(text)
    case (.tsv, _): putTabSeparated(text, form, &cursor)
    case (.psv, _): putQuoted(text, form, .barSeparated, &cursor)
    default: putQuoted(text, form, .commaSeparated, &cursor)
    }
  }

  /// Appends a value, in quotes if it has one of the special bytes.
  @inline(__always)
  private func putQuoted(
    _ text: UnsafeBufferPointer<UInt8>,
    _ form: TextColumn.Form,
    _ special: SpecialBytes,
    _ cursor: inout ByteCursor
  ) {
    // Empty text is quoted and a missing value is left empty, so that both can be read back.
    if text.isEmpty { return form == .text ? cursor.put("\"\"") : () }
    if text[0] != 0x20, text[text.count - 1] != 0x20, !text.hasByte(in: special) {
      return cursor.put(text)
    }
    cursor.put(UInt8(ascii: "\""))
    for byte in text {
      if byte == UInt8(ascii: "\"") { cursor.put(byte) }
      cursor.put(byte)
    }
    cursor.put(UInt8(ascii: "\""))
  }

  private func putTabSeparated(
    _ text: UnsafeBufferPointer<UInt8>,
    _ form: TextColumn.Form,
    _ cursor: inout ByteCursor
  ) {
    var text = text
    if marksEmptyText {
      if text.isEmpty { return form == .text ? cursor.put("\"\"") : () }
      // A quote at the beginning, or after blanks, would enclose the value, and perhaps the lines after it.
      if let first = text.firstIndex(where: { $0 != 0x20 }), text[first] == UInt8(ascii: "\"") {
        cursor.put(UnsafeBufferPointer(rebasing: text[..<first]))
        cursor.put("\\")
        text = UnsafeBufferPointer(rebasing: text[first...])
      }
    }
    guard text.hasByte(in: .tabSeparated) else { return cursor.put(text) }
    for byte in text {
      switch byte {
      case 0x09: cursor.put("\\t")
      case 0x0A: cursor.put("\\n")
      case 0x0D: cursor.put("\\r")
      case 0x5C: cursor.put("\\\\")
      default: cursor.put(byte)
      }
    }
  }

  private func putJSON(
    _ text: UnsafeBufferPointer<UInt8>,
    _ form: TextColumn.Form,
    _ cursor: inout ByteCursor
  ) {
    switch form {
    case .null: cursor.put("null")
    case .bare, .links: cursor.put(text)
    case .json:
      if text.hasByte(in: .invisible) {
        cursor.putEscaped(text, inJSON: true)
      } else {
        cursor.put(text)
      }
    case .plain, .text, .link:
      cursor.put(UInt8(ascii: "\""))
      if form != .plain, text.hasByte(in: .escaped) {
        cursor.putEscaped(text, inJSON: false)
      } else {
        cursor.put(text)
      }
      cursor.put(UInt8(ascii: "\""))
    }
  }

  private func putEnd(_ cursor: inout ByteCursor) {
    switch format {
    case .tsv: cursor.put("\n")
    case .json: cursor.put("}")
    case .jsonl: cursor.put("}\n")
    default: if usesLineFeeds { cursor.put("\n") } else { cursor.put("\r\n") }
    }
  }

  // MARK: Columns

  /// The cells with control and invisible characters replaced by visible ones.
  private static func visible(_ cells: TextColumn) -> TextColumn {
    guard cells.forms.contains(where: { $0 != .null && $0 != .bare && $0 != .plain }) else {
      return cells
    }
    return cells.mapped { text, _, _ in DisplayText(text).plain }
  }

  // MARK: Room

  /// The number of bytes that the rows take at most.
  private func room(for cells: TextColumn, _ rowCount: Int) -> Int {
    // Each cell has a separator, and quotes or null; each row a bracket and line ends.
    let frame = heading.count + rowCount * (16 + leads.bytes.count + (8 + null.count) * columnCount)
    let size = cells.bytes.count
    if size <= 1 << 16 { return frame + 6 * size }
    // An exact count would not be faster than this for short texts.
    return frame + size + 5 * cells.bytes.withUnsafeBufferPointer { $0.count(of: .escaped) }
  }

  private mutating func reserve(_ additional: Int) {
    let missing = count + additional - bytes.count
    guard missing > 0 else { return }
    bytes.append(contentsOf: repeatElement(0, count: max(missing, min(bytes.count, 1 << 20))))
  }

  private mutating func append(_ text: [UInt8]) {
    bytes.replaceSubrange(count..<count + text.count, with: text)
    count += text.count
  }

  // MARK: Names

  /// The text as a field of tab-separated values.
  static func tabSeparated(_ text: String) -> String { encoded(text, .tsv) }

  private static func encoded(
    _ text: String,
    _ format: OutputFormat,
    canBeReadBack: Bool = false
  ) -> String {
    RowEncoder(format, columns: [], isTerminal: false, marksEmptyText: canBeReadBack)
      .encoded(text)
  }

  private func encoded(_ text: String) -> String {
    var text = text
    return text.withUTF8 { text in
      String(unsafeUninitializedCapacity: 2 * text.count + 2) { buffer in
        guard let start = buffer.baseAddress else { return 0 }
        var cursor = ByteCursor(start)
        // As an identifier, because empty text needs no mark in a heading.
        put(text, .link, &cursor)
        return cursor.position - start
      }
    }
  }
}

extension TextColumn {
  /// Lends the cells without counting references for each.
  @inline(__always)
  fileprivate func withUnsafeCells(_ body: (Cells) -> Void) {
    bytes.withUnsafeBufferPointer { bytes in
      ends.withUnsafeBufferPointer { ends in
        forms.withUnsafeBufferPointer { body(Cells(bytes: bytes, ends: ends, forms: $0)) }
      }
    }
  }

  fileprivate struct Cells {
    let bytes: UnsafeBufferPointer<UInt8>
    let ends: UnsafeBufferPointer<Int>
    let forms: UnsafeBufferPointer<Form>

    @inline(__always)
    func text(at place: Int) -> UnsafeBufferPointer<UInt8> {
      let start = place == 0 ? 0 : ends[place - 1]
      return UnsafeBufferPointer(rebasing: bytes[start..<ends[place]])
    }
  }

  /// The column with other texts.
  fileprivate func mapped(_ body: (_ text: String, _ form: Form, _ place: Int) -> String)
    -> TextColumn
  {
    var result = TextColumn()
    var start = 0
    for row in 0..<count {
      var text = body(String(decoding: bytes[start..<ends[row]], as: UTF8.self), forms[row], row)
      if forms[row] == .null {
        result.appendNull()
      } else {
        text.withUTF8 { result.append($0, forms[row]) }
      }
      start = ends[row]
    }
    return result
  }
}
