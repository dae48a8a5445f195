import OpenSwiftData

/// Converts the rows of a file to values of an entity.
struct ImportBuilder {
  /// The entity of the records.
  let entity: Schema.Entity
  /// The values of each record in the layout of the entity, unless they are in columns.
  private(set) var records: [[Value]] = []
  /// The values of all records by field; nil if they were added one by one.
  private var packed: [PackedColumn]?
  /// The number of records.
  private(set) var count = 0
  /// True if the skipped identifier column holds values other than keys of this program: even row
  /// numbers may be referred to by other files.
  private(set) var leavesOutValues = false
  /// A note that the identifier column was skipped; nil if it had nothing but keys of this program.
  var identifierNote: String? {
    leavesOutValues ? "column \"\(entity.identifierKey)\" ignored" : nil
  }
  /// For each field, the number of times without a zone that were taken for UTC.
  private(set) var zonelessCounts: [String: Int] = [:]
  private let session: Session
  private let defaults: [Value]
  /// True if the entity is created from this file, so that its types follow from these rows, or if the types of the
  /// store follow from its values.
  private let isNew: Bool
  private var columns: [String] = []
  /// The slot of each column; nil for the identifier, which is skipped.
  private var slots: [Int?] = []

  init(_ entity: Schema.Entity, session: Session, isNew: Bool = false) {
    self.entity = entity
    defaults = entity.defaultValues
    self.isNew = isNew || session.context.infersTypes
    self.session = session
  }

  /// Adds a row.
  ///
  /// - Throws: `ImportError` with its line, the field and the reason.
  mutating func add(_ row: ImportRow) throws {
    try entity.requireRoom(for: count + 1)
    if row.columns != columns || records.isEmpty { try bind(row) }
    var values = defaults
    for (place, (slot, cell)) in zip(slots, row.cells).enumerated() {
      guard let slot else {
        noteIdentifier(cell)
        continue
      }
      let attribute = entity.fields[slot]
      do {
        values[slot] = try value(of: cell, for: attribute, row.hasTypedValues)
      } catch let error as ValueError {
        throw ImportError(row, "\(attribute.name): \(error)", .invalidFile, cell: place)
      } catch let error as CommandError {
        throw ImportError(row, error.description, .invalidFile, cell: place)
      }
    }
    for (slot, attribute) in entity.fields.enumerated()
    where !attribute.isOptional && !attribute.isReadOnly && values[slot].isNull {
      throw ImportError(
        row,
        "\(attribute.name): a value is required",
        .invalidFile,
        cell: row.columns.firstIndex(of: attribute.name)
      )
    }
    records.append(values)
    count += 1
  }

  /// The value of a cell.
  private mutating func value(
    of cell: ImportCell,
    for attribute: Schema.Attribute,
    _ isTyped: Bool
  ) throws -> Value {
    let value = try attribute.checked(
      isTyped
        ? try session.value(json: cell, for: attribute, isNew: isNew)
        : try session.value(cell, for: attribute)
    )
    note(cell, attribute)
    return value
  }

  private mutating func noteIdentifier(_ cell: ImportCell) {
    if cell != .null, !cell.isKey { leavesOutValues = true }
  }

  private mutating func note(_ cell: ImportCell, _ attribute: Schema.Attribute) {
    guard attribute.type == .datetime, case .text(let text) = cell, text.utf8.count > 10,
      !Timestamp.namesZone(text)
    else { return }
    zonelessCounts[attribute.name, default: 0] += 1
  }

  /// Finds the fields of the columns of a row.
  ///
  /// - Throws: `ImportError` for an unknown or a read-only field.
  mutating func bind(_ row: ImportRow) throws {
    let key = entity.identifierKey
    let unknown = row.columns.filter { $0 != key && entity.layout.slot(of: $0) == nil }
    guard let first = unknown.first else {
      for (place, name) in row.columns.enumerated() {
        guard let field = entity.fieldsByName[name], !field.isSettableWhenNew,
          let reason = field.readOnlyReason
        else { continue }
        throw ImportError(
          row,
          reason,
          hint: "leave the column out",
          .invalidFile,
          column: place
        )
      }
      columns = row.columns
      slots = row.columns.map { $0 == key ? nil : entity.layout.slot(of: $0) }
      return
    }
    let names =
      unknown.prefix(20).map { Value.quoted($0) }.joined(separator: ", ")
      + (unknown.count > 20 ? ", …" : "")
    throw ImportError(
      row,
      "\(entity.name) has no field\(unknown.count == 1 ? "" : "s") \(names)",
      hint: unknown.count == 1
        ? entity.hint(forColumn: first)
        : "use \"into NAME\" to import into a new entity",
      .invalidFile,
      column: row.columns.firstIndex(of: first) ?? 0
    )
  }
}

// MARK: Columns

extension ImportBuilder {
  /// Adds all rows of separated values to columns.
  ///
  /// Values of the usual forms are read from the bytes of the file; all others become cells, as in `add(_:)`.
  ///
  /// - Parameters:
  ///   - fields: The fields of the rows.
  ///   - expected: The number of rows if the fields were read before; else 0.
  /// - Returns: False if the rows have to be added one by one, to another builder: something is wrong with them, or
  ///   they have links.
  /// - Throws: `Interruption.Stopped`.
  mutating func add(_ fields: DelimitedFields, expecting expected: Int) throws -> Bool {
    guard count == 0, (try? bind(fields.row)) != nil else { return false }
    var packed: [PackedColumn] = []
    for field in entity.fields {
      guard let column = PackedColumn(field.type.kind, reserving: expected) else { return false }
      packed.append(column)
    }
    let isBlob = entity.fields.map(\.isBlob)
    let read = try fields.forEachField(expected > 0 ? "examining" : "reading") { place, field in
      guard let slot = slots[place] else {
        if !leavesOutValues { noteIdentifier(fields.cell(field)) }
        return true
      }
      if field.isMissing {
        packed[slot].appendNull()
        return true
      }
      if field.isPlain, !isBlob[slot], packed[slot].append(reading: field.content) { return true }
      let value = try? value(of: fields.cell(field), for: entity.fields[slot], false)
      return value.map { packed[slot].append($0) } ?? false
    }
    guard let read, !packed.isEmpty, (try? entity.requireRoom(for: read)) != nil else {
      return false
    }
    for slot in packed.indices where !slots.contains(slot) {
      for _ in 0..<read where !packed[slot].append(defaults[slot]) { return false }
    }
    guard zip(entity.fields, packed).allSatisfy(Self.hasRequiredValues) else { return false }
    (self.packed, count) = (packed, read)
    return true
  }

  private static func hasRequiredValues(_ field: Schema.Attribute, _ column: PackedColumn) -> Bool {
    field.isOptional || field.isReadOnly || column.nullCount == 0
  }

  /// Inserts the records.
  ///
  /// - Throws: `Interruption.Stopped`.
  func insert(into context: ModelContext) throws {
    if let packed {
      try context.insert(packed, of: entity)
    } else {
      try context.insert(records, of: entity)
    }
  }
}

extension Session {
  /// Converts a cell of a JSON file to a value of an attribute: in a json field, text is a JSON string
  /// even if it spells another value; in a text field whose type follows from the values (`isNew`), a
  /// number becomes text.
  ///
  /// - Throws: `ValueError` or `CommandError` if the cell is not valid.
  func value(json cell: ImportCell, for attribute: Schema.Attribute, isNew: Bool = false) throws
    -> Value
  {
    switch (cell, attribute.type) {
    case (.text(let text), .json): return .json(JSONText.quoted(text))
    case (.boolean(let value), .text) where isNew: return .text(value ? "true" : "false")
    case (.number(let text), .text) where isNew: return .text(text)
    default: return try value(cell, for: attribute)
    }
  }

  /// Converts a cell to a value of an attribute.
  ///
  /// - Throws: `ValueError` or `CommandError` if the cell is not valid.
  func value(_ cell: ImportCell, for attribute: Schema.Attribute) throws -> Value {
    switch (cell, attribute.type) {
    case (.null, _): return .null
    case (.text(let text), .json): return .json(try text.asJSON())
    case (.number(let text), .json), (.container(let text), .json): return .json(text)
    case (.number(let text), .link), (.number(let text), .links):
      return try value(text, for: attribute)
    case (.boolean(let value), .json): return .json(value ? "true" : "false")
    case (.boolean(let value), .boolean): return .boolean(value)
    case (.boolean(let value), _):
      throw ValueError("\(value) is not a valid \(attribute.type)")
    case (.number(let text), let type):
      guard type.isNumeric else { throw ValueError("\(text) is not a valid \(type)") }
      return try Value(reading: text, as: type)
    case (.container(let text), .links) where text.first != "{":
      return .links(try links(text, for: attribute))
    case (.container(let text), .links):
      return .links(try [record(named: text, for: attribute)].compactMap { $0 })
    case (.container(let text), .link) where text.first == "{":
      return try record(named: text, for: attribute).map { .link($0) } ?? .null
    case (.container(let text), let type):
      throw ValueError("\(Value.quoted(text)) is not a valid \(type)")
    case (.text(let text), .text): return .text(text)
    case (.text(let text), .link), (.text(let text), .links):
      return text.isEmpty ? .null : try value(text, for: attribute)
    case (.text(let text), let type):
      let trimmed = text.trimmed
      if trimmed.isEmpty { return .null }
      // The number .5 is read as in a file that is opened.
      let usual = type.isNumeric ? ReadingOptions().usual(trimmed) : nil
      return try Value(reading: usual ?? trimmed, as: type)
    }
  }

  /// The links of a JSON array of identifiers, or of objects with values of the linked records.
  ///
  /// - Throws: `ValueError` for other elements, and the errors of links.
  func links(_ json: String, for attribute: Schema.Attribute) throws -> [PersistentIdentifier] {
    var reader = JSONReader(Array(json.utf8))
    var links: [PersistentIdentifier] = []
    let expectation = "expected an array of identifiers, or of objects such as {\"name\": \"…\"}"
    guard reader.isAtArray else { throw ValueError(expectation) }
    try reader.forEachElement { reader in
      switch try reader.next() {
      case .text(let text), .number(let text): links.append(try linked(text, from: attribute))
      case .container(let text) where text.first == "{":
        if let link = try record(named: text, for: attribute) { links.append(link) }
      default: throw ValueError(expectation)
      }
    }
    return links
  }
}

extension String {
  /// The text as JSON: unchanged if it is JSON, otherwise as a JSON string.
  ///
  /// - Throws: `ValueError` for text that begins with a brace or a bracket but is not JSON.
  fileprivate func asJSON() throws -> String {
    do {
      return try JSONText.compact(self)
    } catch {
      if looksLikeJSON { throw error }
      return JSONText.quoted(self)
    }
  }

  /// True for text that begins as a JSON object or array does.
  fileprivate var looksLikeJSON: Bool {
    let first = utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// The text without spaces at both ends.
  fileprivate var trimmed: String {
    guard utf8.first == 0x20 || utf8.last == 0x20 else { return self }
    let start = drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }
}
