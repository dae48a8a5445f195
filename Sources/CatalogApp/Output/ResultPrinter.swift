package import OpenSwiftData

/// Writes results in the requested format.
///
/// Text goes to a sink piece by piece, so that a long list needs little memory. On a terminal every
/// name and value is sanitized; in files and pipes they keep their bytes, quoted as the format
/// requires.
package struct ResultPrinter {
  private let format: OutputFormat
  private let isTerminal: Bool
  private let width: Int?
  private let style: OutputStyle
  private let writeBytes: OutputSink
  /// Reads exported separated values back; nil if they are only looked at.
  private let readBack: ReadBack.Reader?
  /// Takes a note about an export.
  private let note: (String) -> Void
  private static let pageCount = 2000

  /// Creates a printer.
  ///
  /// Tables are limited to the width, in terminal cells; nil for no limit. With `readBack`, exported separated values get
  /// names in quotes if these would not be read as names, and `note` is told if that does not help.
  package init(
    _ format: OutputFormat,
    isTerminal: Bool,
    width: Int? = nil,
    style: OutputStyle = OutputStyle(),
    readBack: ((_ text: [UInt8], _ promised: UInt8?, ReadingOptions) throws -> DelimitedText)? =
      nil,
    note: @escaping (String) -> Void = { _ in },
    writeBytes: @escaping OutputSink
  ) {
    self.format = format
    self.readBack = readBack
    self.note = note
    self.style = style
    self.isTerminal = isTerminal
    self.width = width
    self.writeBytes = writeBytes
  }

  /// Creates a printer whose sink takes text.
  package init(
    _ format: OutputFormat,
    isTerminal: Bool,
    width: Int? = nil,
    write: @escaping (String) throws -> Void
  ) {
    self.init(format, isTerminal: isTerminal, width: width) {
      try write(String(decoding: $0, as: UTF8.self))
    }
  }

  private func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try writeBytes(UnsafeRawBufferPointer($0)) }
  }

  /// Prints the output of a command, except texts that are only for interactive users.
  ///
  /// - Throws: The errors of reading the records and of the sink.
  package func print(_ outcome: Outcome, context: ModelContext) throws {
    switch outcome {
    case .done, .question, .quit, .screen, .commands: break
    case .records(let listing): try printRecords(listing, context)
    case .record(let snapshot, let entity): try printRecord(snapshot, entity)
    case .note(let line): try write(oneLine(line) + "\n")
    case .lines(let lines): for line in lines { try write(safe(line) + "\n") }
    case .facts(let facts) where facts.isObject && (format == .json || format == .jsonl):
      try write(JSONObject(facts.members).text + "\n")
    case .facts(let facts): for line in facts.lines { try write(oneLine(line) + "\n") }
    case .table(let table): try print(table)
    case .several(let outcomes) where outcomes.isEmpty && format == .json: try write("[]\n")
    case .several(let outcomes):
      for outcome in outcomes.joinedLists { try print(outcome, context: context) }
    case .saved(let report):
      for line in report.printedLines { try write(oneLine(line) + "\n") }
      for line in report.identifierLines { try write(safe(line) + "\n") }
    }
  }

  // MARK: Records

  @discardableResult
  private func printRecords(_ listing: RecordListing, _ context: ModelContext) throws -> Int {
    let identifiers = listing.identifiers
    let pageCount = listing.entity.layout.pageCount(atMost: Self.pageCount)
    return try printPages(
      of: listing.entity,
      listing.columns,
      listing.checks,
      omitsTemporaryIdentifiers: listing.isExport,
      marksEmptyText: listing.isExport
    ) { body in
      let counter = WorkCounter(of: identifiers.count)
      let name = listing.entity.name
      var entity: Schema.Entity?
      for start in stride(from: 0, to: identifiers.count, by: pageCount) {
        let end = min(start + pageCount, identifiers.count)
        let page = try listing.page(of: Array(identifiers[start..<end]), in: context)
        let current = context.schema.entitiesByName[name]
        if let entity, let current, current != entity, current.layout == entity.layout {
          throw entity.changedError
        }
        entity = current
        try body(page)
        try counter.advance(to: end)
      }
    }
  }

  /// Prints records without a list of all of them, unless there is one.
  ///
  /// - Returns: The number of records.
  /// - Throws: The errors of reading the records and of the sink.
  func printRecords(of source: RecordSource, _ context: ModelContext) throws -> Int {
    guard let identifiers = source.identifiers else {
      return try printPages(
        of: source.entity,
        source.columns,
        source.checks,
        omitsTemporaryIdentifiers: source.omitsTemporaryIdentifiers,
        marksEmptyText: true
      ) { body in
        try context.forEachPage(matching: source.query, body)
      }
    }
    return try printRecords(source.listing(of: identifiers, isExport: true), context)
  }

  /// Prints records that are read page by page.
  ///
  /// With `marksEmptyText` empty text is `""` in tab-separated values, so that an import can distinguish it from a
  /// missing value.
  ///
  /// - Returns: The number of records.
  /// - Throws: What `read` and the sink throw.
  private func printPages(
    of entity: Schema.Entity,
    _ columns: [RecordListing.Column],
    _ checks: RecordChecks?,
    omitsTemporaryIdentifiers: Bool,
    marksEmptyText: Bool,
    _ read: ((any RecordPage) throws -> Void) throws -> Void
  ) throws -> Int {
    // A table that has its key as a column has no other one for the identifier.
    let hasKey = format == .sql && entity.fields.contains { $0.isKey || $0.isSettableWhenNew }
    let columns = hasKey ? columns.filter { !$0.isIdentifier } : columns
    let check = marksEmptyText ? check(columns.map(\.name)) : nil
    var writer = TableWriter(
      format: format,
      of: entity.name,
      isTerminal: isTerminal,
      width: width,
      columns: columns.map(\.name),
      numeric: columns.map(\.isNumeric),
      blobs: columns.map(\.isBlob),
      decimalPlaces: marksEmptyText && !format.isJSON ? columns.map(\.decimalPlaces) : [],
      marksEmptyText: marksEmptyText,
      omitsTemporaryIdentifiers: omitsTemporaryIdentifiers,
      checks: checks,
      style: style,
      write: check.map { check in { try check.put($0) } } ?? writeBytes
    )
    // Another program may change the schema while the records are listed.
    var layout: SnapshotLayout?
    var fields: [TableWriter.Field] = []
    try read { page in
      if page.layout !== layout {
        layout = page.layout
        fields = columns.map { column in
          if column.isIdentifier { return .identifier }
          return page.layout.slot(of: column.name).map { .slot($0) } ?? .missing
        }
      }
      try writer.add(page, fields)
    }
    try writer.finish()
    try finish(check)
    return writer.count
  }

  /// Checks that exported separated values are read as they were written; nil for what is not read as a file.
  private func check(_ columns: [String]) -> ReadBack? {
    guard let readBack, !isTerminal, format.delimiter != nil, style.hasHeading,
      style.nullText.isEmpty
    else { return nil }
    return ReadBack(
      format,
      columns,
      usesLineFeeds: style.usesLineFeeds,
      readBack,
      write: writeBytes
    )
  }

  private func printRecord(_ snapshot: DefaultSnapshot, _ entity: Schema.Entity) throws {
    let key = entity.identifierKey
    let values = [.text(snapshot.persistentIdentifier.description)] + snapshot.orderedValues
    if format != .table && format != .tsv {
      var writer = TableWriter(
        format: format == .json ? .jsonl : format,
        of: entity.name,
        isTerminal: isTerminal,
        width: nil,
        columns: [key] + snapshot.layout.names,
        numeric: [],
        style: style,
        write: writeBytes
      )
      try writer.add(values)
      return try writer.finish()
    }
    let names = [key] + snapshot.layout.names
    let nameWidth = names.map { DisplayText($0).width }.max() ?? 0
    for (name, value) in zip(names, values) {
      if format == .tsv {
        let fields = [name, value.isNull ? style.nullText : value.text].map {
          RowEncoder.tabSeparated(safe($0))
        }
        try write(fields.joined(separator: "\t") + "\n")
      } else {
        let label = DisplayText(name).padded(to: nameWidth, alignment: .left).plain
        let shown = entity.fieldsByName[name]?.shownText(of: value) ?? value.text
        let text = value.isNull ? style.nullText : shown
        let end = value.isNull && text.isEmpty ? "" : "  " + DisplayText(text).plain
        try write(label + end + "\n")
      }
    }
  }

  /// Prints rows into a file.
  ///
  /// - Returns: The number of rows.
  /// - Throws: The errors of the sink.
  func export(_ table: OutputTable) throws -> Int {
    try print(table, marksEmptyText: true)
    return table.rows.count
  }

  private func print(_ table: OutputTable, marksEmptyText: Bool = false) throws {
    let check = marksEmptyText ? check(table.columns) : nil
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
      marksEmptyText: marksEmptyText,
      style: style,
      write: check.map { check in { try check.put($0) } } ?? writeBytes
    )
    var meter = WorkMeter()
    for row in table.rows {
      try meter.count(row.count)
      try writer.add(row)
    }
    try writer.finish()
    try finish(check)
  }

  private func finish(_ check: ReadBack?) throws {
    try check?.finish()
    if check?.isDoubtful == true {
      note("export: the first line would not be read as names; read it with --read header=yes")
    }
  }

  /// A line of a message; control characters, which a file name can have, are symbols everywhere.
  private func oneLine(_ line: String) -> String {
    // Most lines are plain ASCII.
    if !isTerminal, line.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return line }
    let hasControls = line.unicodeScalars.contains { $0.isControl && $0 != "\t" }
    return hasControls ? DisplayText(line).plain : safe(line)
  }

  private func safe(_ line: String) -> String {
    isTerminal ? DisplayText(line).plain : line
  }
}

extension Unicode.Scalar {
  /// True for a scalar of the category Cc.
  fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
