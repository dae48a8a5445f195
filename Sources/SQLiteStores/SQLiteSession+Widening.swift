import OpenSwiftData
import SQL

/// A column that was found to have values of several types, with the form that it had until then.
struct WidenedColumn {
  let entity: String
  let field: String
  let form: ColumnForm
  /// True if the database made the values of new records without one, because its default had no form.
  let hadComputedDefault: Bool
}

/// Columns that turn out to have values of several types.
extension SQLiteSession {
  /// Lets a column have values of any type, after it turned out that it has.
  ///
  /// - Throws: `PersistenceError` with code `.damaged` for a table of our own.
  func widen(_ misfit: MisfitValue) throws {
    let column = misfit.table.columns[misfit.slot]
    let former = mixed
    let known = mixed[misfit.table.name, default: [:]].updateValue(column.form, forKey: column.name)
    guard !isOwn, known == nil else {
      throw PersistenceError(
        .damaged,
        "\(path): \(misfit.table.entity.name).\(column.field.name): "
          + column.misfitMessage(misfit.value)
          + (misfit.identifier.map { " (record \($0))" } ?? "")
      )
    }
    do {
      try loadForeign()
    } catch {
      // The user may have stopped it: then the tables still are as they were.
      mixed = former
      throw error
    }
    widened.append(
      WidenedColumn(
        entity: misfit.table.entity.name,
        field: column.field.name,
        form: column.form,
        hadComputedDefault: column.hasComputedDefault
      )
    )
  }

  /// Finds numbers and bytes in columns of texts that a filter names, if an index has them at its ends.
  ///
  /// - Returns: The table without the need to test each value of such a column.
  func checkingIndexes(_ table: TableDescription, _ filter: Filter) throws -> TableDescription {
    var table = table
    for slot in try table.slots(of: filter.attributeNames?.sorted() ?? []) {
      let column = table.columns[slot]
      guard column.isIndexed, let misfits = column.misfitCondition else { continue }
      let sql = "SELECT \(column.name.quotedName) FROM \(table.source) WHERE \(misfits) LIMIT 1"
      if let value = try connection.value(SQLText(sql)) {
        throw MisfitValue(table: table, slot: slot, value: value, identifier: nil)
      }
      table.columns[slot].isLoose = false
    }
    return table
  }

  /// The query as `converted(_:_:)` makes it, and its table.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - attributes: The fields that are read; those of the filter and of the order are used as well.
  /// - Returns: The query and the table.
  /// - Throws: `PersistenceError` for unknown fields and values that they cannot be compared with.
  func prepared(_ query: Query, reading attributes: [String]?) throws
    -> (query: Query, table: TableDescription)
  {
    let table = try table(query.entityName)
    var query = query
    query.filter = converted(query.filter, table)
    try query.validate(for: table.entity)
    return (query, try table.computing(attributes, for: query))
  }

  /// The filter with texts in place of the days and moments that a column had until a value of another type was read.
  ///
  /// It means the same. Numbers are not replaced: texts have another order.
  func converted(_ filter: Filter, _ table: TableDescription) -> Filter {
    guard let mixed = mixed[table.name] else { return filter }
    var forms: [String: ColumnForm] = [:]
    for column in table.columns {
      if let form = mixed[column.name], form.isText { forms[column.field.name] = form }
    }
    return forms.isEmpty ? filter : Self.converted(filter, forms)
  }

  private static func converted(_ filter: Filter, _ forms: [String: ColumnForm]) -> Filter {
    func text(_ value: Value, _ name: String) -> Value {
      if case .text(let text)? = forms[name]?.stored(value) { .text(text) } else { value }
    }
    switch filter {
    case .compare(let name, let comparison, let value):
      return .compare(name, comparison, text(value, name))
    case .between(let name, let low, let high):
      return .between(name, text(low, name), text(high, name))
    case .isIn(let name, let values): return .isIn(name, values.map { text($0, name) })
    case .and(let parts): return .and(parts.map { converted($0, forms) })
    case .or(let parts): return .or(parts.map { converted($0, forms) })
    case .not(let part): return .not(converted(part, forms))
    default: return filter
    }
  }

  /// The changes with the values that columns show since they were found to have values of several types.
  func widened(_ changes: ChangeSet) -> ChangeSet {
    if widened.isEmpty { return changes }
    func converted(_ snapshot: DefaultSnapshot) -> DefaultSnapshot {
      var snapshot = snapshot
      for column in widened where column.entity == snapshot.persistentIdentifier.entityName {
        guard let slot = snapshot.layout.slot(of: column.field),
          let now = tables[column.entity]?.columns.first(where: { $0.field.name == column.field }),
          let stored = column.form.stored(snapshot.orderedValues[slot]),
          let value = now.form.value(of: stored)
        else { continue }
        let isMade =
          value.isNull && column.hadComputedDefault && snapshot.persistentIdentifier.isTemporary
        snapshot.orderedValues[slot] = isMade ? now.field.defaultValue : value
      }
      return snapshot
    }
    return ChangeSet(
      inserted: changes.inserted.map(converted),
      updated: changes.updated.map {
        RecordUpdate(before: converted($0.before), after: converted($0.after))
      },
      deleted: changes.deleted.map(converted)
    )
  }
}
