import OpenSwiftData

/// A former text of a record, divided into the texts of its values.
struct FormerRecord {
  let bytes: [UInt8]
  private let entity: Schema.Entity
  private let format: TextFormat
  private let kinds: [String: ValueKind]
  /// Where the value of each field is; nil if the member or field is absent.
  private var places: [Range<Int>?]

  /// Divides a text of a file with this format.
  init(_ text: FormerText, of entity: Schema.Entity, _ format: TextFormat) {
    bytes = text.bytes
    self.entity = entity
    self.format = format
    kinds = text.kinds
    places = Array(repeating: nil, count: entity.fields.count)
    bytes.withUnsafeBufferPointer { bytes in
      format.forEachValue(of: bytes) { name, place in
        if let slot = entity.layout.slot(of: name) { places[slot] = place }
      }
    }
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
    if isOfAnotherType(field) { return false }
    let isCatalog = format.isCatalog
    guard let place = places[slot] else {
      return value == (isCatalog ? field.defaultValue : .null)
    }
    let spelling = bytes[place]
    if case .separated(let dialect) = format {
      return dialect.reads(spelling, as: value, in: field)
    }
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

  /// True if the text was written for values of another type, which this one writes in another form.
  ///
  /// Values of texts are written as they are, and numbers of all types alike.
  private func isOfAnotherType(_ field: Schema.Attribute) -> Bool {
    guard let former = kinds[field.name], field.type != .text else { return false }
    let kind = field.type.kind
    return former != kind && !(former.isNumeric && kind.isNumeric)
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
      patch.set(entity.fields[slot], value, isCatalog: format.isCatalog)
    }
    bytes.withUnsafeBufferPointer { _ = format.put(patch, over: $0, style, to: &output) }
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
