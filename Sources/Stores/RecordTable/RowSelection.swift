import Foundation
import OpenSwiftData

/// Finds the rows that match a filter, column by column, with the semantics of `BoundFilter`.
///
/// Each part of a filter examines only the rows that earlier parts left undecided; cheap parts come
/// first.
struct RowSelection {
  let table: EntityTable
  /// The number of threads that test texts; nil to choose it by the number of rows.
  var threads: Int?

  /// The rows of the mask that match the filter.
  ///
  /// - Throws: `PersistenceError` for unknown attributes and invalid patterns.
  /// - Complexity: O(n) for each comparison; texts cost their length.
  func rows(_ filter: Filter, among mask: Bitmap) throws -> Bitmap {
    try Interruption.check()
    switch filter {
    case .constant(let wantsAll): return wantsAll ? mask : none
    case .compare(let name, let comparison, let value):
      if comparison == .equal, let rows = try indexedRows(name, value) { return mask & rows }
      return compare(try column(name), comparison, value, among: mask)
    case .compareAttributes(let left, let comparison, let right):
      return compare(try column(left), comparison, try column(right), among: mask)
    case .between(let name, let low, let high):
      let column = try column(name)
      let above = compare(column, .greaterOrEqual, low, among: mask)
      return compare(column, .lessOrEqual, high, among: above)
    case .isIn(let name, let values): return try equal(try column(name), to: values, among: mask)
    case .text(let name, let match):
      return try matching(try column(name), match, try TextMatcher(match), among: mask)
    case .anyText(let match): return try anyMatching(match, try TextMatcher(match), among: mask)
    case .isNull(let name): return mask & (try column(name)).nulls
    case .and(let parts):
      return try Self.cheapFirst(parts).reduce(mask) { try rows($1, among: $0) }
    case .or(let parts):
      return try Self.cheapFirst(Filter.gatheringEqualities(parts)).reduce(none) {
        try $0 | rows($1, among: mask - $0)
      }
    case .not(let part): return mask - (try rows(part, among: mask))
    }
  }

  var none: Bitmap { Bitmap(repeating: false, count: table.rowCount) }

  private func column(_ name: String) throws -> Column {
    table.columns[try table.slot(of: name)].dense(table.rowCount)
  }

  private static func cheapFirst(_ parts: [Filter]) -> [Filter] {
    parts.enumerated().sorted { (cost($0.element), $0.offset) < (cost($1.element), $1.offset) }
      .map(\.element)
  }

  /// True if the filter tests texts, so that its result is worth keeping.
  static func isSlow(_ filter: Filter) -> Bool { cost(filter) >= 4 }

  private static func cost(_ filter: Filter) -> Int {
    switch filter {
    case .constant, .isNull: 0
    case .compare(_, _, let value), .between(_, let value, _):
      switch value {
      case .text, .json: 2
      default: 1
      }
    case .compareAttributes: 3
    case .isIn(_, let values): min(3, values.count)
    case .text(_, let match): match.operation == .matches ? 20 : match.options.isEmpty ? 4 : 5
    case .anyText: 10
    case .and(let parts), .or(let parts): parts.map(cost).reduce(0, +)
    case .not(let part): cost(part)
    }
  }
}

// MARK: Lists of values

extension RowSelection {
  /// The rows whose value is in the list.
  ///
  /// - Complexity: O(n · k) for k values up to 16, O(n + k) expected beyond.
  private func equal(_ column: Column, to values: [Value], among mask: Bitmap) throws -> Bitmap {
    if values.count <= 16 {
      return values.reduce(none) { $0 | compare(column, .equal, $1, among: mask - $0) }
    }
    let nulls = values.contains(where: \.isNull) ? mask & column.nulls : none
    var meter = WorkMeter()
    var candidates: [Value] = []
    candidates.reserveCapacity(values.count)
    var index = HashIndex(capacity: values.count)
    for value in values {
      try meter.count()
      guard let candidate = Self.candidate(value, for: column) else { continue }
      index.insert(candidates.count, hash: Column.hash(of: candidate))
      candidates.append(candidate)
    }
    return nulls
      | (try (mask - column.nulls).filter { row in
        try meter.count()
        return index.row(hash: column.hash(at: row)) { column.holds(candidates[$0], at: row) }
          != nil
      })
  }

  /// The live rows with a value, from an index; nil if there is none.
  private func indexedRows(_ name: String, _ value: Value) throws -> Bitmap? {
    guard !value.isNull, let lookups = table.lookups else { return nil }
    let slot = try table.slot(of: name)
    let column = table.columns[slot]
    guard let index = lookups.values(of: slot, in: column, { table.live - column.nulls }) else {
      return nil
    }
    var rows = none
    if let candidate = Self.candidate(value, for: column) {
      index.forEachRow(holding: candidate, in: column) { row in
        rows[Int(row)] = true
        return true
      }
    }
    return rows
  }

  /// The value converted to the kind of the column, if a cell of the column can equal it.
  fileprivate static func candidate(_ value: Value, for column: Column) -> Value? {
    let converted: Value? =
      switch (column.kind, value) {
      case (.number, .integer), (.number, .decimal): value.asDouble.map { .number($0) }
      case (.integer, .number(let number)): Int64(exactly: number).map { .integer($0) }
      case (.integer, .decimal(let number)): Int64(number.description).map { .integer($0) }
      case (.decimal, .integer), (.decimal, .number): value.asDecimal.map { .decimal($0) }
      default: value
      }
    guard let converted, converted.compare(value) == .orderedSame else { return nil }
    return converted
  }
}

extension EntityTable {
  /// The live rows for which a comparison with `=` holds, in natural order, if that is the order of the rows and an index
  /// that exists finds a few; nil otherwise.
  ///
  /// Other ways to find them visit a bit for each row.
  func fewRows(where name: String, equals value: Value) throws -> [Int32]? {
    guard order == nil, !value.isNull, let lookups else { return nil }
    try Interruption.check()
    let slot = try slot(of: name)
    guard let index = lookups.knownValues(of: slot) else { return nil }
    return columns.withUnsafeBufferPointer { $0[slot].fewRows(holding: value, index) }
  }

  /// The live rows that match the filter.
  ///
  /// A filter of texts that narrows one of the last ones searches only the rows that it found: letters that are added
  /// to a filter or a search cost less and less.
  ///
  /// - Throws: `PersistenceError` for unknown attributes and invalid patterns.
  func select(_ filter: Filter) throws -> Bitmap {
    guard let lookups, RowSelection.isSlow(filter) else {
      return try RowSelection(table: self).rows(filter, among: live)
    }
    let known = lookups.selection(for: filter)
    if let known, known.filter == filter { return known.rows }
    let rows = try RowSelection(table: self).rows(filter, among: known?.rows ?? live)
    lookups.note(.init(filter: filter, rows: rows))
    return rows
  }
}

extension Column {
  fileprivate static var fewRowsLimit: Int { 64 }

  /// The rows that hold a value, in order, if an index finds a few; nil otherwise.
  ///
  /// Called where the column is: a column that is read out of its array retains all of its arrays.
  fileprivate func fewRows(holding value: Value, _ index: ValueIndex) -> [Int32]? {
    guard let candidate = RowSelection.candidate(value, for: self) else { return [] }
    var rows: [Int32] = []
    var areFew = true
    index.forEachRow(holding: candidate, in: self) { row in
      areFew = rows.count < Self.fewRowsLimit
      rows.append(row)
      return areFew
    }
    return areFew ? rows.reversed() : nil
  }
}
