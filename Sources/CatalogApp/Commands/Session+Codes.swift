import OpenSwiftData

/// Texts such as `007` and `+49`, which only text can keep.
///
/// In separated values the types of the fields follow from the values, so a field becomes text with its first code, as
/// if the file had been opened with it.
extension CurrentStore {
  /// True if a value of this text makes the field text.
  func isCode(_ text: String, for attribute: Schema.Attribute) -> Bool {
    attribute.type.isNumeric && text.isKeptAsText && keepsCodes
  }

  /// True for a file of separated values that can be saved.
  fileprivate var keepsCodes: Bool { !isPipe && context.hasOnlyTexts }
}

extension Session {
  /// Makes the fields text that get a code.
  ///
  /// - Throws: The error of a store that cannot be read.
  func keepCodes(in assignments: [Assignment], of name: String) throws {
    for assignment in assignments {
      guard case .typed(let text) = assignment.content,
        let field = context.schema.entitiesByName[name]?.fieldsByName[assignment.field],
        store.isCode(text, for: field)
      else { continue }
      try makeText(field.name, of: name, toKeep: text)
    }
  }

  /// Makes the fields text that get a code from a file.
  ///
  /// - Throws: The error of a store that cannot be read, or that of reading the rows.
  func keepCodes(in source: ImportSource, of name: String?) throws {
    guard store.keepsCodes, let entity = try? name.map(context.schema.entity(named:)) ?? entity(),
      try context.describedEntity(entity.name) != nil
    else { return }
    let numbers = Set(entity.fields.filter(\.type.isNumeric).map(\.name))
    let codes = numbers.isEmpty ? [:] : try source.codes(of: numbers)
    for field in entity.fields {
      if let code = codes[field.name] { try makeText(field.name, of: entity.name, toKeep: code) }
    }
  }

  private func makeText(_ field: String, of name: String, toKeep code: String) throws {
    let entity = try context.schema.entity(named: name)
    let attribute = try entity.attribute(named: field)
    guard attribute.type != .text else { return }
    let command = ConvertField(
      entityName: name,
      name: field,
      type: .text,
      convention: EntryConvention(),
      clearsMisfits: false
    )
    try FieldConversion(command, of: entity, in: self).perform(from: attribute, in: self)
    store.codeFields.insert(field)
    notes.remarks.append("\(field): \(attribute.type) became text, to keep \(Value.quoted(code))")
    // Their values are numbers.
    if fieldIndex != nil { fieldIndex = FieldIndex() }
    if linkIndex != nil { linkIndex = LinkIndex() }
  }
}

extension ImportSource {
  /// The first code in each of some columns.
  fileprivate func codes(of columns: Set<String>) throws
    -> [String: String]
  {
    var codes: [String: String] = [:]
    func note(_ column: String, _ cell: ImportCell) {
      // What is no number at all is refused, as when it is typed.
      guard case .text(let text) = cell, codes[column] == nil, text.isKeptAsText,
        SpelledNumber(text.utf8) != nil
      else { return }
      codes[column] = text
    }
    if let fields = DelimitedFields(self) {
      let areWanted = fields.columns.map(columns.contains)
      let count = try fields.forEachField("reading") { place, field in
        if areWanted[place], field.content.count > 1, "0+-".utf8.contains(field.content[0]) {
          note(fields.columns[place], fields.cell(field))
        }
        return true
      }
      if count != nil { return codes }
    }
    // Something unusual.
    try forEachRow { row in
      for (column, cell) in zip(row.columns, row.cells) where columns.contains(column) {
        note(column, cell)
      }
    }
    return codes
  }
}
