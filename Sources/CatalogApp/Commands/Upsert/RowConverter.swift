import OpenSwiftData

/// Converts the rows of a file to values of an entity, column by column.
struct RowConverter {
  private let session: Session
  private let entity: Schema.Entity
  private let keys: [String]
  /// The entities of the store, and those that the file creates.
  private let schema: Schema
  /// The records that the file itself contains, to which links may refer before they exist.
  private let known: Set<PersistentIdentifier>
  /// True if the types follow from the file.
  private let isNew: Bool
  private var columns: [String] = []
  /// The slots of the columns that are fields, and the indices of their cells.
  private var slots: [Int] = []
  private var cells: [Int] = []

  init(
    _ session: Session,
    _ entity: Schema.Entity,
    _ keys: [String],
    in schema: Schema,
    known: Set<PersistentIdentifier> = [],
    isNew: Bool = false
  ) {
    self.session = session
    self.entity = entity
    self.keys = keys
    self.schema = schema
    self.known = known
    self.isNew = isNew || session.context.infersTypes
  }

  /// The index of the cell with the first key; nil if the row has none.
  func keyCell(_ row: ImportRow) -> Int? { row.columns.firstIndex(of: keys[0]) }

  /// Converts a row.
  ///
  /// - Throws: `ImportError` with the cell.
  mutating func row(_ row: ImportRow) throws -> Upsert.Row {
    if row.columns != columns || columns.isEmpty { try bind(row) }
    var values: [Value] = []
    values.reserveCapacity(slots.count)
    for (slot, cell) in zip(slots, cells) {
      values.append(try value(row, cell, entity.fields[slot]))
    }
    let isByIdentifier = keys == [entity.identifierKey]
    return Upsert.Row(
      line: row.line,
      slots: slots,
      values: values,
      identifier: isByIdentifier ? try identifier(of: row).identifier : nil,
      keyCell: keyCell(row),
      start: row.start,
      cells: cells
    )
  }

  /// Finds the fields of the columns of a row.
  ///
  /// - Throws: `ImportError` for a missing key or an unknown field.
  mutating func bind(_ row: ImportRow) throws {
    for key in keys where !row.columns.contains(key) {
      throw missing(key, row)
    }
    columns = row.columns
    (slots, cells) = ([], [])
    for (place, name) in columns.enumerated() where name != entity.identifierKey {
      guard let slot = entity.layout.slot(of: name) else {
        throw ImportError(
          row,
          "\(entity.name) has no field \(Value.quoted(name))",
          hint: entity.hint(forColumn: name),
          .unknownField,
          column: place
        )
      }
      slots.append(slot)
      cells.append(place)
    }
  }

  private func missing(_ key: String, _ row: ImportRow) -> ImportError {
    ImportError(row, "missing key column \(Value.quoted(key))", .unknownField, column: 0)
  }

  private func value(_ row: ImportRow, _ cell: Int, _ attribute: Schema.Attribute) throws -> Value {
    do {
      if let links = try linksInFile(row.cells[cell], attribute) { return links }
      return try attribute.checked(
        row.hasTypedValues
          ? try session.value(json: row.cells[cell], for: attribute, isNew: isNew)
          : try session.value(row.cells[cell], for: attribute)
      )
    } catch let error as ValueError {
      throw ImportError(row, "\(attribute.name): \(error)", .invalidValue, cell: cell)
    } catch let error as CommandError {
      let prefix = error.message.hasPrefix(attribute.name + ":") ? "" : attribute.name + ": "
      throw ImportError(row, prefix + error.message, error.code, cell: cell)
    }
  }

  // MARK: Identifiers and links

  /// The identifier in the row.
  ///
  /// - Throws: `ImportError` if it is missing or temporary.
  func identifier(of row: ImportRow) throws -> (identifier: PersistentIdentifier, cell: Int) {
    guard let cell = keyCell(row) else { throw missing(keys[0], row) }
    guard let text = row.cells[cell].word, !text.isEmpty else {
      throw ImportError(row, "\(keys[0]): missing key", .invalidValue, cell: cell)
    }
    let identifier = try identifier(parsing: text, of: entity.name)
    guard !text.isTemporaryName else {
      throw ImportError(
        row,
        "\(keys[0]): \(text) is a temporary identifier; save the records before you export them",
        .invalidValue,
        cell: cell
      )
    }
    return (identifier, cell)
  }

  /// The identifier with this text; new entities belong to the first store.
  private func identifier(parsing text: String, of name: String) throws -> PersistentIdentifier {
    guard session.context.schema.entitiesByName[name] == nil,
      let store = session.context.container.stores.first
    else { return try session.context.identifier(parsing: text, of: name) }
    return IdentifierScope(store: store.identifier, entity: name).identifier(parsing: text)
  }

  /// The links of a cell if all of them refer to records of the file; nil to look them up in the store.
  private func linksInFile(_ cell: ImportCell, _ attribute: Schema.Attribute) throws -> Value? {
    guard !known.isEmpty, let destination = attribute.type.destination else { return nil }
    let names = try cell.words()
    guard !names.isEmpty else { return nil }
    var links: [PersistentIdentifier] = []
    for name in names {
      guard let link = try linkInFile(name, destination) else { return nil }
      links.append(link)
    }
    if case .links = attribute.type { return .links(links) }
    return links.count == 1 ? .link(links[0]) : nil
  }

  private func linkInFile(_ name: String, _ destination: String) throws -> PersistentIdentifier? {
    for entity in schema.entities where schema.accepts(entity.name, for: destination) {
      let link = try identifier(parsing: name, of: entity.name)
      if known.contains(link) { return link }
    }
    return nil
  }
}

extension ImportCell {
  /// The text of a cell that is one word; nil for null, booleans and arrays.
  fileprivate var word: String? {
    switch self {
    case .text(let text), .number(let text): text
    case .null, .boolean, .container: nil
    }
  }

  /// The identifiers in a cell; none if it has objects.
  fileprivate func words() throws -> [String] {
    switch self {
    case .text(let text): return text.split { $0 == " " || $0 == "," }.map(String.init)
    case .number(let text): return [text]
    case .container(let text):
      var reader = JSONReader(Array(text.utf8))
      var (words, hasOthers) = ([String](), false)
      guard reader.isAtArray else { return [] }
      try reader.forEachElement { reader in
        let cell = ImportCell(try reader.next())
        if let word = cell.word { words.append(word) } else { hasOthers = true }
      }
      return hasOthers ? [] : words
    case .null, .boolean: return []
    }
  }
}
