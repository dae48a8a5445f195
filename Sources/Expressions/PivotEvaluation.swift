import OpenSwiftData

/// Takes records one after the other, and gives the rows of a pivot.
struct PivotEvaluation: TableEvaluation {
  private let plan: PivotPlan
  private var rows: ListEvaluation
  private var columns: ListEvaluation
  /// Nil as soon as there are too many columns.
  private var cells: ListEvaluation?

  /// Starts without records.
  ///
  /// - Throws: `Interruption.Stopped`.
  init(_ plan: PivotPlan, failing: FailingValues) throws {
    self.plan = plan
    rows = try ListEvaluation(plan.rows, failing: failing)
    columns = try ListEvaluation(plan.columns, failing: failing)
    cells = try ListEvaluation(plan.cells, failing: failing)
  }

  var failures: RecordFailures {
    var failures = rows.failures
    if let cells { failures.add(cells.failures) }
    return failures
  }

  mutating func add(_ record: ExpressionRow) throws {
    for row in try rows.rows(of: record) {
      let count = cells?.failures.count
      cells?.addRow(row)
      // A record that has failed in a cell would fail in its row again.
      guard cells?.failures.count == count else { continue }
      rows.addRow(row)
      columns.addRow(row)
      if columns.groupCount * plan.valueNames.count > PivotPlan.columnLimit { cells = nil }
    }
  }

  mutating func table() throws -> (columns: [String], rows: [[Value]]) {
    let heads = try columns.rows().map { $0[0] }
    guard var cells else { throw tooMany(heads.count) }
    self.cells = nil
    let (keyCount, valueCount) = (plan.rows.columns.count, plan.valueNames.count)
    let nothing = ListEvaluation.valuesOfNothing(plan.cells).dropFirst(keyCount + 1)
    let empty = heads.flatMap { _ in nothing }
    let found = try rows.rows()
    var table: [[Value]] = []
    var rowPlaces: [[Value]: Int] = [:]
    var meter = WorkMeter()
    for row in found {
      try meter.count(1 + empty.count / 16)
      rowPlaces[row.map(\.groupKey)] = table.count
      table.append(row + empty)
    }
    let columnPlaces = Dictionary(
      heads.enumerated().map { ($1.groupKey, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for cell in try cells.rows() {
      try meter.count()
      guard let row = rowPlaces[cell.prefix(keyCount).map(\.groupKey)],
        let column = columnPlaces[cell[keyCount].groupKey]
      else { continue }
      let start = keyCount + column * valueCount
      table[row].replaceSubrange(start..<(start + valueCount), with: cell.dropFirst(keyCount + 1))
    }
    // The failures of sums are those of the cells.
    self.cells = cells
    return (names(heads), table)
  }

  private func tooMany(_ count: Int) -> PivotPlan.TooManyColumns {
    let (most, values) = (PivotPlan.columnLimit, plan.valueNames.count)
    let columns = values == 1 ? "" : " make \((count * values).groupedDigits) columns"
    return .init(
      description:
        "pivot: \(count.groupedDigits) different values of \(plan.columnName)\(columns); the limit is \(most.groupedDigits)"
    )
  }

  /// The headings: the keys, and each value with the names of what is computed if that is more than one.
  private func names(_ heads: [Value]) -> [String] {
    var names = plan.rows.columns
    var taken = Set(names)
    for head in heads {
      let text = head.isNull ? "null" : head.text.isEmpty ? "\"\"" : head.text
      for value in plan.valueNames {
        let wanted = plan.valueNames.count == 1 ? text : "\(text) \(value)"
        var (name, number) = (wanted, 1)
        while !taken.insert(name).inserted {
          number += 1
          name = "\(wanted)_\(number)"
        }
        names.append(name)
      }
    }
    return names
  }
}

extension Value {
  fileprivate var groupKey: Value { Computed.value(self).groupKey }
}
