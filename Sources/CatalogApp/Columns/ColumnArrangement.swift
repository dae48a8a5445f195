package import OpenSwiftData

extension Schema.Entity {
  /// The field that a person means: in any case, or by its beginning; nil if it is unknown or ambiguous.
  func fieldName(typed text: String) -> String? {
    ColumnArrangement.name(typed: text, among: fields.map(\.name))
  }
}

/// The columns of a table in order, shown and hidden.
///
/// Invariants:
/// 1. Each name occurs once.
/// 2. Every field of the entity has a column.
package struct ColumnArrangement: Hashable, Sendable {
  package private(set) var columns: [TableColumn] = []
  /// Whether the identifier is shown before the columns; by default (nil), lists in scripts show it and the table on the
  /// screen does not.
  package var showsIdentifier: Bool?

  /// Arranges the fields of an entity in their order; the one that names a record is frozen.
  package init(of entity: Schema.Entity? = nil) {
    self.init(of: entity, title: entity.flatMap(RecordTitle.titleField).map { TableColumn($0) })
  }

  /// Arranges the fields of an entity in their order, with the given column frozen; a path comes first.
  package init(of entity: Schema.Entity?, title: TableColumn?) {
    guard let entity else { return }
    columns = entity.fields.map { TableColumn($0.name) }
    guard let title else { return }
    if title.path != nil { columns.insert(title, at: 0) }
    change(title.name) { $0.isFrozen = true }
  }

  /// The columns of an earlier table, for an entity whose fields may have changed since.
  package init(_ former: ColumnArrangement, adoptedFor entity: Schema.Entity) {
    showsIdentifier = former.showsIdentifier
    var names: Set<String> = []
    columns = former.columns.filter {
      // A computed column that no longer fits is kept, because its fields may return.
      ($0.expression != nil || entity.fieldsByName[$0.field] != nil)
        && ($0.isField || entity.fieldsByName[$0.name] == nil) && names.insert($0.name).inserted
    }
    var former: String?
    for column in Self(of: entity).columns {
      // A new field comes after the one before it.
      if names.insert(column.name).inserted {
        let place = columns.lastIndex { $0.field == former }.map { $0 + 1 } ?? 0
        columns.insert(column, at: place)
      }
      former = column.name
    }
    if !columns.isEmpty, shown.isEmpty { columns[0].isHidden = false }
  }

  /// The computed columns, by name.
  var expressions: [String: ColumnExpression] {
    var found: [String: ColumnExpression] = [:]
    for column in columns { found[column.name] = column.expression }
    return found
  }

  /// Reads the expressions of the computed columns for an entity.
  ///
  /// - Returns: What is wrong with the first one that could be computed before, or was not read yet, and cannot be.
  mutating func readExpressions(of entity: Schema.Entity, in schema: Schema) -> String? {
    let former = expressions
    guard !former.isEmpty else { return nil }
    let read = former.read(of: entity, in: schema)
    for place in columns.indices where columns[place].expression != nil {
      columns[place].expression = read[columns[place].name]
    }
    let wrong = columns.first { $0.expression?.problem != nil && former[$0.name]?.problem == nil }
    return wrong.map { "column \($0.name) is not shown: \($0.expression?.problem ?? "")" }
  }

  /// Adds a computed column after another one, or in place of the one with a name.
  mutating func put(_ column: TableColumn, replacing former: String?, after name: String?) {
    let former = former ?? column.name
    guard let place = columns.firstIndex(where: { $0.name == former && $0.expression != nil })
    else {
      return show([column], after: name)
    }
    columns[place].name = column.name
    columns[place].expression = column.expression
    columns[place].isHidden = false
  }

  /// Why a computed column must keep its name: another one uses it; nil if none does.
  func reasonToKeep(_ name: String) -> String? {
    let expressions = expressions
    let user = columns.first {
      $0.name != name && expressions[$0.name]?.operands.contains(name) == true
    }
    return user.map { "\($0.name) uses \(name); change or remove it first" }
  }

  /// Removes a computed column.
  mutating func remove(_ name: String) {
    columns.removeAll { $0.name == name && $0.expression != nil }
  }

  /// The columns that the table shows, in order.
  package var shown: [TableColumn] { columns.filter { !$0.isHidden } }

  /// The columns that the table shows, as they are on the screen: frozen ones come first, except the one that names the
  /// records, which is frozen at its place.
  package func shownInOrder(title: String?) -> [TableColumn] {
    let first = shown.prefix(while: \.isFrozen)
    let rest = shown.dropFirst(first.count)
    let isMoved = { (column: TableColumn) in column.isFrozen && column.name != title }
    return first + rest.filter(isMoved) + rest.filter { !isMoved($0) }
  }

  /// The column with a name; nil if there is none.
  package subscript(name: String) -> TableColumn? { columns.first { $0.name == name } }

  /// The name of a column as a person types it: in any case, or its beginning; nil if it is unknown or ambiguous.
  package func name(typed text: String) -> String? {
    Self.name(typed: text, among: columns.map(\.name))
  }

  /// The name that a typed text means among some names.
  package static func name(typed text: String, among names: [String]) -> String? {
    if names.contains(text) { return text }
    let wanted = text.lowercased()
    let alike = names.filter { $0.lowercased() == wanted }
    if alike.count == 1 { return alike[0] }
    let beginning = names.filter { $0.lowercased().hasPrefix(wanted) }
    return beginning.count == 1 ? beginning[0] : nil
  }

  // MARK: Changing

  /// Changes a column; nothing if there is none of that name.
  package mutating func change(_ name: String, _ body: (inout TableColumn) -> Void) {
    guard let place = columns.firstIndex(where: { $0.name == name }) else { return }
    body(&columns[place])
  }

  /// Adds columns after another, or shows those that exist.
  package mutating func show(_ added: [TableColumn], after name: String?) {
    var place = columns.firstIndex { $0.name == name }.map { $0 + 1 } ?? columns.count
    for column in added {
      if self[column.name] != nil {
        change(column.name) { $0.isHidden = false }
      } else {
        columns.insert(column, at: place)
        place += 1
      }
    }
  }

  /// Removes the columns with paths that begin with a field, and shows the field itself.
  ///
  /// - Returns: False if there were none.
  package mutating func collapse(_ field: String) -> Bool {
    let count = columns.count
    columns.removeAll { $0.path?.field == field }
    guard columns.count < count else { return false }
    change(field) { $0.isHidden = false }
    return true
  }

  /// Moves a column to a place among the shown ones, or to the nearest end.
  package mutating func move(_ name: String, to place: Int) {
    guard let from = columns.firstIndex(where: { $0.name == name }) else { return }
    let column = columns.remove(at: from)
    let shown = columns.indices.filter { !columns[$0].isHidden }
    let target = min(max(0, place), shown.count)
    // Hidden columns stay next to the shown one before them.
    let index = target < shown.count ? shown[target] : shown.last.map { $0 + 1 } ?? 0
    columns.insert(column, at: index)
  }

  /// Puts the shown columns in an order.
  package mutating func order(_ names: [String]) {
    // Hidden columns stay next to the shown one before them.
    var groups: [[TableColumn]] = [[]]
    for column in columns {
      if column.isHidden {
        groups[groups.count - 1].append(column)
      } else {
        groups.append([column])
      }
    }
    let places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    func place(_ group: [TableColumn]) -> Int { places[group[0].name] ?? names.count }
    columns = groups[0] + groups.dropFirst().sorted { place($0) < place($1) }.flatMap(\.self)
  }

  /// Shows every field.
  package mutating func showAll() {
    for place in columns.indices { columns[place].isHidden = false }
    showsIdentifier = true
  }
}
