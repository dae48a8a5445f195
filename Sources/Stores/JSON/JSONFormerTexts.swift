import OpenSwiftData

/// The texts that records had before they were deleted or changed, for those that undo restores.
///
/// They contain what the values of a record do not: the spelling of its numbers, members without a field, and values
/// after the last column.
struct JSONFormerTexts: Sendable {
  /// Texts of more bytes are not kept.
  static let limitBytes = 32 << 20
  /// A save that changes more records keeps no texts of them.
  static let limitOfUpdates = 10_000

  fileprivate struct Generation: Sendable {
    /// The texts of each record, the newest one last.
    var texts: [PersistentIdentifier: [FormerText]] = [:]
    var sizeBytes = 0
  }

  private var recent = Generation()
  /// What was recent before; given up for newer texts.
  private var earlier = Generation()

  /// Keeps texts that are newer than all others.
  mutating func keep(_ new: [FormerText]) {
    guard !new.isEmpty else { return }
    let added = new.reduce(0) { $0 + $1.sizeBytes }
    if recent.sizeBytes + added > Self.limitBytes { (earlier, recent) = (recent, Generation()) }
    for text in new { recent.add(text) }
    if earlier.sizeBytes + recent.sizeBytes > 2 * Self.limitBytes { earlier = Generation() }
  }

  /// Keeps texts that are older than all others, in their order.
  mutating func keep(earlier older: [[FormerText]]) {
    var all = JSONFormerTexts()
    for texts in older { all.keep(texts) }
    for generation in [earlier, recent] { all.keep(generation.texts.values.flatMap(\.self)) }
    self = all
  }

  mutating func removeAll() { self = JSONFormerTexts() }

  /// The text of a record that is restored; nil if it is not known, or if the fields have changed since.
  func text(of record: DefaultSnapshot, _ entity: Schema.Entity, _ dialect: DelimitedDialect?)
    -> FormerText?
  {
    let texts = texts(of: record.persistentIdentifier, entity, dialect)
    return texts.first { text in
      record.orderedValues.indices.allSatisfy { text.has(record.orderedValues[$0], at: $0) }
    } ?? texts.first
  }

  /// The texts of a record, the newest one first, except those with other fields.
  func texts(
    of identifier: PersistentIdentifier,
    _ entity: Schema.Entity,
    _ dialect: DelimitedDialect?
  ) -> [FormerText] {
    let all = (earlier.texts[identifier] ?? []) + (recent.texts[identifier] ?? [])
    return all.reversed().compactMap { text in
      guard text.columns == dialect?.columns ?? [], text.entity == nil || text.entity == entity
      else { return nil }
      return text.arranged(as: entity.layout)
    }
  }
}

extension JSONFormerTexts.Generation {
  /// Adds a text; one that was added before becomes the newest one.
  mutating func add(_ text: FormerText) {
    let identifier = text.snapshot.persistentIdentifier
    if let place = texts[identifier]?.lastIndex(where: { $0.isSame(as: text) }) {
      texts[identifier]?.remove(at: place)
    } else {
      sizeBytes += text.sizeBytes
    }
    texts[identifier, default: []].append(text)
  }
}

extension FormerText {
  /// About the memory that the text takes beside the values, which the history has, too.
  var sizeBytes: Int { bytes.count + 64 }

  /// The text with its values in the order of fields that an earlier run may have found in another one; nil if the
  /// fields are others.
  fileprivate func arranged(as layout: SnapshotLayout) -> FormerText? {
    let names = snapshot.layout.names
    if names == layout.names { return self }
    guard names.count == layout.names.count, Set(names) == Set(layout.names) else { return nil }
    return FormerText(
      bytes: bytes,
      snapshot: snapshot.arranged(as: layout),
      columns: columns,
      entity: entity
    )
  }

  func isSame(as other: Self) -> Bool {
    bytes == other.bytes && snapshot == other.snapshot && columns == other.columns
      && entity == other.entity
  }

  /// True if the text has these values.
  func spells(_ values: [Value]) -> Bool {
    values.indices.allSatisfy { spells(values[$0], at: $0) }
  }

  /// True if the text has the value; a decimal of one run can be a number of another one.
  func spells(_ value: Value, at slot: Int) -> Bool {
    let former = snapshot.orderedValues[slot]
    return value == former || value.isFraction && value.isSameNumber(as: former)
  }

  /// True if the text has the number in a field that was text then.
  func spellsNumber(_ value: Value, at slot: Int) -> Bool {
    guard case .text(let text) = snapshot.orderedValues[slot] else { return false }
    let type: AttributeType
    switch value {
    case .integer: type = .integer
    case .number: type = .number
    case .decimal: type = .decimal
    default: return false
    }
    return (try? Value(parsing: text, as: type)) == value
  }

  /// How the text spells a value; nil if the member or field is absent.
  func spelling(of field: String, in document: JSONDocument) -> [UInt8]? {
    bytes.withUnsafeBufferPointer { text in
      if let dialect = document.dialect {
        let record = DelimitedRecordText(text, dialect.syntax)
        guard let place = columns.firstIndex(of: field), place < record.fields.count else {
          return nil
        }
        return Array(text[record.fields[place]])
      }
      var record = text
      if document.layout == .named {
        let named = JSONNamedRecord(text)
        if field == JSONLayout.nameField { return Array(named.name) }
        record = named.record
      }
      let members = JSONRecordText(record)
      let member = members.members.first { members.isKey($0, Array(field.utf8)) }
      return member.map { Array(record[$0.value]) }
    }
  }

  /// True if the text has the value, perhaps as a number of another type.
  fileprivate func has(_ value: Value, at slot: Int) -> Bool {
    let former = snapshot.orderedValues[slot]
    return value == former || value == former.bare || value.isSameNumber(as: former)
  }
}

extension FormerText {
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
      if has(value, at: slot) { continue }
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

  fileprivate var isFraction: Bool {
    switch self {
    case .number, .decimal: true
    default: false
    }
  }

  private var isNumber: Bool {
    switch self {
    case .integer, .number, .decimal: true
    default: false
    }
  }
}

extension JSONPlan {
  /// The texts of the records to delete, unless there are too many.
  ///
  /// - Parameter source: The file before the save.
  /// - Returns: The texts in the order of the file.
  /// - Throws: What the source throws.
  func textsOfDeleted(_ source: JSONSource) throws -> [FormerText] {
    var texts: [FormerText] = []
    var reader = JSONRangeReader(source)
    for (snapshot, range) in deleted.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      texts.append(try reader.withBytes(in: range) { text($0, of: snapshot) })
    }
    return texts
  }

  /// The text that a record has before the save.
  func text(_ bytes: UnsafeBufferPointer<UInt8>, of snapshot: DefaultSnapshot)
    -> FormerText
  {
    FormerText(
      bytes: Array(bytes),
      snapshot: converts ? withTexts(bytes, snapshot) : snapshot,
      columns: document.dialect?.columns ?? [],
      entity: document.layout == .catalog
        ? table.schema.entitiesByName[snapshot.persistentIdentifier.entityName] : nil
    )
  }

  /// The record with the texts of converted fields, which have no values in it.
  private func withTexts(_ bytes: UnsafeBufferPointer<UInt8>, _ snapshot: DefaultSnapshot)
    -> DefaultSnapshot
  {
    guard let dialect = document.dialect else { return snapshot }
    var snapshot = snapshot
    let record = DelimitedRecordText(bytes, dialect.syntax)
    for (column, range) in zip(dialect.columns, record.fields) {
      guard let slot = snapshot.layout.slot(of: column), snapshot.orderedValues[slot].isNull,
        let text = dialect.text(of: UnsafeBufferPointer(rebasing: bytes[range])),
        !dialect.forms.isMissing(text, in: column)
      else { continue }
      snapshot.orderedValues[slot] = .text(text)
    }
    return snapshot
  }
}
