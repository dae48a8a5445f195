import OpenSwiftData

/// A former text of a record, divided into the texts of its values.
struct FormerRecord {
  let bytes: [UInt8]
  private let entity: Schema.Entity
  private let isCatalog: Bool
  /// How the text is written if it is separated values.
  private let dialect: DelimitedDialect?
  /// Where the value of each field is; nil if the member or field is absent.
  private var places: [Range<Int>?]

  /// Divides a text of a file with this layout or dialect.
  init(
    _ text: FormerText,
    of entity: Schema.Entity,
    _ layout: JSONLayout,
    _ dialect: DelimitedDialect?
  ) {
    bytes = text.bytes
    self.entity = entity
    isCatalog = layout == .catalog
    self.dialect = dialect
    places = Array(repeating: nil, count: entity.fields.count)
    text.bytes.withUnsafeBufferPointer { bytes in
      if let dialect {
        let fields = DelimitedRecordText(bytes, dialect.syntax).fields
        for (name, place) in zip(dialect.columns, fields) { put(place, of: name) }
      } else if layout == .named {
        let named = JSONNamedRecord(bytes)
        put(0..<named.name.count, of: JSONLayout.nameField)
        putMembers(of: named.record, after: bytes.count - named.record.count)
      } else {
        putMembers(of: bytes, after: 0)
      }
    }
  }

  private mutating func putMembers(of text: UnsafeBufferPointer<UInt8>, after start: Int) {
    let record = JSONRecordText(text)
    for member in record.members {
      let place = (start + member.value.lowerBound)..<(start + member.value.upperBound)
      put(place, of: record.name(of: member))
    }
  }

  private mutating func put(_ place: Range<Int>, of name: String) {
    if let slot = entity.layout.slot(of: name) { places[slot] = place }
  }

  /// How the value of a field is written; nil if the member or field is absent.
  func spelling(at slot: Int) -> [UInt8]? { places[slot].map { Array(bytes[$0]) } }

  /// True if the text has these values.
  func has(_ values: [Value]) -> Bool {
    values.indices.allSatisfy { has(values[$0], at: $0) }
  }

  /// True if the text, when it is read now, has the value in the field.
  func has(_ value: Value, at slot: Int) -> Bool {
    let field = entity.fields[slot]
    guard let place = places[slot] else {
      return value == (isCatalog ? field.defaultValue : .null)
    }
    let spelling = bytes[place]
    if let dialect { return dialect.reads(spelling, as: value, in: field) }
    // In a catalog, a null that is written is the JSON value null.
    if value.isNull, isCatalog, field.type == .json, field.defaultValue.isNull { return false }
    var written = JSONOutput()
    written.put(value.written(for: field))
    if spelling.elementsEqual(written.bytes) { return true }
    switch (Self.item(Array(spelling)), Self.item(written.bytes)) {
    case (.null, .null): return true
    case (.number(let text), .number), (.text(let text), .text):
      if field.type == .text { return value == .text(text) }
      // A text that is not a value of the type is another value.
      return field.type != .json && (try? Value(reading: text, as: field.type))?.text == value.text
    // In a field of mixed values, a number or truth value is the text that it is written as; a catalog has none.
    case (.number(let text), .text): return !isCatalog && value == .text(text)
    case (.boolean(let truth), .text): return !isCatalog && value == .text("\(truth)")
    case (.container(let text), .container(let new)): return text.isSpelled(like: new)
    default: return false
    }
  }

  private static func item(_ bytes: [UInt8]) -> JSONReader.Item? {
    var reader = JSONReader(bytes)
    reader.acceptsNotANumber = true
    // Both texts are valid JSON.
    return try? reader.next()
  }

  /// Appends a record: the former text with the values that are different now.
  func put(
    _ record: DefaultSnapshot,
    _ style: JSONSectionStyle,
    to output: inout JSONOutput
  ) {
    var patch = JSONRecordPatch()
    for (slot, value) in record.orderedValues.enumerated() where !has(value, at: slot) {
      patch.set(entity.fields[slot], value, isCatalog: isCatalog)
    }
    bytes.withUnsafeBufferPointer { text in
      guard let dialect else { return patch.apply(to: text, style, output: &output) }
      patch.apply(to: DelimitedRecordText(text, dialect.syntax), dialect, nil, output: &output)
    }
  }
}

extension DelimitedDialect {
  /// True if a field of a record is read as the value.
  fileprivate func reads(
    _ bytes: ArraySlice<UInt8>,
    as value: Value,
    in field: Schema.Attribute
  ) -> Bool {
    let text = bytes.withUnsafeBufferPointer(text)
    guard let text, !forms.isMissing(text, in: field.name), !text.isEmpty || field.type == .text
    else { return value.isNull }
    if value.isNull { return false }
    if text.isSpelled(like: value.written(for: field).text) { return true }
    switch field.type {
    case .text, .json: return false
    case .boolean: return forms.value(text.lowercased(), as: .boolean) == value
    default: return forms.value(text, as: field.type)?.text == value.text
    }
  }
}
