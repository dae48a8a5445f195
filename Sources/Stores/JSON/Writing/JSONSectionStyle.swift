import OpenSwiftData

/// The formatting of an array of records, derived from its last records.
struct JSONSectionStyle {
  var record = JSONStyle()
  /// Between the opening bracket and the first record.
  var head: [UInt8] = []
  /// Between two records.
  var separator: [UInt8]
  /// Between the last record and the closing bracket.
  var tail: [UInt8] = []
  /// True if records show members without a value as null.
  var showsNull = false
  let format: TextFormat

  /// The default style of a format: one record per line.
  private init(_ format: TextFormat) {
    self.format = format
    switch format {
    case .separated(let dialect):
      separator = dialect.lineEnd
      tail = separator
      head = dialect.header == nil ? [] : separator
    case .json(.lines):
      separator = Array("\n".utf8)
      tail = separator
    case .json(.array), .json(.named):
      head = Array("\n  ".utf8)
      separator = Array(",\n  ".utf8)
      tail = Array("\n".utf8)
    case .json(.object), .json(.catalog):
      head = Array("\n    ".utf8)
      separator = Array(",\n    ".utf8)
      tail = Array("\n  ".utf8)
    }
  }

  /// The style of the section; without records, that of another section or the default style.
  ///
  /// The format is that of the document after the save.
  init(
    of section: JSONSection?,
    in document: JSONDocument,
    as format: TextFormat,
    _ source: JSONSource
  ) throws {
    self.init(format)
    guard case .json(let layout) = format else { return }
    let candidates = [section].compactMap(\.self) + document.sections
    guard let model = candidates.first(where: { section in section.spans.contains { $0 != 0 } })
    else { return }
    let rows = model.rowsInFileOrder()
    guard let first = rows.first, let last = rows.last else { return }
    let range = model.range(ofRow: Int(last))
    for row in rows.suffix(Self.lookedAtCount).reversed() {
      let range = model.range(ofRow: Int(row))
      guard let found = try Self.look(at: range, source, layout) else { continue }
      (record, showsNull) = found
      break
    }
    head = try source.bytes(in: model.start..<model.range(ofRow: Int(first)).lowerBound)
    tail = try source.bytes(in: range.upperBound..<model.end)
    if rows.count > 1 {
      let before = model.range(ofRow: Int(rows[rows.count - 2]))
      separator = try source.bytes(in: before.upperBound..<range.lowerBound)
    } else if layout == .lines {
      separator = Array((tail.starts(with: "\r\n".utf8) ? "\r\n" : "\n").utf8)
    } else if head.contains(UInt8(ascii: "\n")) {
      separator = [UInt8(ascii: ",")] + head
    } else {
      separator = Array((record.isSpacious ? ", " : ",").utf8)
    }
  }

  /// The number of records to inspect for one that has members.
  private static let lookedAtCount = 64

  /// The style of one record, and whether it shows a null; nil if it has no members.
  private static func look(
    at range: Range<Int>,
    _ source: JSONSource,
    _ layout: JSONLayout
  ) throws -> (JSONStyle, Bool)? {
    try source.bytes(in: range).withUnsafeBufferPointer { bytes in
      let bytes = layout.object(of: bytes)
      let record = JSONRecordText(bytes)
      guard let style = JSONStyle(record) else { return nil }
      return (style, record.members.contains { bytes[$0.value.lowerBound] == UInt8(ascii: "n") })
    }
  }

  /// Appends a new record.
  func put(_ snapshot: DefaultSnapshot, of entity: Schema.Entity, to output: inout JSONOutput) {
    guard case .json(let layout) = format else {
      return format.dialect?.put(snapshot, of: entity, to: &output) ?? ()
    }
    let identifierKey = format.identifierKey(of: entity)
    var isFirst = true
    func begin(_ key: String, _ output: inout JSONOutput) {
      output.put(isFirst ? record.open : record.comma)
      isFirst = false
      output.put(quoting: key)
      output.put(record.colon)
    }
    if layout == .named, let slot = entity.layout.slot(of: JSONLayout.nameField) {
      output.put(quoting: snapshot.orderedValues[slot].text)
      output.put(record.colon)
    }
    output.put("{")
    if let identifierKey {
      begin(identifierKey, &output)
      output.put(quoting: snapshot.persistentIdentifier.description)
    }
    for (attribute, value) in zip(entity.fields, snapshot.orderedValues) {
      let hasDefault = identifierKey != nil && !attribute.defaultValue.isNull
      if value.isNull, !hasDefault, identifierKey != nil || !showsNull { continue }
      if layout == .named, attribute.name == JSONLayout.nameField { continue }
      begin(attribute.name, &output)
      output.put(value.written(for: attribute), attribute.type == .json ? record.indent : nil)
    }
    if !isFirst { output.put(record.close) }
    output.put("}")
  }
}
