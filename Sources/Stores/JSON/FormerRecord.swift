import OpenSwiftData

/// A former text of a record, divided into the texts of its values.
struct FormerRecord {
  let bytes: [UInt8]
  private let spellings: [String: [UInt8]]
  private let isCatalog: Bool
  /// How the text is written if it is separated values.
  private let dialect: DelimitedDialect?

  /// Divides a text of a file with this layout or dialect.
  init(_ text: FormerText, _ layout: JSONLayout, _ dialect: DelimitedDialect?) {
    bytes = text.bytes
    isCatalog = layout == .catalog
    self.dialect = dialect
    spellings = text.bytes.withUnsafeBufferPointer { bytes in
      if let dialect {
        let record = DelimitedRecordText(bytes, dialect.syntax)
        let fields = record.fields.indices.map { Array(record.field($0)) }
        return Dictionary(zip(dialect.columns, fields)) { first, _ in first }
      }
      guard layout == .named else { return JSONRecordText(bytes).spellings }
      let named = JSONNamedRecord(bytes)
      var spellings = JSONRecordText(named.record).spellings
      spellings[JSONLayout.nameField] = Array(named.name)
      return spellings
    }
  }

  /// How the value of a field is written; nil if the member or field is absent.
  func spelling(of field: String) -> [UInt8]? { spellings[field] }

  /// True if the text, when it is read now, has the value in the field.
  func has(_ value: Value, in field: Schema.Attribute) -> Bool {
    guard let spelling = spellings[field.name] else {
      return value == (isCatalog ? field.defaultValue : .null)
    }
    if let dialect { return dialect.reads(spelling, as: value, in: field) }
    // In a catalog, a null that is written is the JSON value null.
    if value.isNull, isCatalog, field.type == .json, field.defaultValue.isNull { return false }
    var written = JSONOutput()
    written.put(value.written(for: field))
    guard let item = Self.item(spelling) else { return false }
    if item == Self.item(written.bytes) { return true }
    switch item {
    case .number(let text), .text(let text):
      return field.type != .text && field.type != .json && value.isSpelled(text, as: field.type)
    default: return false
    }
  }

  /// True if the text has these values.
  func has(_ values: [Value], in entity: Schema.Entity) -> Bool {
    zip(entity.fields, values).allSatisfy { has($1, in: $0) }
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
    of entity: Schema.Entity,
    _ style: JSONSectionStyle,
    to output: inout JSONOutput
  ) {
    var patch = JSONRecordPatch()
    for (field, value) in zip(entity.fields, record.orderedValues) where !has(value, in: field) {
      patch.set(field, value, isCatalog: isCatalog)
    }
    if patch.isEmpty { return output.put(bytes) }
    bytes.withUnsafeBufferPointer { text in
      guard let dialect else { return patch.apply(to: text, style, output: &output) }
      patch.apply(to: DelimitedRecordText(text, dialect.syntax), dialect, nil, output: &output)
    }
  }
}

extension Value {
  /// True if the text spells the value, which may be a number of another type.
  fileprivate func isSpelled(_ text: String, as type: AttributeType) -> Bool {
    // A text that is not a value of the type is another value.
    (try? Value(parsing: text, as: type))?.text == self.text
  }
}

extension JSONRecordText {
  /// The texts of the values, by the names of the members.
  fileprivate var spellings: [String: [UInt8]] {
    Dictionary(members.map { (name(of: $0), Array(text[$0.value])) }) { first, _ in first }
  }
}

extension DelimitedDialect {
  /// True if a field of a record is read as the value.
  fileprivate func reads(_ bytes: [UInt8], as value: Value, in field: Schema.Attribute) -> Bool {
    let text = bytes.withUnsafeBufferPointer { self.text(of: $0) }
    guard let text, !forms.isMissing(text, in: field.name), !text.isEmpty || field.type == .text
    else { return value.isNull }
    if value.isNull { return false }
    if text == value.written(for: field).text { return true }
    switch field.type {
    case .text, .json: return false
    case .boolean: return forms.value(text.lowercased(), as: .boolean) == value
    default: return forms.value(text, as: field.type)?.text == value.text
    }
  }
}
