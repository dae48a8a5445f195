import OpenSwiftData

/// A column of the table with the field that it shows, or what it is computed from.
struct ShownColumn: Hashable, Sendable {
  /// How it is shown.
  let look: TableColumn
  /// The field, or the values at the path as if they were a field.
  let attribute: Schema.Attribute
  /// The position of the field among the fields of the entity; for a path, that of the field where it begins; for a
  /// computed column, one after them.
  let slot: Int
  /// The positions of the fields on which its values depend.
  let slots: Set<Int>
  /// The cells that its name needs.
  let headerWidth: Int

  /// Finds the field; nil if the entity does not have it.
  ///
  /// - Parameters:
  ///   - look: How it is shown.
  ///   - entity: The entity of the records.
  ///   - expressions: The computed columns, by name.
  ///   - place: The place of this one among those that are shown.
  init?(
    _ look: TableColumn,
    of entity: Schema.Entity,
    _ expressions: [String: ColumnExpression] = [:],
    place: Int = 0
  ) {
    if let expression = look.expression {
      guard expression.problem == nil else { return nil }
      self.look = look
      slot = entity.fields.count + place
      let fields = entity.fields.indices.filter {
        expressions.uses(look.name, entity.fields[$0].name)
      }
      slots = Set(fields)
      attribute = Schema.Attribute(look.name, expression.type)
      headerWidth = min(max(DisplayText(look.name).width + 2, 3), 24)
      return
    }
    guard let slot = entity.layout.slot(of: look.field),
      let field = entity.fieldsByName[look.field]
    else { return nil }
    self.look = look
    self.slot = slot
    slots = [slot]
    attribute = look.path.map { Schema.Attribute(look.name, $0.type) } ?? field
    headerWidth = min(max(DisplayText(look.name).width, 3), 24)
  }

  var name: String { look.name }

  /// True if its values are not among those of the record itself.
  var needsReading: Bool { !look.isField || attribute.type.destination != nil }

  /// The name as the header shows it, with a sign for a computed column.
  var heading: String { look.expression == nil ? name : "= \(name)" }

  /// The reason why no columns can be added for members of its values; nil if they can.
  var noMembersReason: String? {
    switch attribute.type {
    case .json, .link: nil
    default: "\(name) has no members; only json and link fields can be expanded"
    }
  }

  /// Its type, with its format if it has one: `decimal, thousands`.
  var typeText: String {
    let format = look.format.isPlain ? "" : ", \(look.format.text)"
    let computed = look.expression.map { " = \($0.text)" } ?? ""
    return attribute.type.description + computed + format
  }

  /// The side at which its values are aligned.
  var alignment: DisplayText.Alignment {
    look.format.alignment ?? (attribute.type.isNumeric ? .right : .left)
  }

  /// The text of a record in this column; nil if the record no longer exists.
  ///
  /// Links are shown by the titles of their records.
  ///
  /// With `isExact`, different values have different texts, although a format rounds them.
  func text(
    in row: TableRow,
    clippedTo limit: Int,
    today: CalendarDate?,
    isExact: Bool = false
  ) -> ValueText? {
    guard let value = row.value(of: self) else { return nil }
    if row.failures[name] != nil { return ValueText("!", .dim) }
    if let title = Self.titles(of: value, in: row) {
      return ValueText(DisplayText(title, clippedTo: limit), .normal)
    }
    guard !isExact else {
      return ValueText(value, of: attribute, in: look.format, clippedTo: limit, today: today)
    }
    let plain = ValueText(value, of: attribute, clippedTo: limit)
    guard !look.format.isPlain, let text = look.format.text(of: value, today: today) else {
      return plain
    }
    return ValueText(DisplayText(text, clippedTo: limit), plain.role)
  }

  /// The titles of the records that a link refers to; nil for other values and for records without a title.
  static func titles(of value: Value, in row: TableRow) -> String? {
    switch value {
    case .link(let record): return row.titles[record]
    case .links(let records):
      guard records.contains(where: { row.titles[$0] != nil }) else { return nil }
      let shown = records.prefix(TableRow.linkLimit).map { row.titles[$0] ?? $0.description }
      return shown.joined(separator: ", ")
        + (records.count > TableRow.linkLimit ? ", … (\(records.count))" : "")
    default: return nil
    }
  }
}

extension TableRow {
  /// The value in a column; nil if the record no longer exists.
  func value(of column: ShownColumn) -> Value? {
    if !column.look.isField { return values.isEmpty ? nil : paths[column.name] ?? .null }
    return values.indices.contains(column.slot) ? values[column.slot] : nil
  }
}
