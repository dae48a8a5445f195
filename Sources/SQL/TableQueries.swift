package import OpenSwiftData

/// The statements that read a table.
extension TableDescription {
  /// The keys and fields of records that match a condition, in order.
  package func select(
    _ slots: [Int],
    where condition: SQLText,
    sort: [SortKey] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws -> SQLText {
    var text = "SELECT \(selection(slots)) FROM \(source) WHERE " + condition
    text += SQLText(try order(sort))
    if limit != nil || offset > 0 {
      let limit = limit.map { SQLValue.integer(Int64($0)) } ?? dialect.noLimit
      text += " LIMIT \(limit) OFFSET \(.integer(Int64(offset)))"
    }
    return text
  }

  /// The table with only the columns that a query uses, if its rows are counted: the database computes those of a view
  /// although nothing reads them.
  ///
  /// - Parameters:
  ///   - attributes: The fields that are read; nil for all.
  ///   - query: The query, whose filter and order use fields as well.
  /// - Returns: The table.
  /// - Throws: `PersistenceError` for unknown fields.
  package func computing(_ attributes: [String]?, for query: Query) throws -> TableDescription {
    guard isCounted, keyOperands.isEmpty, let attributes, let filtered = query.filter.attributeNames
    else { return self }
    let slots = try slots(of: attributes + filtered.sorted() + query.sort.map(\.attribute))
    var table = self
    let names = [counting("").text] + Set(slots).sorted().map { columns[$0].name.quotedName }
    table.source = "(SELECT \(names.joined(separator: ", ")) FROM \(qualifiedName))"
    return table
  }

  private func counting(_ offset: SQLText) -> SQLText {
    "row_number() OVER ()\(offset) AS \(keyColumns[0])"
  }

  /// The clause for the order of records: the sort keys, then the key.
  ///
  /// - Throws: `PersistenceError` for unknown fields.
  package func order(_ sort: [SortKey]) throws -> String {
    // Rows that are counted come in the order of their numbers.
    if sort.isEmpty, isCounted { return "" }
    return " ORDER BY " + (try orderTerms(sort))
  }

  /// The sort keys, then the key.
  ///
  /// - Throws: `PersistenceError` for unknown fields.
  private func orderTerms(_ sort: [SortKey]) throws -> String {
    let keys = try sort.map { key in
      let column = columns[try slots(of: [key.attribute])[0]]
      var text = column.sortOperand
      if key.isDescending { text += " DESC" }
      // An index serves an order without these words only.
      let comeFirst = key.isDescending != dialect.missingValuesAreLeast
      guard comeFirst != key.nullsFirst, !column.isNeverNull else { return text }
      return text + (key.nullsFirst ? " NULLS FIRST" : " NULLS LAST")
    }
    return (keys + keyColumns).joined(separator: ", ")
  }

  /// The number of records that match a condition.
  package func count(where condition: SQLText) -> SQLText {
    "SELECT count(*) FROM \(source) WHERE " + condition
  }

  /// The records with these keys, one statement for all; nil for no identifier that can be one of the table.
  package func select(_ slots: [Int], keys: [[SQLValue]]) -> SQLText {
    if isCounted, keyOperands.isEmpty { return select(slots, counted: keys) }
    return "SELECT \(selection(slots)) FROM \(source) WHERE " + condition(forKeys: keys)
  }

  /// The condition that the key is one of these.
  package func condition(forKeys keys: [[SQLValue]]) -> SQLText {
    if !keyOperands.isEmpty { return serverCondition(forKeys: keys) }
    if keys.count == 1 { return condition(forKey: keys[0]) }
    guard keyColumns.count == 1 else {
      return .joined(keys.map { "(" + condition(forKey: $0) + ")" }, by: " OR ")
    }
    return "\(keyColumns[0]) IN (\(keys.map { $0[0] }))"
  }

  /// The rows with these numbers, of which only those from the first number to the last are counted.
  private func select(_ slots: [Int], counted keys: [[SQLValue]]) -> SQLText {
    let numbers = keys.compactMap { key -> Int64? in
      if case .integer(let number) = key[0], number > 0 { number } else { nil }
    }
    let first = numbers.min() ?? 1
    let count = (numbers.max() ?? 0) - first + 1
    let names = slots.map { columns[$0].name.quotedName }
    let offset = SQLValue.integer(first - 1)
    let counted = SQLText.joined(
      [counting(" + \(offset)")] + names.map { SQLText($0) },
      by: ", "
    )
    let read = names.isEmpty ? "NULL" : names.joined(separator: ", ")
    return """
      SELECT \(selection(slots)) FROM (SELECT \(counted) \
      FROM (SELECT \(read) FROM \(qualifiedName) LIMIT \(.integer(count)) OFFSET \(offset))) \
      WHERE \(keyColumns[0]) IN (\(numbers.map { .integer($0) }))
      """
  }

  /// The ranges of the numbers in a key of one that begin with these digits.
  package func numbers(beginningWith prefix: String) -> [SQLText] {
    let (column, cast) = (keyColumns[0], keyOperands.first?.type.cast ?? "")
    if prefix == "-" { return ["\(column) < 0"] }
    guard let number = Int64(prefix), String(number) == prefix else { return [] }
    var ranges: [SQLText] = []
    var (low, high) = (number, number)
    while true {
      let (first, last) = number < 0 ? (high, low) : (low, high)
      ranges.append(
        "\(column) BETWEEN \(.integer(first))\(cast) AND \(.integer(last))\(cast)"
      )
      let digit: Int64 = number < 0 ? -9 : 9
      let (nextLow, lowOverflows) = low.multipliedReportingOverflow(by: 10)
      let (product, highOverflows) = high.multipliedReportingOverflow(by: 10)
      let (nextHigh, sumOverflows) = product.addingReportingOverflow(digit)
      if number == 0 || lowOverflows || highOverflows || sumOverflows { return ranges }
      (low, high) = (nextLow, nextHigh)
    }
  }
}

/// The statements that change a table.
extension TableDescription {
  /// Adds rows; the columns that it names are those of the key, then those of fields that are not part of it.
  package func insertion(_ slots: [Int], rows: [[SQLValue]]) -> SQLText {
    let others = slots.filter { columns[$0].keyPart == nil }.map { columns[$0].name.quotedName }
    // What reads the key may be more than its column.
    let keys = keyOperands.isEmpty ? keyColumns : keyPlaces.map { columns[$0].name.quotedName }
    let names = (keys + others).joined(separator: ", ")
    let clause = columns.contains(where: \.isAlwaysNumbered) ? " OVERRIDING SYSTEM VALUE" : ""
    return "INSERT INTO \(qualifiedName) (\(names))\(clause) VALUES "
      + .joined(rows.map { "(\($0))" }, by: ", ")
  }

  /// Sets some columns of the records with these keys.
  package func update(
    keys: [[SQLValue]],
    _ values: [(slot: Int, value: SQLValue)]
  ) -> SQLText {
    let assignments: [SQLText] = values.map { "\(columns[$0.slot].name.quotedName) = \($0.value)" }
    return "UPDATE \(qualifiedName) SET " + .joined(assignments, by: ", ")
      + " WHERE " + condition(forKeys: keys)
  }

  /// Deletes the records with these keys.
  package func delete(keys: [[SQLValue]]) -> SQLText {
    "DELETE FROM \(qualifiedName) WHERE " + condition(forKeys: keys)
  }
}
