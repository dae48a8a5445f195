import OpenSwiftData

/// Chooses the fields of somebody else's table: the declared types propose, the contents decide.
struct ForeignMapping {
  /// The name of the column with the number of a row that is counted.
  static let counter = "catalog_row".quotedName

  let table: ForeignTable
  /// The columns that are known to have values of several types, with the form that they had before.
  let mixed: [String: ColumnForm]
  let store: String
  let key: ForeignKeyChoice
  /// True if texts are kept as UTF-16.
  var isWide = false
  private var links: [ExactName: Link] = [:]

  /// A foreign key of one column.
  private struct Link {
    let form: LinkForm
    let rule: Schema.Relationship.DeleteRule
    /// The table and the column it refers to, if this has a collation of its own.
    let collated: (table: String, column: String)?
  }

  init(table: ForeignTable, mixed: [String: ColumnForm], store: String, key: ForeignKeyChoice) {
    (self.table, self.mixed, self.store, self.key) = (table, mixed, store, key)
  }

  /// A table to which foreign keys refer.
  struct Target {
    let name: String
    let entity: String
    let key: KeyForm
    /// The only column of its key; nil if there are several, or none.
    let keyColumn: ForeignColumn?

    init(_ table: ForeignTable, entity: String, key: KeyForm) {
      (name, self.entity, self.key) = (table.name, entity, key)
      let columns = table.keyColumns
      let isStored = table.numberColumn != nil || key != .number
      keyColumn = columns.count == 1 && key.columnCount == 1 && isStored ? columns[0] : nil
    }
  }

  /// Finds the foreign keys that refer to the whole key of a table.
  mutating func findLinks(_ targets: [ExactName: Target]) {
    for reference in table.foreignKeys where reference.columns.count == 1 {
      guard let target = targets[ExactName(folding: reference.parent)],
        let column = target.keyColumn,
        reference.targets.allSatisfy({ ExactName(folding: $0) == ExactName(folding: column.name) })
      else { continue }
      links[ExactName(folding: reference.columns[0])] = Link(
        form: LinkForm(to: target.entity, key: target.key, store: store),
        rule: Self.rule(reference.onDelete),
        collated: column.hasCollation ? (target.name, column.name) : nil
      )
    }
  }

  private static func rule(_ action: String) -> Schema.Relationship.DeleteRule {
    switch action {
    case "CASCADE": .cascade
    case "SET NULL": .nullify
    case "SET DEFAULT": .noAction
    default: .deny
    }
  }

  func tableDescription(named entityName: String) -> TableDescription {
    var used: Set<String> = []
    let obstacle: TableDescription.Obstacle? =
      switch table.kind {
      case "view": .view
      case "virtual": .virtual
      default: key.isCounted ? .noKey : nil
      }
    let columns = table.columns.enumerated().map { place, column in
      let name = ForeignTables.validName(column.name, "column", place, &used)
      return columnDescription(of: column, named: name, obstacle)
    }
    var description = TableDescription(
      Schema.Entity(entityName, attributes: columns.map(\.field)),
      table: table.name,
      columns: columns,
      key: key.form,
      keyColumns: key.columns,
      store: store
    )
    description.obstacle = obstacle
    description.isKeyUnstable = key.isUnstable
    description.isUnread = table.isUnread
    description.isFilledByTriggers = table.isFilledByTriggers
    description.omittedColumns = table.omittedColumns
    description.uniqueIndexes = table.uniqueIndexes.map { uniqueIndex($0, columns) }
    description.foreignKeys = table.foreignKeys
    description.parents = Set(table.foreignKeys.map { ExactName(folding: $0.parent) })
    let referring = Set(table.foreignKeys.flatMap(\.columns).map { ExactName(folding: $0) })
    description.referringSlots = Set(
      columns.indices.filter { referring.contains(ExactName(folding: columns[$0].name)) }
    )
    description.rowNumber = table.numberColumn?.name.quotedName ?? table.rowNumberName
    if key.isCounted {
      let names = table.columns.map(\.name.quotedName).joined(separator: ", ")
      description.isCounted = true
      description.source =
        "(SELECT row_number() OVER () AS \(Self.counter), \(names) FROM main.\(table.name.quotedName))"
    }
    return description
  }

  private func uniqueIndex(_ names: [ExactName?], _ columns: [ColumnDescription]) -> UniqueIndex {
    let slots = names.compactMap { name in
      columns.firstIndex { ExactName(folding: $0.name) == name }
    }
    return UniqueIndex(slots: slots, isExact: slots.count == names.count)
  }

  private func columnDescription(
    of column: ForeignColumn,
    named name: String,
    _ obstacle: TableDescription.Obstacle?
  ) -> ColumnDescription {
    let isReadOnly = obstacle != nil
    let form = form(of: column)
    let isNumber = table.numberColumn.map { ExactName($0.name) } == ExactName(column.name)
    let constant = defaultValue(of: column, form)
    let hasComputedDefault = column.defaultValue != .none && constant == nil
    let quoted = ExactName(column.name.quotedName)
    let keyPart = key.columns.firstIndex { ExactName($0) == quoted }
    var field = Schema.Attribute(
      name,
      type(of: form),
      isOptional: isReadOnly || isNumber || hasComputedDefault || column.isGenerated
        || !column.isNotNull && (column.keyPlace == 0 || key.form == .number),
      isUnique: table.uniqueColumns.contains(ExactName(column.name)) && !isNumber,
      defaultValue: isReadOnly || isNumber ? .null : constant ?? .null,
      deleteRule: links[ExactName(folding: column.name)]?.rule ?? .nullify,
      isReadOnly: isReadOnly || isNumber || column.isGenerated,
      isBlob: form == .blob()
    )
    let cause = obstacle?.cause ?? (column.isGenerated ? "the database computes its value" : nil)
    if let cause {
      field = field.readOnly(because: cause)
    } else if isNumber {
      field = field.fixedOnceSaved(because: "the key of a saved record cannot be changed")
    } else if keyPart != nil {
      field = field.asKey()
    }
    if type(of: form) == .text {
      switch column.keyCollation {
      case "NOCASE": field = field.ignoringCase()
      case "RTRIM": field = field.ignoringEndSpaces()
      default: break
      }
    }
    field = field.kept(in: form)
    var result = ColumnDescription(column.name, field, form)
    result.hasCollation = column.hasCollation
    result.isWide = isWide
    result.isLoose = !table.isStrict
    result.isIndexed =
      table.indexedColumns.contains(ExactName(folding: column.name)) && !column.hasCollation
    result.hasComputedDefault = hasComputedDefault
    result.isGenerated = column.isGenerated
    result.isNeverNull = column.isNotNull || isNumber
    result.keyPart = keyPart
    result.affinity = affinity(of: column)
    if case .link = form { result.linkedKey = linkedKey(of: column) }
    return result
  }

  /// The key to which a link refers, as the other record has it; nil if the keys are compared by their bytes.
  ///
  /// The database compares both by the collation of the key: `Calvino` refers to `CALVINO` if this is NOCASE. A link
  /// without a record is read as it is.
  private func linkedKey(of column: ForeignColumn) -> String? {
    guard let target = links[ExactName(folding: column.name)]?.collated else { return nil }
    // The name of the column has no other meaning in a query with one column of another name.
    let keys =
      "SELECT \(target.column.quotedName) AS catalog_key FROM main.\(target.table.quotedName)"
    let name = column.name.quotedName
    return "coalesce((SELECT catalog_key FROM (\(keys)) WHERE catalog_key = \(name)), \(name))"
  }

  /// The value that a literal after `DEFAULT` gives a new record; nil if there is none of the form of the column.
  private func defaultValue(of column: ForeignColumn, _ form: ColumnForm) -> Value? {
    guard case .constant(let literal) = column.defaultValue else { return nil }
    let stored = affinity(of: column).kept(literal)
    return form.value(of: stored).flatMap { isKept(stored, by: form) ? $0 : nil }
  }

  private func affinity(of column: ForeignColumn) -> Affinity {
    // A column of any type in a STRICT table keeps every value as it is.
    table.isStrict && column.type.uppercased() == "ANY" ? .blob : Affinity(column.type)
  }

  private func type(of form: ColumnForm) -> AttributeType {
    switch form {
    case .integer: .integer
    case .number: .number
    case .boolean: .boolean
    case .date: .date
    case .moment: .datetime
    case .link(let link): .link(link.entity)
    default: .text
    }
  }

  /// The first form that has room for the samples.
  private func form(of column: ForeignColumn) -> ColumnForm {
    let affinity = affinity(of: column)
    let rest = ColumnForm.mixed(
      convertsText: affinity != .blob,
      convertsNumbers: affinity.isNumeric,
      isReal: affinity == .real,
      keepsSpelling: keepsSpelling(column, affinity),
      typed: mixed[column.name] ?? meantForm(of: column)
    )
    if mixed[column.name] != nil { return rest }
    let samples = column.samples.filter { $0 != .null }
    let proposed: [ColumnForm] =
      links[ExactName(folding: column.name)].map { [.link($0.form)] } ?? []
    return (proposed + proposals(column, affinity, samples)).first { form in
      samples.allSatisfy { form.value(of: $0) != nil && isKept($0, by: form) }
    } ?? rest
  }

  /// True unless a number would get another type when it is written again.
  private func isKept(_ sample: SQLValue, by form: ColumnForm) -> Bool {
    switch (form, sample) {
    case (.number, .text): false
    default: true
    }
  }

  /// True for a column that turns texts into numbers although its type does not name numbers, such as `STRING`.
  private func keepsSpelling(_ column: ForeignColumn, _ affinity: Affinity) -> Bool {
    let type = column.type.uppercased()
    return affinity == .numeric && !type.contains("DEC") && !type.contains("NUM")
  }

  /// Parts of declared types that name texts, although SQLite turns texts that look like numbers into numbers.
  private static let textTypes = ["STRING", "UUID", "GUID", "HASH"]

  private func proposals(_ column: ForeignColumn, _ affinity: Affinity, _ samples: [SQLValue])
    -> [ColumnForm]
  {
    let type = column.type.uppercased()
    var forms: [ColumnForm] = []
    if type.contains("BOOL") { forms.append(.boolean) }
    if type.contains("DATE") || type.contains("TIME"), affinity != .integer {
      forms += momentForms(type, samples)
    }
    // A number with a point is another one when it is written as a whole one, which happens to no row of a query.
    let isReadOnly = table.kind != "table"
    switch affinity {
    case .integer: forms += isReadOnly ? [.integer, .number] : [.integer]
    case .text: forms.append(.text)
    case .real: forms.append(.number)
    case .numeric:
      let isForTexts = keepsSpelling(column, affinity)
      // Texts in a column for numbers, such as "n/a", are exceptions: they leave it one of several types.
      if !isForTexts {
        forms.append(.number)
      } else {
        // A type such as STRING names texts: numbers in it are texts that the column has converted.
        let isForNumbers = !samples.isEmpty && !Self.textTypes.contains { type.contains($0) }
        forms += isForNumbers ? [.integer, .number, .text] : [.text]
      }
    case .blob:
      // A column without a declared type and without values could hold anything.
      guard !samples.isEmpty || type.contains("BLOB") else { break }
      forms += [.blob(), .text, .integer]
      if isReadOnly || !samples.contains(where: { if case .integer = $0 { true } else { false } }) {
        forms.append(.number)
      }
    }
    if table.isStrict, type == "ANY" { return [] }
    return forms
  }

  /// The form of what is typed into a column with values of several types, as its declared type and most values say; nil
  /// if it is just that.
  private func meantForm(of column: ForeignColumn) -> ColumnForm? {
    let type = column.type.uppercased()
    if type.contains("BOOL") { return .boolean }
    guard type.contains("DATE") || type.contains("TIME") else { return nil }
    let moments = column.samples.compactMap { sample -> String? in
      if case .text(let text) = sample, MomentStyle(of: [text]) != nil { text } else { nil }
    }
    return moments.isEmpty ? nil : MomentStyle(of: moments).map { .moment($0) }
  }

  private func momentForms(_ type: String, _ samples: [SQLValue]) -> [ColumnForm] {
    let texts = samples.compactMap { sample -> String? in
      if case .text(let text) = sample { text } else { nil }
    }
    if !texts.isEmpty {
      return [.date] + (MomentStyle(of: texts).map { [.moment($0)] } ?? [])
    }
    guard samples.isEmpty else { return [] }
    if type == "DATE" { return [.date] }
    return type == "TIME" ? [] : [.moment(.usual)]
  }
}

extension MomentStyle {
  /// The style of columns without values: that of SQLite's own functions.
  fileprivate static let usual = MomentStyle(
    separator: " ",
    suffix: "",
    digits: 6,
    omitsZero: true
  )
}
