package import OpenSwiftData

/// Writes results in the format that was asked for.
///
/// Text goes to a sink piece by piece, so that a long list needs little memory. On a terminal every
/// value passes the sanitiser; in files and pipes values keep their bytes, quoted as the format wants.
package struct ResultPrinter {
  private let format: OutputFormat
  private let isTerminal: Bool
  private let width: Int?
  private let marksEmptyText: Bool
  private let write: (String) throws -> Void
  private static let pageCount = 2000

  /// Creates a printer.
  ///
  /// Tables are not wider than the width, in terminal cells; nil for no limit. With `marksEmptyText`
  /// empty text is `""` in tab-separated values, so that an import can tell it from a missing value.
  package init(
    _ format: OutputFormat,
    isTerminal: Bool,
    width: Int? = nil,
    marksEmptyText: Bool = false,
    write: @escaping (String) throws -> Void
  ) {
    self.format = format
    self.isTerminal = isTerminal
    self.width = width
    self.marksEmptyText = marksEmptyText
    self.write = write
  }

  /// Prints what a command has to show; nothing for what only watchers want to know.
  ///
  /// - Throws: What reading the records or the sink throws.
  package func print(_ outcome: Outcome, context: ModelContext) throws {
    switch outcome {
    case .done, .quit: break
    case .records(let listing): try printRecords(listing, context)
    case .record(let snapshot, let entity): try printRecord(snapshot, entity)
    case .lines(let lines): for line in lines { try write(safe(line) + "\n") }
    case .table(let table): try print(table)
    case .saved(let report):
      try write(report.summary + "\n")
      for pair in report.remapped { try write("\(pair.temporary) -> \(pair.permanent)\n") }
    }
  }

  // MARK: Records

  private func printRecords(_ listing: RecordListing, _ context: ModelContext) throws {
    let key = listing.entity.identifierKey
    let columns = [key] + listing.attributes.map(\.name)
    var writer = TableWriter(
      format: format,
      isTerminal: isTerminal,
      width: width,
      columns: columns,
      numeric: [false] + listing.attributes.map(\.type.isNumeric),
      write: write
    )
    writer.marksEmptyText = marksEmptyText
    let slots = listing.attributes.map { listing.entity.layout.slot(of: $0.name) ?? 0 }
    let identifiers = listing.identifiers
    for start in stride(from: 0, to: identifiers.count, by: Self.pageCount) {
      let page = Array(identifiers[start..<min(start + Self.pageCount, identifiers.count)])
      let snapshots = try context.snapshots(for: page)
      for identifier in page {
        guard let snapshot = snapshots[identifier] else { continue }
        try writer.add(
          [.text(identifier.description)] + slots.map { snapshot.orderedValues[$0] }
        )
      }
    }
    try writer.finish()
  }

  private func printRecord(_ snapshot: DefaultSnapshot, _ entity: Schema.Entity) throws {
    let key = entity.identifierKey
    let values = [.text(snapshot.persistentIdentifier.description)] + snapshot.orderedValues
    if format != .table && format != .tsv {
      var writer = TableWriter(
        format: format == .json ? .jsonl : format,
        isTerminal: isTerminal,
        width: nil,
        columns: [key] + snapshot.layout.names,
        numeric: [],
        write: write
      )
      try writer.add(values)
      return try writer.finish()
    }
    let names = [key] + snapshot.layout.names
    let nameWidth = names.map { DisplayText($0).width }.max() ?? 0
    for (name, value) in zip(names, values) {
      if format == .tsv {
        try write("\(TableWriter.tabSeparated(name))\t\(TableWriter.tabSeparated(value.text))\n")
      } else {
        let label = DisplayText(name).padded(to: nameWidth, alignment: .left).plain
        let text =
          value.isNull ? "" : "  " + (isTerminal ? DisplayText(value.text).plain : value.text)
        try write(label + text + "\n")
      }
    }
  }

  private func print(_ table: OutputTable) throws {
    let numeric = table.columns.indices.map { column in
      !table.rows.isEmpty
        && table.rows.allSatisfy { $0[column].isNull || $0[column].asDouble != nil }
    }
    var writer = TableWriter(
      format: format,
      isTerminal: isTerminal,
      width: width,
      columns: table.columns,
      numeric: numeric,
      write: write
    )
    for row in table.rows { try writer.add(row) }
    try writer.finish()
  }

  private func safe(_ line: String) -> String {
    isTerminal ? DisplayText(line).plain : line
  }
}

/// Writes rows under headings in one of the formats.
struct TableWriter {
  private let format: OutputFormat
  private let isTerminal: Bool
  private let width: Int?
  private let columns: [String]
  private let numeric: [Bool]
  private let write: (String) throws -> Void
  private var count = 0
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
  }

  mutating func add(_ row: [Value]) throws {
    switch format {
    case .table: try addToTable(row)
    case .json: try write((count == 0 ? "[\n  " : ",\n  ") + object(row))
    case .jsonl: try write(object(row) + "\n")
    case .csv:
      if count == 0 { try write(columns.map(Self.commaSeparated).joined(separator: ",") + "\r\n") }
      try write(row.map(csvField).joined(separator: ",") + "\r\n")
    case .tsv:
      if count == 0 { try write(columns.map(Self.tabSeparated).joined(separator: "\t") + "\n") }
      try write(row.map(tsvField).joined(separator: "\t") + "\n")
    }
    count += 1
  }

  mutating func finish() throws {
    switch format {
    case .table: try flushTable()
    case .json: try write(count == 0 ? "[]\n" : "\n]\n")
    case .csv where count == 0:
      try write(columns.map(Self.commaSeparated).joined(separator: ",") + "\r\n")
    case .tsv where count == 0:
      try write(columns.map(Self.tabSeparated).joined(separator: "\t") + "\n")
    default: break
    }
  }

  // MARK: Tables

  private mutating func addToTable(_ row: [Value]) throws {
    let cells = row.map { DisplayText($0.text) }
    if widths.isEmpty {
      held.append(cells)
      if held.count >= Self.heldCount { try flushTable() }
    } else {
      try write(line(cells))
    }
  }

  private mutating func flushTable() throws {
    guard widths.isEmpty else { return }
    let headings = columns.map { DisplayText($0) }
    widths = headings.indices.map { column in
      held.reduce(headings[column].width) { max($0, $1[column].width) }
    }
    shrink(toFit: width)
    try write(line(headings))
    try write(widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ") + "\n")
    for cells in held { try write(line(cells)) }
    held = []
  }

  /// Takes from the widest column until the line fits, but leaves eight cells to each.
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
      let clipped = cell.clipped(to: widths[column])
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

  private func object(_ row: [Value]) -> String {
    var result = "{"
    for (column, value) in row.enumerated() {
      if column > 0 { result += ", " }
      result += JSONText.quoted(columns[column]) + ": " + value.jsonText
    }
    return result + "}"
  }

  private func shown(_ text: String) -> String {
    isTerminal ? DisplayText(text).plain : text
  }

  private func csvField(_ value: Value) -> String {
    // Empty text is quoted, a missing value is nothing at all, so that both can be read back.
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
    // Scalar by scalar: a quote and the accent behind it are one character.
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

extension Value {
  /// The value as JSON.
  package var jsonText: String {
    switch self {
    case .null: "null"
    case .boolean, .integer, .number, .decimal: text
    case .json(let text): JSONText.escapingInvisible(text)
    case .links(let identifiers):
      "[" + identifiers.map { JSONText.quoted($0.description) }.joined(separator: ", ") + "]"
    default: JSONText.quoted(text)
    }
  }
}
