import OpenSwiftData
import SQL

/// Queries as the tables need them, and their conditions.
extension SQLiteReader {
  /// The condition of a filter.
  ///
  /// - Throws: `MisfitValue` if an index tells that a column of texts has other values as well.
  func condition(_ filter: Filter, _ table: TableDescription) throws -> SQLText {
    let functions = connection.functions
    let checked = try checkingIndexes(table, filter)
    let translation = FilterTranslation(
      checked,
      rest: { try functions.condition($0, table) },
      misfit: { functions.misfitCondition($0, checked) }
    )
    let result = try translation.translate(filter)
    // Invariant: what SQL cannot say is left to a function of the connection, so nothing is left to the reader.
    assert(
      result.isExact,
      "a listing, a count or a deletion would have records that the filter excludes"
    )
    return result.condition
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
    return filter.mapConditions { condition in
      switch condition {
      case .compare(let name, let comparison, let value):
        .compare(name, comparison, text(value, name))
      case .between(let name, let low, let high):
        .between(name, text(low, name), text(high, name))
      case .isIn(let name, let values): .isIn(name, values.map { text($0, name) })
      default: condition
      }
    }
  }

  /// How a listing finds its records.
  func explanation(of query: Query) throws -> QueryExplanation {
    let (query, table) = try prepared(query, reading: query.attributes)
    let sql = try table.select(
      [],
      where: condition(query.filter, table),
      sort: query.sort,
      limit: query.limit,
      offset: query.offset
    )
    let lines = try connection.rows("EXPLAIN QUERY PLAN " + sql)
    return QueryExplanation(
      statement: sql.shown,
      steps: lines.compactMap { line in
        guard case .text(let text)? = line.last else { return nil }
        return PlanWords.words(text)
      }
    )
  }

  // MARK: Beginnings of identifiers

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    var found: [PersistentIdentifier] = []
    for table in ordered
    where entityName == nil ? !table.isComputed : table.entity.name == entityName {
      guard found.count < limit else { break }
      tableInUse = table.name
      do {
        try find(prefix, in: table, limit, &found)
      } catch let failure as SQLiteFailure where entityName == nil && failure.isOfStatement {
        // A table with a collation or a function that this program lacks does not hide the others.
        continue
      }
    }
    return found
  }

  private func find(
    _ prefix: String,
    in table: TableDescription,
    _ limit: Int,
    _ found: inout [PersistentIdentifier]
  ) throws {
    for condition in conditions(for: prefix, table) {
      let sql = try table.select([], where: condition)
      try connection.visit(sql) { row in
        let parts = row.values
        guard let identifier = table.key.identifier(parts, in: table.scope),
          identifier.hasPrefix(prefix), found.count < limit
        else { return found.count < limit }
        found.append(identifier)
        return found.count < limit
      }
    }
  }

  /// Conditions that all keys with the prefix match, and as few others as possible.
  private func conditions(for prefix: String, _ table: TableDescription) -> [SQLText] {
    let column = table.keyColumns[0]
    if prefix.isEmpty { return ["1"] }
    switch table.key {
    case .number: return table.numbers(beginningWith: prefix)
    case .own:
      // The text is the reverse of what people type, except for the few other keys.
      let end = String(prefix.reversed())
      let isKey = RecordKey.Prefix(prefix) != nil
      let others: SQLText = "(\(column) < '0' OR \(column) >= '{')"
      return isKey
        ? [
          others,
          "(\(column) >= '0' AND substr(\(column), \(.integer(Int64(-end.utf8.count)))) = \(.text(end)))",
        ]
        : [others]
    case .columns(let converts, _):
      var end = Array(prefix.utf8)
      end[end.count - 1] += 1
      let (first, last) = (SQLValue.text(prefix), SQLValue.damagedText(end))
      let operand = table.keyOperand(with: first, last)
      let range: SQLText =
        table.columns.first { $0.keyPart == 0 }?.isWide ?? false
        ? "typeof(\(column)) = 'text'"
        : "(\(operand) >= \(first) AND \(operand) < \(last))"
      let numbers: SQLText = "typeof(\(column)) <> 'text'"
      return converts.count == 1 ? [range, numbers] : ["1"]
    }
  }
}
