import OpenSwiftData

/// Infers the types of the fields of records whose entity does not exist yet.
///
/// A type is chosen if all present values are valid for it: boolean, integer, decimal, number, date,
/// datetime, UUID, otherwise text. JSON with arrays or objects becomes `json`. A JSON string is never a
/// number or boolean, and a field with strings among other values becomes text. Numbers mixed with
/// booleans become `json`, as in a file that is opened. Times without a zone become text, because the
/// file does not say which moments they are.
struct TypeInference {
  private static let order: [AttributeType] = [
    .boolean, .integer, .decimal, .number, .date, .datetime, .uuid,
  ]

  private var columns: [String] = []
  private var candidates: [String: [AttributeType]] = [:]
  /// The columns with a text among their values.
  private var textColumns: Set<String> = []
  /// The columns in which every value is a time, but some values lack the zone.
  private var times: Set<String> = []
  private var rowCount = 0
  private var hasOnlyIdentifiers = true

  /// Takes a row into account.
  mutating func add(_ row: ImportRow) {
    rowCount += 1
    for (column, cell) in zip(row.columns, row.cells) {
      if column == Self.identifierKey, !cell.isIdentifier(ofRow: rowCount) {
        hasOnlyIdentifiers = false
      }
      if candidates[column] == nil {
        columns.append(column)
        candidates[column] = Self.order + [.text, .json]
        times.insert(column)
      }
      guard cell != .null else { continue }
      if times.contains(column), !Self.isTime(cell) { times.remove(column) }
      candidates[column]?.removeAll { !Self.fits(cell, $0, row.tellsTextApart) }
      if case .text = cell { textColumns.insert(column) }
    }
  }

  private static let identifierKey = "id"

  /// The column that only identifies records, as exports contain it; nil if there is none.
  ///
  /// An `id` is an ordinary field, unless its values are keys of this program or row numbers.
  private var identifierColumn: String? {
    guard candidates[Self.identifierKey] != nil else { return nil }
    if candidates["_" + Self.identifierKey] != nil { return "_" + Self.identifierKey }
    return hasOnlyIdentifiers ? Self.identifierKey : nil
  }

  /// The entity that all rows fit.
  func entity(_ name: String) -> Schema.Entity {
    // Columns without any value are text, because text can hold every value.
    Schema.Entity(
      name,
      attributes: columns.filter { $0 != identifierColumn }.map { column in
        let types = candidates[column] ?? []
        let isUnknown = types.count == Self.order.count + 2
        if !isUnknown, types.first == .text, !textColumns.contains(column) {
          return Schema.Attribute(column, .json)
        }
        return Schema.Attribute(column, isUnknown ? .text : types.first ?? .json)
      }
    )
  }

  /// The text fields of the entity that would be datetime if all their times had a zone.
  func zonelessFields(of entity: Schema.Entity) -> [String] {
    entity.fields.filter { field in
      field.type == .text && times.contains(field.name)
        && (candidates[field.name]?.count ?? 0) < Self.order.count + 2
    }.map(\.name)
  }

  private static func isTime(_ cell: ImportCell) -> Bool {
    if case .text(let text) = cell {
      text.utf8.count > 10 && parses(text, .datetime)
    } else {
      false
    }
  }

  private static func fits(_ cell: ImportCell, _ type: AttributeType, _ tellsTextApart: Bool)
    -> Bool
  {
    switch (cell, type) {
    case (.null, _), (_, .json): true
    case (.container, _): false
    case (_, .text): true
    case (.boolean, _): type == .boolean
    case (.number(let text), _): type.isNumeric && parses(text, type)
    case (.text(let text), .boolean): !tellsTextApart && (text == "true" || text == "false")
    case (.text(let text), .integer), (.text(let text), .decimal), (.text(let text), .number):
      !tellsTextApart && !isCode(text) && parses(text, type)
    case (.text(let text), .datetime):
      text.utf8.count > 10 && Timestamp.namesZone(text) && parses(text, type)
    case (.text(let text), _): parses(text, type)
    }
  }

  /// True for numbers that identify something, such as `007` or the telephone number `+4930123456`:
  /// their zeros and signs are significant.
  private static func isCode(_ text: String) -> Bool {
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    if text.utf8.first == UInt8(ascii: "+"), digits.count > 6,
      digits.allSatisfy({ (48...57).contains($0) })
    {
      return true
    }
    guard digits.first == 48, let second = digits.dropFirst().first else { return false }
    return (48...57).contains(second)
  }

  private static func parses(_ text: String, _ type: AttributeType) -> Bool {
    do {
      _ = try Value(parsing: text, as: type)
      return true
    } catch {
      return false
    }
  }
}
