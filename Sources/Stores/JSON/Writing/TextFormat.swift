import OpenSwiftData

/// How a text file writes its records: as JSON, or as separated values.
enum TextFormat: Sendable {
  case json(JSONLayout)
  case separated(DelimitedDialect)

  /// The dialect of separated values; nil for JSON.
  var dialect: DelimitedDialect? {
    get { if case .separated(let dialect) = self { dialect } else { nil } }
    set { if let newValue { self = .separated(newValue) } }
  }

  /// True for a JSON catalog, which contains its schema and the identifiers of its records.
  var isCatalog: Bool { if case .json(.catalog) = self { true } else { false } }

  /// True for separated values.
  var isSeparated: Bool { if case .separated = self { true } else { false } }

  /// True if the document itself has no structure that could hold a second entity.
  var isFlat: Bool {
    switch self {
    case .json(.lines), .separated: true
    case .json: false
    }
  }

  /// True if there is one entity, whose name is not in the document.
  var hasOneEntity: Bool {
    switch self {
    case .json(.array), .json(.lines), .json(.named), .separated: true
    case .json(.catalog), .json(.object): false
    }
  }

  var encoding: DelimitedEncoding { dialect?.encoding ?? .utf8 }

  /// The member with the identifiers of records; nil if they have none.
  func identifierKey(of entity: Schema.Entity) -> String? { isCatalog ? entity.identifierKey : nil }

  /// The names of the values of a record, in the order of the file for separated values.
  func fields(of entity: Schema.Entity) -> [String] { dialect?.columns ?? entity.layout.names }
}

// MARK: Records

extension TextFormat {
  /// Calls the body with the name and the place of each value of a record as written.
  func forEachValue(
    of text: UnsafeBufferPointer<UInt8>,
    _ body: (String, Range<Int>) -> Void
  ) {
    switch self {
    case .separated(let dialect):
      let fields = DelimitedRecordText(text, dialect.syntax).fields
      for (name, place) in zip(dialect.columns, fields) { body(name, place) }
    case .json(let layout):
      if layout == .named { body(JSONLayout.nameField, 0..<JSONNamedRecord(text).name.count) }
      let object = layout.object(of: text)
      let start = text.count - object.count
      let record = JSONRecordText(object)
      for member in record.members {
        let place = (start + member.value.lowerBound)..<(start + member.value.upperBound)
        body(record.name(of: member), place)
      }
    }
  }

  /// A function that finds the text of a value in a record, without its quotes; nil if no record has one.
  func spelling(of field: String) -> ((UnsafeBufferPointer<UInt8>) -> String?)? {
    switch self {
    case .separated(let dialect):
      guard let column = dialect.columns.firstIndex(of: field) else { return nil }
      return { text in
        let record = DelimitedRecordText(text, dialect.syntax)
        return column < record.fields.count ? dialect.text(of: record.field(column)) : nil
      }
    case .json(let layout):
      let key = Array(field.utf8)
      return { JSONRecordText(layout.object(of: $0)).spelling(of: key) }
    }
  }

  /// Appends the patched text of a record, in the format of the style.
  ///
  /// - Returns: False if columns change and the former text does not follow from its values.
  @discardableResult
  func put(
    _ patch: JSONRecordPatch,
    over text: UnsafeBufferPointer<UInt8>,
    _ style: JSONSectionStyle,
    _ columns: DelimitedColumnChange? = nil,
    to output: inout JSONOutput
  ) -> Bool {
    if let text = patch.text { output.put(text) }
    switch self {
    case .separated(let dialect):
      let record = DelimitedRecordText(text, dialect.syntax)
      let change = columns.flatMap { columns in style.format.dialect.map { (columns, $0) } }
      if patch.text == nil { patch.apply(to: record, dialect, change, output: &output) }
      return columns.map { dialect.rewrites(record, after: $0) } ?? true
    case _ where patch.text != nil: return true
    case .json(.named):
      patch.apply(to: JSONNamedRecord(text), style: style.record, output: &output)
    case .json: patch.apply(to: JSONRecordText(text), style: style.record, output: &output)
    }
    return true
  }
}
