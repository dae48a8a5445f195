package import OpenSwiftData

/// A column of a file in which a condition looks for a value: `in FILE:COLUMN`.
package struct ListedColumn: Hashable, Sendable {
  let values: [Value]
  /// Why the column cannot be read; nil if it was.
  package let problem: String?

  /// Creates a column with these cells.
  package init(_ values: [Value]) { (self.values, problem) = (values, nil) }

  /// Creates a column that could not be read, which is an error only where it is used.
  package init(problem: String) { (values, self.problem) = ([], problem) }

  /// The values of a field of this type with which a record is found by the column, each once; nil for a type whose values
  /// only an expression compares with texts.
  package func values(of type: AttributeType) -> [Value]? {
    switch type {
    case .json, .link, .links: return nil
    default: break
    }
    let comparison = KeyComparison(ExpressionType(type.kind), values)
    var seen: Set<Value> = []
    return values.compactMap { cell in
      comparison.value(ofCell: cell, as: type).flatMap { seen.insert($0).inserted ? $0 : nil }
    }
  }
}

/// How a key is compared with the cells of a column, as `=` does.
struct KeyComparison: Sendable {
  private let type: ExpressionType
  /// True if moments count as their days, because the other side has only days.
  private let comparesDays: Bool

  /// Compares keys of a type with the cells of a column.
  init(_ type: ExpressionType, _ cells: some Sequence<Value>) {
    self.type = type
    let cell = cells.lazy.compactMap(\.kind).first.map { ExpressionType($0) }
    comparesDays = Set([type, cell ?? type]) == [.date, .datetime]
  }

  /// The key that a cell has; nil if the type has no such value.
  func key(ofCell cell: Value) -> Value? {
    guard let kind = cell.kind, !cell.text.isEmpty else { return nil }
    let own = ExpressionType(kind)
    if own == type || type == .json || own.isNumeric && type.isNumeric || comparesDays {
      return comparable(cell)
    }
    let wanted: AttributeType
    switch type {
    case .text, .link: return .text(cell.text)
    case .integer, .decimal, .number: wanted = .decimal
    case .boolean: wanted = .boolean
    case .date: wanted = .date
    case .datetime: wanted = .datetime
    case .uuid: wanted = .uuid
    case .null, .json, .links, .duration: return nil
    }
    // A row whose cell cannot be read as the type of the key matches no record.
    return (try? Value(parsing: cell.text, as: wanted)).map(comparable)
  }

  /// The value of a field of the type with the key of a cell; nil if there is none.
  func value(ofCell cell: Value, as type: AttributeType) -> Value? {
    guard let key = key(ofCell: cell) else { return nil }
    // A day is equal to all moments of it.
    if comparesDays { return key.kind == .date ? key : nil }
    // A cell without a value of the type, such as a fraction beside whole numbers, matches no record.
    guard let value = try? Value(parsing: cell.text, as: type), comparable(value) == key else {
      return nil
    }
    return value
  }

  /// What a record is looked for by; nil without a value.
  func key(of computed: Computed) -> Value? {
    guard case .value(let value) = computed.content, !value.isNull else { return nil }
    return comparable(value)
  }

  private func comparable(_ value: Value) -> Value {
    switch value {
    // A binary number is equal to the decimal with its shortest digits; as JSON, numbers are told from texts.
    case .integer, .number, .decimal: .json(value.spelledAlike)
    case .link(let link): .text(link.description)
    case .datetime(let moment) where comparesDays: .date(CalendarDate(of: moment))
    default: value
    }
  }
}
