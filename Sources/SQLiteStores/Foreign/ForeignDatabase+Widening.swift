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

/// Tables that turn out to be other than they were described.
extension ForeignDatabase {
  func adapt(to error: any Error) throws -> Bool {
    switch error {
    case let misfit as MisfitValue: if try !readFurther(misfit) { try widen(misfit) }
    case let missing as MissingKey: try dropKey(missing)
    case let view as UnreadView: return try readTypes(of: view)
    default: throw error
    }
    return true
  }

  /// Lets a column have values of any type, after it turned out that it has.
  private func widen(_ misfit: MisfitValue) throws {
    let column = misfit.table.columns[misfit.slot]
    let former = reader.mixed
    let known = reader.mixed[misfit.table.name, default: [:]]
      .updateValue(column.form, forKey: column.name)
    if known != nil { throw misfit.error(path) }
    do {
      try load()
    } catch {
      // The user may have stopped it: then the tables still are as they were.
      reader.mixed = former
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

  /// The number of columns that a statement looks at; the depth of an expression is limited.
  private static let columnCount = 100

  /// Looks for values that are not of the form of their column, in the records of a query.
  ///
  /// - Throws: `MisfitValue` for one of them.
  func settleTypes(for query: Query) throws {
    guard tables[query.entityName] != nil else { return }
    let key = Query(query.entityName, filter: query.filter, attributes: query.attributes)
    if settled.contains(key) || settled.contains(Query(query.entityName)) { return }
    let (read, table) = try reader.prepared(key, reading: key.attributes)
    let condition = try reader.condition(read.filter, table)
    // A STRICT table may have texts that are not UTF-8, too.
    var loose = table
    for slot in table.columns.indices { loose.columns[slot].isLoose = true }
    let doubts = try table.slots(of: query.attributes).compactMap { slot -> SQLText? in
      let column = loose.columns[slot]
      return column.doubtCondition.map {
        "\($0) AND " + connection.functions.misfitCondition(column, loose)
      }
    }
    for start in stride(from: 0, to: doubts.count, by: Self.columnCount) {
      let some = doubts[start..<min(start + Self.columnCount, doubts.count)]
      let sql: SQLText =
        "SELECT count(*) FROM \(table.source) WHERE (" + condition + ") AND ("
        + .joined(Array(some), by: " OR ") + ")"
      _ = try connection.number(sql)
    }
    settled.insert(key)
  }
}
