import Foundation
package import OpenSwiftData

/// Takes records one after the other, and gives the rows of a list.
package struct ListEvaluation {
  private let plan: ListPlan
  private let failing: FailingValues
  /// The records for which an expression has no value.
  package private(set) var failures = RecordFailures()

  /// The records, if the rows are not groups.
  private var records: [ExpressionRow] = []
  private var groups: [Group] = []
  private var places: [[Value]: Int] = [:]
  private var meter = WorkMeter()
  /// The rows of the joined files.
  private let joined: JoinedRows

  /// Records with the same keys.
  private struct Group {
    /// The keys as they are in the first record.
    let keys: [Computed]
    var states: [SummaryState]
  }

  /// A row, before its columns are computed.
  private struct Row {
    var record: ExpressionRow
    var sort: [Computed] = []
    var columns: [Computed] = []
  }

  /// Starts without records.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of rows of joined files.
  package init(_ plan: ListPlan, failing: FailingValues = .refused) throws {
    (self.plan, self.failing) = (plan, failing)
    joined = try JoinedRows(plan)
    if plan.isGrouped, plan.keys.isEmpty {
      groups = [Group(keys: [], states: plan.summaries.map(\.empty))]
    }
  }

  /// Adds a record.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(1) on average in the number of records, except for functions that keep all values.
  package mutating func add(_ record: ExpressionRow) throws {
    try meter.count()
    failures.recordCount += 1
    if joined.isEmpty { return addRow(record) }
    let found = joined.rows(beside: record, failing: failing)
    for failure in found.failures { fail(failure, record.identifier) }
    for row in found.rows { addRow(row) }
  }

  private mutating func addRow(_ record: ExpressionRow) {
    guard plan.isGrouped else { return records.append(record) }
    guard let keys = values(plan.keys, of: record),
      let added = values(plan.summaries.map { $0.argument ?? Self.isThere }, of: record)
    else { return }
    let place = place(of: keys)
    for (part, value) in added.enumerated() {
      do throws(ExpressionFailure) {
        try plan.summaries[part].add(value, to: &groups[place].states[part])
      } catch {
        fail(error, record.identifier)
      }
    }
  }

  private static let isThere: Evaluation = { _ throws(ExpressionFailure) in .value(.boolean(true)) }

  private mutating func place(of keys: [Computed]) -> Int {
    if keys.isEmpty { return 0 }
    let name = keys.map(\.groupKey)
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
    var hasFailed = false
    for evaluation in evaluations {
      do throws(ExpressionFailure) {
        values.append(try evaluation(record))
      } catch {
        if !hasFailed { fail(error, record.identifier) }
        hasFailed = true
        values.append(.null)
      }
    }
    return hasFailed && failing != .missing ? nil : values
  }

  private mutating func fail(_ failure: ExpressionFailure, _ identifier: String) {
    failures.add(failure, of: identifier)
  }

  // MARK: Rows

  /// The rows, after which the evaluation is over.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(n log n) in the number of rows that are sorted, else O(n).
  package mutating func rows() throws -> [[Value]] {
    var rows = plan.isGrouped ? try groupRows() : try recordRows()
    if let having = plan.having {
      rows = rows.filter { values([having], of: $0.record)?.first == .value(.boolean(true)) }
    }
    try sort(&rows)
    if !plan.isGrouped { try addResults(to: &rows) }
    rows = window(rows)
    return try rows.compactMap { row in
      try meter.count()
      return values(plan.values, of: row.record)?.map { $0.value ?? .text($0.text) }
    }
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
    var rows = records.map { Row(record: $0) }
    records = []
    // A key of the sort sees the records in the order of the store.
    if !plan.sort.isEmpty || !plan.per.isEmpty { try addResults(to: &rows) }
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
      let key = (values(plan.per, of: row.record) ?? []).map(\.groupKey)
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
      let key = plan.per.isEmpty ? [] : values(plan.per, of: rows[place].record) ?? []
      members[key.map(\.groupKey), default: []].append(place)
      rows[place].record.results = Array(repeating: .null, count: plan.summaries.count)
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
      added.append(values([argument], of: rows[place].record)?.first ?? .null)
    }
    for (place, result) in zip(places, summary.results(of: added)) {
      do throws(ExpressionFailure) {
        rows[place].record.results[part] = try result.get()
      } catch {
        fail(error, rows[place].record.identifier)
      }
    }
  }
}
