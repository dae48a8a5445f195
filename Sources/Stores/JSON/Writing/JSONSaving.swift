import OpenSwiftData

/// Writes the new file from the old one in one pass; ranges without edits are copied.
struct JSONSaving {
  /// The places of the new records, and the new document.
  struct Outcome {
    var document: JSONDocument
    /// The places by entity, in the order in which the records were inserted.
    var insertedRanges: [String: [Range<Int>]] = [:]
    /// The offsets of the records that were not copied, ascending.
    var writtenRecords: [Int] = []
    /// The texts that deleted and changed records had before.
    var formerTexts: [FormerText] = []
  }

  private let plan: JSONPlan
  private let source: JSONSource
  private let document: JSONDocument
  private let schema: Schema
  /// Counts new records if there are many, else the bytes of the old file.
  private let counter: WorkCounter
  private let countsRecords: Bool
  private var styles: [Int: JSONSectionStyle] = [:]
  private var shifts = JSONShifts()
  private var formerTexts: [FormerText] = []
  private var formerKinds: [String: [String: ValueKind]] = [:]
  private var formerBytes = 0
  private var patched: [(section: Int, row: Int, range: Range<Int>)] = []
  private var contents: [(section: Int, range: Range<Int>)] = []
  private var newSections: [JSONSection] = []
  private var newMembersEnd: Int?
  private var newInterior: Range<Int>?
  private var insertedRanges: [String: [Range<Int>]] = [:]
  /// The new places of records that follow new ones, by their former places.
  private var placesAfterNew: [Int: Int] = [:]

  init(_ plan: JSONPlan, _ schema: Schema, _ source: JSONSource) {
    self.plan = plan
    document = plan.document
    self.schema = schema
    self.source = source
    let count = plan.insertionCount
    countsRecords = count > Self.manyRecords
    counter =
      countsRecords
      ? WorkCounter("writing", of: count)
      : WorkCounter("writing", of: source.sizeBytes, unit: .bytes)
  }

  private static let manyRecords = 1000

  /// Writes the whole file.
  ///
  /// - Throws: What source and sink throw.
  /// - Complexity: O(n) in the size of the file, most of it copying.
  mutating func write(to sink: FileSink) throws -> Outcome {
    var reader = JSONRangeReader(source)
    var position = 0
    for edit in plan.edits {
      try reader.copy(position..<edit.range.lowerBound, to: sink)
      let start = sink.count
      try write(edit, &reader, sink)
      shifts.note(edit.range, newLength: sink.count - start)
      position = edit.range.upperBound
      if !countsRecords { try counter.advance(to: position) }
    }
    try reader.copy(position..<source.sizeBytes, to: sink)
    if !countsRecords { try counter.advance(to: source.sizeBytes) }
    var outcome = outcome(sizeBytes: sink.count)
    try endLastLine(&outcome, sink)
    try rememberDeleted()
    outcome.formerTexts = formerTexts
    return outcome
  }

  /// Ends a last record without any byte by a line end, without which it would be none.
  private func endLastLine(_ outcome: inout Outcome, _ sink: FileSink) throws {
    guard let dialect = plan.format.dialect, dialect.columns.count == 1,
      let section = outcome.document.sections.first
    else { return }
    let places = section.rowsInFileOrder().map { section.range(ofRow: Int($0)) }
    let last = (outcome.insertedRanges[section.entityName] ?? []) + places.suffix(1)
    guard last.contains(where: { $0.isEmpty && $0.lowerBound == sink.count }) else { return }
    try sink.write(dialect.lineEnd)
    outcome.document.sizeBytes = sink.count
    outcome.document.sections[0].end = sink.count
  }

  private mutating func write(
    _ edit: JSONEdit,
    _ reader: inout JSONRangeReader,
    _ sink: FileSink
  ) throws {
    switch edit.kind {
    case .text(let bytes): try sink.write(bytes)
    case .patch(let section, let row):
      let patch = plan.patch(section, row)
      let style = try style(of: section)
      var output = JSONOutput()
      try reader.withBytes(in: edit.range) { text in
        let isLasting = document.format.put(patch, over: text, style, plan.columns, to: &output)
        if patch.isRemembered ? !text.elementsEqual(output.bytes) : !isLasting {
          remember(text, of: row, in: section)
        }
      }
      patched.append((section, row, sink.count..<(sink.count + output.bytes.count)))
      try sink.write(output.bytes)
    case .insertion(let insertion):
      try put(insertion, to: sink)
      if insertion.isFirst { placesAfterNew[edit.range.lowerBound] = sink.count }
    case .content(let section):
      let start = sink.count
      if let table = plan.copies[section] {
        try putContent(copying: table, try style(of: section), to: sink)
      } else {
        try putContent(plan.insertions[section] ?? [], try style(of: section), to: sink)
      }
      contents.append((section, start..<sink.count))
    case .newSections: try putNewSections(edit.range, to: sink)
    }
  }

  /// Keeps the text of a record before the save, unless the texts are too large.
  private mutating func remember(
    _ text: UnsafeBufferPointer<UInt8>,
    of row: Int,
    in section: Int
  ) {
    let section = document.sections[section]
    // Without its identifier, a text is that of another record.
    guard !section.rowsWithoutIdentifier.contains(Int32(row)),
      let table = plan.table.table(of: section.entityName)
    else { return }
    let former = FormerText(
      record: table.keys[row],
      fields: document.format.fields(of: table.entity),
      bytes: Array(text),
      kinds: kinds(of: section.entityName)
    )
    formerBytes += former.sizeBytes
    let isOver =
      formerBytes > TextMemory.limitBytes
      || plan.converts && formerTexts.count >= TextMemory.limitOfUpdates
    if !isOver { formerTexts.append(former) }
  }

  /// The kinds of the fields of an entity before the save.
  private mutating func kinds(of entityName: String) -> [String: ValueKind] {
    if let known = formerKinds[entityName] { return known }
    let fields = plan.former.entitiesByName[entityName]?.fields ?? []
    let kinds = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.type.kind) })
    formerKinds[entityName] = kinds
    return kinds
  }

  /// Keeps the texts of the records that the save deletes.
  private mutating func rememberDeleted() throws {
    guard plan.remembersDeleted else { return }
    var reader = JSONRangeReader(source)
    for (place, rows) in plan.deletions.sorted(by: { $0.key < $1.key }) {
      let section = document.sections[place]
      for row in section.rowsInFileOrder() where rows.contains(row) {
        let range = section.range(ofRow: Int(row))
        try reader.withBytes(in: range) { remember($0, of: Int(row), in: place) }
      }
    }
  }

  private mutating func style(of section: Int) throws -> JSONSectionStyle {
    if let known = styles[section] { return known }
    let style = try JSONSectionStyle(
      of: document.sections[section],
      in: document,
      as: plan.format,
      source
    )
    styles[section] = style
    return style
  }

  /// Writes the content of an array whose records are all new.
  private mutating func putContent(
    _ records: [DefaultSnapshot],
    _ style: JSONSectionStyle,
    to sink: FileSink
  ) throws {
    if records.isEmpty {
      // The line end after the header stays.
      if plan.format.dialect?.header != nil { try sink.write(style.tail) }
      return
    }
    try sink.write(style.head)
    insertedRanges[records[0].persistentIdentifier.entityName] =
      try put(records, style, to: sink)
    try sink.write(style.tail)
  }

  /// Writes the content of an array from the columns of a table.
  private mutating func putContent(
    copying table: EntityTable,
    _ style: JSONSectionStyle,
    to sink: FileSink
  ) throws {
    try sink.write(style.head)
    var writer = JSONRowWriter(table, style)
    insertedRanges[table.entity.name] = try writer.write(to: sink)
    try sink.write(style.tail)
  }

  /// Writes new records at a place between existing ones, or after the last one.
  private mutating func put(_ insertion: JSONInsertion, to sink: FileSink) throws {
    let all = plan.insertions[insertion.section] ?? []
    let isAll = insertion.records.elementsEqual(all.indices)
    let ranges = try put(
      isAll ? all : insertion.records.map { all[$0] },
      try style(of: insertion.section),
      insertion,
      to: sink
    )
    let name = document.sections[insertion.section].entityName
    if isAll {
      insertedRanges[name] = ranges
    } else {
      for (place, range) in zip(insertion.records, ranges) {
        insertedRanges[name, default: Array(repeating: 0..<0, count: all.count)][place] = range
      }
    }
  }

  /// Writes new records with separators between them, and before or after them at a place in the file.
  ///
  /// - Returns: Their places.
  private mutating func put(
    _ records: [DefaultSnapshot],
    _ style: JSONSectionStyle,
    _ insertion: JSONInsertion? = nil,
    to sink: FileSink
  ) throws -> [Range<Int>] {
    guard let name = records.first?.persistentIdentifier.entityName else { return [] }
    let startsWithSeparator = insertion?.isFirst == false
    let entity = try schema.entity(named: name)
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(records.count)
    var output = JSONOutput()
    for (place, record) in records.enumerated() {
      if place > 0 || startsWithSeparator { output.put(style.separator) }
      let start = output.bytes.count
      let former = plan.formerRecords(record.persistentIdentifier, of: entity)
      if let found = former.first(where: { $0.has(record.orderedValues) }) {
        output.put(found.bytes)
      } else if let newest = former.first {
        newest.put(record, style, to: &output)
      } else {
        style.put(record, of: entity, to: &output)
      }
      ranges.append((sink.count + start)..<(sink.count + output.bytes.count))
      if output.bytes.count > 1 << 16 {
        try sink.write(output.bytes)
        output.bytes.removeAll(keepingCapacity: true)
      }
      if countsRecords { try counter.add() }
    }
    if insertion?.isFirst == true { output.put(style.separator) }
    try sink.write(output.bytes)
    return ranges
  }

  /// Writes arrays for entities without one, after the last member of the document.
  private mutating func putNewSections(_ range: Range<Int>, to sink: FileSink) throws {
    let start = document.interior?.lowerBound ?? 0
    let beginning = try source.bytes(in: start..<min(start + 256, source.sizeBytes))
    var indentation = Array(beginning.prefix { $0 <= 0x20 })
    let isFirst = document.membersEnd == nil
    if isFirst { indentation = Array("\n  ".utf8) }
    let style = try JSONSectionStyle(of: nil, in: document, as: plan.format, source)
    for (place, section) in plan.newSections.enumerated() {
      if place > 0 || !isFirst { try sink.write(",") }
      try sink.write(indentation)
      var key = JSONOutput()
      key.put(quoting: section.entity)
      key.put(style.record.colon)
      key.put("[")
      try sink.write(key.bytes)
      let start = sink.count
      try putContent(section.records, style, to: sink)
      newSections.append(JSONSection(entityName: section.entity, start: start, end: sink.count))
      try sink.write("]")
    }
    newMembersEnd = sink.count
    if isFirst {
      try sink.write("\n")
      newInterior = (document.interior?.lowerBound ?? 0)..<sink.count
    }
  }

  private func outcome(sizeBytes: Int) -> Outcome {
    var result = document
    result.sizeBytes = sizeBytes
    // The first new section is inserted at the end of the header, and is not part of it.
    result.header = document.header.map {
      shifts.place(ofEnd: $0.lowerBound)..<shifts.place(ofEnd: $0.upperBound)
    }
    result.interior =
      newInterior
      ?? document.interior.map {
        shifts.place(ofEnd: $0.lowerBound)..<shifts.place(of: $0.upperBound)
      }
    result.membersEnd = newMembersEnd ?? document.membersEnd.map { shifts.place(of: $0) }
    for place in result.sections.indices { move(&result.sections[place], place) }
    for patch in patched {
      result.sections[patch.section].setRange(patch.range, ofRow: patch.row)
    }
    for content in contents {
      result.sections[content.section].start = content.range.lowerBound
      result.sections[content.section].end = content.range.upperBound
    }
    result.format = plan.format
    if plan.format.dialect?.header != nil {
      result.format.dialect?.header = result.header
      result.format.dialect?.dataStart = result.header?.upperBound ?? 0
    }
    for place in plan.removedSections.keys.sorted(by: >) { result.sections.remove(at: place) }
    result.sections += newSections
    let written = patched.map(\.range) + insertedRanges.values.joined()
    return Outcome(
      document: result,
      insertedRanges: insertedRanges,
      writtenRecords: written.map(\.lowerBound).sorted()
    )
  }

  private func move(_ section: inout JSONSection, _ place: Int) {
    section.start = shifts.place(ofEnd: section.start)
    section.end = shifts.place(of: section.end)
    section.rowsWithoutIdentifier = []
    for row in plan.deletions[place] ?? [] { section.spans[Int(row)] = 0 }
    for row in section.spans.indices where section.spans[row] != 0 {
      let range = section.range(ofRow: row)
      // A record without any byte has new ones before and after it at the same place.
      let start =
        range.isEmpty
        ? placesAfterNew[range.lowerBound] ?? shifts.place(ofEnd: range.lowerBound)
        : shifts.place(of: range.lowerBound)
      section.spans[row] = Span(start: start, count: range.count).packed
    }
  }
}
