import OpenSwiftData

extension CurrentStore {
  /// True if fields get the types that keep the texts that they get.
  var keepsTexts: Bool { !isPipe && context.infersTypes }
}

extension Session {
  /// Gives fields the types that keep the texts that they get.
  ///
  /// - Throws: The error of a store that cannot be read.
  func keepTexts(in assignments: [Assignment], of name: String) throws {
    guard store.keepsTexts else { return }
    for assignment in assignments {
      guard case .typed(let text) = assignment.content,
        let field = context.schema.entitiesByName[name]?.fieldsByName[assignment.field],
        let type = field.type(toKeep: text)
      else { continue }
      try widen(field, of: name, to: type, toKeep: text)
    }
  }

  /// Gives fields the types that keep the texts that they get from a file.
  ///
  /// - Throws: The error of a store that cannot be read, or that of reading the rows.
  func keepTexts(in source: ImportSource, of name: String?) throws {
    guard store.keepsTexts,
      let entity = try? name.map(context.schema.entity(named:)) ?? entity(),
      try context.describedEntity(entity.name) != nil
    else { return }
    let numbers = Set(entity.fields.filter(\.type.isNumeric).map(\.name))
    let whole = Set(entity.fields.filter { $0.type == .integer }.map(\.name))
    let codes = numbers.isEmpty ? [:] : try source.codes(of: numbers, fractionsOf: whole)
    for field in entity.fields {
      guard let text = codes[field.name], let type = field.type(toKeep: text) else { continue }
      try widen(field, of: entity.name, to: type, toKeep: text)
    }
  }

  /// Gives a field a type that keeps a text; the texts of all other values stay as they are.
  private func widen(
    _ field: Schema.Attribute,
    of name: String,
    to type: AttributeType,
    toKeep text: String
  ) throws {
    guard try context.widenTypes(toHold: [name: [field.name: type]]) else { return }
    notes.remarks.append(
      "\(field.name): \(field.type) became \(type), to keep \(Value.quoted(text))"
    )
    valueIndex?.forget()
  }

  /// Lets fields have the types of the values in the file again if nothing is unsaved.
  func dropWidenedTypes() {
    // A file that cannot be read has no other types.
    if let isChanged = try? context.dropWidenedTypes(), isChanged { valueIndex?.forget() }
  }
}

extension ImportSource {
  /// The first code in each of some columns, or else, in those of whole numbers, the first fraction.
  fileprivate func codes(of columns: Set<String>, fractionsOf whole: Set<String>) throws
    -> [String: String]
  {
    var codes: [String: String] = [:]
    var fractions: [String: String] = [:]
    func note(_ column: String, _ cell: ImportCell) {
      guard codes[column] == nil else { return }
      let text: String
      switch cell {
      case .text(let cell): text = cell
      case .number(let number): text = number
      case .null, .boolean, .container: return
      }
      if case .text = cell, text.isKeptAsText {
        // Text that is not a number is refused, as when it is typed.
        if SpelledNumber(text.utf8) != nil { codes[column] = text }
      } else if whole.contains(column), fractions[column] == nil, text.isFraction {
        fractions[column] = text
      }
    }
    if let fields = DelimitedFields(self) {
      let areWanted = fields.columns.map(columns.contains)
      var maySeeFraction = fields.columns.map(whole.contains)
      let count = try fields.forEachField("reading") { place, field in
        if areWanted[place], field.content.count > 1,
          "0+-".utf8.contains(field.content[0])
            || maySeeFraction[place] && field.content.contains(UInt8(ascii: "."))
        {
          note(fields.columns[place], fields.cell(field))
          if fractions[fields.columns[place]] != nil { maySeeFraction[place] = false }
        }
        return true
      }
      if count != nil { return codes.merging(fractions) { code, _ in code } }
    }
    // Something unusual.
    try forEachRow { row in
      for (column, cell) in zip(row.columns, row.cells) where columns.contains(column) {
        note(column, cell)
      }
    }
    return codes.merging(fractions) { code, _ in code }
  }
}
