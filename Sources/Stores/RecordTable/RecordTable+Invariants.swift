import OpenSwiftData

extension RecordTable {
  /// Checks the invariants between keys, columns, order and indexes; traps if one is violated.
  ///
  /// - Complexity: O(n) in the number of cells.
  package func checkInvariants() {
    precondition(tables.map(\.entity) == schema.entities, "the tables are those of the schema")
    for table in tables { table.checkInvariants() }
  }

  /// Called after rows have changed.
  mutating func finishChange() {
    for place in tables.indices where tables[place].lookups == nil { tables[place].allowLookups() }
    checkInvariantsWhenSmall()
  }

  /// Checks the invariants in debug builds if the table is small.
  private func checkInvariantsWhenSmall() {
    assert(
      {
        if tables.reduce(0, { $0 + $1.rowCount }) <= 1000 { checkInvariants() }
        return true
      }()
    )
  }
}

extension EntityTable {
  func checkInvariants() {
    precondition(columns.count == entity.fields.count, "there is one column an attribute")
    precondition(live.count == rowCount, "there is one live bit a row")
    precondition(live.populationCount == liveCount, "the live rows are counted")
    for column in columns { column.checkInvariants(rowCount: rowCount) }
    checkOrder()
    for row in 0..<rowCount where live[row] {
      precondition(self.row(of: keys[row]) == row, "every record is found by its key")
      for slot in columns.indices where uniqueIndexes[slot] != nil && !columns[slot].isNull(row) {
        let found = self.row(holding: columns[slot].value(at: row), slot: slot) { $0 == row }
        precondition(found == row, "every unique value is found")
      }
      let values = columns.map { $0.value(at: row) }
      for index in constraintIndexes {
        guard let key = index.key(of: values) else { continue }
        let found = self.row(holding: key, index) { $0 == row }
        precondition(found == row, "the values that are unique together are found")
      }
    }
  }

  private func checkOrder() {
    if isAscending {
      precondition(order == nil, "rows that ascend need no other order")
      for row in 0..<max(0, rowCount - 1) {
        precondition(keys.isAfter(row, keys[row + 1]), "keys ascend from row to row")
      }
    }
    guard let order else { return }
    precondition(
      order.sorted() == (0..<rowCount).map { Int32($0) },
      "the order names every row once"
    )
    if isOrderedByKey {
      for (left, right) in zip(order, order.dropFirst()) {
        precondition(keys.precedes(left, right), "the natural order is that of the keys")
      }
    }
  }
}

extension Column {
  func checkInvariants(rowCount: Int) {
    if isWide {
      precondition(count <= rowCount, "no more places than rows")
      if let placedRows {
        precondition(count == placedRows.count, "every place has a row")
        precondition(zip(placedRows, placedRows.dropFirst()).allSatisfy { $0 < $1 }, "rows ascend")
      }
      return dense(rowCount).checkInvariants(rowCount: rowCount)
    }
    precondition(count == rowCount && nulls.count == rowCount, "every row has a place")
    let wordCount =
      switch layout {
      case .whole, .float, .bytes, .decimal, .links: rowCount
      case .pair: 2 * rowCount
      case .flag, .days, .link: 0
      }
    precondition(words.count == wordCount, "words are there as the layout wants them")
    precondition(
      exponents.count == (layout == .decimal ? rowCount : 0),
      "a mantissa has an exponent"
    )
    precondition(flags.count == (layout == .flag ? rowCount : 0), "a flag has a bit")
    precondition(days.count == (layout == .days ? rowCount : 0), "a date has a number of days")
    guard layout == .bytes || layout == .links else { return }
    let size = layout == .links ? identifiers.count : bytes.count
    var used = 0
    for row in 0..<rowCount {
      let span = Span(packed: words[row])
      precondition(!nulls[row] || span.packed == 0, "what has no value refers to nothing")
      precondition(span.range.upperBound <= size, "a span lies within its array")
      used += span.count
    }
    precondition(used + wastedCount == size, "every element is used once or wasted")
  }
}
