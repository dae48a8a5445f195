import Foundation
package import OpenSwiftData

/// Takes records one after the other, and gives the rows of a list.
package struct ListEvaluation: TableEvaluation {
  private let plan: ListPlan
  private let failing: FailingValues
  /// The records for which an expression has no value.
  package private(set) var failures = RecordFailures()

  /// The records, if the rows are not groups.
  private var records: [ExpressionRow] = []
  private var groups: [Group] = []
  private var places: [GroupKey: Int] = [:]
  /// What each function of several records takes from a record.
  private let arguments: [Evaluation]
  /// The keys of the record that was added last, kept for their memory.
  private var keys: [Computed] = []
  /// What that record gave to the functions.
  private var added: [Computed] = []
  private var meter = WorkMeter()
  /// The rows of the joined files.
  private let joined: JoinedRows
  /// The rows that are chosen at random.
  private var sample: RowSample?

  /// Records with the same keys.
  private struct Group {
    /// The keys as they are in the first record.
    let keys: [Computed]
    var states: [SummaryState]
  }

  /// The values by which groups are told apart; a single one, as in most lists, takes no memory of its own.
  private struct GroupKey: Hashable {
    let first: Value
    let rest: [Value]

    init(_ keys: [Computed]) {
      first = keys[0].groupKey
      rest = keys.count == 1 ? [] : keys.dropFirst().map(\.groupKey)
    }
  }

  /// A row, before its columns are computed.
  private struct Row {
    var record: ExpressionRow
    var sort: [Computed] = []
    /// Its place among the rows as they were added.
    var place = 0
    /// True if a value of it has failed, so that it is left out.
    var isLeftOut = false
  }

  /// Starts without records.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of rows of joined files.
  package init(_ plan: ListPlan, failing: FailingValues = .refused) throws {
    (self.plan, self.failing) = (plan, failing)
    joined = try JoinedRows(plan)
    sample = plan.sample.map { RowSample($0) }
    arguments = plan.summaries.map { $0.argument ?? Self.isThere }
    if plan.isGrouped, plan.keys.isEmpty {
      groups = [Group(keys: [], states: plan.summaries.map(\.empty))]
    }
  }

  /// Adds a record.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(1) on average in the number of records, except for functions that keep all values.
  package mutating func add(_ record: ExpressionRow) throws { _ = try addRows(of: record) }

  /// Adds a record, and returns the number of its rows.
  ///
  /// - Throws: `Interruption.Stopped`.
  package mutating func addRows(of record: ExpressionRow) throws -> Int {
    let rows = try rows(of: record)
    for row in rows { addRow(row) }
    return rows.count
  }

  /// The rows of a record: itself, or those with the rows of the joined files.
  mutating func rows(of record: ExpressionRow) throws -> [ExpressionRow] {
    try meter.count()
    failures.recordCount += 1
    if joined.isEmpty { return [record] }
    let found = joined.rows(beside: record, failing: failing)
    for failure in found.failures { fail(failure, record.identifier) }
    return found.rows
  }

  /// Adds a row.
  mutating func addRow(_ row: ExpressionRow) {
    if sample != nil {
      sample?.add(row)
    } else if plan.isGrouped {
      group(row)
    } else {
      records.append(row)
    }
  }

  private mutating func group(_ record: ExpressionRow) {
    guard Self.compute(plan.keys, of: record, failing, &failures, into: &keys),
      Self.compute(arguments, of: record, failing, &failures, into: &added)
    else { return }
    guard let elements = plan.elements else { return add(record, to: placeOfKeys()) }
    do throws(ExpressionFailure) {
      let values = try elements.values(record)
      for value in values.isEmpty ? [.null] : values {
        keys[elements.key] = .value(value)
        add(record, to: placeOfKeys())
      }
    } catch {
      fail(error, record.identifier)
    }
  }

  /// Adds what the record gave to the functions to those of a group.
  private mutating func add(_ record: ExpressionRow, to place: Int) {
    for part in added.indices {
      do throws(ExpressionFailure) {
        guard let elements = plan.summaries[part].elements else {
          try plan.summaries[part].add(added[part], to: &groups[place].states[part])
          continue
        }
        for element in try elements(record) {
          try plan.summaries[part].add(.value(element), to: &groups[place].states[part])
        }
      } catch {
        fail(error, record.identifier)
      }
    }
  }

  /// The number of groups.
  var groupCount: Int { groups.count }

  /// The columns of a group without records, as far as they have a value.
  static func valuesOfNothing(_ plan: ListPlan) -> [Value] {
    var row = ExpressionRow(values: [], identifier: "")
    row.results = plan.keys.map { _ in .null }
    row.results += plan.summaries.map { (try? $0.result($0.empty)) ?? .null }
    return plan.values.map { value in
      // Such a cell stays empty.
      let computed = (try? value(row)) ?? .null
      return computed.value ?? .text(computed.text)
    }
  }

  private static let isThere: Evaluation = { _ throws(ExpressionFailure) in .value(.boolean(true)) }

  private mutating func placeOfKeys() -> Int {
    if keys.isEmpty { return 0 }
    let name = GroupKey(keys)
    if let place = places[name] { return place }
    places[name] = groups.count
    groups.append(Group(keys: keys, states: plan.summaries.map(\.empty)))
    return groups.count - 1
  }

  /// The values of a record; nil if the record is left out because one has failed.
  private mutating func values(_ evaluations: [Evaluation], of record: ExpressionRow) -> [Computed]?
  {
    var values: [Computed] = []
    values.reserveCapacity(evaluations.count)
    let isKept = Self.compute(evaluations, of: record, failing, &failures, into: &values)
    return isKept ? values : nil
  }

  /// Replaces values by those of a record; false if the record is left out because one has failed.
  private static func compute(
    _ evaluations: [Evaluation],
    of record: ExpressionRow,
    _ failing: FailingValues,
    _ failures: inout RecordFailures,
    into values: inout [Computed]
  ) -> Bool {
    values.removeAll(keepingCapacity: true)
    var hasFailed = false
    for evaluation in evaluations {
      do throws(ExpressionFailure) {
        values.append(try evaluation(record))
      } catch {
        if !hasFailed { failures.add(error, of: record.identifier) }
        hasFailed = true
        values.append(.null)
      }
    }
    return !hasFailed || failing == .missing
  }

  private mutating func fail(_ failure: ExpressionFailure, _ identifier: String) {
    failures.add(failure, of: identifier)
  }

  // MARK: Rows

  package mutating func table() throws -> (columns: [String], rows: [[Value]]) {
    (plan.columns, try rows())
  }

  /// The rows, after which the evaluation is over.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(n log n) in the number of rows that are sorted, else O(n).
  package mutating func rows() throws -> [[Value]] {
    takeSample()
    var rows = plan.isGrouped ? try groupRows() : try recordRows()
    if let having = plan.having {
      rows = rows.filter { values([having], of: $0.record)?.first == .value(.boolean(true)) }
    }
    try sort(&rows)
    if !plan.isGrouped { try addResults(to: &rows) }
    rows.removeAll(where: \.isLeftOut)
    rows = window(rows)
    return try rows.compactMap { row in
      try meter.count()
      return values(plan.values, of: row.record)?.map { $0.value ?? .text($0.text) }
    }
  }

  private mutating func takeSample() {
    guard var chosen = sample else { return }
    sample = nil
    for row in chosen.rows() { addRow(row) }
  }

  /// What the functions of records in their order give for each record, after which the evaluation is over.
  ///
  /// - Returns: The results, as many for each record, in the order in which the records were added; and the places of
  ///   the records that are left out because a value has failed.
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: As `rows()`.
  package mutating func results() throws -> (values: [Computed], count: Int, leftOut: Set<Int>) {
    var rows = try recordRows()
    let (places, count) = (rows.indices, plan.summaries.count)
    try sort(&rows)
    try addResults(to: &rows)
    rows.removeAll(where: \.isLeftOut)
    var values = [Computed](repeating: .null, count: places.count * count)
    for row in rows {
      try meter.count()
      for (part, result) in row.record.results.enumerated() {
        values[row.place * count + part] = result
      }
    }
    return (values, count, Set(places).subtracting(rows.map(\.place)))
  }

  private mutating func groupRows() throws -> [Row] {
    var rows: [Row] = []
    for group in groups {
      try meter.count()
      let name = group.keys.map(\.text).joined(separator: ", ")
      var row = ExpressionRow(values: [], identifier: name)
      row.results = group.keys
      for (part, state) in zip(plan.summaries, group.states) {
        do throws(ExpressionFailure) {
          row.results.append(try part.result(state))
        } catch {
          fail(error, name)
          row.results.append(.null)
        }
      }
      rows.append(Row(record: row, sort: group.keys))
    }
    groups = []
    return rows
  }

  private mutating func recordRows() throws -> [Row] {
    var rows = records.enumerated().map { Row(record: $1, place: $0) }
    records = []
    // A key of the sort sees the records in the order of the store.
    guard !plan.sort.isEmpty || !plan.per.isEmpty else { return rows }
    // What fails is counted when the functions see the records in their final order.
    let (before, unsorted) = (failures, rows)
    try addResults(to: &rows)
    failures = before
    for place in rows.indices { rows[place].isLeftOut = unsorted[place].isLeftOut }
    return rows
  }

  /// Sorts groups by their keys, and all rows by the keys of the sort.
  private mutating func sort(_ rows: inout [Row]) throws {
    if plan.isGrouped { Self.order(&rows, plan.keys.map { _ in false }) }
    if plan.sort.isEmpty { return }
    let keys = plan.sort.map(\.value)
    rows = try rows.compactMap { row in
      try meter.count()
      guard let values = values(keys, of: row.record) else { return nil }
      var row = row
      row.sort = values
      return row
    }
    Self.order(&rows, plan.sort.map(\.isDescending))
  }

  private static func order(_ rows: inout [Row], _ isDescending: [Bool]) {
    let order = rows.indices.sorted { left, right in
      for (place, (one, other)) in zip(rows[left].sort, rows[right].sort).enumerated() {
        // A row without a value comes last in both directions.
        if one.isNull != other.isNull { return other.isNull }
        switch one.order(other) {
        case .orderedSame: continue
        case let order:
          let isBefore = order == .orderedAscending
          return isDescending[place] ? !isBefore : isBefore
        }
      }
      return left < right
    }
    rows = order.map { rows[$0] }
  }

  /// The rows within the limit, which counts separately for the values of `per`.
  private mutating func window(_ rows: [Row]) -> [Row] {
    guard let limit = plan.limit else { return Array(rows.dropFirst(plan.offset)) }
    guard !plan.per.isEmpty else { return Array(rows.dropFirst(plan.offset).prefix(limit)) }
    var counts: [[Value]: Int] = [:]
    return rows.filter { row in
      guard let key = values(plan.per, of: row.record)?.map(\.groupKey) else { return false }
      counts[key, default: 0] += 1
      return counts[key, default: 0] <= limit
    }
  }

  // MARK: Records in their order

  /// Gives each record what the functions of records in their order give for it.
  private mutating func addResults(to rows: inout [Row]) throws {
    guard !plan.summaries.isEmpty else { return }
    var members: [[Value]: [Int]] = [:]
    for place in rows.indices {
      try meter.count()
      let key = plan.per.isEmpty ? [] : values(plan.per, of: rows[place].record)
      rows[place].record.results = Array(repeating: .null, count: plan.summaries.count)
      guard let key else {
        rows[place].isLeftOut = true
        continue
      }
      members[key.map(\.groupKey), default: []].append(place)
    }
    for (part, summary) in plan.summaries.enumerated() {
      for places in members.values {
        try addResults(of: summary, part, to: &rows, places)
      }
    }
  }

  private mutating func addResults(
    of summary: Summary,
    _ part: Int,
    to rows: inout [Row],
    _ places: [Int]
  ) throws {
    let argument = summary.argument ?? Self.isThere
    var added: [Computed] = []
    for place in places {
      try meter.count()
      let value = rows[place].isLeftOut ? nil : values([argument], of: rows[place].record)?.first
      if value == nil { rows[place].isLeftOut = true }
      added.append(value ?? .null)
    }
    for (place, result) in zip(places, summary.results(of: added)) {
      do throws(ExpressionFailure) {
        rows[place].record.results[part] = try result.get()
      } catch {
        fail(error, rows[place].record.identifier)
        if failing != .missing { rows[place].isLeftOut = true }
      }
    }
  }
}
