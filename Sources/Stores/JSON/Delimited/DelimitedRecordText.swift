import OpenSwiftData

/// The fields of one record or header as written; the text was divided before.
struct DelimitedRecordText {
  let text: UnsafeBufferPointer<UInt8>
  /// The fields, with their quotes.
  private(set) var fields: [Range<Int>] = []
  /// True if several bytes may divide two fields.
  private var keepsGaps = false

  init(_ text: UnsafeBufferPointer<UInt8>, _ syntax: DelimitedSyntax) {
    self.text = text
    if text.isEmpty {
      fields = [0..<0]
      return
    }
    var scanner = DelimitedScanner(syntax)
    // A CR at the end is a character, because the line end does not belong to the record.
    let end = text.last == 0x0D && !syntax.returnEndsLine ? text.count - 1 : text.count
    let part = UnsafeBufferPointer(rebasing: text[..<end])
    // The record was read before, so there is one without a fault.
    guard let found = try? scanner.records(in: part, isLast: true), found.count > 0 else { return }
    fields = found.record(0).fields.map { found.field($0).range }
    keepsGaps = syntax.joinsDelimiters
    if let last = fields.last, !keepsGaps || last.upperBound == end {
      fields[fields.count - 1] = last.lowerBound..<text.count
    }
  }

  /// What stands before the first field: delimiters that are none.
  var beforeFields: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: text[..<(fields.first?.lowerBound ?? 0)])
  }

  /// What stands after the last field.
  var afterFields: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: text[(fields.last?.upperBound ?? text.count)...])
  }

  /// Appends what divides two fields: as written, if they were next to each other.
  func putGap(
    between left: Int?,
    _ right: Int?,
    _ dialect: DelimitedDialect,
    to output: inout JSONOutput
  ) {
    guard keepsGaps, let left, let right, right == left + 1 else {
      return dialect.putDelimiter(to: &output)
    }
    let gap = text[fields[left].upperBound..<fields[right].lowerBound]
    output.put(UnsafeBufferPointer(rebasing: gap))
  }

  /// The bytes of a field, with its quotes.
  func field(_ place: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: text[fields[place]])
  }

  /// True if the field is in quotes.
  func isQuoted(_ place: Int, _ syntax: DelimitedSyntax) -> Bool {
    syntax.content(of: field(place)) != nil
  }

  /// Appends another text for a field, between the blanks that do not belong to it.
  func put(
    around place: Int,
    _ syntax: DelimitedSyntax,
    to output: inout JSONOutput,
    _ body: (inout JSONOutput) -> Void
  ) {
    let field = field(place)
    guard syntax.trims || isQuoted(place, syntax) else { return body(&output) }
    let before = field.prefix { $0 == 0x20 }
    output.put(UnsafeBufferPointer(rebasing: before))
    body(&output)
    let after = field[before.endIndex...].reversed().prefix { $0 == 0x20 }.count
    output.put(UnsafeBufferPointer(rebasing: field[(field.count - after)...]))
  }
}

/// How the columns of a file change.
struct DelimitedColumnChange {
  /// The names after the change.
  let columns: [String]
  /// For each of them the former column; nil for a new one.
  let origins: [Int?]
  /// The former columns that are removed, with their types.
  let removed: [(place: Int, type: AttributeType?)]

  /// The columns after a change of the schema: former ones in their order, a new one after the field before it.
  init(_ former: [String], of entity: Schema.Entity?, _ replacement: SchemaReplacement) {
    guard let entity, let new = replacement.schema.entitiesByName[entity.name],
      let origins = replacement.origins[entity.name]
    else {
      // The first entity of an empty file.
      columns = replacement.schema.entities.first?.fields.map(\.name) ?? former
      self.origins = columns.map { _ in nil }
      removed = []
      return
    }
    let heirs = Dictionary(origins.map { ($0.value, $0.key) }, uniquingKeysWith: { $1 })
    var result: [(name: String, origin: Int?)] = []
    for (place, name) in former.enumerated() {
      if entity.fieldsByName[name] == nil {
        result.append((name, place))
      } else if let heir = heirs[name] {
        result.append((heir, place))
      } else if new.fieldsByName[name] != nil, origins[name] == nil {
        // A converted field keeps its column; its values are written over the former ones.
        result.append((name, place))
      }
    }
    let known = Set(result.map(\.name))
    for (place, field) in new.fields.enumerated() where !known.contains(field.name) {
      let former = place > 0 ? new.fields[place - 1].name : nil
      let isLast = new.fields[(place + 1)...].allSatisfy { !known.contains($0.name) }
      let next = former.map { name in result.firstIndex { $0.name == name }.map { $0 + 1 } } ?? 0
      result.insert((field.name, nil), at: isLast ? result.count : next ?? result.count)
    }
    columns = result.map(\.name)
    self.origins = result.map(\.origin)
    let kept = Set(result.compactMap(\.origin))
    removed = former.indices.filter { !kept.contains($0) }
      .map { ($0, entity.fieldsByName[former[$0]]?.type) }
  }

  /// True if only names change.
  var keepsPlaces: Bool { origins.enumerated().allSatisfy { $0.element == $0.offset } }

  /// True if the records need no change.
  func keepsRecords(_ formerCount: Int) -> Bool { keepsPlaces && origins.count == formerCount }
}

extension JSONRecordPatch {
  /// Appends the patched record of a file of separated values; fields that do not change are copied as written.
  ///
  /// - Parameters:
  ///   - record: The record as written.
  ///   - dialect: The dialect in which it is written.
  ///   - change: How the columns change, and the dialect then; nil if they stay.
  ///   - output: What the record is appended to.
  func apply(
    to record: DelimitedRecordText,
    _ dialect: DelimitedDialect,
    _ change: (columns: DelimitedColumnChange, dialect: DelimitedDialect)?,
    output: inout JSONOutput
  ) {
    let new = change?.dialect ?? dialect
    let columns = new.columns
    let formerCount = dialect.columns.count
    let written = values.lazy.filter { !$0.value.isNull }
    let last = written.compactMap { columns.firstIndex(of: $0.name) }.max() ?? -1
    let count = change == nil ? max(record.fields.count, last + 1) : columns.count
    output.put(record.beforeFields)
    var previous: Int?
    for place in 0..<count {
      let origin = change.map { $0.columns.origins[place] } ?? place
      let former = origin.flatMap { $0 < record.fields.count ? $0 : nil }
      if place > 0 { record.putGap(between: previous, former, new, to: &output) }
      previous = former
      if place < columns.count, let found = values.first(where: { $0.name == columns[place] }) {
        put(found, over: former, of: record, (dialect, new), at: place, &output)
      } else if let former {
        copy(former, of: record, (dialect, new), at: place, &output)
      } else if new.syntax.joinsDelimiters {
        // A value after this one needs one here.
        new.putNew(.null, at: place, to: &output)
      }
    }
    if change != nil, record.fields.count > formerCount {
      // Values after the last column stay after it.
      for place in formerCount..<record.fields.count {
        new.putDelimiter(to: &output)
        output.put(record.field(place))
      }
    }
    output.put(record.afterFields)
  }

  /// Appends a value instead of a former field.
  private func put(
    _ found: (name: String, value: Value, mustShowNull: Bool),
    over former: Int?,
    of record: DelimitedRecordText,
    _ dialects: (former: DelimitedDialect, new: DelimitedDialect),
    at place: Int,
    _ output: inout JSONOutput
  ) {
    // A text that becomes a number keeps its spelling.
    if let former, dialects.former.spells(found.value, record.field(former)) {
      return output.put(record.field(former))
    }
    if let spelling = spellings[found.name] { return output.put(spelling) }
    let text = former.flatMap { dialects.former.text(of: record.field($0)) }
    let isWord = dialects.new.spelling(of: found.value, in: found.name, like: text) != nil
    if found.value.isNull, !isWord { return }
    guard let former, !record.fields[former].isEmpty else {
      return dialects.new.putNew(found.value, at: place, to: &output)
    }
    let syntax = dialects.former.syntax
    record.put(around: former, syntax, to: &output) { output in
      let isQuoted = record.isQuoted(former, syntax)
      dialects.new.put(found.value, like: text, isQuoted: isQuoted, at: place, to: &output)
    }
  }

  /// Appends a field as written, in quotes if the only column gets a neighbor and has its delimiter.
  private func copy(
    _ former: Int,
    of record: DelimitedRecordText,
    _ dialects: (former: DelimitedDialect, new: DelimitedDialect),
    at place: Int,
    _ output: inout JSONOutput
  ) {
    let field = record.field(former)
    guard dialects.former.syntax.delimiter == nil, let delimiter = dialects.new.syntax.delimiter,
      field.contains(delimiter), !record.isQuoted(former, dialects.former.syntax),
      let text = dialects.former.text(of: field)
    else { return output.put(field) }
    dialects.new.put(text, isQuoted: true, at: place, to: &output)
  }
}

extension DelimitedDialect {
  /// True if the record has values after the last column.
  func hasMoreValues(_ record: DelimitedRecordText) -> Bool {
    let isEnded =
      hasTrailingDelimiter && record.fields.count == columns.count + 1
      && record.fields.last?.isEmpty == true
    return record.fields.count > columns.count && !isEnded
  }

  /// True if the record would be written in the same way after its columns changed and changed back.
  func rewrites(_ record: DelimitedRecordText, after change: DelimitedColumnChange) -> Bool {
    guard record.fields.count >= columns.count else { return false }
    return change.removed.allSatisfy { place, type in
      let field = UnsafeBufferPointer(rebasing: record.text[record.fields[place]])
      guard let text = text(of: field) else { return true }
      // A text that is not a value of the type is written as it is read.
      guard let type, let value = forms.value(text, as: type) else { return false }
      var output = JSONOutput()
      put(value, isQuoted: quotesEverything, at: place, to: &output)
      return field.elementsEqual(output.bytes)
    }
  }

  /// True if the field is another spelling of the number.
  fileprivate func spells(_ value: Value, _ field: UnsafeBufferPointer<UInt8>) -> Bool {
    let type: AttributeType
    switch value {
    case .integer: type = .integer
    case .number: type = .number
    case .decimal: type = .decimal
    default: return false
    }
    guard field.count <= 40, let text = text(of: field) else { return false }
    return forms.value(text, as: type) == value
  }
}
