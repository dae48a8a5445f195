import CSQLite
import Foundation
import OpenSwiftData
import SQL

/// The functions and collations of the program that the statements of a connection use.
///
/// `catalog_match(N, cell, …)` tests the text of some cells, `catalog_filter(N, cell, …)` a filter on cells; `N` is the
/// number of what was registered. `catalog_mixed(converts, cell)` is the text of a cell with any type of value, and
/// `catalog_contains(pattern, cell)` searches a text of ASCII in any case.
///
/// They stop the statement at a value in a table of another program that is not of the form of its column, and so does
/// `catalog_misfit(N, cell)`: the statement is made again once the column is known to have such values.
final class SQLiteFunctions {
  /// A column that a function reads.
  private struct Source {
    let table: TableDescription
    let slot: Int
    let form: ColumnForm
    /// True if a value that is not of the form is an error; otherwise it is like none.
    let reportsMisfits: Bool

    init(_ table: TableDescription, _ slot: Int, reportsMisfits: Bool = true) {
      (self.table, self.slot) = (table, slot)
      form = table.columns[slot].form
      self.reportsMisfits = reportsMisfits && table.columns[slot].isLoose
    }

    func value(of stored: SQLValue) throws(MisfitValue) -> Value {
      if let value = form.value(of: stored) { return value }
      guard reportsMisfits else { return .null }
      throw MisfitValue(table: table, slot: slot, value: stored, identifier: nil)
    }
  }

  /// A test of the text of some columns.
  ///
  /// An object, because a copy for each row would cost more than most tests.
  private final class Match {
    private let matcher: TextMatcher
    private let sources: [Source]
    private let areTexts: [Bool]

    init(_ matcher: TextMatcher, _ sources: [Source]) {
      (self.matcher, self.sources) = (matcher, sources)
      areTexts = sources.map { $0.form == .text }
    }

    /// Tests a cell of the column with this number.
    func matches(_ cell: SQLiteCell, _ column: Int) throws(MisfitValue) -> Bool {
      let type = cell.type
      if type == SQLITE_NULL { return false }
      if areTexts[column], type == SQLITE_TEXT,
        let answer = cell.withText({ $0.isValidText ? matcher.matches(utf8: $0) : nil }), let answer
      {
        return answer
      }
      let value = try sources[column].value(of: cell.stored())
      return !value.isNull && matcher.matches(value.text)
    }
  }

  /// A condition on some columns.
  private struct Condition {
    let filter: BoundFilter
    let sources: [Source]
  }

  private var matches: [Match] = []
  private var conditions: [Condition] = []
  private var checkedColumns: [Source] = []
  /// The value at which a function has stopped the statement.
  private var misfit: MisfitValue?

  /// The number of conditions after which those of earlier statements are dropped.
  private static let limit = 1000

  /// The number of cells that a call tests; a function has at most 127 arguments.
  private static let cellLimit = 100

  /// Drops the conditions of earlier statements if they are many; called before a statement is made.
  func dropOld() {
    if matches.count > Self.limit { matches = [] }
    if conditions.count > Self.limit { conditions = [] }
    if checkedColumns.count > Self.limit { checkedColumns = [] }
  }

  /// Returns the value at which a function has stopped the statement, and forgets it.
  func takeMisfit() -> MisfitValue? {
    defer { misfit = nil }
    return misfit
  }

  /// The condition that stops the statement at a value that is not of the form of a column.
  func misfitCondition(_ column: ColumnDescription, _ table: TableDescription) -> SQLText {
    guard let slot = table.columns.firstIndex(of: column) else { return "0" }
    checkedColumns.append(Source(table, slot))
    return "catalog_misfit(\(.integer(Int64(checkedColumns.count - 1))), \(column.name.quotedName))"
  }

  /// The condition of a filter that SQL cannot say.
  ///
  /// - Throws: `PersistenceError` for unknown fields and invalid patterns.
  func condition(_ filter: Filter, _ table: TableDescription) throws -> SQLText {
    switch filter {
    case .text(let name, let match):
      let slots = try table.slots(of: [name])
      let condition = try condition(match, slots, table)
      let column = table.columns[slots[0]]
      guard column.form == .text, let pattern = Self.searchedInASCII(match) else {
        return condition
      }
      return "coalesce(catalog_contains(\(.text(pattern)), \(column.name.quotedName)), "
        + condition + ")"
    case .anyText(let match): return try condition(match, Array(table.columns.indices), table)
    default:
      let names = (filter.attributeNames ?? []).sorted()
      let slots = try table.slots(of: names)
      // A number in the filter could not be compared with the texts that a column of numbers would show then.
      let comparesFields = if case .compareAttributes = filter { true } else { false }
      let sources = slots.map {
        Source(table, $0, reportsMisfits: comparesFields || table.columns[$0].form.isText)
      }
      let bound = try BoundFilter(filter, layout: SnapshotLayout(names))
      conditions.append(Condition(filter: bound, sources: sources))
      let cells = slots.map { ", " + table.columns[$0].expression }.joined()
      return "catalog_filter(\(.integer(Int64(conditions.count - 1)))\(cells))"
    }
  }

  private func condition(_ match: TextMatch, _ slots: [Int], _ table: TableDescription) throws
    -> SQLText
  {
    let matcher = try TextMatcher(match)
    if slots.isEmpty { return "0" }
    let tests = stride(from: 0, to: slots.count, by: Self.cellLimit).map { start -> SQLText in
      let some = slots[start..<min(start + Self.cellLimit, slots.count)]
      matches.append(Match(matcher, some.map { Source(table, $0) }))
      let cells = some.map { ", " + table.columns[$0].expression }.joined()
      return "catalog_match(\(.integer(Int64(matches.count - 1)))\(cells))"
    }
    return "(" + .joined(tests, by: " OR ") + ")"
  }

  /// The text in small letters that a match searches; nil for another match.
  private static func searchedInASCII(_ match: TextMatch) -> String? {
    guard match.operation == .contains, match.options.contains(.caseInsensitive),
      match.options.isSubset(of: [.caseInsensitive, .diacriticInsensitive])
    else { return nil }
    return TextFolding.fold(match.pattern, match.options)
  }

  // MARK: Calls

  func register(with handle: OpaquePointer) {
    add("catalog_match", -1, to: handle) { context, count, values in
      let functions = SQLiteFunctions.of(context)
      guard let values, count > 0 else { return }
      let match = functions.matches[Int(sqlite3_value_int64(values[0]))]
      functions.answer(context) { () throws(MisfitValue) in
        for place in 1..<Int(count) {
          if let value = values[place], try match.matches(SQLiteCell(value: value), place - 1) {
            return true
          }
        }
        return false
      }
    }
    add("catalog_filter", -1, to: handle) { context, count, values in
      let functions = SQLiteFunctions.of(context)
      guard let values, count > 0 else { return }
      let number = Int(sqlite3_value_int64(values[0]))
      let cells = (1..<Int(count)).map { SQLValue(values[$0]) }
      functions.answer(context) { () throws(MisfitValue) in try functions.holds(number, cells) }
    }
    _ = catalog_sqlite_add_contains(handle)
    registerMisfit(with: handle)
    registerMixed(with: handle)
    registerGeometry(with: handle)
    registerCollations(with: handle)
  }

  /// A function as the database calls it.
  private typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  /// Adds a function with as many arguments; any number for -1.
  private func add(_ name: String, _ count: Int32, to handle: OpaquePointer, _ function: Function) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let own = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_create_function_v2(handle, name, count, flags, own, function, nil, nil, nil)
  }

  private func registerMisfit(with handle: OpaquePointer) {
    add("catalog_misfit", 2, to: handle) { context, _, values in
      let functions = SQLiteFunctions.of(context)
      guard let values, let value = values[1] else { return }
      functions.answer(context) { () throws(MisfitValue) in
        let column = functions.checkedColumns[Int(sqlite3_value_int64(values[0]))]
        let cell = SQLiteCell(value: value)
        if case .text = column.form, cell.type == SQLITE_TEXT,
          cell.withText({ $0.isValidText }) ?? false
        {
          return false
        }
        _ = try column.value(of: cell.stored())
        return false
      }
    }
  }

  private func registerMixed(with handle: OpaquePointer) {
    add("catalog_mixed", 2, to: handle) { context, _, values in
      guard let values, let context else { return }
      let cell = SQLValue(values[1])
      if cell == .null { return sqlite3_result_null(context) }
      var text = MixedText.text(of: cell, convertsText: sqlite3_value_int(values[0]) != 0)
      text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          // The destructor of -1 makes SQLite copy the text.
          let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
          if let first = $0.baseAddress {
            sqlite3_result_text(context, first, Int32($0.count), copies)
          } else {
            sqlite3_result_text(context, "", 0, copies)
          }
        }
      }
    }
  }

  private func registerCollations(with handle: OpaquePointer) {
    add(ColumnDescription.byteCollation, to: handle) { _, leftCount, left, rightCount, right in
      let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
      let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
      if left.lexicographicallyPrecedes(right) { return -1 }
      return left.count == right.count && left.elementsEqual(right) ? 0 : 1
    }
    add("catalog_decimal", to: handle) { _, leftCount, left, rightCount, right in
      let left = Decimal(string: SQLiteFunctions.text(left, leftCount)) ?? 0
      let right = Decimal(string: SQLiteFunctions.text(right, rightCount)) ?? 0
      return left < right ? -1 : left == right ? 0 : 1
    }
    add("catalog_links", to: handle) { _, leftCount, left, rightCount, right in
      let left = SQLiteFunctions.keys(SQLiteFunctions.text(left, leftCount))
      let right = SQLiteFunctions.keys(SQLiteFunctions.text(right, rightCount))
      if left == right { return 0 }
      return left.lexicographicallyPrecedes(right) ? -1 : 1
    }
  }

  /// A comparison as the database calls it.
  private typealias Comparison =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
    ) -> Int32

  private func add(_ collation: String, to handle: OpaquePointer, _ comparison: Comparison) {
    sqlite3_create_collation_v2(handle, collation, SQLITE_UTF8, nil, comparison, nil)
  }

  private static func text(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  private static func keys(_ text: String) -> [String] {
    (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
  }

  private static func of(_ context: OpaquePointer?) -> SQLiteFunctions {
    guard let own = sqlite3_user_data(context) else { preconditionFailure("registered with self") }
    return Unmanaged<SQLiteFunctions>.fromOpaque(own).takeUnretainedValue()
  }

  private func holds(_ number: Int, _ cells: [SQLValue]) throws(MisfitValue) -> Bool {
    let condition = conditions[number]
    var values: [Value] = []
    for (source, cell) in zip(condition.sources, cells) {
      values.append(try source.value(of: cell))
    }
    return condition.filter.matches(values)
  }

  /// Returns a truth value to the database, or stops its statement.
  private func answer(_ context: OpaquePointer?, _ body: () throws(MisfitValue) -> Bool) {
    do {
      sqlite3_result_int(context, try body() ? 1 : 0)
    } catch {
      misfit = error
      sqlite3_result_error(context, "a value of another type", -1)
    }
  }
}

extension SQLValue {
  /// The argument of a function.
  init(_ value: OpaquePointer?) { self = value.map { SQLiteCell(value: $0).stored() } ?? .null }
}
