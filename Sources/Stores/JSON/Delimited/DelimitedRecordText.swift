import OpenSwiftData

/// The fields of one record or header as written; the text was divided before.
struct DelimitedRecordText {
  let text: UnsafeBufferPointer<UInt8>
  /// The fields, with their quotes.
  private(set) var fields: [Range<Int>] = []

  init(_ text: UnsafeBufferPointer<UInt8>, _ syntax: DelimitedScanner.Syntax) {
    self.text = text
    if text.isEmpty {
      fields = [0..<0]
      return
    }
    var scanner = DelimitedScanner(syntax)
    // The record was read before, so there is one without a fault.
    guard let found = try? scanner.records(in: text, isLast: true), found.count > 0 else { return }
    fields = found.record(0).fields.map { found.field($0).range }
  }

  /// True if the field is in quotes.
  func isQuoted(_ place: Int) -> Bool {
    let field = fields[place]
    return field.count >= 2 && text[field.lowerBound] == UInt8(ascii: "\"")
      && text[field.upperBound - 1] == UInt8(ascii: "\"")
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
  func apply(
    to record: DelimitedRecordText,
    _ dialect: DelimitedDialect,
    _ change: DelimitedColumnChange?,
    output: inout JSONOutput
  ) {
    let columns = change?.columns ?? dialect.columns
    let formerCount = dialect.columns.count
    let written = values.lazy.filter { !$0.value.isNull }
    let last = written.compactMap { columns.firstIndex(of: $0.name) }.max() ?? -1
    let count = change == nil ? max(record.fields.count, last + 1) : columns.count
    func putField(_ place: Int, _ output: inout JSONOutput) {
      let origin = change.map { $0.origins[place] } ?? place
      let written = origin.flatMap { $0 < record.fields.count ? $0 : nil }
      if place < columns.count, let found = values.first(where: { $0.name == columns[place] }) {
        if let written {
          let field = UnsafeBufferPointer(rebasing: record.text[record.fields[written]])
          // A text that becomes a number keeps its spelling.
          if dialect.spells(found.value, field) { return output.put(field) }
        }
        if let spelling = spellings[found.name] { return output.put(spelling) }
        let isQuoted = written.map { record.isQuoted($0) } ?? dialect.quotesEverything
        let former = written.flatMap {
          dialect.text(of: UnsafeBufferPointer(rebasing: record.text[record.fields[$0]]))
        }
        if let text = dialect.forms.text(of: found.value, in: found.name, like: former) {
          return dialect.put(text, isQuoted: isQuoted, to: &output)
        }
        dialect.put(found.value, isQuoted: isQuoted, to: &output)
      } else if let written {
        output.put(UnsafeBufferPointer(rebasing: record.text[record.fields[written]]))
      }
    }
    for place in 0..<count {
      if place > 0 { output.bytes.append(dialect.syntax.delimiter) }
      putField(place, &output)
    }
    if change != nil, record.fields.count > formerCount {
      // Values after the last column stay after it.
      for field in record.fields[formerCount...] {
        output.bytes.append(dialect.syntax.delimiter)
        output.put(UnsafeBufferPointer(rebasing: record.text[field]))
      }
    }
  }
}

extension DelimitedDialect {
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

  /// The header after a change of the columns; names that do not change are copied as written.
  func headerText(_ change: DelimitedColumnChange, former: [UInt8]) -> [UInt8] {
    former.withUnsafeBufferPointer { bytes in
      let record = DelimitedRecordText(bytes, syntax)
      var output = JSONOutput()
      for (place, name) in change.columns.enumerated() {
        if place > 0 { output.bytes.append(syntax.delimiter) }
        if let origin = change.origins[place], columns[origin].isSpelled(like: name) {
          output.put(UnsafeBufferPointer(rebasing: bytes[record.fields[origin]]))
        } else {
          let isQuoted = change.origins[place].map { record.isQuoted($0) } ?? quotesEverything
          put(name, isQuoted: isQuoted, to: &output)
        }
      }
      return output.bytes
    }
  }
}
