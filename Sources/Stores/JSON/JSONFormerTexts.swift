import OpenSwiftData

/// The texts of deleted records, for those that are restored by undo.
///
/// They contain what the values of a record do not: the spelling of its numbers, members without a field, and values
/// after the last column.
struct JSONFormerTexts: Sendable {
  /// The text of one record.
  struct Text: Sendable {
    let bytes: [UInt8]
    /// The record with the values in the text.
    let snapshot: DefaultSnapshot
    /// The columns of separated values; empty for JSON.
    let columns: [String]
  }

  /// Texts of more bytes in all are not kept.
  static let limitBytes = 32 << 20

  private var texts: [PersistentIdentifier: Text] = [:]
  private var sizeBytes = 0

  /// Keeps texts; earlier ones are given up for them.
  mutating func keep(_ new: [Text]) {
    let added = new.reduce(0) { $0 + $1.bytes.count }
    if sizeBytes + added > Self.limitBytes { removeAll() }
    sizeBytes += added
    for text in new { texts[text.snapshot.persistentIdentifier] = text }
  }

  mutating func removeAll() { (texts, sizeBytes) = ([:], 0) }

  /// The text of a record that is restored; nil if it is not known, or if the fields have changed since.
  func text(of record: DefaultSnapshot, _ dialect: DelimitedDialect?) -> Text? {
    guard !texts.isEmpty, let text = texts[record.persistentIdentifier],
      text.snapshot.layout.names == record.layout.names, text.columns == dialect?.columns ?? []
    else { return nil }
    return text
  }
}

extension JSONFormerTexts.Text {
  /// Appends the record: its former text with the values that are different now.
  func put(
    _ record: DefaultSnapshot,
    of entity: Schema.Entity,
    in document: JSONDocument,
    _ style: JSONSectionStyle,
    to output: inout JSONOutput
  ) {
    var patch = JSONRecordPatch()
    for (slot, value) in record.orderedValues.enumerated() {
      let former = snapshot.orderedValues[slot]
      if value == former || value == former.bare || value.isSameNumber(as: former) { continue }
      patch.set(entity.fields[slot], value, isCatalog: document.layout == .catalog)
    }
    if patch.isEmpty { return output.put(bytes) }
    bytes.withUnsafeBufferPointer { text in
      if let dialect = style.dialect {
        let record = DelimitedRecordText(text, dialect.syntax)
        return patch.apply(to: record, dialect, nil, output: &output)
      }
      guard document.layout == .named else {
        return patch.apply(to: JSONRecordText(text), style: style.record, output: &output)
      }
      patch.apply(to: JSONNamedRecord(text), style: style.record, output: &output)
    }
  }
}

extension Value {
  /// True for the same number; the type of a field can follow from all its values.
  fileprivate func isSameNumber(as other: Value) -> Bool {
    isNumber && other.isNumber && text == other.text
  }

  private var isNumber: Bool {
    switch self {
    case .integer, .number, .decimal: true
    default: false
    }
  }
}

extension JSONPlan {
  /// The texts of the records to delete, as long as there are not too many.
  ///
  /// - Parameter source: The file before the save.
  /// - Returns: The texts in the order of the file.
  /// - Throws: What the source throws.
  func textsOfDeleted(_ source: JSONSource) throws -> [JSONFormerTexts.Text] {
    var texts: [JSONFormerTexts.Text] = []
    var reader = JSONRangeReader(source)
    var left = JSONFormerTexts.limitBytes
    for (snapshot, range) in deleted.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      left -= range.count
      if left < 0 { break }
      let bytes = try reader.withBytes(in: range) { Array($0) }
      let columns = document.dialect?.columns ?? []
      texts.append(.init(bytes: bytes, snapshot: snapshot, columns: columns))
    }
    return texts
  }
}
